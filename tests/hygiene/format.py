#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clang-format over C++ sources: format.py [FILE ...], all of the tree without a file. Prints where they differ from what
.clang-format says, exits 1 if they do. Versions of clang-format disagree on details, so that another than the one that formatted
this tree is no judge of it: 77, as without clang-format."""

import pathlib
import re
import shutil
import subprocess
import sys

from source_tree import SourceTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = "clang-format"
VERSION = "14"
SKIPPED = 77


def main(files):
    if not shutil.which(TOOL):
        print(f"skipped: there is no {TOOL}")
        return SKIPPED
    said = subprocess.run([TOOL, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    version = re.search(r"version (\d+)", said)
    if version is None or version.group(1) != VERSION:
        print(f"skipped: this tree is formatted by {TOOL} {VERSION}, here is '{said}'")
        return SKIPPED
    if not files:
        files = [ROOT / file.path for file in SourceTree.load(ROOT).files if file.is_cpp]
    done = subprocess.run([TOOL, "--dry-run", "-Werror", *files], check=False)
    if done.returncode != 0:
        print(f"{TOOL} would change the above: ./dev format rewrites them", file=sys.stderr)
        return 1
    print(f"{len(files)} files, nothing found")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
