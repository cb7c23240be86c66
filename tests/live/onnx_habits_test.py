# SPDX-License-Identifier: Apache-2.0
"""Random float networks, quantized as four tools do it, against onnxruntime with its optimisations off.

usage: onnx_habits_test.py VERNIER FOLDER [--seed N] [--networks N]. The packages are installed from PyPI into FOLDER, once; exit code 77,
with a message, where they cannot be had."""

import collections
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
import npy
import program
import pypi

PACKAGES = ("onnx==1.23.2", "onnxruntime==1.31.1", "numpy==2.4.6")
# Of the networks of a habit. An input in float that a computed value is multiplied by has no format.
MOST_REFUSED = {"everywhere": 0.02, "at convolutions": 0.2, "residual in float": 0.05, "ends in float": 0.02}
# Of the numbers of all networks of a habit, and how far one may be off, in steps or in percent of the output's range: a code next to a tie is one
# step off, and a convolution that reads it has many results that are.
MOST_DIFFERING, MOST_STEPS, MOST_PERCENT = 0.02, 4, 4
# Of the networks of a habit, how many may have a number that is further off. Where functions of a convolution's sums have no quantizer before them,
# these sums have 16 bits, so that one code in some hundred is a step off, and functions such as a square behind it grow that step.
MOST_FAR = {"everywhere": 0, "at convolutions": 0.02, "residual in float": 0, "ends in float": 0}


class Refused(Exception):
    pass


def distances(vernier, folder, entry):
    """How far each number is off: in steps where the output stands for codes, else in percent of the range of the expected ones."""
    number, out = entry["number"], folder / "out"
    shutil.rmtree(out, ignore_errors=True)
    done = subprocess.run([vernier, "run", folder / f"{number}.onnx", "-q", "--input", folder / f"{number}.input.npy", "--output-dir", out],
                          capture_output=True, text=True, check=False)
    if done.returncode == 2:
        raise Refused(done.stderr.strip())
    if done.returncode != 0:
        raise AssertionError(f"exit code {done.returncode}: {done.stderr.strip()[-300:]}")
    files = sorted(out.iterdir())
    file, = [file for file in files if file.name.endswith(".float.npy")] or files
    found, expected = npy.read(file), npy.read(folder / f"{number}.output.npy")
    if found.shape != expected.shape:
        raise AssertionError(f"shape {found.shape}, expected {expected.shape}")
    off = [abs(a - b) for a, b in zip(found.values, expected.values, strict=True)]
    if entry["step"]:
        return [round(one / entry["step"]) for one in off]
    spread = max(expected.values) - min(expected.values) or max(map(abs, expected.values)) or 1
    return [0 if one < 1e-4 * spread else 100 * one / spread for one in off]


def reason_of(message):
    line = re.sub(r"^vernier: \S+: ", "", message.splitlines()[0])
    return re.sub(r"'[^']*'", "..", re.sub(r", supported are .*", "", line))[:160]


def main():
    options = pypi.parse_options("--networks", 500)
    python = pypi.python_with(options.folder, *PACKAGES)
    counts, reasons, complaints = collections.defaultdict(collections.Counter), collections.Counter(), []
    with tempfile.TemporaryDirectory(prefix="vernier_live_") as name:
        folder = pathlib.Path(name)
        subprocess.run([python, "-B", HERE / "onnx_habits.py", "--seed", str(options.seed), "--networks", str(options.networks), folder], check=True)
        for entry in program.read_json(folder / "index.json"):
            count, about = counts[entry["habit"]], f"network {entry['number']}, {entry['habit']}, {' '.join(entry['kinds'])}"
            count["networks"] += 1
            try:
                off = distances(options.vernier, folder, entry)
            except Refused as refused:
                count["refused"] += 1
                reasons[reason_of(str(refused))] += 1
                continue
            except AssertionError as wrong:
                complaints.append(f"{about}: {wrong}")
                continue
            count["numbers"] += len(off)
            count["differing"] += sum(one > 0 for one in off)
            if max(off) > (MOST_STEPS if entry["step"] else MOST_PERCENT):
                count["far"] += 1
                print(f"{about}: {max(off):.3g} {'steps' if entry['step'] else 'percent'} off, {sum(one > 0 for one in off)} of {len(off)} numbers differ")
    print(f"seed {options.seed}")
    for habit, count in counts.items():
        print(f"{habit}: {dict(count)}")
        if count["refused"] > MOST_REFUSED[habit] * count["networks"]:
            complaints.append(f"{habit}: {count['refused']} of {count['networks']} networks were refused")
        if count["far"] > MOST_FAR[habit] * count["networks"]:
            complaints.append(f"{habit}: in {count['far']} of {count['networks']} networks a number is further off than {MOST_STEPS} steps or {MOST_PERCENT} percent")
        if count["differing"] > MOST_DIFFERING * count["numbers"]:
            complaints.append(f"{habit}: {count['differing']} of {count['numbers']} numbers differ")
    print(*(f"refused {times} times: {reason}" for reason, times in reasons.most_common()), sep="\n")
    print(*complaints, sep="\n")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
