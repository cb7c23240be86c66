#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many faults drawn by a seed the quick tests of a room catch. A fault that does not compile, or whose test program is the same
bytes as without it, counts for nothing and another is drawn. ./dev mutants --drawn ROOM calls it.

  drawn.py ROOM [--seed S] [--count N] [--list] [--write]

--write puts the score and the survivors into docs/results/drawn-faults.md, after each fault, so that a campaign that is stopped leaves
what it has. Exit code 0: at least 95 of 100 were caught, 98 in sim/riscv; 1: fewer; 2: the tests fail without a fault."""

import argparse
import datetime
import hashlib
import itertools
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
from mutants import Builder, failed_case

LEAST_PERCENT = {"sim/riscv": 98}  # of the caught; of the other rooms 95
# A test that neither ends nor uses its CPU time waits for something; and what is said of one that reaches a limit.
WAITS_SECONDS = 1800
TIME_LIMIT = "time limit"
# What runs for each room, the one first that finds most: test programs of tests/unit, perhaps with a tag or a name of Catch2, or
# "ctest: " and a regular expression of names.
ROOMS = {
    "compiler/import": ["test_compiler_import_quantized", "test_compiler_import", "test_compiler_import_onnx", "test_compiler_import_aimet"],
    "compiler/passes": ["test_compiler_emit [compiled]", "test_compiler_passes ~[slow]", "test_compiler_emit"],
    "compiler/schedule": ["test_compiler_emit [compiled]", "test_compiler_schedule", "test_compiler_emit"],
    "sim/flow": ["test_sim_flow", "test_sim_cli", "ctest: ^e2e: (dump|edges)"],
    "sim/riscv": ["test_sim_riscv ~[long]", "test_sim_riscv [long]"],
    "sim/report": ["test_sim_report", "ctest: ^e2e: (report text|compare|several|explain)"],
}


def program_of(test):
    return "vernier" if test.startswith("ctest: ") else test.split()[0]


def texts_of(room):
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in sorted((ROOT / room).rglob("*.cpp"))}


def folder_of(file):
    """The folder whose CMakeLists.txt names the source: its own, or one above where a library has rooms."""
    folders = list(pathlib.PurePosixPath(file).parents)
    return next((folder for folder in folders if (ROOT / folder / "CMakeLists.txt").exists()), folders[0])


def library_of(file):
    return "vernier_" + folder_of(file).as_posix().replace("/", "_")


def cmake_options(room):
    """No test of these rooms looks at RTL, which takes longest to build."""
    libraries = sorted({library_of(file) for file in texts_of(room)})
    return ["-DVERNIER_RTL=OFF", f"-DCMAKE_PROJECT_vernier_INCLUDE={HERE / 'alone.cmake'}", f"-DVERNIER_ALONE={';'.join(libraries)}"]


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


class Room:
    """Builds and runs the tests of a room. A test gets ten times the CPU time that it takes without a fault, which does not depend on
    what else the computer does; what reaches this limit, or waits for ever, is run once more, and only then counts as caught."""

    def __init__(self, name, builder):
        self.name, self.builder, self.tests = name, builder, ROOMS[name]
        self.digests = {}  # of the programs and objects without a fault, each from its first use on
        self.cpu_seconds = {}  # of a test that has passed without a fault
        self.prepare(self.tests[0])

    def object_of(self, file):
        """What the compiler makes of a source of the room (alone.cmake)."""
        folder = folder_of(file)
        return f"{folder}/CMakeFiles/{library_of(file)}.dir/{pathlib.PurePosixPath(file).relative_to(folder)}.o"

    def prepare(self, test):
        """A test has to pass without a fault. What no fault reaches is never built: `vernier` takes longest."""
        if test in self.cpu_seconds:
            return
        program = program_of(test)
        self.build_without_fault(program)
        self.digests[program] = digest(self.builder.path_of(program))
        before = campaign.cpu_seconds_of_children()
        if found := self.failure(test, None):
            raise Broken(f"fails without a fault, see {self.builder.log.name}: {found}")
        self.cpu_seconds[test] = campaign.cpu_seconds_of_children() - before

    def prepare_object(self, file):
        built = self.object_of(file)
        if built not in self.digests:
            self.build_without_fault(built)
            self.digests[built] = digest(self.builder.build / built)

    def build_without_fault(self, target):
        if not self.builder.builds(target):
            raise Broken(f"{target} does not build without a fault, see {self.builder.log.name}")

    def failure(self, test, cpu_seconds):
        """What fails of a test, None when nothing does."""
        if test.startswith("ctest: "):
            command = ["ctest", "--test-dir", self.builder.build, "-R", test.removeprefix("ctest: "), "-LE", "nightly|network", "-j", self.builder.jobs,
                       "--stop-on-failure", "--no-tests=error"]
        else:
            program, *arguments = test.split()
            command = [*self.builder.command_of(program), *arguments]
        code, text = self.builder.run(command, WAITS_SECONDS, cpu_seconds)
        if code == 0:
            return None
        if code is None or "***Timeout" in text:
            return f"{test}: {TIME_LIMIT}"
        if test.startswith("ctest: "):
            failed = re.search(r"(?m)^\s*\d+/\d+ Test\s+#\d+: (.*?) \.+\*\*\*", text)
            return failed[1] if failed else "ctest"
        return f"{test}: {failed_case(text)}"

    def failure_with_fault(self, test):
        cpu_seconds = 10 + int(10 * self.cpu_seconds[test])
        found = self.failure(test, cpu_seconds)
        if found and found.endswith(TIME_LIMIT):
            found = self.failure(test, cpu_seconds)
            return found and f"{found}, run twice"
        return found

    def outcome(self, fault):
        """'no build', 'same', the name of what caught it, or 'survives'."""
        text = (self.builder.tree / fault.file).read_text(encoding="utf-8")
        self.prepare_object(fault.file)
        changes, num_done = False, 0
        while num_done < len(self.tests):  # the fault is taken out while a test is prepared
            self.prepare(self.tests[num_done])
            ready = list(itertools.takewhile(lambda test: test in self.cpu_seconds, self.tests[num_done:]))
            with campaign.written(self.builder.tree, {fault.file: fault.apply(text)}):
                found, changes_some = self.outcome_of_tests(fault.file, ready)
            changes, num_done = changes or changes_some, num_done + len(ready)
            if found:
                return found
        return "survives" if changes else "same"

    def outcome_of_tests(self, file, tests):
        """What the tests find of the fault that is in the file now, and whether it changes one of their programs."""
        built = self.object_of(file)
        if not self.builder.builds(built):
            return "no build", False
        if digest(self.builder.build / built) == self.digests[built]:
            return "same", False
        is_changed = {}
        for test in tests:
            program = program_of(test)
            if program not in is_changed:
                if not self.builder.builds(program):
                    return "no build", False
                is_changed[program] = digest(self.builder.path_of(program)) != self.digests[program]
            if is_changed[program] and (found := self.failure_with_fault(test)):
                return found, True
        return None, any(is_changed.values())


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
    return 0 if score.percent >= LEAST_PERCENT.get(options.room, 95) else 1


if __name__ == "__main__":
    campaign.exit_with(main)
