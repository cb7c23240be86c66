# SPDX-License-Identifier: Apache-2.0
"""Single operators in QDQ form against onnxruntime with its optimisations off.

usage: onnx_operators_test.py VERNIER FOLDER [--seed N] [--cases N]. The packages are installed from PyPI into FOLDER, once; exit code 77,
with a message, where they cannot be had. Prints, for each kind, how many codes differ and by how much."""

import collections
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
import onnx_codes
import program
import pypi

PACKAGES = ("onnx==1.23.2", "onnxruntime==1.31.1", "numpy==2.4.6")
# Steps that a code may differ by, and the part of the codes that may differ; docs/guides/onnx.md says why.
ALLOWED = {
    "softmax int8": (1, 0.001), "softmax int16": (2, 0.01), "layer_norm int8": (1, 0.001), "layer_norm int16": (2, 0.01),
    "conv_transpose int8": (1, 0.001), "conv_transpose int16": (1, 0.01), "resize_nearest int8": (0, 0), "resize_nearest int16": (0, 0),
    "resize_linear int8": (1, 0.05), "resize_linear int16": (1, 0.05), "movement int8": (0, 0), "movement int16": (0, 0),
    "batch_norm int8": (1, 0.001), "batch_norm int16": (1, 0.01), "prelu int8": (1, 0.001), "prelu int16": (1, 0.01),
    "matmul int8": (1, 0.001), "matmul int16": (1, 0.01), "unary int8": (1, 0.001), "unary int16": (8, 1),
    "zero_point int16": (1, 0.01), "qlinear int8": (1, 0.001),
}


def compare(vernier, folder, entry, groups):
    """What is wrong with one network, or None."""
    number, group = entry["number"], groups[entry["group"]]
    try:
        steps = onnx_codes.steps_of(vernier, folder, number)
    except onnx_codes.Refused as refused:
        group["refused"] += 1
        print(f"{number}, refused: {refused}")
        return None
    except onnx_codes.Wrong as wrong:
        return str(wrong)
    group["networks"] += 1
    group["codes"] += len(steps)
    group["differ"] += sum(step > 0 for step in steps)
    group["by at most"] = max(group["by at most"], *steps)
    return None


def judge(groups):
    for name, (steps, part) in ALLOWED.items():
        group = groups[name]
        print(f"{name}: {group['networks']} networks, {group['refused']} refused, {group['differ']} of {group['codes']} codes differ, "
              f"by at most {group['by at most']}")
        if group["by at most"] > steps or group["differ"] > part * group["codes"]:
            yield f"{name}: allowed are {steps} steps in {part:g} of the codes"
        if group["refused"] > 0.4 * (group["refused"] + group["networks"]):
            yield f"{name}: {group['refused']} networks were refused"


def main():
    options = pypi.parse_options("--cases", 30)
    python = pypi.python_with(options.folder, *PACKAGES)
    groups, complaints = collections.defaultdict(collections.Counter), []
    with tempfile.TemporaryDirectory(prefix="vernier_live_") as name:
        folder = pathlib.Path(name)
        subprocess.run([python, "-B", HERE / "onnx_operators.py", "--seed", str(options.seed), "--cases", str(options.cases), folder], check=True)
        for entry in program.read_json(folder / "index.json"):
            said = compare(options.vernier, folder, entry, groups)
            if said:
                complaints.append(f"network {entry['number']} {entry['kinds']}: {said}")
    complaints += judge(groups)
    print(f"seed {options.seed}", *complaints, sep="\n")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
