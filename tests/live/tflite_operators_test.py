# SPDX-License-Identifier: Apache-2.0
"""Each TensorFlow Lite operator with drawn parameters against the kernels of ai-edge-litert: the reference ones, element for element.

usage: tflite_operators_test.py VERNIER FOLDER [--seed N] [--cases N] [--only NAME] [--record] [--write]. The packages are installed from PyPI
into FOLDER, once; exit code 77, with a message, where they cannot be had. Prints for each operator and type how many networks ran and how many
elements differ. --record writes tests/e2e/tflite_operators.txt, the first RECORDED_CASES of seed 1; --write docs/reference/tflite.md."""

import collections
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
RECORDED_CASES = 3
sys.path.insert(0, str(HERE.parent / "e2e"))
import npy
import pypi
import tflite_draw

PACKAGES = ("ai-edge-litert==2.3.0", "numpy==2.4.6")


def write_cases(folder, names, cases, seed):
    """FOLDER/index.json and the networks with their inputs."""
    index = []
    for name in names:
        for kind in tflite_draw.OPERATORS[name][0]:
            for case in range(cases):
                content, inputs = tflite_draw.draw(name, kind, tflite_draw.rng_of(name, kind, case, seed))
                number = len(index)
                (folder / f"{number}.tflite").write_bytes(content)
                for i, values in enumerate(tflite_draw.values_of(name, kind, case, inputs, seed)):
                    npy.write(folder / f"{number}.input{i}.npy", values)
                kernels = "default" if (name, kind) in tflite_draw.DEFAULT_KERNELS else "reference"
                index.append({"number": number, "name": name, "kind": kind, "case": case, "inputs": len(inputs), "kernels": kernels,
                              "invocations": tflite_draw.invocations_of(name, case)})
    (folder / "index.json").write_text(json.dumps(index))
    return index


def run(vernier, folder, entry, options=("--backend", "reference")):
    """The outputs of one network, or what the program said."""
    number = entry["number"]
    inputs = [argument for i in range(entry["inputs"]) for argument in ("--input", f"x{i}={folder}/{number}.input{i}.npy")]
    out = folder / f"out{number}"
    iterations = () if entry["invocations"] == 1 else ("--iterations", str(entry["invocations"]))
    done = subprocess.run([vernier, "run", folder / f"{number}.tflite", *inputs, "--output-dir", out, "-q", *iterations, *options], capture_output=True,
                          text=True, check=False)
    if done.returncode != 0:
        return f"exit code {done.returncode}: {done.stderr.strip()[-400:]}"
    return [npy.read(out / f"y{i}.npy") for i in range(len(list(out.glob("y*.npy"))))]


def compare(vernier, folder, entry, group):
    """What is wrong with one network, or None."""
    number = entry["number"]
    refusal = folder / f"{number}.refused.txt"
    if refusal.exists():
        group["LiteRT refuses"] += 1
        group["why"] = refusal.read_text()[-200:]
        return None
    group["networks"] += 1
    found = run(vernier, folder, entry)
    if isinstance(found, str):
        return found
    expected = [npy.read(folder / f"{number}.output{i}.npy") for i in range(len(list(folder.glob(f"{number}.output*.npy"))))]
    if len(found) != len(expected):
        return f"{len(found)} outputs, LiteRT gives {len(expected)}"
    for mine, theirs in zip(found, expected):
        if tuple(mine.shape) != tuple(theirs.shape):
            return f"shape {mine.shape}, LiteRT gives {theirs.shape}"
        steps = [abs(int(a) - int(b)) for a, b in zip(mine.values, theirs.values)]
        group["elements"] += len(steps)
        group["differ"] += sum(step > 0 for step in steps)
        group["by at most"] = max(group["by at most"], *steps)
        if any(steps):
            group["bad"] += f" {entry['case']}"
    return None


