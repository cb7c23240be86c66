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
import onnx_groups
import program
import pypi

PACKAGES = ("onnx==1.23.2", "onnxruntime==1.31.1", "numpy==2.4.6")


def group_of(entry):
    """Networks whose exactness has one reason."""
    if entry["codes"] == "int16":
        return "int16"
    return "averages" if any(kind in onnx_groups.AVERAGES for kind in entry["kinds"]) else "int8"


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
    counts.update(f"networks with {kind}" for kind in entry["kinds"])
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
    for group in ("int8", "averages", "int16"):
        most = onnx_groups.MOST_DIFFERING if group == "int8" else onnx_groups.MOST_DIFFERING_OTHERS
        if counts[f"{group} differing"] > most * counts[group]:
            complaints.append(f"{group}: {counts[f'{group} differing']} of {counts[group]} codes differ, allowed are {most:g}")
    if options.networks >= 200:  # fewer may miss one
        complaints += [f"no network has {kind}" for kind in (*onnx_groups.RANDOM, *onnx_groups.AVERAGES) if not counts[f"networks with {kind}"]]
    if counts["refused"] > 0.1 * options.networks:
        complaints.append(f"{counts['refused']} of {options.networks} networks were refused")
    print(f"seed {options.seed}: {dict(counts)}", *complaints, sep="\n")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
