# SPDX-License-Identifier: Apache-2.0
"""A guide on the network of the demo, tried: its commands, and that they print what it says.

usage: page_test.py VERNIER PAGE."""

import pathlib
import shutil
import sys

import guide

SKIPPED = 77


def main():
    vernier, page = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    if "--rtl" in page.read_text(encoding="utf-8") and shutil.which("verilator") is None:
        print("skipped: Verilator is not installed")
        sys.exit(SKIPPED)
    if "firmware/build.py" in page.read_text(encoding="utf-8") and shutil.which("riscv64-unknown-elf-gcc") is None:
        print("skipped: the cross compiler is not installed")
        sys.exit(SKIPPED)
    with guide.folder_with_demo() as name:
        guide.try_page(page, pathlib.Path(name), vernier)
    print("the guide's commands work")


if __name__ == "__main__":
    try:
        main()
    except guide.Failed as failed:
        print(f"failed: {failed}", file=sys.stderr)
        sys.exit(1)
