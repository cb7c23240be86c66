# SPDX-License-Identifier: Apache-2.0
"""The section of docs/results/bench.md that says how long the project's own commands take in a fresh system, a row for each release.
The figures are taken by hand, into own-times.json beside the page: [{"release": "0.2.0", "date": "2026-11-27", "demo_seconds": 1,
"test_seconds": 1, "ci_seconds": 1, "machine": "..."}], null where a command was not measured."""

import json

HEADING = "## Time of the project's own commands"
TEXT = """From a fresh Debian 12 without a compiler cache: what `./dev demo` takes, what `./dev test` takes after it, and what `.ci/run` takes
on a checkout of its own. Installing packages is part of each.

"""
HEADER = "| release | date | ./dev demo | ./dev test | .ci/run | machine and its load |"
RULE = "|---|---|---:|---:|---:|---|"
SECONDS = ("demo_seconds", "test_seconds", "ci_seconds")


def time_text(seconds):
    if seconds is None:
        return "not measured"
    return f"{seconds} s" if seconds < 600 else f"{seconds / 60:.0f} min"


def section(file):
    """Empty where there is no such file."""
    if not file.exists():
        return ""
    rows = json.loads(file.read_text(encoding="utf-8"))
    lines = [f"| {row['release']} | {row['date']} | {' | '.join(time_text(row[key]) for key in SECONDS)} | {row['machine']} |" for row in rows]
    return "\n".join(["", HEADING, "", TEXT + HEADER, RULE, *lines]) + "\n"
