#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many faults in a lane our vectors catch: `vernier cosim --rtl DIR` on a lane with many faults of Yosys' mutate in it, one run
for each fault (mutated_lane.py).

    score.py LANE --vernier FILE           runs all, prints the score and writes score_LANE.txt beside this file
    score.py LANE --vernier FILE --check   writes nothing; fails where fewer are caught than the file says, or under 98 %
    score.py LANE --build DIR [--check]    the same of a lane of the array or of the vector unit; DIR has specgen and rtl_mutant_runner
    score.py LANE --fresh                  runs nothing; fails where the file is of another lane, or docs/architecture/rtl.md has other numbers

A run that mismatches, stands still or is a fault catches its mutant; one that is cut off for time does not (of a unit's lane: CPU time). For those that are
not caught with few vectors, yosys-smtbmc with z3 looks whether the lane with the fault is the same lane: these are out of the score. No answer
counts as not the same; such a fault gets all vectors. Some that are caught are looked at too, and may not be the same. Exit code 0; 1: the score fell, or a
fault that is caught is proved to be none; 77: a tool is missing."""

import argparse
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys

import mutated_lane
from equivalence import is_equivalent

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(ROOT / "tests/cosim")]
import mutants as single_faults  # noqa: E402  (its folder was not in the path before)

SKIPPED = 77
MUTANTS, SEED, VECTORS, FEW_VECTORS = 500, 1, 10000, 1500
# Each fault in the netlist slows all runs; the lane of the vector unit has an array of registers, which makes it the largest.
MUTANTS_OF = {"npu_vector_lane": 100}
LEAST_PERCENT = 98.0
RUN_SECONDS, PROOF_SECONDS = 600, 240
NUM_CAUGHT_LOOKED_AT = 10


def cosim(vernier, lane, folder, number, vectors):
    """Exit code of the vectors on mutant `number`, None when cut off."""
    (folder / "mutant").write_text(f"{number}\n")
    unit = lane.split("_")[1]
    command = [vernier, "cosim", unit, "--config", "v64", "--rtl", "rtl", "--vectors", str(vectors), "--seed", "1"]
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache")}
    try:
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=RUN_SECONDS)
    except subprocess.TimeoutExpired:
        return None, ""
    return done.returncode, done.stdout + done.stderr


class UnitRunner:
    """The vectors of the unit that a lane is in, on a shared object whose lanes, or one of them, have all faults, until the first mismatch."""

    BLOCKS = {"npu_mac_lane": "npu_mac_array", "npu_vector_lane": "npu_vector_unit"}
    VECTORS = {"npu_mac_lane": 30000, "npu_vector_lane": 100000}

    def __init__(self, build, lane, folder):
        builder = single_faults.Builder(pathlib.Path(build), f"mutation_{lane}")
        self.block, self.folder = self.BLOCKS[lane], folder
        self.library = builder.shared_object(lane, self.block, mutated_lane.texts_with_faults(lane, self.block, folder))
        self.runner = pathlib.Path(build).absolute() / "tests/cosim/rtl_mutant_runner"

    def run(self, number, vectors):
        (self.folder / "mutant").write_text(f"{number}\n")
        command = [self.runner, self.library, self.block, str(vectors), "1"]
        return single_faults.campaign.run(command, self.folder, cpu_seconds=RUN_SECONDS)


def source_line(lane):
    """Which text of the lane a score is of."""
    text = (ROOT / f"hw/rtl/{lane}.sv").read_bytes()
    return f"of hw/rtl/{lane}.sv with SHA-256 {hashlib.sha256(text).hexdigest()[:16]}"


def check_fresh(lane):
    kept = (HERE / f"score_{lane}.txt").read_text(encoding="utf-8")
    if source_line(lane) not in kept:
        print(f"score: score_{lane}.txt is not {source_line(lane)}; `score.py {lane} --vernier FILE` writes it anew", file=sys.stderr)
        return 1
    numbers = re.search(r"(\d+) of (\d+) caught, .*; (\d+) of", kept).groups()
    row = f"| [{lane}](../../tests/rtl/mutation/score_{lane}.txt) | {' | '.join(numbers)} |"
    if row not in (ROOT / "docs/architecture/rtl.md").read_text(encoding="utf-8"):
        print(f"score: docs/architecture/rtl.md lacks the row {row}", file=sys.stderr)
        return 1
    return 0


def place(mutant):
    """What a mutant does, for people: mode, line or cell, port and bit."""
    fields = dict(re.findall(r"-(\w+) (\S+)", mutant))
    where = re.sub(r"^\$|\$\d+$", "", fields["cell"])
    control = f" by bit {fields['ctrlbit']}" if "ctrlbit" in fields else ""
    wire = f" ({fields['wire']}[{fields['wirebit']}])" if "wire" in fields else ""
    return f"{fields['mode']} {where} {fields['port']}[{fields['portbit']}]{control}{wire}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lane", choices=mutated_lane.PARAMETERS)
    parser.add_argument("--vernier")
    parser.add_argument("--build")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--scratch", type=pathlib.Path, default=ROOT / "build/mutation")
    options = parser.parse_args()
    if options.fresh:
        return check_fresh(options.lane)
    is_of_unit = options.lane in UnitRunner.BLOCKS
    if not (options.build if is_of_unit else options.vernier):
        parser.error("--build: the folder of a build" if is_of_unit else "--vernier: the program")
    missing = [tool for tool in ("yosys", "yosys-smtbmc", "z3", "verilator") if shutil.which(tool) is None]
    if missing:
        print(f"score: skipped, not installed: {', '.join(missing)} (./dev test installs them)")
        return SKIPPED
    lane = options.lane
    folder = options.scratch.absolute() / lane
    mutants = mutated_lane.make(lane, MUTANTS_OF.get(lane, MUTANTS), SEED, folder)
    if is_of_unit:
        run, all_vectors = UnitRunner(options.build, lane, folder).run, UnitRunner.VECTORS[lane]
    else:
        vernier, all_vectors = str(pathlib.Path(options.vernier).resolve()), VECTORS

        def run(number, vectors):
            return cosim(vernier, lane, folder, number, vectors)

    def survive(faults, vectors):
        """Those that so many vectors do not catch."""
        survivors = []
        for number, mutant in faults:
            code, text = run(number, vectors)
            if code not in (0, 3, 4, None):
                sys.exit(f"score: mutant {number}, exit code {code}:\n{text[-2000:]}")
            if code in (0, None):
                survivors.append((number, mutant))
        print(f"score: {len(survivors)} of {len(faults)} are not caught by {vectors:,} vectors", file=sys.stderr, flush=True)
        return survivors

    code, text = run(0, all_vectors)
    if code != 0:
        sys.exit(f"score: without a fault the lane fails, exit code {code}:\n{text[-2000:]}")
    numbered = list(enumerate(mutants, 1))
    survivors = survive(numbered, FEW_VECTORS)
    for number, mutant in [fault for fault in numbered if fault not in survivors][:NUM_CAUGHT_LOOKED_AT]:
        if is_equivalent(lane, mutant, folder, PROOF_SECONDS):
            sys.exit(f"score: mutant {number} is caught, and proved to be the same lane: one of both is wrong")
    same = {number for number, mutant in survivors if is_equivalent(lane, mutant, folder, PROOF_SECONDS)}
    print(f"score: {len(same)} of these are the same lane", file=sys.stderr, flush=True)
    survivors = [fault for fault in survivors if fault[0] in same] + survive([fault for fault in survivors if fault[0] not in same], all_vectors)
    survivors.sort()
    meant = len(mutants) - len(same)
    caught = len(mutants) - len(survivors)
    percent = 100.0 * caught / meant
    lines = [f"{lane}: {caught} of {meant} caught, {percent:.2f} %; {len(same)} of {len(mutants)} mutants are the same lane (proved)"]
    for title, of_these in (("not caught", [s for s in survivors if s[0] not in same]), ("the same lane", [s for s in survivors if s[0] in same])):
        lines += [f"{title}: {number} {place(mutant)}" for number, mutant in of_these]
    lines.append(source_line(lane))
    print("\n".join(lines), flush=True)
    kept = HERE / f"score_{lane}.txt"
    if not options.check:
        kept.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return 0
    wanted = float(re.search(r"([0-9.]+) %", kept.read_text(encoding="utf-8"))[1]) if kept.is_file() else LEAST_PERCENT
    if percent + 0.005 < max(wanted, LEAST_PERCENT):
        print(f"score: {percent:.2f} %, {kept.name} says {wanted} %, and {LEAST_PERCENT} % is the least", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
