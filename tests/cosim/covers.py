#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""covers.py --build DIR: blocks of 8 lanes with all assertions beside the logic, co-simulated as mutants.py does: no assertion fails, and
each cover, a rare corner, is reached. DIR is a build folder with specgen and rtl_mutant_runner.

Exit code 0: so it is; 1: not; 77: no Verilator."""

import argparse
import collections
import pathlib
import re
import shutil
import sys

import agu_mutants
import campaign
import mutants
import vector_mutants

# Block and how many vectors; npu_agu in one set and in two.
BLOCKS = ((mutants.DATAPATH, 30_000), (vector_mutants.VECTOR, 30_000), (vector_mutants.CORE, 10_000), (agu_mutants.AGU_TURNS, 150))
LONGEST_CPU_SECONDS = 900


def covers_in(file):
    """{cover with its module: how often}, over all instances."""
    counts = collections.Counter()
    for line in file.read_text(encoding="latin-1").splitlines():
        match = re.fullmatch(r"C '(.*)' (\d+)", line)
        if match:
            fields = dict(part.split("\x02", 1) for part in match[1].split("\x01") if "\x02" in part)
            counts[f"{pathlib.Path(fields['f']).stem}, line {fields['l']}"] += int(match[2])
    return counts


def label_of(place):
    module, line = place.split(", line ")
    text = (mutants.RTL / f"{module}.sv").read_text(encoding="utf-8").splitlines()[int(line) - 1]
    return f"{module}: {text.strip().split(':')[0]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=mutants.ROOT / "build/release")
    options = parser.parse_args()
    if shutil.which("verilator") is None:
        print("skipped: verilator is not installed (./dev test installs it)")
        return mutants.SKIPPED
    builder = mutants.Builder(options.build, "covers")
    failed, counts = 0, collections.Counter()
    for block, vectors in BLOCKS:
        library = builder.shared_object(block, block, {}, asserts=True)
        command = [builder.build / "tests/cosim/rtl_mutant_runner", library, agu_mutants.MODULES.get(block, block), vectors, 1]
        code, text = campaign.run(command, library.parent, cpu_seconds=LONGEST_CPU_SECONDS)
        if code != 0:
            print(f"{block}: exit code {code}: {text[-1000:]}")
            failed = 1
            continue
        found = collections.Counter()
        for file in library.parent.glob("covers.*.dat"):
            found.update(covers_in(file))
        counts.update(found)
        print(f"{block}: no assertion fails in {vectors} vectors, {sum(count > 0 for count in found.values())} of {len(found)} covers reached", flush=True)
    for place in sorted(counts):
        print(f"{label_of(place)}: {counts[place]}")
    missed = [label_of(place) for place, count in counts.items() if count == 0]
    for label in missed:
        print(f"never reached: {label}")
    return 1 if failed or missed else 0


if __name__ == "__main__":
    campaign.exit_with(main)
