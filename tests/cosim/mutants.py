#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Single faults in hw/rtl: each is Verilated for 8 lanes and co-simulated; `vernier cosim` would have to exit with 3 or 4.

mutants.py --build DIR [--only GLOB | --quick]: DIR is a build folder with specgen and rtl_mutant_runner. GLOB is of a name, with or
without block and kind: 'npu_agu, *'. --check: only whether the edits fit. Exit code 0: every mutant was found; 1: some were not;
2: an edit does not fit or does not build; 77: no Verilator."""

import argparse
import fnmatch
import math
import pathlib
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/mutants"), str(ROOT / "tests/rtl"), str(ROOT / "tests/cosim")]
import agu_mutants
import campaign
import datapath_mutants
import elaborate
import vector_mutants
from campaign import Broken, must
from datapath_mutants import ARRAY, DATAPATH, IDLE, RESCALE, TABLE

RTL = ROOT / "hw/rtl"
SKIPPED = 77
# Each mutant is found in so much CPU time after its build; a co-simulation that stands still is stopped by the clock.
LONGEST_CPU_SECONDS, LONGEST_SECONDS = 20, 1200
LONGEST_CPU_SECONDS_OF_ALL_VECTORS = 300  # where nothing is found
SEEDS = (1, 2, 5)
VECTORS = {RESCALE: 20_000, TABLE: 20_000, ARRAY: 30_000, DATAPATH: 30_000, vector_mutants.VECTOR: 30_000, vector_mutants.CORE: 10_000,
           agu_mutants.AGU: 150, agu_mutants.AGU_TURNS: 150}  # of npu_agu commands for each unit

# Kind, name, block, whether it belongs to the quick ones, edits: module, what stands there once, what stands there instead.
MUTANTS = datapath_mutants.MUTANTS + vector_mutants.MUTANTS + agu_mutants.MUTANTS


def full_name(mutant):
    return f"{mutant[2]}, {mutant[0]}: {mutant[1]}"


def changed_modules(mutant):
    """{module: text} of the modules that it changes."""
    edits = [(f"{module}.sv", old, new) for module, old, new in mutant[4]]
    return {file.removesuffix(".sv"): text for file, text in campaign.changed_files(RTL, full_name(mutant), edits).items()}


class Builder:
    """Blocks as shared objects, which the runner loads."""

    def __init__(self, build, scratch="mutants"):
        self.build = build.absolute()
        self.scratch = self.build / "rtl" / scratch
        shutil.rmtree(self.scratch, ignore_errors=True)
        self.scratch.mkdir(parents=True)
        self.include = pathlib.Path(must(["verilator", "--getenv", "VERILATOR_ROOT"], ROOT).strip()) / "include"
        self.compiler = next(c for c in ("clang++", "g++", "c++") if shutil.which(c))
        self.flags = ["-std=c++20", "-O1", "-fPIC", "-w", "-DVL_TIME_CONTEXT", "-DVL_USER_STOP", "-DVL_USER_FINISH", "-DVL_USER_FATAL",
                      f"-I{ROOT}", f"-I{self.include}", f"-I{self.include}/vltstd"]
        self.runtime = [self.scratch / f"{name}.o" for name in ("verilated", "threads", "waves", "covers", "stop")]
        sources = [self.include / f"verilated{part}.cpp" for part in ("", "_threads", "_vcd_c", "_cov")] + [RTL / "verilated_stop.cpp"]
        for source, target in zip(sources,
                                  self.runtime):
            must([self.compiler, *self.flags, "-c", source, "-o", target], self.scratch)

    def shared_object(self, name, block, texts, variant="check", asserts=False):
        """`asserts`: with assertions, and covers, of which each block that ends writes a file covers.N.dat into the working folder."""
        folder = self.scratch / name
        folder.mkdir()
        module_of_block = agu_mutants.MODULES.get(block, block)
        modules = [file.stem for file in elaborate.sources(module_of_block)]
        for module in modules:
            text = texts.get(module) or (RTL / f"{module}.sv").read_text(encoding="utf-8")
            (folder / f"{module}.sv").write_text(text, encoding="utf-8")
        prefix = f"V{module_of_block}"
        extra, flags = [], ["--noassert"]
        if asserts:
            extra, flags = elaborate.checks_of(modules), ["--assert", "--coverage-user"]
        must(["verilator", "--cc", "--prefix", prefix, "--Mdir", folder, "-GLanes=8", *agu_mutants.PARAMETERS.get(block, ()), "--top-module", module_of_block, "-O3", *flags,
              *(["--trace"] if variant == "plain" else []), "--x-assign", "unique", "--x-initial", "unique", "-Wno-fatal", "-Wno-lint", *[f"{m}.sv" for m in modules], *extra], folder)
        must([self.build / "hw/gen/specgen", "--binding", module_of_block, prefix, variant, folder / "binding.cpp"], folder)
        with open(folder / "binding.cpp", "a", encoding="utf-8") as file:
            file.write("extern \"C\" vernier::cosim::RtlBlock* make_block(int seed) {\n"
                       f"  return vernier::cosim::make_{prefix}({{seed}}).release();\n}}\n")
        if asserts:
            binding = (folder / "binding.cpp").read_text(encoding="utf-8")
            write = 'static int number = 0;\n    context_.coveragep()->write(("covers." + std::to_string(number++) + ".dat").c_str());'
            binding = campaign.replaced(binding, name, "binding.cpp", "model_.final();", f"model_.final();\n    {write}")
            (folder / "binding.cpp").write_text("#include <string>\n#include <verilated_cov.h>\n" + binding, encoding="utf-8")
        (folder / "all.cpp").write_text("".join(f'#include "{p.name}"\n' for p in sorted(folder.glob(f"{prefix}*.cpp")))
                                        + '#include "binding.cpp"\n', encoding="utf-8")
        must([self.compiler, *self.flags, f"-I{folder}", "-shared", "all.cpp", *self.runtime, "-o", folder / "block.so", "-lpthread", "-latomic"], folder)
        return folder / "block.so"


def find_idle(builder, block, library):
    """What the registers of idle cycles say of it."""
    command = [builder.build / "tests/cosim/rtl_mutant_runner", library, block, 0, 1]
    code, text = campaign.run(command, builder.scratch, LONGEST_SECONDS, LONGEST_CPU_SECONDS)
    if code not in (0, 3):
        raise Broken(f"{library}: the runner exits with {code}: {text[-500:]}")
    return text.strip()[:150] if code == 3 else None


def find(builder, block, library, longest_cpu_seconds=LONGEST_CPU_SECONDS):
    """What the co-simulation says of it, None when it sees nothing. Broken when it takes longer than `longest_cpu_seconds`."""
    start = campaign.cpu_seconds_of_children()
    for seed in SEEDS:
        left = longest_cpu_seconds - (campaign.cpu_seconds_of_children() - start)
        command = [builder.build / "tests/cosim/rtl_mutant_runner", library, agu_mutants.MODULES.get(block, block), VECTORS[block], seed]
        code, text = campaign.run(command, builder.scratch, LONGEST_SECONDS, max(1, math.ceil(left)))
        if code is None:
            raise Broken(f"seed {seed}: the co-simulation {text}; allowed are {longest_cpu_seconds} s of CPU time for all seeds")
        if code not in (0, 3, 4):
            raise Broken(f"{library}: the runner exits with {code}: {text[-500:]}")
        if code != 0:
            return (text.strip().splitlines() or ["stopped"])[0][:150]
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="*", metavar="GLOB")
    options = parser.parse_args()
    chosen = [m for m in MUTANTS if any(fnmatch.fnmatch(name, options.only) for name in (m[1], full_name(m))) and (m[3] or not options.quick)]
    if not chosen:
        parser.error(f"--only {options.only}: no mutant has such a name")
    campaign.check_names([full_name(mutant) for mutant in MUTANTS])
    changed = [changed_modules(mutant) for mutant in chosen]
    if options.check:
        return 0
    if shutil.which("verilator") is None:
        print("skipped: verilator is not installed (./dev test installs it)")
        return SKIPPED
    builder = Builder(options.build)
    for block in dict.fromkeys(mutant[2] for mutant in chosen if mutant[0] == IDLE):
        found = find_idle(builder, block, builder.shared_object(f"{block}_trace", block, {}, "plain"))
        if found:
            raise Broken(f"{block}: found without a mutant: {found}")
    for block in dict.fromkeys(mutant[2] for mutant in chosen if mutant[0] != IDLE):
        found = find(builder, block, builder.shared_object(block, block, {}), LONGEST_CPU_SECONDS_OF_ALL_VECTORS)
        if found:
            raise Broken(f"{block}: found without a mutant: {found}")

    def find_mutant(number):
        block = chosen[number][2]
        if chosen[number][0] == IDLE:
            return find_idle(builder, block, builder.shared_object(f"mutant{number}", block, changed[number], "plain"))
        return find(builder, block, builder.shared_object(f"mutant{number}", block, changed[number]))

    return campaign.run_all([full_name(mutant) for mutant in chosen], find_mutant)


if __name__ == "__main__":
    campaign.exit_with(main)
