#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs ctest for ./dev test and ./dev nightly, and says what a person wants to know of it.

  run.py test [CTEST ARGUMENT ...]        says first about how long it takes, and last what was skipped and why, a reason a line
  run.py nightly AREA [--record] [CTEST ARGUMENT ...]
        the tests with the label nightly-AREA. A test that has passed at this commit is not run again, so a run that was stopped
        goes on where it was. --record writes what passed at which commit into docs/results/nightly.md, also of a run that is stopped.

The exit code is ctest's."""

import collections
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "release"
TEMPORARY = BUILD / "Testing" / "Temporary"
PAGE = ROOT / "docs" / "results" / "nightly.md"
QUICK = ["-LE", "nightly|network"]
# "12/34 Test  #56: e2e: name ......   Passed    1.23 sec"; ctest fills up with dots.
RESULT = re.compile(r"^\s*\d+/\d+ Test\s+#(\d+): (.*?) \.*\s*(Passed|\*\*\*\S+|\S*Not Run\S*).*?([\d.]+) sec")
REASONS = (re.compile(r"skipped: (.+)"), re.compile(r"skipped '(.+)'"), re.compile(r'skipped "(.+)"'))


def cores():
    return len(os.sched_getaffinity(0))


def expected_seconds(selected):
    """Of tests by name, as long as they took the last time: CTestCostData.txt has 'NAME RUNS SECONDS' a line."""
    costs = {}
    try:
        for line in (TEMPORARY / "CTestCostData.txt").read_text(encoding="utf-8").splitlines():
            name, _, seconds = (line.rsplit(" ", 2) + ["", ""])[:3]
            if seconds:
                costs[name] = float(seconds)
    except (OSError, ValueError):
        return None
    known = [costs[name] for name in selected if name in costs]
    return sum(known) / cores() if len(known) > len(selected) // 2 else None


def selected_tests(arguments):
    listed = subprocess.run(["ctest", "--preset", "release", "-N", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return re.findall(r"(?m)^  Test\s+#\d+: (.+)$", listed.stdout)


def pattern_of(names):
    """A regular expression of CMake that these names match and no others. Numbers would not do: with -E ctest counts anew."""
    return "^(" + "|".join(re.sub(r"([][.*+?()^$|\\])", r"\\\1", name) for name in names) + ")$"


def minutes(seconds):
    return f"{seconds / 60:.0f} minutes" if seconds >= 90 else f"{seconds:.0f} s"


def run_ctest(arguments, seen=lambda name, result, seconds: None):
    """Its output goes on to the terminal, line by line; the exit code."""
    command = ["ctest", "--preset", "release", "-j", str(cores()), *arguments]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, errors="replace") as ctest:
        for line in ctest.stdout:
            sys.stdout.write(line)
            sys.stdout.flush()
            found = RESULT.match(line)
            if found:
                seen(found[2], found[3], float(found[4]))
    return ctest.returncode


def skip_reasons(names, log):
    """Of each reason: how many of the tests named it. The log has the output of every test."""
    reasons = collections.Counter()
    outputs = {}
    for block in log.split("\n----------------------------------------------------------\n\n"):
        found = re.search(r"(?m)^\d+/\d+ Testing: (.+)$", block)
        if found:
            outputs[found[1]] = block
    for name in names:
        said = [found[1] for pattern in REASONS for found in pattern.finditer(outputs.get(name, ""))]
        reasons[group_of(said[0]) if said else "it says no reason"] += 1
    return reasons


def group_of(reason):
    """Reasons that differ in a file's name alone are one."""
    if "shared/" in reason:
        return "files outside of the project (../shared) are not there"
    return re.sub(r"\s+", " ", reason).strip()[:100]


def test(arguments):
    wanted = [*QUICK, *arguments]
    selected = selected_tests(wanted)
    seconds = expected_seconds(selected)
    if seconds is not None:
        print(f"dev: {len(selected)} tests, about {minutes(seconds)} as the last time", flush=True)
    else:
        print(f"dev: {len(selected)} tests, about 15 minutes on two quiet cores", flush=True)
    skipped = []
    code = run_ctest(wanted, lambda name, result, _: skipped.append(name) if "Skipped" in result else None)
    if skipped:
        try:
            log = (TEMPORARY / "LastTest.log").read_text(encoding="utf-8", errors="replace")
        except OSError:
            log = ""
        print(f"dev: {len(skipped)} tests were skipped:")
        for reason, count in skip_reasons(skipped, log).most_common():
            print(f"dev: {count:5}: {reason}")
    return code


def commit():
    head = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()
    changed = subprocess.run(["git", "status", "--porcelain", "--untracked-files=no"], cwd=ROOT, capture_output=True, text=True, check=False)
    return head + (".dirty" if changed.stdout.strip() else "")


def read_page(text):
    """Rows of the table by test: area, commit, date, seconds."""
    rows = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 5 and cells[0] not in ("test", "---"):
            rows[cells[0]] = cells[1:]
    return rows


def page_of(rows):
    lines = ["# Nightly tests: what passed, and where", "",
             "Written by `./dev nightly AREA --record`. A test that is not in the table has not been recorded yet.", "",
             "| test | area | commit | date | seconds |", "|---|---|---|---|---|"]
    lines += [f"| {name} | {' | '.join(cells)} |" for name, cells in sorted(rows.items())]
    return "\n".join(lines) + "\n"


def nightly(area, arguments):
    is_recorded = "--record" in arguments
    arguments = [argument for argument in arguments if argument != "--record"]
    label = f"^nightly-{area}$" if area else "^nightly"
    selected = selected_tests(["-L", label, *arguments])
    if not selected:
        print(f"dev: no test has the label nightly-{area}", file=sys.stderr)
        return 2
    here = commit()
    state_file = BUILD / "nightly.json"
    state = json.loads(state_file.read_text(encoding="utf-8")) if state_file.exists() else {}
    passed = {name: entry for name, entry in state.items() if entry["commit"] == here and not here.endswith(".dirty")}
    left = [name for name in selected if name not in passed]
    print(f"dev: {len(left)} of {len(selected)} tests to run, the others have passed at {here}", flush=True)

    def seen(name, result, seconds):
        if result != "Passed":
            return
        state[name] = {"commit": here, "seconds": round(seconds), "date": datetime.date.today().isoformat()}
        unfinished = state_file.with_suffix(".new")
        unfinished.write_text(json.dumps(state, indent=1, sort_keys=True), encoding="utf-8")
        unfinished.replace(state_file)

    try:
        return run_ctest(["-R", pattern_of(left)], seen) if left else 0
    finally:  # also when it was stopped
        if is_recorded:
            record(area or "all", {name: state[name] for name in selected if name in state})


def record(area, passed):
    """Writes into the page: by test its commit, date and seconds. Rows of other tests stay."""
    rows = read_page(PAGE.read_text(encoding="utf-8")) if PAGE.exists() else {}
    for name, entry in passed.items():
        rows[name] = [area, entry["commit"], entry["date"], str(entry["seconds"])]
    unfinished = PAGE.with_suffix(".new")
    unfinished.write_text(page_of(rows), encoding="utf-8")
    unfinished.replace(PAGE)


def main(arguments):
    if arguments[:1] == ["test"]:
        return test(arguments[1:])
    if arguments[:1] == ["nightly"]:
        has_area = len(arguments) > 1 and not arguments[1].startswith("-")
        return nightly(arguments[1] if has_area else "", arguments[2 if has_area else 1:])
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
