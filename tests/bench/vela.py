#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Arm Vela's own estimates for the benchmark networks, written to docs/results/vela.md, which results.py reads.

    python3 tests/bench/vela.py [--venv FOLDER]

Installs ethos-u-vela from PyPI into a virtual environment (a temporary one without --venv) and runs it on the .tflite
files that lie in ../shared beside the tree. Exit code 2 when they or PyPI cannot be reached."""

import argparse
import csv
import pathlib
import re
import subprocess
import sys
import tempfile
import venv

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
PAGE = ROOT / "docs/results/vela.md"
VELA_VERSION = "5.2.0"

# Heading on the page, accelerator, system configuration and memory mode of Vela's own Arm/vela.ini.
MACHINES = (
    ("U55-256 SRAM-only", "ethos-u55-256", "Ethos_U55_High_End_Embedded", "Sram_Only"),
    ("U85-256 SRAM-only", "ethos-u85-256", "Ethos_U85_SYS_DRAM_Mid", "Sram_Only"),
    ("U55-256 weights in flash", "ethos-u55-256", "Ethos_U55_High_End_Embedded", "Shared_Sram"),
)
COLUMNS = ("network", *(machine[0] for machine in MACHINES))
HEADER = "| " + " | ".join(COLUMNS) + " |"

HEAD = """# Cycles that Arm Vela estimates

Written by `python3 tests/bench/vela.py` with ethos-u-vela {version} from PyPI, its shipped `Arm/vela.ini`, no further options
than those named. Total cycles a batch (`cycles_total`), on the TFLite files that the benchmark networks come from.

{options}

What these machines have: 256 MACs a cycle like `v256`; U55-256 a memory port of 8 bytes a cycle each way and 48 KiB of shared
buffer, U85-256 in this configuration 32 bytes a cycle. Vela's figures are those of its scheduler: they leave out the issue of
commands, contention and stalls between operators, and its authors say that they are not to be taken as real performance.

"""


class Unavailable(Exception):
    """One line: what is missing."""


def tflite_files():
    """By name of the benchmark network."""
    files = {}
    for folder in sorted((SHARED / "golden/nets").glob("*/")):
        candidates = [folder / "model.tflite", *sorted((SHARED / "models").glob(f"*/{folder.name}.tflite"))]
        found = next((file for file in candidates if file.is_file()), None)
        if found:
            files[folder.name] = found
    if not files:
        raise Unavailable(f"no .tflite files in {SHARED}")
    return files


def install(folder):
    program = folder / "bin/vela"
    if not program.exists():
        venv.create(folder, with_pip=True)
        pip = [str(folder / "bin/python"), "-m", "pip", "install", "--quiet", f"ethos-u-vela=={VELA_VERSION}"]
        if subprocess.run(pip, check=False).returncode != 0:
            raise Unavailable(f"ethos-u-vela {VELA_VERSION} cannot be installed from PyPI")
    return program


def estimate(vela, model, accelerator, system_config, memory_mode):
    with tempfile.TemporaryDirectory() as folder:
        command = [str(vela), str(model), "--accelerator-config", accelerator, "--config", "Arm/vela.ini",
                   "--system-config", system_config, "--memory-mode", memory_mode, "--output-dir", folder]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        summaries = list(pathlib.Path(folder).glob("*_summary_*.csv"))
        if done.returncode != 0 or len(summaries) != 1:
            raise Unavailable(f"{model}: vela failed: {done.stderr.strip()[-200:]}")
        with summaries[0].open(encoding="utf-8", newline="") as file:
            return int(float(next(csv.DictReader(file))["cycles_total"]))


def read_page(text):
    """{network: {heading: cycles}} of the page; ValueError when its table is damaged."""
    lines = text.splitlines()
    if HEADER not in lines:
        raise ValueError(f"no line '{HEADER}'")
    table = {}
    for line in lines[lines.index(HEADER) + 2 :]:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) != len(COLUMNS) or not all(re.fullmatch(r"[\d,]+", cell) for cell in cells[1:]):
            raise ValueError(f"'{line}' is no row of {len(COLUMNS)} cells")
        table[cells[0]] = {name: int(cell.replace(",", "")) for name, cell in zip(COLUMNS[1:], cells[1:])}
    return table


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("--venv", metavar="FOLDER", help="virtual environment to use, made when it is not there")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files = tflite_files()
        vela = install(pathlib.Path(options.venv or folder).absolute())
        rows = [[name, *(f"{estimate(vela, model, *machine[1:]):,}" for machine in MACHINES)] for name, model in files.items()]
    settings = "\n".join(f"- {name}: `--accelerator-config {accelerator} --system-config {system} --memory-mode {memory}`"
                         for name, accelerator, system, memory in MACHINES)
    lines = [HEADER, "|---|" + "---:|" * len(MACHINES)] + ["| " + " | ".join(row) + " |" for row in rows]
    PAGE.write_text(HEAD.format(version=VELA_VERSION, options=settings) + "\n".join(lines) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Unavailable as unavailable:
        print(f"vela.py: {unavailable}", file=sys.stderr)
        sys.exit(2)
