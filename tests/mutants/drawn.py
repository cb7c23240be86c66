#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many faults drawn by a seed the quick tests of a room catch. A fault that does not compile, or whose test program is the same
bytes as without it, counts for nothing and another is drawn. ./dev mutants --drawn ROOM calls it.

  drawn.py ROOM [--seed S] [--count N] [--list] [--write]

--write puts the score and the survivors into docs/results/drawn-faults.md. Exit code 0: at least 95 of 100 were caught; 1: fewer;
2: the tests fail without a fault."""

import argparse
import datetime
import hashlib
import os
import pathlib
import re
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))
import campaign
import draw
from campaign import Broken
from mutants import Builder

PAGE = ROOT / "docs/results/drawn-faults.md"
LEAST_PERCENT = 95
# What runs for each room, the quickest first: test programs of tests/unit, or "ctest: " and a regular expression of names.
ROOMS = {
    "compiler/import": ["test_compiler_import_quantized", "test_compiler_import", "test_compiler_import_onnx", "test_compiler_import_aimet",
                        "ctest: ^e2e: (onnx|qonnx|quantize|encodings|networks with encodings|edges|bad input)"],
    "compiler/passes": ["test_compiler_passes", "test_compiler_emit",
                        "ctest: ^(fuzz: (regression|every)|bench: cycles equal the committed|e2e: (made networks, v|edges|depthwise))"],
    "compiler/schedule": ["test_compiler_schedule", "test_compiler_emit",
                          "ctest: ^(fuzz: (regression|every)|bench: cycles equal the committed|e2e: (made networks, v|explain|order|memory|overlap))"],
    "sim/flow": ["test_sim_flow", "test_sim_cli", "ctest: ^e2e: (quantize|dump|injected faults|edges|batch|mismatch|inspect|messages|provenance|several)"],
    "sim/report": ["test_sim_report", "ctest: ^e2e: (report|HTML|explain|compare|several|node data|provenance|messages|machines)"],
}


def texts_of(room):
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in sorted((ROOT / room).rglob("*.cpp"))}


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


class Room:
    def __init__(self, name, builder):
        self.name, self.builder, self.tests = name, builder, ROOMS[name]
        self.programs = [test for test in self.tests if not test.startswith("ctest: ")] + ["vernier"]
        fuzzer = ["fuzz_ops"] if any("fuzz: " in test for test in self.tests) else []
        for program in [*self.programs, *fuzzer]:
            if not builder.builds(program):
                raise Broken(f"{program} does not build without a fault, see {builder.log.name}")
        self.digests = {program: digest(builder.path_of(program)) for program in self.programs}
        for test in self.tests:
            if found := self.failure(test):
                raise Broken(f"fails without a fault, see {builder.log.name}: {found}")

    def failure(self, test):
        """What fails of a test, None when nothing does. A test that hangs has failed."""
        if test.startswith("ctest: "):
            if "fuzz: " in test:
                self.builder.builds("fuzz_ops")
            command = ["ctest", "--test-dir", self.builder.build, "-R", test.removeprefix("ctest: "), "-LE", "nightly|network", "-j", self.builder.jobs,
                       "--stop-on-failure", "--no-tests=error"]
            code, text = self.builder.run(command, 1200)
            failed = re.search(r"(?m)^\s*\d+/\d+ Test\s+#\d+: (.*?) \.+\*\*\*", text or "")
            return None if code == 0 else failed[1] if failed else "ctest"
        code, text = self.builder.run(self.builder.command_of(test), 300)
        return None if code == 0 else f"{test}: {text.splitlines()[-1] if text else 'stopped'}"

    def outcome(self, fault):
        """'no build', 'same', the name of what caught it, or 'survives'."""
        text = (self.builder.tree / fault.file).read_text(encoding="utf-8")
        with campaign.written(self.builder.tree, {fault.file: fault.apply(text)}):
            for test in self.tests:
                program = "vernier" if test.startswith("ctest: ") else test
                if not self.builder.builds(program):
                    return "no build"
                if digest(self.builder.path_of(program)) == self.digests[program]:
                    if program == "vernier":
                        return "same"
                    continue
                if found := self.failure(test):
                    return found
            return "survives"


def row_of(room, seed, count, caught, survivors):
    lines = [f"## {room}, seed {seed}", "",
             f"{caught} of {count} faults that change the program were caught ({datetime.date.today().isoformat()}). The others:", ""]
    return lines + ([f"- `{survivor}`" for survivor in survivors] or ["- none"]) + [""]


def write_page(room, seed, lines):
    text = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    parts = re.split(r"(?m)^(?=## )", text)
    heads = parts[0] if parts[0] else ("# Faults drawn by a seed, and how many the quick tests catch\n\nWritten by `./dev mutants --drawn ROOM --write`: one operator, "
                                       "comparison, constant or statement changes, and the quick tests of the\nroom run. A reason behind a survivor says why it changes nothing that could be seen.\n\n")
    kept = {part.split("\n")[0]: part for part in parts[1:]}
    kept[f"## {room}, seed {seed}"] = "\n".join(lines) + "\n"
    unfinished = PAGE.with_suffix(".new")
    unfinished.write_text(heads + "".join(kept[key].rstrip("\n") + "\n\n" for key in sorted(kept)).rstrip("\n") + "\n", encoding="utf-8")
    unfinished.replace(PAGE)


def parse_options():
    parser = argparse.ArgumentParser(prog="./dev mutants --drawn", description=__doc__.split(". ", maxsplit=1)[0])
    parser.add_argument("room", choices=ROOMS)
    parser.add_argument("--seed", default="1", help="any text; the same gives the same faults; today: that of the date (1)")
    parser.add_argument("--count", type=int, default=40, help="faults that change the program (40)")
    parser.add_argument("--list", action="store_true", help="the first faults of the seed, nothing is run")
    parser.add_argument("--write", action="store_true", help="score and survivors go to docs/results/drawn-faults.md")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="compilers at once")
    parser.add_argument("--scratch", type=pathlib.Path, default=ROOT / "build/mutants", metavar="DIR", help="build/mutants")
    options = parser.parse_args()
    if options.seed == "today":
        options.seed = datetime.date.today().isoformat()
    if options.count < 1:
        parser.error(f"--count: {options.count}, expected at least 1")
    return options


def main():
    options = parse_options()
    faults = draw.drawn(texts_of(options.room), f"{options.room} {options.seed}")
    if options.list:
        for _, fault in zip(range(options.count), faults):
            print(fault)
        return 0
    # No test of these rooms looks at RTL, which takes longest to build.
    room = Room(options.room, Builder(options.scratch.absolute(), options.jobs, ["-DVERNIER_RTL=OFF"]))
    tried, survivors = 0, []
    for fault in faults:
        if tried == options.count:
            break
        start = time.monotonic()
        outcome = room.outcome(fault)
        print(f"{fault}: {outcome} ({time.monotonic() - start:.0f} s)", flush=True)
        if outcome in ("no build", "same"):
            continue
        tried += 1
        if outcome == "survives":
            survivors.append(str(fault))
    caught = tried - len(survivors)
    print(f"{options.room}: {caught} of {tried} faults caught, seed {options.seed}")
    if options.write:
        write_page(options.room, options.seed, row_of(options.room, options.seed, tried, caught, survivors))
    return 0 if caught * 100 >= LEAST_PERCENT * tried else 1


if __name__ == "__main__":
    campaign.exit_with(main)
