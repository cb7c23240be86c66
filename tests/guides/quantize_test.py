# SPDX-License-Identifier: Apache-2.0
"""docs/guides/quantize.md, tried: its arrays, its commands, and what it says that they print.

usage: quantize_test.py VERNIER. Needs neither numpy nor TensorFlow nor PyPI."""

import ast
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
import npy
import tosa_file
from guide import BLOCK, Failed, expect

GUIDE = ROOT / "docs/guides/quantize.md"
ARRAY = re.compile(r'^numpy\.save\("(\w+\.npy)", numpy\.array\((.*), "float32"\)\)$')


def save(line, folder):
    """A line of numpy, of the one form that the page uses."""
    name, text = ARRAY.match(line).groups()
    rows = ast.literal_eval(text)
    is_flat = not isinstance(rows[0], list)
    shape = (len(rows),) if is_flat else (len(rows), len(rows[0]))
    npy.write(folder / name, npy.Array("<f4", shape, rows if is_flat else sum(rows, [])))


def execute(block, folder):
    """What the lines print."""
    print(block, end="", flush=True)
    done = subprocess.run(["bash", "-e", "-c", block], cwd=folder, capture_output=True, text=True, check=False)
    expect(done.returncode == 0 and not done.stderr, f"exit code {done.returncode}: {block}{done.stderr}")
    return done.stdout


def main():
    vernier = pathlib.Path(sys.argv[1]).resolve()
    page = GUIDE.read_text(encoding="utf-8")
    kinds = []
    with tempfile.TemporaryDirectory(prefix="vernier_guide_") as name:
        folder = pathlib.Path(name)
        (folder / "build" / "release").mkdir(parents=True)
        (folder / "build" / "release" / "vernier").symlink_to(vernier)
        (folder / "net.tosa").write_bytes(tosa_file.one_operator("IDENTITY", dtype="int8"))
        npy.write(folder / "float.npy", npy.Array("<f4", (2, 3), [-1, -0.5, 0, 0.25, 0.5, 1]))
        printed = ""
        for kind, block in BLOCK.findall(page):
            kinds.append(kind)
            if kind == "python":
                for line in block.splitlines():
                    save(line, folder)
            elif kind == "sh":
                printed = execute(block, folder)
            else:
                expect(printed == block, f"{GUIDE.name} has\n{block}the program prints\n{printed}")
        expect(kinds == ["python", "sh", "", "sh", "python", "sh", "", "sh"], f"{GUIDE.name}: other blocks than expected: {kinds}")
        expect("check: match" in printed, f"the network with --quantize:\n{printed}")
        codes = ", ".join(map(str, npy.read(folder / "codes.npy").values))
        expect(f"holds int8: {codes}." in page, f"codes.npy holds {codes}")
        expect(npy.read(folder / "back.npy").values[5] == 1, "the upper end does not come back")
        expect(list(npy.read(folder / "wcodes.npy").values) == [64, -127, -127, 64], "wcodes.npy")
    print("the guide's commands work")


if __name__ == "__main__":
    try:
        main()
    except Failed as failed:
        print(f"quantize_test: {failed}", file=sys.stderr)
        sys.exit(1)
