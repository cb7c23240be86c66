#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts one fault after the other into the sources, in a copy of the tree, and runs tests: each fault of table.py has to make one
fail. ./dev mutants calls it.

Exit code 0: every mutant was found; 1: some were not; 2: an edit does not apply, or the copy does not build without it."""

import argparse
import fnmatch
import os
import pathlib
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))
from table import MUTANTS

LONGEST_TEST_SECONDS = 120


class Broken(Exception):
    pass


def mutated(text, name, file, old, new):
    if old == new:
        raise Broken(f"{name}: is no change")
    if text.count(old) != 1:
        raise Broken(f"{name}: {file} has '{old}' {text.count(old)} times, expected once")
    return text.replace(old, new)


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


def run(command, log, timeout=None):
    log.write(" ".join(map(str, command)) + "\n")
    log.flush()
    try:
        return subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, timeout=timeout, check=False).returncode
    except subprocess.TimeoutExpired:
        return 1  # a test that hangs has found it


def find_failure(build, tests, jobs, log):
    """The first of the tests that fails, None when all pass; each is built when it is its turn. Broken when one does not build."""
    for test in tests:
        if run(["cmake", "--build", build, "--parallel", str(jobs), "--target", test], log) != 0:
            raise Broken(f"does not build, see {log.name}")
        if run([build / "tests/unit" / test.removeprefix("test_") / test, "--abort"], log, LONGEST_TEST_SECONDS) != 0:
            return test
    return None


def try_mutant(mutant, scratch, jobs, log):
    name, file, old, new, tests = mutant
    source = scratch / "tree" / file
    text = source.read_text(encoding="utf-8")
    try:
        source.write_text(mutated(text, name, file, old, new), encoding="utf-8")
        return find_failure(scratch / "build", tests, jobs, log)
    finally:
        source.write_text(text, encoding="utf-8")


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
    if len({name for name, *_ in MUTANTS}) != len(MUTANTS):
        raise Broken("two mutants have one name")
    for name, file, old, new, _ in options.chosen:
        mutated((ROOT / file).read_text(encoding="utf-8"), name, file, old, new)
    if options.list:
        print("\n".join(f"{file}: {name}" for name, file, *_ in options.chosen))
    if options.check or options.list:
        return 0
    scratch = options.scratch.absolute()
    scratch.mkdir(parents=True, exist_ok=True)
    copy_tree(scratch / "tree")
    survivors = []
    with open(scratch / "log.txt", "w", encoding="utf-8") as log:
        # Without debug information, which linking would take longer than compiling a mutant.
        run(["cmake", "-S", scratch / "tree", "-B", scratch / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
             "-DCMAKE_CXX_FLAGS_DEBUG=-O1"], log)
        for test in dict.fromkeys(test for mutant in options.chosen for test in mutant[4]):
            if find_failure(scratch / "build", [test], options.jobs, log):
                raise Broken(f"{test} fails without a mutant, see {log.name}")
        for mutant in options.chosen:
            start = time.monotonic()
            found = try_mutant(mutant, scratch, options.jobs, log)
            print(f"{mutant[0]}: {'found by ' + found if found else 'SURVIVES'} ({time.monotonic() - start:.0f} s)", flush=True)
            if not found:
                survivors.append(mutant[0])
    print(f"{len(options.chosen)} mutants, {len(survivors)} survive{': ' if survivors else ''}{', '.join(survivors)}")
    return 1 if survivors else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Broken as error:
        print(f"mutants: {error}", file=sys.stderr)
        sys.exit(2)
