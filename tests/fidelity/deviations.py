# SPDX-License-Identifier: Apache-2.0
"""The table of deviations: reads deviations.toml, and says what is wrong with it."""

import pathlib
import re
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
FILE = HERE / "deviations.toml"
STATES = ("measured", "bounded", "not measured", "no RTL yet", "gone")
WITH_SIZE = ("measured", "bounded")
# These table_test.py reads from a page that a script writes; probe.cpp has the others.
PAGE_MEASURES = ("banked_percent", "banked_command_percent", "core_percent")
TEXTS = ("id", "model", "hardware", "state", "how", "held_by")
CHANGED = "changed_machine"  # the measure whose entries say what is changed
KEYS = {*TEXTS, "unit", "size", "measure", "changed", "where", "approximation"}


class Damaged(Exception):
    """One line: which entry, and what is wrong with it."""


class Deviation:
    """`size`: {what was measured ("demo, v256"): number}, none where nothing measures it; `unit` of the numbers."""

    def __init__(self, fields):
        self.id, self.model, self.hardware, self.state, self.how, self.held_by = (fields[name] for name in TEXTS)
        self.unit, self.size, self.measure = fields.get("unit", ""), fields.get("size", {}), fields.get("measure", "")
        self.changed = fields.get("changed", {})
        self.where, self.approximation = fields.get("where", []), fields.get("approximation", "")

    def size_text(self):
        if self.state == "gone":
            return "none"
        if not self.size:
            return "no cycles" if self.how.startswith("no cycles") else "unknown"
        return "; ".join(f"{what}: {number:,} {self.unit}" for what, number in self.size.items())


def wrong_with(fields, expected_id):
    """None, or what is wrong with an entry."""
    if missing := [name for name in TEXTS if not isinstance(fields.get(name), str) or not fields[name].strip()]:
        return f"no text for {', '.join(missing)}"
    if unknown := sorted(fields.keys() - KEYS):
        return f"unknown key {unknown[0]}"
    if fields["id"] != expected_id:
        return f"id is {fields['id']}, the next one is {expected_id}"
    if fields["state"] not in STATES:
        return f"state is '{fields['state']}', expected {' or '.join(STATES)}"
    if any((fields["state"] in WITH_SIZE) != (name in fields) for name in ("size", "unit", "measure")):
        return "size, unit and measure belong to each entry that is measured or bounded, and to no other"
    if (fields.get("measure") == CHANGED) != ("changed" in fields):
        return f"changed belongs to each entry whose measure is {CHANGED}, and to no other"
    sizes = fields.get("size", {})
    least = -100 if fields.get("measure") in PAGE_MEASURES else 0  # those that may be below 0
    if "size" in fields and (not sizes or any(not isinstance(n, (int, float)) or n <= least for n in sizes.values())):
        return "a size is one number above 0 or more"
    if any("|" in fields[name] or "\n" in fields[name] for name in TEXTS):
        return "a text is one line without '|'"
    return None


def read(file=FILE):
    try:
        entries = tomllib.loads(pathlib.Path(file).read_text(encoding="utf-8"))["deviation"]
    except (OSError, ValueError, KeyError) as error:
        raise Damaged(f"{file}: cannot be read: {type(error).__name__}: {error}") from None
    for place, fields in enumerate(entries, 1):
        if wrong := wrong_with(fields, f"D-{place:03}"):
            raise Damaged(f"{file}: entry {place}: {wrong}")
    return [Deviation(fields) for fields in entries]


def judged(deviation, what, now):
    """What a test says of a size that was measured: none when it is as the table says, or smaller."""
    size = deviation.size[what]
    if now > size:
        return f"{deviation.id}: {what}: {now:,} {deviation.unit}, the table says {size:,}: it has grown"
    if now <= 0:
        return f"{deviation.id}: {what}: it is gone, and the table says {size:,} {deviation.unit}: the entry is stale"
    return None


def ids_in(text):
    return set(re.findall(r"\bD-\d{3}\b", text))
