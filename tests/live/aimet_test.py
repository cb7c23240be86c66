# SPDX-License-Identifier: Apache-2.0
"""Random float networks with encodings of AIMET against AIMET's formulas in numpy (aimet_networks.py says which). AIMET itself,
aimet-onnx, needs an environment of 6 GB with PyTorch, and computes in float32 between its quantizers: its results are in
../shared/golden/quant/aimet, which tests/e2e/aimet_test.py reads.

usage: aimet_test.py VERNIER FOLDER [--seed N] [--networks N]. The packages are installed from PyPI into FOLDER, once; exit code
77, with a message, where they cannot be had."""

import collections
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
import npy
import onnx_groups
import program
import pypi

PACKAGES = ("onnx==1.23.2", "numpy==2.4.6")


def compare(vernier, folder, entry, counts):
    """What is wrong with one network, or None; counts its codes."""
    number = entry["number"]
    done = subprocess.run([vernier, "run", folder / f"{number}.onnx", "--encodings", folder / f"{number}.encodings", "-q",
                           "--input", folder / f"{number}.input.npy", "--output-dir", folder / "out"],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return f"exit code {done.returncode}: {done.stderr}"
    found, expected = npy.read(folder / "out" / f"{entry['output']}.npy"), npy.read(folder / f"{number}.output.npy")
    steps = [abs(code + entry["offset"] - wanted) for code, wanted in zip(found.values, expected.values, strict=True)]
    counts["codes"] += len(steps)
    counts["differing"] += sum(step > 0 for step in steps)
    counts.update(entry["kinds"])
    return f"{sum(step > 0 for step in steps)} of {len(steps)} codes differ, by at most {max(steps)}" if any(steps) else None


def main():
    options = pypi.parse_options("--networks", 50)
    python = pypi.python_with(options.folder, *PACKAGES)
    counts, complaints = collections.Counter(), []
    with tempfile.TemporaryDirectory(prefix="vernier_live_") as name:
        folder = pathlib.Path(name)
        subprocess.run([python, HERE / "aimet_networks.py", "--seed", str(options.seed), "--networks", str(options.networks), folder],
                       check=True)
        for entry in program.read_json(folder / "index.json"):
            said = compare(options.vernier, folder, entry, counts)
            if said:
                complaints.append(f"network {entry['number']}, {entry['version']}, {entry['kinds']}: {said}")
    complaints += [f"no network has {kind}" for kind in onnx_groups.ENCODED if not counts[kind]]
    print(f"seed {options.seed}: {dict(counts)}", *complaints, sep="\n")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
