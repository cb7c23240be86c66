#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long the official conformance suite takes: `vernier verify` on both back ends, and the official runner with the official reference model
alone, two jobs each, on the same tests and the same computer.

  suite_times.py VERNIER TOOLS SUITE [--machine TEXT] [--write]

TOOLS: the folder with the programs of tosa-tools; SUITE: the tests that its generator wrote. Prints the figures; --write makes them the row of
docs/results/suite-times.json, of which ./dev bench makes a section of the page. By hand: the suite takes a quarter of an hour to generate."""

import argparse
import datetime
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

FILE = pathlib.Path(__file__).resolve().parents[2] / "docs/results/suite-times.json"
HEADING = "## The conformance suite"
TEXT = """All tests of the official suite that its generator makes for TOSA 1.0.2, profile tosa-pro-int and seven extensions: two jobs of `vernier verify`
on each back end, beside two jobs of the official runner with the official reference model (a process for each test). Written by
`tests/bench/suite_times.py`.

"""
HEADER = "| date | tests | reference | sim on v256 | official runner | machine and its load |"
RULE = "|---|---:|---:|---:|---:|---|"
JOBS = 2


def seconds_of(commands, environment=None, folder=None):
    """Of commands that run at once, in the folder, and end well."""
    start = time.monotonic()
    running = [subprocess.Popen([str(part) for part in command], env=environment, cwd=folder, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, text=True) for command in commands]
    said = [one.communicate()[1] for one in running]
    seconds = round(time.monotonic() - start, 1)
    for one, text in zip(running, said):
        if one.returncode != 0:
            sys.exit(f"{one.args[0]} ends with {one.returncode}: {text[-1000:]}")
    return seconds


def halves(suite):
    """The folders of tests, dealt out in turn."""
    tests = sorted(path.parent for path in suite.rglob("desc.json"))
    return len(tests), [tests[first::JOBS] for first in range(JOBS)]


def measure(options):
    num_tests, parts = halves(options.suite)
    if num_tests == 0:
        sys.exit(f"{options.suite}: there is no test in it")
    row = {"date": datetime.date.today().isoformat(), "tests": num_tests}
    for backend in ("reference", "sim"):
        commands = [[options.vernier, "verify", "-q", "--backend", backend, *(word for test in part for word in ("--desc", test))] for part in parts]
        row[f"{backend}_seconds"] = seconds_of(commands)
    environment = {**os.environ, "PATH": f"{options.tools}:{os.environ['PATH']}"}
    with tempfile.TemporaryDirectory() as folder:  # where the runner leaves its report
        row["official_seconds"] = seconds_of([[options.tools / "tosa_verif_run_tests", "-t", options.suite, "-r", "-b", "-j", JOBS]],
                                             environment, folder)
    return {**row, "machine": options.machine}


def section(file=FILE):
    """Of the page; empty where there is no such file."""
    if not file.exists():
        return ""
    row = json.loads(file.read_text(encoding="utf-8"))
    seconds = " | ".join(f"{row[key]:.0f} s" for key in ("reference_seconds", "sim_seconds", "official_seconds"))
    return "\n".join(["", HEADING, "", TEXT + HEADER, RULE, f"| {row['date']} | {row['tests']:,} | {seconds} | {row['machine']} |"]) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("vernier", type=lambda text: pathlib.Path(text).resolve())
    for name in ("tools", "suite"):
        parser.add_argument(name, type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--machine", default="two virtual cores, nothing else at work")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    row = measure(options)
    print(json.dumps(row))
    if options.write:
        FILE.write_text(json.dumps(row) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
