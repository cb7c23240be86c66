#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Single faults that a seed draws in the text of the array, the vector unit and a lane of each: an operator, a comparison or a
constant is another one, a term of a condition or of a sum is dropped, a condition is its opposite. Each is Verilated for 8 lanes and
co-simulated with as many vectors as `vernier cosim` has by default, with three seeds, each of which has to find it.

drawn_faults.py --build DIR [--seed N] [--count N] [--only GLOB]: DIR is a build folder with specgen and rtl_mutant_runner; GLOB is of
a module. --list prints the faults alone. A fault that a seed does not find has to stand in drawn_faults.txt, with the reason why it
changes nothing. Exit code 0: so it is; 1: a fault is neither found nor explained; 2: nothing can be drawn or built; 77: no Verilator."""

import argparse
import fnmatch
import pathlib
import random
import re
import shutil
import sys

import mutants
from campaign import Broken
from mutants import ARRAY, RTL, SKIPPED, Builder
import campaign
import vector_mutants

HERE = pathlib.Path(__file__).resolve().parent
EXPLAINED = HERE / "drawn_faults.txt"
VECTORS = 100_000  # of `vernier cosim` by default
SEEDS = (1, 2, 3)
LONGEST_CPU_SECONDS = 300  # of a seed that finds nothing
# Module, and the block that is co-simulated.
MODULES = {"npu_mac_lane": ARRAY, "npu_mac_array": ARRAY, "npu_vector_lane": vector_mutants.VECTOR, "npu_vector_unit": vector_mutants.VECTOR}
# What is replaced, by what. Where an operator may be written, or a number: not in a width, a declaration or a comment.
TERM = r"!?[a-z]\w*(?:\[[\w':+\- ]+\])?(?: (?:==|!=|<=|>=|<|>) [\w':]+)?"
RULES = (
    ("and, or", r"(?<=\S) && (?=\S)", lambda m: " || "),
    ("or, and", r"(?<=\S) \|\| (?=\S)", lambda m: " && "),
    ("and, or of bits", r"(?<=\S) & (?=\S)", lambda m: " | "),
    ("plus, minus", r"(?<=[\w)\]}]) \+ (?=[\w$(])", lambda m: " - "),
    ("minus, plus", r"(?<=[\w)\]}]) - (?=[\w$(])", lambda m: " + "),
    ("left, right", r" <<<? ", lambda m: " >> "),
    ("right, left", r" >>>? ", lambda m: " << "),
    ("equal, not equal", r" == ", lambda m: " != "),
    ("not equal, equal", r" != ", lambda m: " == "),
    ("greater, greater or equal", r" > ", lambda m: " >= "),
    ("greater or equal, greater", r" >= ", lambda m: " > "),
    ("less, less or equal", r" < ", lambda m: " <= "),
    ("a term less", rf" (?:&&|\|\|) {TERM}(?=[;,)\s])", lambda m: ""),
    ("a summand less", rf" \+ {TERM}(?=[;,)\s])", lambda m: ""),
    ("without not", r"(?<![=!\w])!(?=[a-z(])", lambda m: ""),
    ("the other condition", r"\bif \((?=[a-z!])", lambda m: "if (!"),
    ("another number", r"(?<![\w$])(\d+)'d(\d+)", lambda m: f"{m[1]}'d{(int(m[2]) + 1) % (1 << min(int(m[1]), 30))}"),
    ("another bit", r"(?<![\w$])1'b([01])", lambda m: f"1'b{1 - int(m[1])}"),
)
# Lines that no fault is drawn in.
LEFT_ALONE = re.compile(r"^\s*(//|localparam|parameter|genvar|generate|for \(|input|output|assert|cover|`|npu_\w+ #|logic )|u_wrong|gen_wrong")


def body_lines(module):
    """Numbers and texts of the lines that a fault may be in: after the head, without comments."""
    lines = (RTL / f"{module}.sv").read_text(encoding="utf-8").splitlines()
    head_end = next(number for number, line in enumerate(lines) if line == ");")
    return [(number, line.split("//")[0].rstrip()) for number, line in enumerate(lines) if number > head_end and not LEFT_ALONE.search(line)]


def candidates(module):
    """(line number, kind, line, line with the fault) of all faults that may be drawn."""
    found = []
    for number, line in body_lines(module):
        for kind, pattern, replace in RULES:
            for match in re.finditer(pattern, line):
                wrong = line[:match.start()] + replace(match) + line[match.end():]
                if kind == "the other condition":
                    wrong = negated(line, match)
                if wrong and wrong != line:
                    found.append((number, kind, line, wrong))
    return found


def negated(line, match):
    """`if (a)` as `if (!(a))`."""
    depth = 0
    for at in range(match.end() - 1, len(line)):
        if line[at] == "!" and at < match.end():
            continue
        depth += (line[at] == "(") - (line[at] == ")")
        if depth == 0 and line[at] == ")":
            begin = line.index("(", match.start())
            return f"{line[:begin]}(!{line[begin:at + 1]}){line[at + 1:]}"
    return None


def draw(seed, count, only="*"):
    """`count` faults of all modules, alike many of each: (module, number of the line, kind, line, faulty line)."""
    faults = []
    modules = [module for module in MODULES if fnmatch.fnmatch(module, only)]
    for place, module in enumerate(modules):
        here = candidates(module)
        random.Random(f"{seed} {module}").shuffle(here)
        share = count // len(modules) + (place < count % len(modules))
        if len(here) < share:
            raise Broken(f"{module}: {len(here)} faults can be drawn, wanted are {share}")
        faults += [(module, *fault) for fault in here[:share]]
    return faults


def text_with(fault):
    module, number, _, line, wrong = fault
    lines = (RTL / f"{module}.sv").read_text(encoding="utf-8").splitlines()
    if not lines[number].startswith(line):
        raise Broken(f"{module}.sv, line {number + 1} is not '{line}'")
    lines[number] = wrong
    return "\n".join(lines) + "\n"


def name_of(fault):
    module, number, kind, line, wrong = fault
    return f"{module}.sv:{number + 1}, {kind}: '{line.strip()}' as '{wrong.strip()}'"


def explained():
    """{(module, line, faulty line): why it changes nothing}."""
    reasons = {}
    for line in EXPLAINED.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            module, right, wrong, reason = line.split(" | ")
            reasons[(module, right, wrong)] = reason
    return reasons


def missed_seeds(builder, fault, library):
    """The seeds that do not find it, and what the first one that does says."""
    block = MODULES[fault[0]]
    missed, told = [], None
    for seed in SEEDS:
        command = [builder.build / "tests/cosim/rtl_mutant_runner", library, block, VECTORS, seed]
        code, text = campaign.run(command, builder.scratch, mutants.LONGEST_SECONDS, LONGEST_CPU_SECONDS)
        if code not in (None, 0, 3, 4):
            raise Broken(f"{name_of(fault)}: the runner exits with {code}: {text[-500:]}")
        if code in (None, 0):
            missed.append(seed)
        elif told is None:
            told = (text.strip().splitlines() or ["stopped"])[0][:150]
    return missed, told


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=mutants.ROOT / "build/release")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--only", default="*", metavar="GLOB")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    faults = draw(options.seed, options.count, options.only)
    reasons = explained()
    for fault in faults:
        text_with(fault)
    if options.list:
        print("\n".join(name_of(fault) for fault in faults))
        return 0
    if shutil.which("verilator") is None:
        print("skipped: verilator is not installed (./dev test installs it)")
        return SKIPPED
    builder = Builder(options.build, "drawn_faults")
    found = same = 0
    survivors = []
    for number, fault in enumerate(faults):
        try:
            library = builder.shared_object(f"fault{number}", MODULES[fault[0]], {fault[0]: text_with(fault)})
        except Broken:
            found += 1
            print(f"no RTL: {name_of(fault)}", flush=True)
            continue
        missed, told = missed_seeds(builder, fault, library)
        shutil.rmtree(library.parent)
        reason = reasons.get((fault[0], fault[3].strip(), fault[4].strip()))
        if not missed:
            found += 1
            print(f"found: {name_of(fault)}: {told}", flush=True)
        elif reason and told is None:
            same += 1
            print(f"changes nothing: {name_of(fault)}: {reason}", flush=True)
        else:
            survivors.append(fault)
            print(f"not found with the seeds {', '.join(map(str, missed))}: {name_of(fault)}", flush=True)
    print(f"seed {options.seed}: {found} of {len(faults)} faults found with each of {len(SEEDS)} seeds, {same} change nothing, "
          f"{len(survivors)} neither")
    return 1 if survivors else 0


if __name__ == "__main__":
    campaign.exit_with(main)