def record(folder, index):
    """Only what LiteRT takes; the names of the outputs are y0, y1 ..."""
    lines = ["# What LiteRT's reference kernels gave: operator, type, case, and the checksum of each result."]
    for entry in index:
        outputs = sorted(folder.glob(f"{entry['number']}.output*.npy"))
        if outputs:
            lines.append(" ".join([entry["name"], entry["kind"], str(entry["case"]), *(tflite_draw.crc_of(npy.read(path)) for path in outputs)]))
    (ROOT / "tests/e2e/tflite_operators.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


PAGE = """# TensorFlow Lite operators, and how exact they are

Written by `tests/live/tflite_operators_test.py VERNIER FOLDER --write`: for each operator and type {cases} networks of one operator, with drawn
shapes, options, scales and zero points, against the reference kernels of {package} (seed {seed}). `exact` is no difference in any element; else
the largest difference and how many elements have one. ELU, and SUM of signed codes, are compared with the default kernels: the reference has no
ELU, and its SUM of these gives 0 or -1 whatever the codes are. `no kernel`: LiteRT has none for the type, and the operator is refused. A dash: not measured.
Read without a row: ASSIGN_VARIABLE, CALL_ONCE, READ_VARIABLE and VAR_HANDLE (20 calls of streaming networks are exact), QUANTIZE and DEQUANTIZE
of floats (the host's, at the ends), CAST, EXPAND_DIMS, PADV2, SELECT, SQUEEZE, and arithmetic on shapes, which is done at once. CUMSUM is of int32,
PRELU of int16 has factors of int8, and DIV shifts by 31 bits at most, where the kernel's longer shifts of quotients near 0 are undefined.
SVDF and UNIDIRECTIONAL_SEQUENCE_LSTM run up to 12 times before their results are compared, and keep their states. A FULLY_CONNECTED of
int16 whose sums may leave 32 bits has multipliers of 16 bits, a warning, and may be one step off.
What an operator may be: [a .tflite of your own](../guides/your-own-network.md). How the kernels round: `compiler/import/tflite/rounding.hpp`.

| operator | int8 | uint8 | int16 (16x8) |
|---|---|---|---|
"""


def write_page(groups, options):
    def cell(name, kind):
        group = groups.get(f"{name}, {kind}")
        if group is None or not group["networks"]:
            return "no kernel" if group else "-"
        return f"{group['by at most']} in {group['differ']:,} of {group['elements']:,}" if group["differ"] else f"exact ({group['elements']:,})"

    rows = [f"| {name} | {cell(name, 'int8')} | {cell(name, 'uint8')} | {cell(name, 'int16')} |" for name in sorted(tflite_draw.OPERATORS)]
    text = PAGE.format(cases=options.cases, package=PACKAGES[0], seed=options.seed) + "\n".join(rows) + "\n"
    (ROOT / "docs/reference/tflite.md").write_text(text, encoding="utf-8")


def main():
    parser = pypi.parser("--cases", 40)
    parser.add_argument("--only", choices=sorted(tflite_draw.OPERATORS))
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    python = pypi.python_with(options.folder, *PACKAGES)
    names = [options.only] if options.only else sorted(tflite_draw.OPERATORS)
    groups, complaints = collections.defaultdict(collections.Counter), []
    with tempfile.TemporaryDirectory(prefix="vernier_live_") as name:
        folder = pathlib.Path(name)
        index = write_cases(folder, names, options.cases, options.seed)
        subprocess.run([python, "-B", HERE / "litert_outputs.py", folder], check=True, stderr=subprocess.DEVNULL)
        for entry in index:
            group = groups[f"{entry['name']}, {entry['kind']}"]
            group.setdefault("bad", "")
            said = compare(options.vernier, folder, entry, group)
            if said:
                complaints.append(f"{entry['name']} {entry['kind']} {entry['case']}: {said}")
        if options.record:
            record(folder, [entry for entry in index if entry["case"] < RECORDED_CASES])
    if options.write:
        write_page(groups, options)
    for name, group in groups.items():
        print(f"{name}: {group['networks']} networks, {group['LiteRT refuses']} that LiteRT refuses, {group['differ']} of {group['elements']} elements "
              f"differ, by at most {group['by at most']}{' in cases' + group['bad'] if group['bad'] else ''}")
        if group["LiteRT refuses"] > 0.4 * options.cases:
            complaints.append(f"{name}: LiteRT refuses {group['LiteRT refuses']} of {options.cases}: {group['why']}")
        if group["by at most"] > tflite_draw.BOUNDS.get(tuple(name.split(", ")), 0):
            complaints.append(f"{name}: {group['differ']} elements differ")
    print(f"seed {options.seed}", *complaints, sep="\n")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
