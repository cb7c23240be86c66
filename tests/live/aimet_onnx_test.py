# SPDX-License-Identifier: Apache-2.0
"""Random small networks that aimet-onnx quantizes, exports and simulates, run by vernier with the exported encodings.

usage: aimet_onnx_test.py VERNIER FOLDER [--seed N] [--networks N]. aimet-onnx, with PyTorch 6 GB, is installed from PyPI into FOLDER,
once; exit code 77, with a message, where it cannot be had. AIMET simulates in float32 and does not round biases: a code may be 2 steps
off; tests/live/aimet_test.py has the formulas, without any difference."""

import collections
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
import npy
import program
import pypi

PACKAGES = ("aimet-onnx==2.42.0",)
MOST_STEPS = 2
# A code inside that is one step off is several steps of an output that is finer than a weight times that step: few codes, as there are few ties.
MOST_AMPLIFIED, PART_AMPLIFIED = 8, 0.001
# Of the codes: 4-bit weights make biases coarse, 16-bit activations are finer than float32's noise.
MOST_DIFFERING = 0.1


def compare(vernier, folder, entry, counts):
    """What is wrong with one network, or None; counts its codes."""
    number = entry["number"]
    done = subprocess.run([vernier, "run", folder / f"{number}.onnx", "--encodings", folder / f"{number}.encodings", "-q",
                           "--input", folder / f"{number}.input.npy", "--output-dir", folder / "out"],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return f"exit code {done.returncode}: {done.stderr}"
    found, expected = npy.read(folder / "out" / "y.float.npy"), npy.read(folder / f"{number}.output.npy")
    steps = [round(abs(a - b) / entry["step"]) for a, b in zip(found.values, expected.values, strict=True)]
    differing = sum(step > 0 for step in steps)
    counts["codes"] += len(steps)
    counts["differing"] += differing
    counts["by at most"] = max(counts["by at most"], *steps)
    counts["amplified"] += sum(step > MOST_STEPS for step in steps)
    return f"codes differ by up to {max(steps)} steps" if max(steps) > MOST_AMPLIFIED else None


def main():
    options = pypi.parse_options("--networks", 50)
    python = pypi.python_with(options.folder, *PACKAGES)
    counts, complaints = collections.Counter(), []
    with tempfile.TemporaryDirectory(prefix="vernier_live_") as name:
        folder = pathlib.Path(name)
        subprocess.run([python, "-B", HERE / "aimet_onnx_networks.py", "--seed", str(options.seed), "--networks", str(options.networks), folder],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for entry in program.read_json(folder / "index.json"):
            said = compare(options.vernier, folder, entry, counts)
            if said:
                complaints.append(f"network {entry['number']}, {entry['version']}, {entry['activation']} {entry['parameter']} {entry['kinds']}: {said}")
    if counts["differing"] > MOST_DIFFERING * counts["codes"]:
        complaints.append("too many codes differ")
    if counts["amplified"] > PART_AMPLIFIED * counts["codes"]:
        complaints.append(f"{counts['amplified']} codes differ by more than {MOST_STEPS} steps")
    print(f"seed {options.seed}: {dict(counts)}", *complaints, sep="\n")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
