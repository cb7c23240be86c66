# SPDX-License-Identifier: Apache-2.0
"""docs/guides/debugging.md, tried: its commands in an empty folder, and what it says that they print.

usage: debugging_test.py VERNIER."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
GUIDE = ROOT / "docs/guides/debugging.md"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)


class Failed(Exception):
    pass


def expect(holds, what):
    if not holds:
        raise Failed(what)


def main():
    vernier = pathlib.Path(sys.argv[1]).resolve()
    page = GUIDE.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory(prefix="vernier_guide_") as name:
        folder = pathlib.Path(name)
        shutil.copy(ROOT / "tests/e2e/demo/demo.tosa", folder)
        environment = {**os.environ, "PATH": f"{vernier.parent}:{os.environ['PATH']}", "COLUMNS": "100"}
        kinds = []
        for kind, block in BLOCK.findall(page):
            kinds.append(kind)
            if kind == "sh":
                print(block, end="", flush=True)
                done = subprocess.run(["bash", "-e", "-c", block], cwd=folder, env=environment, capture_output=True, text=True, check=False)
                expect(done.returncode == 0, f"exit code {done.returncode}: {block}{done.stdout}{done.stderr}")
            else:
                expect(block in (folder / "report.txt").read_text(), f"{GUIDE.name} has\n{block}the report has it not:\n"
                       + (folder / "report.txt").read_text())
        expect(kinds == ["sh", "", "sh", "sh", "sh", "sh", "sh"], f"{GUIDE.name}: other blocks than expected: {kinds}")
        made = {path.name for path in folder.iterdir()}
        expect({"run.vcd", "layer.vcd", "cycles.vcd", "run.vcd.gtkw", "run.perfetto-trace", "run.json", "run.ftr"} <= made, made)
        expect("the expected value" in (folder / "report.txt").read_text(), "the operands of the first difference")
    print("the guide's commands work")


if __name__ == "__main__":
    try:
        main()
    except Failed as failed:
        print(f"failed: {failed}", file=sys.stderr)
        sys.exit(1)
