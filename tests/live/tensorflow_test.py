# SPDX-License-Identifier: Apache-2.0
"""Random calls of `quantize` and `dequantize` against TensorFlow itself, bit for bit.

usage: tensorflow_test.py VERNIER FOLDER [--seed N] [--calls N]. TensorFlow is installed from PyPI into FOLDER, once; exit code
77, with a message, where it cannot be had."""

import math
import pathlib
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
import npy
import program
import pypi

TENSORFLOW = "tensorflow-cpu==2.21.0"
DESCR = {"qint8": "|i1", "quint8": "|u1", "qint16": "<i2", "quint16": "<u2", "qint32": "<i4"}


def floats(patterns):
    return [struct.unpack("<f", struct.pack("<I", pattern))[0] for pattern in patterns]


def differences(found, expected):
    return sum(not (a == b or (math.isnan(a) and math.isnan(b))) for a, b in zip(found, expected, strict=True))


class Comparison:
    def __init__(self, vernier, folder):
        self.vernier, self.folder = vernier, folder
        self.counts = {"calls": 0, "refused": 0, "codes": 0, "numbers": 0}

    def execute(self, command, call, descr, values, low, high):
        npy.write(self.folder / "in.npy", npy.Array(descr, call["shape"], values))
        arguments = ["--mode", call["mode"], "--type", call["T"], "--round-mode", call["round_mode"], "--ensure-minimum-range",
                     repr(call["ensure_minimum_range"])]
        arguments += ["--narrow-range"] if call["narrow_range"] else []
        arguments += ["--axis", str(call["axis"])] if call["axis"] >= 0 else []
        for option, end in (("--min", low), ("--max", high)):
            text = repr(end[0])
            if call["axis"] >= 0:
                text = f"{option[2:]}.npy"
                npy.write(self.folder / text, npy.Array("<f4", (len(end),), end))
            arguments += [option, text]
        return subprocess.run([self.vernier, command, "in.npy", *arguments, "-o", "out.npy"], cwd=self.folder, capture_output=True,
                              text=True, check=False)

    def complaint(self, call):
        """What differs, or None."""
        self.counts["calls"] += 1
        done = self.execute("quantize", call, "<f4", floats(call["in"]), floats(call["min"]), floats(call["max"]))
        if "error" in call:
            self.counts["refused"] += 1
            return None if done.returncode == 2 else f"TensorFlow refuses: {call['error']}"
        if done.returncode != 0:
            return f"exit code {done.returncode}: {done.stderr}"
        codes = list(npy.read(self.folder / "out.npy").values)
        ends = [[struct.unpack("<f", struct.pack("<f", float(text)))[0] for text in line.split()[1:]] for line in done.stdout.splitlines()]
        expected_ends = [floats(call["out_min"]), floats(call["out_max"])]
        if any(map(differences, ends, expected_ends)):
            return f"range {ends}, TensorFlow gives {expected_ends}"
        if differences(codes, call["out"]):
            return f"{differences(codes, call['out'])} codes differ: {codes}, TensorFlow gives {call['out']}"
        done = self.execute("dequantize", call, DESCR[call["T"]], call["out"], *expected_ends)
        if done.returncode != 0:
            return f"dequantize: exit code {done.returncode}: {done.stderr}"
        numbers, expected = list(npy.read(self.folder / "out.npy").values), floats(call["deq"])
        if differences(numbers, expected):
            return f"{differences(numbers, expected)} numbers differ: {numbers}, TensorFlow gives {expected}"
        self.counts["codes"] += len(codes)
        self.counts["numbers"] += len(numbers)
        return None


def main():
    options = pypi.parse_options("--calls", 2000)
    python = pypi.python_with(options.folder, TENSORFLOW)
    with tempfile.TemporaryDirectory(prefix="vernier_live_") as name:
        calls_file = pathlib.Path(name) / "calls.json"
        subprocess.run([python, HERE / "tensorflow_calls.py", "--seed", str(options.seed), "--calls", str(options.calls), calls_file],
                       check=True)
        comparison = Comparison(options.vernier, pathlib.Path(name))
        complaints = []
        for call in program.read_json(calls_file)["calls"]:
            said = comparison.complaint(call)
            if said:
                complaints.append({name: call[name] for name in ("T", "mode", "round_mode", "axis", "shape", "min", "max", "in")})
                print(f"{said}\n  of {complaints[-1]}", file=sys.stderr)
    print(f"seed {options.seed}: {comparison.counts}, {len(complaints)} calls differ")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
