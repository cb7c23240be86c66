#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many faults drawn by a seed the quick tests of a room catch. A fault that does not compile, or whose test program is the same
bytes as without it, counts for nothing and another is drawn. ./dev mutants --drawn ROOM calls it.

  drawn.py ROOM [--seed S] [--count N] [--list] [--write]

--write puts the score and the survivors into docs/results/drawn-faults.md, after each fault, so that a campaign that is stopped leaves
what it has. Exit code 0: at least 95 of 100 were caught; 1: fewer; 2: the tests fail without a fault."""

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
import drawn_page
import equivalents
from campaign import Broken
from mutants import Builder

LEAST_PERCENT = 95
# What runs for each room, the one first that finds most: test programs of tests/unit, perhaps with a tag or a name of Catch2, or
# "ctest: " and a regular expression of names.
ROOMS = {
    "compiler/import": ["test_compiler_import_quantized", "test_compiler_import", "test_compiler_import_onnx", "test_compiler_import_aimet"],
    "compiler/passes": ["test_compiler_emit [compiled]", "test_compiler_passes ~[slow]", "test_compiler_emit"],
    "compiler/schedule": ["test_compiler_emit [compiled]", "test_compiler_schedule", "test_compiler_emit"],
    "sim/flow": ["test_sim_flow", "test_sim_cli", "ctest: ^e2e: (dump|edges)"],
    "sim/riscv": ["test_sim_riscv"],
    "sim/report": ["test_sim_report", "ctest: ^e2e: (report text|compare|several|explain)"],
}


def program_of(test):
    return "vernier" if test.startswith("ctest: ") else test.split()[0]


def texts_of(room):
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in sorted((ROOT / room).rglob("*.cpp"))}


def library_of(file):
    return "vernier_" + pathlib.PurePosixPath(file).parent.as_posix().replace("/", "_")


def cmake_options(room):
    """No test of these rooms looks at RTL, which takes longest to build."""
    libraries = sorted({library_of(file) for file in texts_of(room)})
    return ["-DVERNIER_RTL=OFF", f"-DCMAKE_PROJECT_vernier_INCLUDE={HERE / 'alone.cmake'}", f"-DVERNIER_ALONE={';'.join(libraries)}"]


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


class Room:
    def __init__(self, name, builder):
        self.name, self.builder, self.tests = name, builder, ROOMS[name]
        self.digests = {}  # of the programs without a fault, each from its first test on
        self.passed = set()
        self.prepare(self.tests[0])
        self.objects = {file: digest(self.object_of(file)) for file in texts_of(name) if self.object_of(file).exists()}

    def object_of(self, file):
        """What the compiler makes of a source of the room (alone.cmake)."""
        path = pathlib.PurePosixPath(file)
        return self.builder.build / path.parent / "CMakeFiles" / f"{library_of(file)}.dir" / f"{path.name}.o"

    def prepare(self, test):
        """A test has to pass without a fault. What no fault reaches is never built: `vernier` takes longest."""
        if test in self.passed:
            return
        program = program_of(test)
        for built in [program, *(["fuzz_ops"] if "fuzz: " in test else [])]:
            if not self.builder.builds(built):
                raise Broken(f"{built} does not build without a fault, see {self.builder.log.name}")
        self.digests[program] = digest(self.builder.path_of(program))
        if found := self.failure(test):
            raise Broken(f"fails without a fault, see {self.builder.log.name}: {found}")
        self.passed.add(test)

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
        program, *arguments = test.split()
        code, text = self.builder.run([*self.builder.command_of(program), *arguments], 300)
        return None if code == 0 else f"{test}: {text.splitlines()[-1] if text else 'stopped'}"

    def outcome(self, fault):
        """'no build', 'same', the name of what caught it, or 'survives'."""
        text = (self.builder.tree / fault.file).read_text(encoding="utf-8")
        changes = False
        for test in self.tests:
            self.prepare(test)
            with campaign.written(self.builder.tree, {fault.file: fault.apply(text)}):
                program = program_of(test)
                if not self.builder.builds(program):
                    return "no build"
                if fault.file in self.objects and digest(self.object_of(fault.file)) == self.objects[fault.file]:
                    return "same"
                if digest(self.builder.path_of(program)) == self.digests[program]:
                    continue
                changes = True
                if found := self.failure(test):
                    return found
        return "survives" if changes else "same"


def survivors_of(score, faults):
    """Those of the faults that the page has as not caught."""
    wanted = {*score.survivors, *(fault for fault, _ in score.harmless)}
    return (fault for fault in faults if str(fault) in wanted)


def parse_options():
    parser = argparse.ArgumentParser(prog="./dev mutants --drawn", description=__doc__.split(". ", maxsplit=1)[0])
    parser.add_argument("room", choices=ROOMS)
    parser.add_argument("--seed", default="1", help="any text; the same gives the same faults; today: that of the date (1)")
    parser.add_argument("--count", type=int, default=40, help="faults that change the program (40)")
    parser.add_argument("--list", action="store_true", help="the first faults of the seed, nothing is run")
    parser.add_argument("--write", action="store_true", help="score and survivors go to docs/results/drawn-faults.md")
    parser.add_argument("--again", action="store_true", help="only the faults that survive on the page, after new tests; the sources are the same")
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
    texts = texts_of(options.room)
    known = drawn_page.parse(drawn_page.PAGE.read_text(encoding="utf-8")).get((options.room, options.seed)) if options.again else None
    room = Room(options.room, Builder(options.scratch.absolute(), options.jobs, cmake_options(options.room)))
    score = drawn_page.Score(options.room, options.seed, 0, 0, [], [])
    if known is not None:
        score.drawn, score.caught, faults = known.drawn - len(known.survivors) - len(known.harmless), known.caught, survivors_of(known, faults)
    for fault in faults:
        if score.drawn == (known.drawn if known else options.count):
            break
        start = time.monotonic()
        reason = equivalents.reason_of(fault, texts[fault.file].split("\n")[fault.line - 1])
        outcome = f"changes nothing: {reason}" if reason else room.outcome(fault)
        print(f"{fault}: {outcome} ({time.monotonic() - start:.0f} s)", flush=True)
        if outcome in ("no build", "same"):
            continue
        score.drawn += 1
        if reason:
            score.harmless.append((str(fault), reason))
        elif outcome == "survives":
            score.survivors.append(str(fault))
        else:
            score.caught += 1
        if options.write and (known is None or score.drawn == known.drawn):
            drawn_page.write(score)
    print(f"{options.room}: {score.caught} of {score.meant} faults caught, seed {options.seed}")
    return 0 if score.percent >= LEAST_PERCENT else 1


if __name__ == "__main__":
    campaign.exit_with(main)
