# SPDX-License-Identifier: Apache-2.0
"""docs/guides/encodings.md, tried: its files, its commands, and what it says that they print.

usage: encodings_test.py VERNIER. Needs neither AIMET nor PyPI."""

import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
import onnx_file
from guide import BLOCK

GUIDE = ROOT / "docs/guides/encodings.md"
EXPECTED = ["json", "sh", "", "json", "sh", "", "sh", "", "sh", "", "json", "sh", "", "sh", "sh", ""]
EXIT_CODES = [2, 0, 0, 2, 0, 0, 0]  # of the commands, in the order of the page


def main():
    vernier = pathlib.Path(sys.argv[1]).resolve()
    blocks = BLOCK.findall(GUIDE.read_text(encoding="utf-8"))
    if [kind for kind, _ in blocks] != EXPECTED:
        return f"{GUIDE.name}: other blocks than expected: {[kind for kind, _ in blocks]}"
    codes = iter(EXIT_CODES)
    with tempfile.TemporaryDirectory(prefix="vernier_guide_") as name:
        folder = pathlib.Path(name)
        (folder / "build" / "release").mkdir(parents=True)
        (folder / "build" / "release" / "vernier").symlink_to(vernier)
        (folder / "float.onnx").write_bytes(onnx_file.float_layer())
        (folder / "quantized.onnx").write_bytes(onnx_file.small())
        printed = ""
        for kind, block in blocks:
            if kind == "json":
                (folder / "my.encodings").write_text(block, encoding="ascii")
            elif kind == "sh":
                print(block, end="", flush=True)
                done = subprocess.run(["bash", "-e", "-c", block], cwd=folder, capture_output=True, text=True, check=False)
                printed, code = done.stderr + done.stdout, next(codes)
                if done.returncode != code:
                    return f"exit code {done.returncode}, the page has a case of {code}: {block}{printed}"
            elif printed != block:
                return f"{GUIDE.name} has\n{block}the program prints\n{printed}"
        for file in ("new.encodings", "out/y.npy", "out/y.float.npy", "net.tosa", "net.boundary.json", "own.encodings"):
            if not (folder / file).exists():
                return f"{file} was not written"
    print("the guide's commands work")
    return 0


if __name__ == "__main__":
    failed = main()
    if failed:
        print(f"encodings_test: {failed}", file=sys.stderr)
    sys.exit(1 if failed else 0)
