#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts one fault after the other into the sources, in a copy of the tree, and runs tests: each fault of table.py has to make one
fail. ./dev mutants calls it.

Exit code 0: every mutant was found; 1: some were not; 2: an edit does not apply, or something does not build."""

import argparse
import fnmatch
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))
import campaign
from campaign import Broken
from table import MUTANTS

# The quick tests of a room take a few seconds. One that runs for so long is taken for a hang, and the line of the fault says so.
HANG_SECONDS = 120


def copy_tree(tree):
    """What git knows, as it is now; files that are equal stay, so that they are not built again, and no other file does."""
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    known = {file for file in files if file and (ROOT / file).is_file()}
    for file in known:
        source, target = ROOT / file, tree / file
        if target.is_file() and target.read_bytes() == source.read_bytes():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)
    for path in tree.rglob("*"):
        if path.is_file() and path.relative_to(tree).as_posix() not in known:
            path.unlink()


class Builder:
    """Builds the tests of the copy and runs them; what they say goes to a log."""

    def __init__(self, scratch, jobs, options=()):
        """`options`: of CMake, besides."""
        self.tree, self.build, self.jobs = scratch / "tree", scratch / "build", jobs
        scratch.mkdir(parents=True, exist_ok=True)
        self.log = open(scratch / "log.txt", "w", encoding="utf-8")
        copy_tree(self.tree)
        # Without debug information, which linking would take longer than compiling a mutant, and without the warnings of -O1.
        self.run(["cmake", "-S", self.tree, "-B", self.build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
                  "-DCMAKE_CXX_FLAGS_DEBUG=-O1 -w", *options])

    def run(self, command, seconds=None, cpu_seconds=None):
        code, text = campaign.run(command, ROOT, seconds, cpu_seconds)
        self.log.write(" ".join(map(str, command)) + "\n" + text)
        self.log.flush()
        return code, text

    def builds(self, target):
        return self.run(["cmake", "--build", self.build, "--parallel", self.jobs, "--target", target])[0] == 0

    def path_of(self, program):
        """Of the program itself, or of a test program of tests/unit."""
        return self.build / (program if program == "vernier" else f"tests/unit/{program.removeprefix('test_')}/{program}")

    def command_of(self, test):
        """What runs it: a test program of tests/unit, or a ctest of tests/e2e."""
        if test.startswith("e2e: "):
            return ["ctest", "--test-dir", self.build, "-R", f"^{test}$", "--no-tests=error", "--output-on-failure"]
        return [self.path_of(test), "--abort"]

    def find_failure(self, tests):
        """What the first of the tests that fails says, None when all pass; each is built when it is its turn."""
        for test in tests:
            target = "vernier" if test.startswith("e2e: ") else test
            if not self.builds(target):
                raise Broken(f"does not build, see {self.log.name}")
            code, text = self.run(self.command_of(test), HANG_SECONDS)
            if code is None:
                return f"{test} hangs: it {text}"
            if code != 0:
                return f"{test}: {failed_case(text)}"
        return None


def failed_case(text):
    """The name of the test that failed: Catch2 writes it below a line of dashes, unittest behind a word."""
    lines = text.splitlines()
    for above, line in zip(lines, lines[1:]):
        if above.startswith("-----") and line and not line.startswith(" "):
            return line
        if found := re.match(r"(?:FAIL|ERROR): (\S+)", line):
            return found.group(1)
    return "stopped"


def is_chosen(mutant, patterns):
    return not patterns or any(fnmatch.fnmatch(text, pattern) for pattern in patterns for text in mutant[:2])


def parse_options():
    parser = argparse.ArgumentParser(prog="./dev mutants", description=__doc__.splitlines()[0])
    parser.add_argument("only", nargs="*", metavar="GLOB", help="mutants whose name or file matches one: 'sim/mem/*' \"watchdog*\"")
    parser.add_argument("--list", action="store_true", help="names and files, nothing is run")
    parser.add_argument("--check", action="store_true", help="only whether the edits apply")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="compilers at once")
    parser.add_argument("--scratch", type=pathlib.Path, default=ROOT / "build/mutants", metavar="DIR", help="build/mutants")
    options = parser.parse_args()
    options.chosen = [mutant for mutant in MUTANTS if is_chosen(mutant, options.only)]
    if not options.chosen:
        parser.error(f"{' '.join(options.only)}: no mutant has such a name or file")
    return options


def main():
    options = parse_options()
    campaign.check_names([name for name, *_ in MUTANTS])
    for name, *edit, _ in options.chosen:
        campaign.changed_files(ROOT, name, [edit])
    if options.list:
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # as of `--list | head`
        print("\n".join(f"{file}: {name}" for name, file, *_ in options.chosen))
    if options.check or options.list:
        return 0
    builder = Builder(options.scratch.absolute(), options.jobs)
    for test in dict.fromkeys(test for mutant in options.chosen for test in mutant[4]):
        if found := builder.find_failure([test]):
            raise Broken(f"fails without a mutant, see {builder.log.name}: {found}")

    def find(number):
        name, *edit, tests = options.chosen[number]
        with campaign.applied(builder.tree, name, [edit]):
            return builder.find_failure(tests)

    return campaign.run_all([name for name, *_ in options.chosen], find)


if __name__ == "__main__":
    campaign.exit_with(main)
