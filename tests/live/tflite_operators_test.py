# SPDX-License-Identifier: Apache-2.0
"""Each TensorFlow Lite operator with drawn parameters against the kernels of ai-edge-litert: the reference ones, element for element.

usage: tflite_operators_test.py VERNIER FOLDER [--seed N] [--cases N] [--only NAME] [--flavour F] [--record] [--write]. The packages are installed from PyPI
into FOLDER, once; exit code 77, with a message, where they cannot be had. Prints for each operator and type how many networks ran and how many
elements differ. --flavour takes --tflite-rounding F, the witness that tflite_flavours.py names for it, and checks what the table of flavours
says: operators that it refuses are refused, and no element of the others differs. --record writes tests/e2e/tflite_operators.txt, the first RECORDED_CASES of seed 1; --write docs/reference/tflite.md
and, with --record, tests/e2e/tflite_flavours.txt too."""

import collections
import itertools
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
import tflite_flavours

PACKAGES = tflite_flavours.LITERT


def write_cases(folder, names, cases, seed, witness="reference"):
    """FOLDER/index.json and the networks with their inputs, for the kernels of `witness`."""
    index = []
    for name in names:
        for kind in tflite_draw.OPERATORS[name][0]:
            for case in range(cases):
                content, inputs = tflite_draw.draw(name, kind, tflite_draw.rng_of(name, kind, case, seed))
                number = len(index)
                (folder / f"{number}.tflite").write_bytes(content)
                for i, values in enumerate(tflite_draw.values_of(name, kind, case, inputs, seed)):
                    npy.write(folder / f"{number}.input{i}.npy", values)
                kernels = "default" if (name, kind) in tflite_draw.DEFAULT_KERNELS and witness == "reference" else witness
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


def results(folder, number):
    """LiteRT's, of one network. Folders with all networks are too large to be searched for each."""
    paths = (folder / f"{number}.output{i}.npy" for i in itertools.count())
    return [npy.read(path) for path in itertools.takewhile(pathlib.Path.exists, paths)]


def compare(vernier, folder, entry, group, options=("--backend", "reference")):
    """What is wrong with one network, or None."""
    number = entry["number"]
    refusal = folder / f"{number}.refused.txt"
    if refusal.exists():
        group["LiteRT refuses"] += 1
        group["why"] = refusal.read_text()[-200:]
        return None
    group["networks"] += 1
    found = run(vernier, folder, entry, options)
    if isinstance(found, str):
        return found
    expected = results(folder, number)
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


def compare_flavour(vernier, folder, entry, group, flavour):
    """The same, with --tflite-rounding: what the table refuses has to be refused, and is no network of the sweep."""
    said = compare(vernier, folder, entry, group, ("--backend", "reference", "--tflite-rounding", flavour))
    if said and flavour == "xnnpack" and "are INT4, which are not read with --tflite-rounding" in said:
        group["refused"] += 1
        return None
    if tflite_flavours.rule_of(entry["name"], entry["kind"], flavour) != "Refused":
        return said
    if said is None or f"is not read with --tflite-rounding {flavour}" not in said:
        return f"the table says Refused, and the program {said or 'gives results'}"
    group["refused"] += 1
    return None


def sweep(vernier, environment, entries, folder, flavour, complaints):
    """All drawn networks with the flavour's witness: the networks, counts by "NAME, TYPE", and for each (name, type, case) that is equal the
    checksums of the witness's results."""
    groups, checksums = collections.defaultdict(collections.Counter), {}
    packages, kernels, _ = tflite_flavours.WITNESSES[flavour]
    python = pypi.python_with(environment, *packages)
    index = write_cases(folder, entries["names"], entries["cases"], entries["seed"], kernels)
    if flavour == "litert-ref-int":  # older kernels differ elsewhere too; the rows that say Integer alone are theirs
        index = [entry for entry in index if tflite_flavours.rule_of(entry["name"], entry["kind"], flavour) == "Integer"]
        (folder / "index.json").write_text(json.dumps(index))
    subprocess.run([python, "-B", HERE / "litert_outputs.py", folder], check=True, stderr=subprocess.DEVNULL)
    for entry in index:
        group = groups[f"{entry['name']}, {entry['kind']}"]
        group.setdefault("bad", "")
        before = group["refused"], group["LiteRT refuses"], group["differ"]
        said = compare_flavour(vernier, folder, entry, group, flavour)
        if said:
            complaints.append(f"{entry['name']} {entry['kind']} {entry['case']}: {said}")
        elif before == (group["refused"], group["LiteRT refuses"], group["differ"]):
            checksums[entry["name"], entry["kind"], entry["case"]] = [tflite_draw.crc_of(one) for one in results(folder, entry["number"])]
    return index, groups, checksums


