#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The table of deviations against the sources: table_test.py ROOT. Each comment that says what is not modelled names an id, each id is in the
table, each file that the table names is there and names the id, and each row of docs/architecture/approximations.md has an entry. Exit code 1 with a line for each
finding."""

import pathlib
import re
import sys

import core_totals
import cycles
import deviations
import page

RECORD = "docs/architecture/approximations.md"
LISTER = "sim/report/approximations.cpp"
TABLE = "tests/fidelity/deviations.toml"
SILICON = "docs/results/silicon.md"
# Of the core and of each generator one module, which its page has.
TIMED = {"npu_core", "npu_agu", "npu_agu_weights_beats", "npu_agu_segments_cut", "npu_agu_windows_registers", "npu_agu_rows", "npu_agu_vector_order"}
SOURCES = (".hpp", ".cpp", ".sv")
PAGES = ("docs/architecture", "docs/decisions")
ROW = re.compile(r"^\| `([^`]+)` \| (D-\d{3})?", re.MULTILINE)


def comments_of(text):
    """Blocks of lines that are comments, each as one line with its number."""
    block, begin = [], 0
    for number, line in enumerate([*text.splitlines(), ""], 1):
        if match := re.match(r"\s*///? ?(.*)", line):
            begin = begin if block else number
            block.append(match[1])
        elif block:
            yield begin, " ".join(block)
            block = []


def of_sources(root, ids):
    for path in sorted(path for top in ("hw", "sim") for path in (root / top).rglob("*") if path.suffix in SOURCES):
        name, text = path.relative_to(root), path.read_text(encoding="utf-8", errors="replace")
        for number, comment in comments_of(text):
            for place in re.finditer(r"[Nn]ot modelled", comment):
                said = re.split(r"(?<=[a-z)])\.(?: |$)", comment[place.start():])[0]
                if not re.search(r"D-\d{3}", said):
                    yield f"{name}:{number}: '{said[:60]}' names no deviation, D-NNN of {TABLE}"
        yield from (f"{name}: names {found}, which {TABLE} does not have" for found in sorted(deviations.ids_in(text) - ids))


def of_pages(root, ids):
    for path in sorted(path for folder in PAGES for path in (root / folder).glob("*.md")):
        for found in sorted(deviations.ids_in(path.read_text(encoding="utf-8")) - ids):
            yield f"{path.relative_to(root)}: names {found}, which {TABLE} does not have"


def of_entry(root, entry):
    for path in entry.held_by.split(", "):
        if not path.startswith("tests/") or not (root / path).is_file():
            yield f"{entry.id}: held by {path}, which is no file of tests"
    for path in entry.where:
        if not (root / path).is_file():
            yield f"{entry.id}: {path} is not there"
        elif entry.state != "gone" and entry.id not in deviations.ids_in((root / path).read_text(encoding="utf-8")):
            yield f"{entry.id}: {path} does not name it"
    if not entry.where and not entry.approximation:
        yield f"{entry.id}: neither a report nor a file names it"


def of_record(root, entries):
    rows = dict(ROW.findall((root / RECORD).read_text(encoding="utf-8")))
    lister = (root / LISTER).read_text(encoding="utf-8")
    listed = {entry.approximation: entry.id for entry in entries if entry.approximation and entry.state != "gone"}
    for what in sorted(rows.keys() | listed.keys()):
        if what not in rows:
            yield f"{listed[what]}: {RECORD} has no row '{what}'"
        elif rows[what] != listed.get(what, ""):
            yield f"{RECORD}: '{what}' has id '{rows[what]}', {TABLE} has '{listed.get(what, '')}'"
        if f'"{what}"' not in lister:
            yield f"{LISTER} does not list '{what}'"


def of_banked(runs, entries):
    """Networks whose sum with banks and ports is further off than the page says are those of the entry, with their figures."""
    own = {network.name for network in cycles.measure.own_networks()}  # so short that a few cycles are percents
    sizes = {what: size for entry in entries if entry.measure == "banked_percent" for what, size in entry.size.items()}
    for run in (run for run in runs if run.network not in own and run.banked):
        what, percent = f"{run.network}, {run.config}", round(page.banked_percent(run), 2)
        known = sizes.pop(what, None)
        if known is None and abs(percent) > page.BANKED_PERCENT:
            yield f"{what}: {percent:+} % with banks and ports, and no entry of {TABLE} says so"
        elif known is not None and (known != percent or abs(percent) <= page.BANKED_PERCENT):
            yield f"{what}: {percent:+} % with banks and ports, {TABLE} says {known}"
    for what in sizes:
        yield f"{what}: {TABLE} has it, docs/results/fidelity.json has not"


def of_cores(totals, entries):
    """Whole networks on the core whose total is further off than it is meant to be are those of the entry, with their figures."""
    sizes = {what: size for entry in entries if entry.measure == "core_percent" for what, size in entry.size.items()}
    for total in totals:
        what, percent = ", ".join(total.key), round(total.more_percent, 2)
        is_off = abs(percent) > core_totals.MOST_PERCENT[total.memory]
        known = sizes.pop(what, None)
        if (is_off or known is not None) and (known != percent or not is_off):
            yield f"{what}: {percent:+} % on the core, {TABLE} says {known}"
    for what in sizes:
        yield f"{what}: {TABLE} has it, docs/results/fidelity.json has not"


def of_commands(runs, entries):
    """Commands of networks outside this tree that are further off with banks and ports than any is meant to be are those of the entry."""
    own = {network.name for network in cycles.measure.own_networks()}
    sizes = {what: size for entry in entries if entry.measure == "banked_command_percent" for what, size in entry.size.items()}
    for run in (run for run in runs if run.network not in own):
        for pair in run.banked_commands():
            what, percent = f"{run.network}, {run.config}, command {pair.name}", round(page.more_percent(pair), 1)
            known = sizes.pop(what, None)
            if (abs(percent) > page.COMMAND_PERCENT or known is not None) and known != percent:
                yield f"{what}: {percent:+} % with banks and ports, {TABLE} says {known}"
    for what in sizes:
        yield f"{what}: {TABLE} has it, docs/results/fidelity.json has not"


def of_silicon(text):
    """Paths that are longer than a stage may be: a beat, or a value, would not come in each cycle, as the model has it."""
    limit = float(re.search(r"no stage may take more than [0-9.]+ times that: ([0-9.]+) ns", text)[1])
    rows = re.findall(r"^\| `(npu_[\w.]+)` \|(?:[^|]*\|){6} ([0-9.]+)( \*\*too long\*\*)? \|", text, re.MULTILINE)
    for module, ns, mark in rows:
        if mark or float(ns) > limit:
            yield f"{module}: a path of {ns} ns in {SILICON}, and a stage may take {limit}: RTL does not show the model's pace (D-027)"
    for module in sorted(TIMED - {module.split(".")[0] for module, _, _ in rows}):
        yield f"{module}: {SILICON} has no row with its longest path"


def findings(root):
    entries = deviations.read(root / TABLE)
    ids = {entry.id for entry in entries}
    yield from of_sources(root, ids)
    yield from of_pages(root, ids)
    for entry in entries:
        yield from of_entry(root, entry)
    yield from of_record(root, entries)
    runs = list(cycles.read(root / "docs/results/fidelity.json").values())
    yield from of_banked(runs, entries)
    yield from of_commands(runs, entries)
    yield from of_cores(core_totals.read(root / "docs/results/fidelity.json").values(), entries)
    yield from of_silicon((root / SILICON).read_text(encoding="utf-8"))


if __name__ == "__main__":
    try:
        found = list(findings(pathlib.Path(sys.argv[1])))
    except deviations.Damaged as error:
        found = [str(error)]
    print(*found or ["nothing found"], sep="\n")
    sys.exit(1 if found else 0)
