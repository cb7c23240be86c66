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
import onnx_groups
import program
import pypi

PACKAGES = ("onnx==1.23.2", "onnxruntime==1.31.1", "numpy==2.4.6")


def compare(vernier, folder, entry, groups, seen):
    """What is wrong with one network, or None; counts its codes, and the operators of networks that were taken."""
    number, group = entry["number"], groups[entry["group"]]
    try:
        steps = onnx_codes.steps_of(vernier, folder, number, onnx_groups.FLOAT_BOUNDS.get(entry["group"].split(",")[0], 0))
    except onnx_codes.Refused as refused:
        group["refused"] += 1
        print(f"{number}, refused: {refused}")
        return None
    except onnx_codes.Wrong as wrong:
        return str(wrong)
    group["networks"] += 1
    seen.update(entry["kinds"])
    group["codes"] += len(steps)
    group["differ"] += sum(step > 0 for step in steps)
    group["by at most"] = max(group["by at most"], *steps)
    return None


# Ties come by the network: of a Resize by 2 a quarter of the codes. Parts of codes and of networks say nothing of few networks.
LEAST_NETWORKS = 15


def judge(groups):
    for kind, (_, *bounds) in onnx_groups.OPERATORS.items():
        for bits, bound in zip((8, 16), bounds):
            if bound is None:
                continue
            group = groups[f"{kind}, {bits} bits"]
            print(f"{kind}, {bits} bits: {group['networks']} networks, {group['refused']} refused, {group['differ']} of {group['codes']} codes "
                  f"differ, by at most {group['by at most']}")
            has_many = group["networks"] >= LEAST_NETWORKS and group["differ"] > bound.part * group["codes"]
            if group["by at most"] > bound.steps or (has_many and group["differ"] > 1):  # a near tie alone is no part
                yield f"{kind}, {bits} bits: allowed are {bound.steps} steps in {bound.part:g} of the codes"
            count = group["refused"] + group["networks"]
            if count >= LEAST_NETWORKS and group["refused"] > 0.4 * count:
                yield f"{kind}, {bits} bits: {group['refused']} networks were refused"


def unseen(seen):
    """Operators of the groups that no network had."""
    wanted = {operator for group in onnx_groups.OPERATORS.values() for operator in group.operators}
    return [f"no network has {operator}" for operator in sorted(wanted - set(seen))]


def main():
    options = pypi.parse_options("--cases", 30)
    python = pypi.python_with(options.folder, *PACKAGES)
    groups, seen, complaints = collections.defaultdict(collections.Counter), set(), []
    with tempfile.TemporaryDirectory(prefix="vernier_live_") as name:
        folder = pathlib.Path(name)
        subprocess.run([python, "-B", HERE / "onnx_operators.py", "--seed", str(options.seed), "--cases", str(options.cases), folder], check=True)
        for entry in program.read_json(folder / "index.json"):
            said = compare(options.vernier, folder, entry, groups, seen)
            if said:
                complaints.append(f"network {entry['number']} {entry['kinds']}: {said}")
    complaints += judge(groups)
    complaints += unseen(seen) if options.cases >= 30 else []  # fewer may miss one
    print(f"seed {options.seed}", *complaints, sep="\n")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
