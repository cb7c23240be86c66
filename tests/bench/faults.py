#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Single faults on a machine that stays powered: docs/results/faults.md. ./dev faults calls it.

  faults.py BENCH_FAULTS [--faults N]           puts N faults (20,000) into the machines and writes the page
  faults.py BENCH_FAULTS [--faults N] --check   fails where a fault makes the machine wait for ever or reaches a later job, or where
                                                parity does not find a wrong bit; with the N of the page also where that has other figures"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/results/faults.md"
NETWORK = ROOT / "tests/e2e/demo/demo.tosa"
PROTECTIONS, MEMORIES = ("none", "parity"), ("sram", "external")
SEED = 1
ALL = 20_000
TEXT = """# What becomes of single faults

Written by `./dev faults`: {count} faults on v256, one a job, {each} of each kind without parity and as many with it (`sram_protection`), half of them in memory mode
sram and half in external. The network is that of the demo; its jobs go through the firmware of a device. Kind, cycle,
place and bit are drawn by a seed ({seed}). [The guide](../guides/debugging.md#which-kinds-of-fault-there-are) says what each kind is,
[decision 0032](../decisions/0032-faults-and-parity.md) what parity does.

- **Nothing live**: there was no such event any more, or nobody used what was changed.
- **Right**: the fault happened, the job is done, and every output element is right.
- **Detected**: the job ended with a reason, exit code 4 of `vernier run`.
- **Wrong**: the job is done with wrong values, which the checker finds, exit code 3.

No fault makes the machine wait for ever: a watchdog, a time-out or the host ends the job. After each of them a job without a fault follows on the same device,
or after a power cycle where the firmware had failed; where it had not, a fault of the control system is followed by a power cycle after that second job. No later job gave wrong values. Of those that followed, {later_detected} ended with a reason of their own, because the fault
stood in the variables or the registers of the control CPU, where the first job did not need it.

{tables}## What noticed them

| | {names} |
|---|{rules}|
{causes}
"""
HEAD = "| fault | tried | nothing live | right | detected | wrong |\n|---|---:|---:|---:|---:|---:|\n"


def measure(bench, num_faults):
    """A row for each kind, protection and memory; and whether all is as it has to be."""
    rows, is_good = [], True
    for protection in PROTECTIONS:
        for memory in MEMORIES:
            command = [bench, NETWORK, num_faults // 4, SEED, protection, memory]
            done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
            if done.returncode not in (0, 1):
                sys.exit(f"{' '.join(map(str, command))} ends with {done.returncode}: {done.stderr}")
            if done.returncode == 1:
                print(f"{protection}, {memory}: a fault makes the machine wait for ever or reaches a later job\n{done.stdout}")
                is_good = False
            rows += [json.loads(line) for line in done.stdout.splitlines()]
    for row in rows:
        if row["protection"] == "parity" and row["kind"] in ("sram:bitflip", "ram:bitflip", "shared:bitflip") and row["wrong"]:
            print(f"parity does not find {row['kind']}: {row}")
            is_good = False
    return rows, is_good


def table_of(rows, protection):
    lines, sums = [], collections.Counter()
    for kind in dict.fromkeys(row["kind"] for row in rows):
        these = [row for row in rows if row["kind"] == kind and row["protection"] == protection]
        figures = {key: sum(row[key] for row in these) for key in ("tried", "nothing_live", "correct", "wrong")}
        figures["detected"] = sum(sum(row["detected"].values()) for row in these)
        sums.update(figures)
        lines.append((f"`{kind}`", figures))
    lines.append(("all", sums))
    keys = ("tried", "nothing_live", "correct", "detected", "wrong")
    return HEAD + "".join(f"| {name} | {' | '.join(f'{figures[key]:,}' for key in keys)} |\n" for name, figures in lines)


def page_of(rows):
    causes = collections.defaultdict(collections.Counter)
    for row in rows:
        for cause, count in row["detected"].items():
            causes[cause][row["protection"]] += count
    lines = [f"| {cause} | {' | '.join(f'{causes[cause][name]:,}' for name in PROTECTIONS)} |" for cause in sorted(causes)]
    tables = "".join(f"## {'With' if name == 'parity' else 'Without'} parity\n\n{table_of(rows, name)}\n" for name in PROTECTIONS)
    tried = sum(row["tried"] for row in rows)
    kinds = len({row["kind"] for row in rows})
    return TEXT.format(count=f"{tried:,}", each=f"about {tried // 2 // kinds:,}", seed=SEED, tables=tables, causes="\n".join(lines),
                       names=" | ".join("without parity" if name == "none" else "with parity" for name in PROTECTIONS),
                       rules="|".join("---:" for _ in PROTECTIONS), later_detected=f"{sum(row['later_detected'] for row in rows):,}")


def main():
    parser = argparse.ArgumentParser(prog="./dev faults", description=__doc__.split(". ", maxsplit=1)[0])
    parser.add_argument("bench", type=pathlib.Path)
    parser.add_argument("--faults", type=int, default=ALL)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    rows, is_good = measure(options.bench, options.faults)
    page = page_of(rows)
    if not options.check:
        PAGE.write_text(page, encoding="utf-8")
        return 0 if is_good else 1
    known = PAGE.read_text(encoding="utf-8")
    written = int(re.search(r"`\./dev faults`: ([\d,]+) faults", known)[1].replace(",", ""))
    if written == options.faults and page != known:
        print(f"{PAGE.relative_to(ROOT)} is stale: ./dev faults")
        return 1
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
