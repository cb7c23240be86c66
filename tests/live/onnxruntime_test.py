# SPDX-License-Identifier: Apache-2.0
"""Random small QDQ networks against onnxruntime with its optimisations off.

usage: onnxruntime_test.py VERNIER FOLDER [--seed N] [--networks N]. The packages are installed from PyPI into FOLDER, once; exit code
77, with a message, where they cannot be had."""

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
# Of the codes of 8 bits, without averages: sums within float32's noise of a tie.
MOST_DIFFERING = 1e-4
# With averages, which meet ties, and of 16 bits: what follows may amplify a step.
MOST_DIFFERING_OTHERS = 0.05


def group_of(entry):
    """Networks whose exactness has one reason."""
    if entry["codes"] == "int16":
        return "int16"
    return "averages" if any(kind in ("AveragePool", "GlobalAveragePool", "ReduceMean") for kind in entry["kinds"]) else "int8"


def compare(vernier, folder, entry, counts):
    """What is wrong with one network, or None; counts its codes."""
    number = entry["number"]
    try:
        steps = onnx_codes.steps_of(vernier, folder, number)
    except onnx_codes.Refused as refused:
        counts["refused"] += 1
        print(f"{number}, refused: {refused}")
        return None
    except onnx_codes.Wrong as wrong:
        return str(wrong)
    differing = sum(step > 0 for step in steps)
    counts[group_of(entry)] += len(steps)
    counts[f"{group_of(entry)} differing"] += differing
    if differing:
        print(f"{number}, {entry['codes']} {entry['kinds']}: {differing} of {len(steps)} differ, by at most {max(steps)}")
    return None


def main():
    options = pypi.parse_options("--networks", 200)
    python = pypi.python_with(options.folder, *PACKAGES)
    counts, complaints = collections.Counter(), []
    with tempfile.TemporaryDirectory(prefix="vernier_live_") as name:
        folder = pathlib.Path(name)
        subprocess.run([python, HERE / "onnx_networks.py", "--seed", str(options.seed), "--networks", str(options.networks), folder],
                       check=True)
        for entry in program.read_json(folder / "index.json"):
            said = compare(options.vernier, folder, entry, counts)
            if said:
                complaints.append(f"network {entry['number']} {entry['kinds']}: {said}")
    for group, most in (("int8", MOST_DIFFERING), ("averages", MOST_DIFFERING_OTHERS), ("int16", MOST_DIFFERING_OTHERS)):
        if counts[f"{group} differing"] > most * counts[group]:
            complaints.append(f"{group}: {counts[f'{group} differing']} of {counts[group]} codes differ, allowed are {most:g}")
    if counts["refused"] > 0.1 * options.networks:
        complaints.append(f"{counts['refused']} of {options.networks} networks were refused")
    print(f"seed {options.seed}: {dict(counts)}", *complaints, sep="\n")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
