# SPDX-License-Identifier: Apache-2.0
"""The benchmark table of docs/results/bench.md: the one home of the committed cycles, readable by people and by programs."""

import re

# Heading, key of a row, decimals (None: text). In this order on the page.
COLUMNS = (
    ("network", "network", None),
    ("config", "config", None),
    ("cycles", "cycles", 0),
    ("MACs/N^2", "least_cycles", 0),
    ("util %", "mac_utilization_percent", 1),
    ("commands", "commands", 0),
    ("compile s", "compile_seconds", 4),
    ("simulate s", "simulate_seconds", 4),
    ("check s", "check_seconds", 4),
    ("total s", "total_seconds", 4),
    ("peak MiB", "peak_mib", 1),
)
VERSION = 1  # of this form; a page of another one is not read
FORMAT = "Table format: vernier-bench/"
REMEDY = "delete it, then ./dev bench --write makes a new one"
HEADER = "| " + " | ".join(heading for heading, _, _ in COLUMNS) + " |"
RULE = "|" + "|".join("---" if decimals is None else "---:" for _, _, decimals in COLUMNS) + "|"


class DamagedTable(Exception):
    """One line: file, line, what was found."""


def cells_of(row):
    return [
        row[key] if decimals is None else f"{row[key]:,.{decimals}f}" for _, key, decimals in COLUMNS
    ]


def to_markdown(rows):
    return "\n".join([f"{FORMAT}{VERSION}", "", HEADER, RULE] + ["| " + " | ".join(cells_of(row)) + " |" for row in rows]) + "\n"


def to_text(rows):
    """Columns aligned, for a terminal."""
    lines = [[heading for heading, _, _ in COLUMNS]] + [cells_of(row) for row in rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(COLUMNS))]
    is_text = [decimals is None for _, _, decimals in COLUMNS]
    return "\n".join(
        "  ".join(cell.ljust(width) if left else cell.rjust(width) for cell, width, left in zip(line, widths, is_text))
        for line in lines
    )


def parse_cell(text, decimals):
    if decimals is None:
        if not re.fullmatch(r"\S+", text):
            raise ValueError("a name is one word")
        return text
    if not re.fullmatch(r"\d[\d,]*(\.\d+)?", text):
        raise ValueError("a number is digits, with commas")
    return int(text.replace(",", "")) if decimals == 0 else float(text.replace(",", ""))


def check_version(lines, file):
    versions = [line.removeprefix(FORMAT) for line in lines if line.startswith(FORMAT)]
    if len(versions) != 1:
        raise DamagedTable(f"{file}: {len(versions)} lines '{FORMAT}...', expected one")
    if versions[0] != str(VERSION):
        raise DamagedTable(f"{file}: the table is of version {versions[0]}, this program reads {VERSION}; {REMEDY}")


def parse(text, file):
    """The rows of the page's table, each a dict; DamagedTable says what is wrong with the first bad line."""
    lines = text.splitlines()
    check_version(lines, file)
    if HEADER not in lines:
        raise DamagedTable(f"{file}: no line '{HEADER}': damaged, or of another version; {REMEDY}")
    start = lines.index(HEADER) + 1
    if lines[start : start + 1] != [RULE]:
        raise DamagedTable(f"{file}:{start + 1}: expected '{RULE}'")
    rows, seen = [], set()
    for number, line in enumerate(lines[start + 1 :], start + 2):
        if not line.startswith("|"):
            break
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) != len(COLUMNS):
            raise DamagedTable(f"{file}:{number}: {len(cells)} cells, a row has {len(COLUMNS)}")
        row = {}
        for cell, (heading, key, decimals) in zip(cells, COLUMNS):
            try:
                row[key] = parse_cell(cell, decimals)
            except ValueError as error:
                raise DamagedTable(f"{file}:{number}: column '{heading}' holds '{cell}': {error}") from None
        name = (row["network"], row["config"])
        if name in seen:
            raise DamagedTable(f"{file}:{number}: a second row for {name[0]} on {name[1]}")
        seen.add(name)
        rows.append(row)
    if not rows:
        raise DamagedTable(f"{file}:{start + 1}: a table without rows")
    return rows
