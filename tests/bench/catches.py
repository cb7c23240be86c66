#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/results/catches.md: faults put into the simulated machine, and what noticed them, how far from the cause. ./dev catches
calls it.

Networks of this tree, cycles spread evenly over each run, and a large network of ../shared where that folder exists; without it the
table that the page has is kept.
--check writes nothing and fails when the table of this tree's networks is stale."""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/results/catches.md"
MADE = ROOT / "tests/golden/networks"
NETWORKS = {"demo": ROOT / "tests/e2e/demo/demo.tosa",
            **{name: MADE / name / "model.tosa" for name in ("conv_3x3_pad", "conv_deep", "classifier_head", "branch_two_consumers")}}
KINDS = ("accumulator:bitflip", "weight:bitflip", "sram:bitflip", "command:bitflip", "token:drop")
LARGE = ROOT.parent / "shared/golden/nets/mobilenet_v2_quantized_1x3x224x224/model.tosa"
CYCLES = 12  # of each network and kind
LARGE_CYCLES = 24
COLUMNS = """| fault | tried | nothing live | difference | of these at the command hit | commands between, median and most | machine check | waits for ever | missed |
|---|---:|---:|---:|---:|---:|---:|---:|---:|
"""
HEAD = f"""# Which faults are noticed, and where

Written by `./dev catches`: {CYCLES} cycles, spread evenly, of each of {len(NETWORKS)} small networks ({', '.join(NETWORKS)}) on v256, memory mode sram; in each the fault of
`vernier run --inject KIND@CYCLE` that changes something, see [the guide](../guides/debugging.md). A fault is noticed as a first difference of
the values (exit code 3), by a check of the machine (a command that does not decode, bytes that nobody wrote, two commands that meet:
exit code 4), or because the machine waits for ever (4). Missed: nobody noticed, and all values are right.

A data fault is at its place when the first difference lies in what the command wrote that was hit; of SRAM, in what the first command wrote
that read the byte, which is a later one. Commands between: from the command that was hit to the one that the first difference names.

{COLUMNS}"""
LARGE_HEADING = "## A large network"
LARGE_HEAD = f"""
{LARGE_HEADING}

The same with {LARGE_CYCLES} cycles of MobileNetV2 (1.3 million cycles, {{commands}} commands), measured where the network is; no test repeats it.

{COLUMNS}"""


def run(vernier, network, *options):
    with tempfile.TemporaryDirectory(prefix="vernier_catches_") as folder:
        done = subprocess.run([vernier, "run", network, "--no-rerun", "--report", "r.json", *options], cwd=folder, capture_output=True,
                              text=True, check=False)
        report = pathlib.Path(folder) / "r.json"
        return done, json.loads(report.read_text()) if report.exists() else None


def outcome(vernier, network, fault):
    """(what became of it, commands between the one that was hit and the first difference or None)."""
    done, report = run(vernier, network, "--inject", fault)
    if "hits nothing live" in done.stdout:
        return "nothing live", None
    if done.returncode == 4:
        return ("waits for ever" if "hangs" in done.stderr else "machine check"), None
    if done.returncode == 0:
        return "missed", None
    if done.returncode != 3:
        sys.exit(f"{network} --inject {fault}: exit code {done.returncode}\n{done.stderr}")
    hit = re.search(r"command (\d+)", report["injected"])
    first = report["check"]["first_difference"]["command_idx"]
    return "difference", first - int(hit[1]) if hit and first >= 0 else None


def row(vernier, kind, pool, networks, num_cycles):
    jobs = []
    for network in networks:
        cycles = run(vernier, network)[1]["totals"]["cycles"]
        jobs += [(vernier, network, f"{kind}@{cycles * (2 * i + 1) // (2 * num_cycles)}") for i in range(num_cycles)]
    results = list(pool.map(lambda job: outcome(*job), jobs))
    counts = collections.Counter(what for what, _ in results)
    between = [distance for _, distance in results if distance is not None]
    at_place = str(sum(distance == 0 for distance in between)) if between else "-"
    far = f"{statistics.median(between):g}, {max(between)}" if between else "-"
    cells = [f"`{kind}`", len(jobs), counts["nothing live"], counts["difference"], at_place, far, counts["machine check"],
             counts["waits for ever"], counts["missed"]]
    return "| " + " | ".join(map(str, cells)) + " |\n"


def large_part(vernier, pool):
    """Of the large network; what the page has where the network is not there."""
    if LARGE.exists():
        head = LARGE_HEAD.format(commands=run(vernier, LARGE)[1]["totals"]["commands"])
        return head + "".join(row(vernier, kind, pool, [LARGE], LARGE_CYCLES) for kind in KINDS)
    return kept_large_part()


def kept_large_part():
    text = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    return "\n" + text[text.index(LARGE_HEADING):] if LARGE_HEADING in text else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vernier", default=str(ROOT / "build/release/vernier"))
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    vernier = str(pathlib.Path(options.vernier).resolve())
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        page = HEAD + "".join(row(vernier, kind, pool, NETWORKS.values(), CYCLES) for kind in KINDS)
        page += kept_large_part() if options.check else large_part(vernier, pool)
    if not options.check:
        PAGE.write_text(page, encoding="utf-8")
        print(page)
        return 0
    if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page:
        print(f"{PAGE.relative_to(ROOT)} is stale, ./dev catches writes\n{page}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
