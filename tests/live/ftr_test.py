# SPDX-License-Identifier: Apache-2.0
"""Transactions (FTR) as the crate ftr_parser reads them, with which the viewer Surfer opens them, against the report of the same run.

usage: ftr_test.py VERNIER FOLDER. The crate is built from crates.io in FOLDER, once; exit code 77, with a message, where cargo is missing or
older than 1.81, or crates.io cannot be reached."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
import ftr_checks
import ftr_file
import program
import pypi

OLDEST_CARGO = (1, 81)
UNREACHABLE = re.compile(r"failed to (?:download|fetch|get|query)[^\n]*|Could not resolve host[^\n]*|spurious network error[^\n]*")
# The crate takes -12 for nanoseconds and -9, which LWTR4SC's description says, for no unit at all: Surfer then shows cycles.
TIMESCALE = "timescale\tNone"
RUNS = [["--memory", "sram"], ["--memory", "external", "--config", "v64"], ["--memory", "weights-external", "--config", "v1024"]]


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(pypi.SKIPPED)


def reader(folder):
    """The program that prints what the crate reads."""
    cargo = shutil.which("cargo")
    if cargo is None:
        skip("there is no cargo here, which builds the reader")
    version = subprocess.run([cargo, "--version"], capture_output=True, text=True, check=True).stdout
    if tuple(map(int, re.search(r"(\d+)\.(\d+)", version).groups())) < OLDEST_CARGO:
        skip(f"ftr_parser needs cargo 1.81, here is {version.strip()}")
    done = subprocess.run([cargo, "build", "--quiet", "--release", "--locked", "--manifest-path", HERE / "ftr_reader" / "Cargo.toml"],
                          capture_output=True, text=True, check=False, env={**os.environ, "CARGO_TARGET_DIR": str(folder)})
    if done.returncode != 0:
        missing = UNREACHABLE.search(done.stderr)
        if missing is None:
            raise RuntimeError(f"the reader was not built:\n{done.stderr}")
        skip(f"ftr_parser cannot be had from crates.io here ({missing.group()})")
    return folder / "release" / "ftr_reader"


def main():
    options = pypi.parse_options("--runs", len(RUNS))
    program_of_crate = reader(options.folder)
    case = unittest.TestCase()
    with tempfile.TemporaryDirectory(prefix="vernier_live_") as name:
        folder = pathlib.Path(name)
        for run in RUNS[:options.runs]:
            subprocess.run([options.vernier, "run", program.DEMO, "-q", "--report", folder / "r.json", "--wave", folder / "t.ftr", *run],
                           check=True)
            text = subprocess.run([program_of_crate, folder / "t.ftr"], capture_output=True, text=True, check=True).stdout
            case.assertEqual(text.splitlines()[0], TIMESCALE)
            found = ftr_file.parse_lines(text)
            ftr_checks.check(case, found, program.read_json(folder / "r.json"))
            case.assertEqual(found, ftr_file.read((folder / "t.ftr").read_bytes()))
            print(f"{' '.join(run)}: {len(found.transactions)} transactions and {len(found.relations)} relations, as the report has them")


if __name__ == "__main__":
    main()
