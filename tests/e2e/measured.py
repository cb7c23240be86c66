# SPDX-License-Identifier: Apache-2.0
"""What tests measure of the formats: each result is a line that is printed and, for docs/results/formats.md, a line of JSON in
the file that VERNIER_MEASURED names (tests/bench/formats.py collects them)."""

import collections
import json
import os

# `what` was compared with the results of `against` in so many `cases` (a text); of `codes` results `differing` differ, by at most
# `most` steps.
Row = collections.namedtuple("Row", "what cases against codes differing most")


def tell(*fields):
    row = Row(*fields)
    print(f"{row.what}, {row.cases}: {row.differing:,} of {row.codes:,} differ from {row.against}, by at most {row.most}", flush=True)
    file = os.environ.get("VERNIER_MEASURED")
    if file:
        with open(file, "a", encoding="utf-8") as lines:
            lines.write(json.dumps(row) + "\n")


def tell_steps(what, cases, against, steps):
    """`steps`: of each code, how far it is off."""
    tell(what, cases, against, len(steps), sum(step > 0 for step in steps), max(steps, default=0))


def rows_of(file):
    with open(file, encoding="utf-8") as lines:
        return [Row(*json.loads(line)) for line in lines]
