#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Takes the cost of one shared resource after the other out of the sources, in a copy of the tree, and runs tests: each has to
make one fail. ./dev mutants calls it.

Exit code 0: every mutant was found; 1: some were not; 2: an edit does not apply, or the copy does not build without it."""

import argparse
import fnmatch
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TIMING, SOC = ("test_hw_timing",), ("test_sim_units", "test_sim_soc")
LONGEST_SECONDS = 600

# Name, file, what stands there once, what stands there instead, the test programs of which one has to fail.
MUTANTS = (
    ("SRAM read port", "hw/timing/unit_timing.cpp", "Resource::SramRead, datapath.sram_read_words", "Resource::SramRead, 1 << 20", TIMING),
    ("SRAM write port", "hw/timing/unit_timing.cpp", "Resource::SramWrite, datapath.sram_write_words", "Resource::SramWrite, 1 << 20", TIMING),
    ("rescale lanes", "hw/timing/unit_timing.cpp", "datapath.rescale_lanes() / datapath.lanes", "1 << 20", TIMING),
    ("table lanes", "hw/timing/unit_timing.cpp", "datapath.table_lanes() / datapath.lanes", "1 << 20", TIMING),
    ("external read bandwidth", "hw/timing/unit_timing.cpp", "Resource::ExternalRead, config.external.bytes_per_cycle",
     "Resource::ExternalRead, 1 << 20", TIMING),
    ("external write bandwidth", "hw/timing/unit_timing.cpp", "Resource::ExternalWrite, config.external.bytes_per_cycle",
     "Resource::ExternalWrite, 1 << 20", TIMING),
    ("one port for both directions", "hw/timing/unit_timing.cpp", "= !config.external.is_full_duplex;", "= false;", TIMING),
    ("external latency", "hw/timing/dma_timing.cpp", "Stall::ExternalMemory, config.external.latency_cycles", "Stall::ExternalMemory, 0",
     TIMING),
    ("DMA bytes a cycle", "hw/timing/dma_timing.cpp", "runs * ceil_div(command.run_bytes, int64_t{datapath.dma_bytes()})", "runs", TIMING),
    ("words of an index list", "hw/timing/dma_timing.cpp",
     "+= index_words(command, datapath.word_bytes())", "+= 0 * index_words(command, datapath.word_bytes())", TIMING),
    ("decoding", "hw/timing/unit_timing.cpp", "words + spec::kDecodeCycles", "words", TIMING),
    ("main keeps the unit", "hw/timing/unit_timing.cpp", "std::max(ready, main_free_)", "ready", TIMING),
    ("drains one by one", "hw/timing/unit_timing.cpp", "main_free_ = std::max(main_end, drain_free_)", "main_free_ = main_end", TIMING),
    ("weight load", "hw/timing/mac_operands.cpp", "return {ceil_div(words, width_), 0, words};", "return {0, 0, words};", TIMING),
    ("weight words", "hw/timing/mac_operands.cpp", "return {ceil_div(words, width_), 0, words};", "return {ceil_div(words, width_), 0, 0};",
     TIMING),
    ("weight swap", "hw/timing/mac_array_timing.cpp", "load.cycles + spec::kTileSwapCycles", "load.cycles", TIMING),
    ("array pipeline", "hw/timing/mac_array_timing.cpp", "spec::kMacPipelineCycles + drain_.fill_cycles()", "drain_.fill_cycles()", TIMING),
    ("array pipeline of a slice", "hw/timing/mac_array_timing.cpp", "(command_.last ? 0 : spec::kMacPipelineCycles)", "0", TIMING),
    ("words of a window", "hw/timing/mac_windows.cpp", "fetches.num_words()}, ahead}", "0}, ahead}", TIMING),
    ("words a cycle into a window", "hw/timing/mac_windows.cpp", "int64_t left = kWindowWords;", "int64_t left = 1 << 20;", TIMING),
    ("registers of a window", "hw/timing/mac_windows.cpp", "needed + fetches.most_ahead", "needed + (1 << 20)", TIMING),
    ("banks under a window", "hw/timing/mac_windows.cpp", "if (with_banks && (banks & bank) != 0) return false;",
     "if (with_banks && bank == 0) return false;", TIMING),
    ("accumulator banks", "hw/timing/mac_array_timing.cpp", "std::max(compute_end_[level], drain_end_before_[level])",
     "compute_end_[level]", TIMING),
    ("parameters through the read port", "hw/timing/mac_array_timing.cpp",
     "parameter_words(command_, shape_, channel_tile, config_.datapath.word_bytes())", "0", TIMING),
    ("rescale unit in the epilogue", "hw/timing/mac_operands.cpp", "std::max({int64_t{1}, rescales_, tables_})", "int64_t{1}", TIMING),
    ("outputs through the write port", "hw/timing/mac_operands.cpp", "std::max(datapath_of_row, row.cycles) * count.rows",
     "datapath_of_row * count.rows", TIMING),
    ("addend through the read port", "hw/timing/mac_operands.cpp", "static_cast<int64_t>(words.size()) * count.rows", "0", TIMING),
    ("bank conflicts of a stream", "hw/timing/access_pattern.cpp", "cost.conflict_cycles += conflicts_of_cycle(", "cost.conflict_cycles += 0 * conflicts_of_cycle(", TIMING),
    ("lane reduction", "hw/timing/vector_unit_timing.cpp", "std::countr_zero(static_cast<uint64_t>(lanes)) * spec::kLaneReductionStepCycles",
     "int64_t{lanes > 0}", TIMING),
    ("vectors of a kept position", "hw/timing/vector_unit_timing.cpp", "return ceil_div(command_.lanes, lanes_);", "return 1;", TIMING),
    ("vector rescales", "hw/timing/vector_unit_timing.cpp", "demand(profile_.main, Resource::RescaleLanes) += times",
     "demand(profile_.main, Resource::RescaleLanes) += 0", TIMING),
    ("vector tables", "hw/timing/vector_unit_timing.cpp", "demand(profile_.main, Resource::TableLanes) += times",
     "demand(profile_.main, Resource::TableLanes) += 0", TIMING),
    ("order of service", "hw/timing/in_flight.cpp", "return asking[a].priority < asking[b].priority;",
     "return asking[a].priority > asking[b].priority;", TIMING),
    ("command issue", "sim/units/command_processor.cpp", "now() + spec::kIssueCycles", "now()", SOC),
    ("token latency", "sim/units/token_bank.cpp", "now() + spec::kTokenCycles", "now()", SOC),
)


class Broken(Exception):
    pass


def mutated(text, name, file, old, new):
    if text.count(old) != 1:
        raise Broken(f"{name}: {file} has '{old}' {text.count(old)} times, expected once")
    return text.replace(old, new)


def copy_tree(tree):
    """What git knows, as it is now; files that are equal stay, so that they are not built again."""
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    for file in filter(None, files):
        source, target = ROOT / file, tree / file
        if not source.is_file() or (target.is_file() and target.read_bytes() == source.read_bytes()):
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)


def run(command, log):
    log.write(" ".join(map(str, command)) + "\n")
    log.flush()
    try:
        return subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, timeout=LONGEST_SECONDS, check=False).returncode
    except subprocess.TimeoutExpired:
        return 1  # a test that hangs has found it


def find_failure(build, tests, log):
    """The first of the tests that fails, None when all pass. Broken when they do not build."""
    if run(["cmake", "--build", build, "--parallel", "1", "--target", *tests], log) != 0:
        raise Broken(f"does not build, see {log.name}")
    return next((test for test in tests if run([next(build.rglob(test)), "--abort"], log) != 0), None)


def try_mutant(mutant, scratch, log):
    name, file, old, new, tests = mutant
    source = scratch / "tree" / file
    text = source.read_text(encoding="utf-8")
    try:
        source.write_text(mutated(text, name, file, old, new), encoding="utf-8")
        return find_failure(scratch / "build", tests, log)
    finally:
        source.write_text(text, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(prog="./dev mutants", description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only whether the edits apply")
    parser.add_argument("--only", default="*", metavar="GLOB", help="mutants whose name matches")
    parser.add_argument("--scratch", type=pathlib.Path, default=ROOT / "build/mutants", metavar="DIR", help="build/mutants")
    options = parser.parse_args()
    chosen = [mutant for mutant in MUTANTS if fnmatch.fnmatch(mutant[0], options.only)]
    if not chosen:
        parser.error(f"--only {options.only}: no mutant has such a name")
    for name, file, old, new, _ in chosen:
        mutated((ROOT / file).read_text(encoding="utf-8"), name, file, old, new)
    if options.check:
        return 0
    scratch = options.scratch.absolute()
    scratch.mkdir(parents=True, exist_ok=True)
    copy_tree(scratch / "tree")
    survivors = []
    with open(scratch / "log.txt", "w", encoding="utf-8") as log:
        run(["cmake", "-S", scratch / "tree", "-B", scratch / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug"], log)
        for tests in dict.fromkeys(mutant[4] for mutant in chosen):
            if find_failure(scratch / "build", tests, log):
                raise Broken(f"{' '.join(tests)}: one fails without a mutant, see {log.name}")
        for mutant in chosen:
            found = try_mutant(mutant, scratch, log)
            print(f"{mutant[0]}: {'found by ' + found if found else 'SURVIVES'}", flush=True)
            if not found:
                survivors.append(mutant[0])
    print(f"{len(chosen)} mutants, {len(survivors)} survive{': ' if survivors else ''}{', '.join(survivors)}")
    return 1 if survivors else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Broken as error:
        print(f"mutants: {error}", file=sys.stderr)
        sys.exit(2)
