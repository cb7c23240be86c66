#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""reference_test.py LIBRARY: reference_bench.sv in Verilator, which compares our rescale and table units with libvernier_ref.so by
DPI-C: our RTL passes, a lane with one fault fails with a line that names the port.

Exit code 0: yes; 1: no, with what was said; 77: Verilator is not installed."""

import pathlib
import shutil
import sys
import tempfile

import bench_test

TOOL, BENCH = "verilator", "reference"


def main():
    library = pathlib.Path(sys.argv[1]).resolve()
    if shutil.which(TOOL) is None:
        print(f"{TOOL} is not installed")
        return bench_test.SKIPPED
    files = dict.fromkeys(file for unit in bench_test.FILES.values() for file in unit)
    sources = [bench_test.RTL / f"{file}.sv" for file in files]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        code, text = bench_test.simulate(TOOL, BENCH, sources, folder, folder / "ours", library)
        if code != 0 or "20000 vectors, every result equal" not in text:
            raise SystemExit(f"our RTL fails with code {code}:\n{text}")
        for mutant in bench_test.MUTANTS.values():
            print(bench_test.mutant_text(TOOL, BENCH, mutant, sources, folder, folder, library).splitlines()[0])
    return 0


if __name__ == "__main__":
    sys.exit(main())
