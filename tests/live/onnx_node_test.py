# SPDX-License-Identifier: Apache-2.0
"""ONNX's own node tests of quantization: those that integers can be pass, the others are refused by name.

usage: onnx_node_test.py VERNIER FOLDER. The package onnx is installed from PyPI into FOLDER, once; exit code 77, with a message, where it
cannot be had."""

import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
import measured
import npy
import program
import pypi

PACKAGES = ("onnx==1.23.2", "onnxruntime==1.31.1", "numpy==2.4.6")
NUM_CASES = 45
# Dynamic parameters, floats of 8, 16 and 4 bits, codes of 2 bits, and scales of blocks.
REFUSED = re.compile("dynamic|e4m3|e5m2|float16|float4|int2$|uint2$|blocked")


def verdict(vernier, folder, case):
    """"passed", "refused: ..." or what is wrong."""
    name = case["name"]
    inputs = ["--input", folder / f"{name}.input.npy"] if case["has_data"] else []
    done = subprocess.run([vernier, "run", folder / f"{name}.onnx", "-q", *inputs, "--output-dir", folder / "out"], capture_output=True,
                          text=True, check=False)
    if done.returncode == 2:
        return f"refused: {done.stderr.splitlines()[0].replace(str(folder), '').removeprefix('vernier: /')}"
    if done.returncode != 0:
        return f"exit code {done.returncode}: {done.stderr}"
    expected = npy.read(folder / f"{name}.output.npy")
    is_float = expected.descr == "<f4"
    found = npy.read(folder / "out" / f"{case['output']}{'.float' if is_float else ''}.npy")
    if (found.descr, found.shape) != (expected.descr, expected.shape):
        return f"{found.descr} {found.shape}, expected {expected.descr} {expected.shape}"
    return "passed" if list(found.values) == list(expected.values) else f"{list(found.values)[:8]}, expected {list(expected.values)[:8]}"


def main():
    options = pypi.parse_options("--cases", NUM_CASES)
    python = pypi.python_with(options.folder, *PACKAGES)
    passed = refused = compared = 0
    complaints = []
    with tempfile.TemporaryDirectory(prefix="vernier_live_") as name:
        folder = pathlib.Path(name)
        subprocess.run([python, "-B", HERE / "onnx_node_cases.py", folder], check=True)
        index = program.read_json(folder / "index.json")
        for case in index:
            said = verdict(options.vernier, folder, case)
            print(f"{case['name']}: {said}")
            passed += said == "passed"
            refused += said.startswith("refused")
            compared += len(npy.read(folder / f"{case['name']}.output.npy").values) if said == "passed" else 0
            is_to_be_refused = REFUSED.search(case["name"]) is not None
            if not (said.startswith("refused") if is_to_be_refused else said == "passed"):
                complaints.append(f"{case['name']}: {said}")
    measured.tell("ONNX node tests of quantization, PyPI's", f"{len(index)} tests, {passed} pass, {refused} refused", "onnx", compared, 0, 0)
    print(*complaints, sep="\n")
    return 1 if complaints or len(index) != NUM_CASES else 0


if __name__ == "__main__":
    sys.exit(main())
