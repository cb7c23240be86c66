#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Single faults in the memory of npu_core_sram: each is Verilated for 8 lanes, and networks run on it as `vernier run --backend rtl
--rtl-scope core` would, until one finds it. That run has to end with exit code 3 and to name the command whose bytes are wrong.

core_mutants.py --build DIR [--only GLOB]: DIR is a build folder with specgen and core_mutant_runner. GLOB is of a name. --check: only
whether the edits fit. Exit code 0: every fault was found; 1: some were not; 2: an edit does not fit or does not build; 77: no Verilator."""

import argparse
import concurrent.futures
import fnmatch
import os
import pathlib
import re
import shutil
import sys

import mutants
from mutants import ROOT
import campaign
import elaborate
from campaign import Broken, must

sys.path.insert(0, str(ROOT / "tests/bench"))
from made_graph import Graph

CORE = "npu_core_sram"
DEMO = ROOT / "tests/e2e/demo/demo.tosa"  # 30 commands of both units on v64
INT4 = "int4.tosa"                        # of write_int4_network()
# Networks and memory modes, looked into in this order; outside, the DMA copies too.
RUNS = ((DEMO, "sram"), (DEMO, "external"), (INT4, "sram"))
LONGEST_SECONDS, LONGEST_CPU_SECONDS = 1200, 300
MISMATCH = 3
COMMAND = re.compile(r"\bcommand \d+")

# Name, edits: module, what stands there once, what stands there instead.
MUTANTS = (
    ("address: a bank has half of its rows",
     [("npu_sram", "bank_row[RowBits*b +: RowBits] | word[AddressBits*a + BankBits +: RowBits];",
       "bank_row[RowBits*b +: RowBits] | {word[AddressBits*a + BankBits + 1 +: RowBits-1], 1'b0};")]),
    ("address: a word that is read comes from the bank of the word before it",
     [("npu_sram", "if (grant[a] && !write[a]) from_q", "if (grant[a] && !write[a] && !grant[(a + All - 1) % All]) from_q")]),
    ("byte enables: a word is written as a whole",
     [("npu_sram", "bank_mask[Lanes*b +: Lanes] | mask[Lanes*a +: Lanes];", "bank_mask[Lanes*b +: Lanes] | {Lanes{1'b1}};")]),
    ("byte enables: stores of the vector unit write whole words",
     [(CORE, ".st_mask_i(st_ask_mask)", ".st_mask_i({Asks*Lanes{1'b1}})")]),
    ("order of service: a bank that is read is written in the same cycle",
     [("npu_sram", "taken[bank] = 1'b1;", "taken[bank] = write[Asks*32'(StreamOfTurn[StreamBits*t +: StreamBits]) + k];")]),
    ("a word that two segments share is read for the first one alone",
     [(CORE, "act_words[WordBits*32'(act.from[2*w +: 2]) +: WordBits];", "act_words[WordBits*w +: WordBits];")]),
    ("weights: the halves of a byte of int4 change places",
     [("npu_weight_pieces", "half = i % 2 == 0 ? both[3:0] : both[7:4];", "half = i % 2 == 0 ? both[7:4] : both[3:0];")]),
    ("weights: int4 has no sign", [("npu_weight_pieces", "is_4_i ? {{4{half[3]}}, half} : both;", "is_4_i ? {4'd0, half} : both;")]),
    ("weights: int4 has a byte each", [("npu_weight_pieces", ": is_4_i ? (ToBits+2)'(i/2) :", ": 1'b0 ? (ToBits+2)'(i/2) :")]),
    ("weights: a beat of int4 is one of the command that starts next",
     [(CORE, "assign wgt_beat.is_4 = wgt_info.is_weight_4;", "assign wgt_beat.is_4 = cmd_info.is_weight_4;")]),
    ("addresses: weights of a column do not turn back for the next row tile",
     [("npu_agu_weights_tiles", "BeginRows: next_start = channels_start_q;", "BeginRows: next_start = step_start;")]),
)


def core_of(builder, name, texts):
    """A shared object of the core with these texts. Verilator splits it into many sources: in one it would take minutes to compile, and with
    ccache those that a fault leaves alone are not compiled again."""
    folder = builder.scratch / name
    folder.mkdir()
    modules = [file.stem for file in elaborate.sources(CORE)]
    for module in modules:
        (folder / f"{module}.sv").write_text(texts.get(module) or (mutants.RTL / f"{module}.sv").read_text(encoding="utf-8"), encoding="utf-8")
    prefix = f"V{CORE}"
    must(["verilator", "--cc", "--prefix", prefix, "--Mdir", ".", "-GLanes=8", "--top-module", CORE, "-O3", "--noassert", "--x-assign", "unique",
          "--x-initial", "unique", "-Wno-fatal", "-Wno-lint", "--output-split", "60000", "--output-split-cfuncs", "20000",
          *[f"{module}.sv" for module in modules]], folder)
    must([builder.build / "hw/gen/specgen", "--binding", CORE, prefix, "check", folder / "binding.cpp"], folder)
    with open(folder / "binding.cpp", "a", encoding="utf-8") as file:
        file.write(f'extern "C" vernier::cosim::RtlBlock* make_block(int seed) {{\n  return vernier::cosim::make_{prefix}({{seed}}).release();\n}}\n')
    launcher = ["ccache"] if shutil.which("ccache") else []

    def compiled(source):  # a network of 7,000 cycles runs in seconds without optimisation, and compiling is what takes time
        must([*launcher, builder.compiler, *builder.flags, "-O0", "-I.", "-c", source.name, "-o", f"{source.stem}.o"], folder)
        return f"{source.stem}.o"

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(compiled, [*sorted(folder.glob(f"{prefix}*.cpp")), folder / "binding.cpp"]))
    must([builder.compiler, "-shared", *objects, *builder.runtime, "-o", "block.so", "-lpthread", "-latomic"], folder)
    return folder / "block.so"


def changed_modules(mutant):
    """{module: text} of the modules that it changes."""
    name, edits = mutant
    texts = campaign.changed_files(mutants.RTL, name, [(f"{module}.sv", old, new) for module, old, new in edits])
    return {file.removesuffix(".sv"): text for file, text in texts.items()}


def write_int4_network(file):
    """Weights of int4 and of int8 in turns, an odd number of channels among them."""
    graph = Graph(weight_type="int4")
    x = graph.conv2d(graph.input([1, 6, 5, 9]), 13, kernel=(3, 3), pad=(1, 1, 1, 1))
    graph.weights = "int8"
    x = graph.conv2d(x, 11)
    graph.weights = "int4"
    graph.output(graph.conv2d(graph.depthwise(x), 8))
    graph.write(file)


def run(builder, library, network, mode):
    """(exit code, first line) of the network's run."""
    command = [builder.build / "tests/cosim/core_mutant_runner", library, network, "v64", mode]
    code, text = campaign.run(command, builder.scratch, LONGEST_SECONDS, LONGEST_CPU_SECONDS)
    return code, (text.strip().splitlines() or [""])[0]


def find(builder, library):
    """What a run says of it, None where every run says that all is equal. Broken where it ends otherwise."""
    for network, mode in RUNS:
        place = f"{pathlib.Path(network).stem}, {mode}"
        code, line = run(builder, library, network, mode)
        if code == MISMATCH and COMMAND.search(line):
            return f"{place}: {line[:150]}"
        if code != 0:
            raise Broken(f"{place}: the run ends with {code}, expected {MISMATCH} and a command: {line[:300]}")
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--only", default="*", metavar="GLOB")
    options = parser.parse_args()
    chosen = [mutant for mutant in MUTANTS if fnmatch.fnmatch(mutant[0], options.only)]
    if not chosen:
        parser.error(f"--only {options.only}: no mutant has such a name")
    campaign.check_names([mutant[0] for mutant in MUTANTS])
    changed = [changed_modules(mutant) for mutant in chosen]
    if options.check:
        return 0
    if shutil.which("verilator") is None:
        print("skipped: verilator is not installed (./dev test installs it)")
        return mutants.SKIPPED
    builder = mutants.Builder(options.build, "core_mutants")
    write_int4_network(builder.scratch / INT4)
    found = find(builder, core_of(builder, "right", {}))
    if found:
        raise Broken(f"found without a mutant: {found}")
    return campaign.run_all([mutant[0] for mutant in chosen],
                            lambda number: find(builder, core_of(builder, f"mutant{number}", changed[number])))


if __name__ == "__main__":
    campaign.exit_with(main)