def record(folder, index, groups):
    """Only what LiteRT takes, and what is equal; the names of the outputs are y0, y1 ..."""
    lines = ["# What LiteRT's reference kernels gave: operator, type, case, and the checksum of each result."]
    for entry in index:
        outputs = results(folder, entry["number"])
        is_bad = str(entry["case"]) in groups[f"{entry['name']}, {entry['kind']}"]["bad"].split()
        if outputs and not is_bad:
            lines.append(" ".join([entry["name"], entry["kind"], str(entry["case"]), *(tflite_draw.crc_of(one) for one in outputs)]))
    (ROOT / "tests/e2e/tflite_operators.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


FLAVOURS_TEXT = """# What the witness of a flavour gave (tests/live/tflite_flavours.py): flavour, operator, type, case of the sweep, and the checksum of the result.
# Of each row with a rule of its own two cases: the first ones of which litert-ref's result is another, else the first ones. xnnpack: without weights of INT4.
"""


def record_flavours(checksums):
    """`checksums` by flavour."""
    lines = []
    for (name, kind), rules in sorted(tflite_flavours.rules().items()):
        for flavour, rule in zip(("litert-ref-int", "xnnpack"), rules):
            if rule in ("Same", "Refused"):
                continue
            cases = {case: found for (a, b, case), found in checksums[flavour].items() if (a, b) == (name, kind)}
            others = [case for case, found in cases.items() if checksums["litert-ref"].get((name, kind, case), found) != found]
            lines += [" ".join([flavour, name, kind, str(case), *cases[case], *(["other"] if others else [])]) for case in (others or list(cases))[:2]]
    (ROOT / "tests/e2e/tflite_flavours.txt").write_text(FLAVOURS_TEXT + "\n".join(lines) + "\n", encoding="utf-8")


PAGE = """# TensorFlow Lite operators, and how exact they are

Written by `tests/live/tflite_operators_test.py VERNIER FOLDER --write`: for each operator and type {cases} networks of one operator, with drawn
shapes, options, scales and zero points, against the reference kernels of {package} (seed {seed}). `exact` is no difference in any element; else
the largest difference and how many elements have one. ELU, and SUM of signed codes, are compared with the default kernels: the reference has no
ELU, and its SUM of these gives 0 or -1 whatever the codes are. `no kernel`: LiteRT has none for the type, and the operator is refused. A dash: not measured.
Read without a row: ASSIGN_VARIABLE, CALL_ONCE, READ_VARIABLE and VAR_HANDLE (20 calls of streaming networks are exact), QUANTIZE and DEQUANTIZE
of floats (the host's, at the ends), EXPAND_DIMS, PADV2, SELECT, SQUEEZE, and arithmetic on shapes, which is done at once. CUMSUM is of int32,
PRELU of int16 has factors of int8, and DIV shifts by 31 bits at most, where the kernel's longer shifts of quotients near 0 are undefined.
SVDF and UNIDIRECTIONAL_SEQUENCE_LSTM run up to 12 times before their results are compared, and keep their states. A FULLY_CONNECTED of
int16 whose sums may leave 32 bits has multipliers of 16 bits, a warning, and may be one step off. Indices of INT64 that ARG_MAX and ARG_MIN give are int32.
What an operator may be: [a .tflite of your own](../guides/your-own-network.md). How the kernels round: `compiler/import/tflite/rounding.hpp`.

| operator | int8 | uint8 | int16 (16x8) |
|---|---|---|---|
"""
FLAVOURS_PAGE = """
## Flavours
`--tflite-rounding FLAVOUR` takes another arithmetic: `litert-ref-int` that of before LiteRT's commit 9213607704, and `xnnpack` that of the
default interpreter of {package}. `exact` is measured with the same drawn networks as above, against that interpreter or, for
`litert-ref-int`, the reference kernels of {integer}; weights of INT4 are refused in `xnnpack`. `refused`: the flavour computes something else, and the operator is named.
Operators and types that are not here are `as litert-ref` in both. In `xnnpack` that is measured for each of them. In `litert-ref-int` it is what
the flavour means: FULLY_CONNECTED alone is another, and the package, which does not take 16 of the pairs of operator and type, differs nowhere else.
A warning tells where `xnnpack` may be one step off: where no multiplier rounds as float32 does for every sum ([decision](../decisions/0050-flavours-of-tensorflow-lite.md)).

| operator | type | litert-ref-int | xnnpack |
|---|---|---|---|
"""


def write_page(by_flavour, options):
    groups = by_flavour["litert-ref"]

    def cell(name, kind):
        group = groups.get(f"{name}, {kind}")
        if group is None or not group["networks"]:
            return "no kernel" if group else "-"
        return f"{group['by at most']} in {group['differ']:,} of {group['elements']:,}" if group["differ"] else f"exact ({group['elements']:,})"

    rows = [f"| {name} | {cell(name, 'int8')} | {cell(name, 'uint8')} | {cell(name, 'int16')} |" for name in sorted(tflite_draw.OPERATORS)]
    text = PAGE.format(cases=options.cases, package=PACKAGES[0], seed=options.seed) + "\n".join(rows) + "\n"
    (ROOT / "docs/reference/tflite.md").write_text(text + flavours_text(by_flavour), encoding="utf-8")


def flavours_text(by_flavour):
    def cell(name, kind, flavour):
        rule, group = tflite_flavours.rule_of(name, kind, flavour), by_flavour[flavour].get(f"{name}, {kind}")
        if rule == "Refused":
            return "refused"
        if rule == "Same":
            return "as litert-ref"
        return f"{group['by at most']} in {group['differ']:,} of {group['elements']:,}" if group["differ"] else f"exact ({group['elements']:,})"

    rows = [f"| {name} | {kind} | {cell(name, kind, 'litert-ref-int')} | {cell(name, kind, 'xnnpack')} |"
            for (name, kind), both in sorted(tflite_flavours.rules().items()) if both != ("Same", "Same")]
    return FLAVOURS_PAGE.format(integer=tflite_flavours.LITERT_INT[0], package=PACKAGES[0]) + "\n".join(rows) + "\n"


def print_groups(groups, cases, complaints):
    for name, group in groups.items():
        print(f"{name}: {group['networks']} networks, {group['LiteRT refuses']} that LiteRT refuses, {group['refused']} refused as the table says, "
              f"{group['differ']} of {group['elements']} elements differ, by at most {group['by at most']}{' in cases' + group['bad'] if group['bad'] else ''}")
        if group["LiteRT refuses"] > 0.4 * cases:
            complaints.append(f"{name}: LiteRT refuses {group['LiteRT refuses']} of {cases}: {group['why']}")
        if group["by at most"] > tflite_draw.BOUNDS.get(tuple(name.split(", ")), 0):
            complaints.append(f"{name}: {group['differ']} elements differ")


def main():
    parser = pypi.parser("--cases", 40)
    parser.add_argument("--only", choices=sorted(tflite_draw.OPERATORS))
    parser.add_argument("--flavour", choices=sorted(tflite_flavours.WITNESSES), default="litert-ref")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    entries = {"names": [options.only] if options.only else sorted(tflite_draw.OPERATORS), "cases": options.cases, "seed": options.seed}
    by_flavour, checksums, complaints = {}, {}, []
    for flavour in tflite_flavours.WITNESSES if options.write else [options.flavour]:
        environment = options.folder.parent / tflite_flavours.WITNESSES[flavour][2] if options.write else options.folder
        with tempfile.TemporaryDirectory(prefix="vernier_live_") as name:
            folder = pathlib.Path(name)
            index, by_flavour[flavour], checksums[flavour] = sweep(options.vernier, environment, entries, folder, flavour, complaints)
            if options.record and flavour == "litert-ref":
                record(folder, [entry for entry in index if entry["case"] < RECORDED_CASES], by_flavour[flavour])
    if options.write:
        write_page(by_flavour, options)
        if options.record:
            record_flavours(checksums)
    for flavour, groups in by_flavour.items():
        print(f"{flavour}:")
        print_groups(groups, options.cases, complaints)
    print(f"seed {options.seed}", *complaints, sep="\n")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
