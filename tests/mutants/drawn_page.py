# SPDX-License-Identifier: Apache-2.0
"""docs/results/drawn-faults.md: a row for each room and seed, and the faults that no test has caught."""

import dataclasses
import datetime
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/results/drawn-faults.md"
HEAD = """# Faults drawn by a seed, and how many the quick tests catch

`./dev mutants --drawn ROOM --seed S --write` draws single faults in the sources of a room: another operator, comparison or constant,
or a statement left out. It builds each, runs the quick tests of the room, and writes a row. Faults after which the test programs are
the same bytes are drawn again and count for nothing. "Changes nothing" are faults after which no result, cycle, report or message
can differ; `tests/mutants/equivalents.py` says why for each. The score is what was caught of the others. Survivors are run again
after a test was written for them, and then count as caught: a new seed says more about faults that nobody has looked at.

| room | seed | drawn | changes nothing | caught | survive | score | date, commit |
|---|---|---|---|---|---|---|---|
"""


@dataclasses.dataclass
class Score:
    room: str
    seed: str
    drawn: int
    caught: int
    harmless: list  # (fault, reason)
    survivors: list  # fault
    when: str = ""

    @property
    def meant(self):
        return self.drawn - len(self.harmless)

    @property
    def percent(self):
        return 100.0 * self.caught / max(1, self.meant)

    def row(self):
        return (f"| {self.room} | {self.seed} | {self.drawn} | {len(self.harmless)} | {self.caught} | {len(self.survivors)} | {self.percent:.1f} % "
                f"| {self.when} |\n")

    def lists(self):
        lines = [f"- `{fault}` changes nothing: {reason}\n" for fault, reason in self.harmless] + [f"- `{fault}` survives\n" for fault in self.survivors]
        return f"\n## {self.room}, seed {self.seed}\n\n" + ("".join(lines) or "All were caught.\n")


def now():
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()
    return f"{datetime.date.today().isoformat()}, {commit}"


def parse(text):
    """{(room, seed): Score}."""
    scores = {}
    for row in re.findall(r"(?m)^\| (\S+/\S+) \| (\S+) \| (\d+) \| \d+ \| (\d+) \| \d+ \| [\d.]+ % \| (.*) \|$", text):
        scores[row[0], row[1]] = Score(row[0], row[1], int(row[2]), int(row[3]), [], [], row[4])
    for part in re.split(r"(?m)^## ", text)[1:]:
        score = scores[tuple(part.split("\n")[0].split(", seed "))]
        score.harmless = re.findall(r"(?m)^- `(.*)` changes nothing: (.*)$", part)
        score.survivors = re.findall(r"(?m)^- `(.*)` survives$", part)
    return scores


def write(score, page=PAGE):
    scores = parse(page.read_text(encoding="utf-8")) if page.exists() else {}
    score.when = now()
    scores[score.room, score.seed] = score
    ordered = [scores[key] for key in sorted(scores)]
    unfinished = page.with_suffix(".new")
    unfinished.write_text(HEAD + "".join(each.row() for each in ordered) + "".join(each.lists() for each in ordered), encoding="utf-8")
    unfinished.replace(page)
