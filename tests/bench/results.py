#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the figures of docs/results: cycles of the real networks by machine, and why. ./dev results calls it.

Pages of networks are written whole; in README.md only what stands between 'results: begin' and 'results: end'. No host
times: the same program gives the same bytes. Without the networks in ../shared beside the tree exit code 2, with --check 77."""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import layers
import measure
import vela
from paper import SPEC

RESULTS = measure.ROOT / "docs/results"
MACHINES = ("v64", "v256", "v1024")
# Key of a run, and its options. The first three are the machines, everything in SRAM.
RUNS = {
    **{name: ["--config", name] for name in MACHINES},
    "weights-external": ["--memory", "weights-external"],
    "v256-sram48": ["--config", "v256-sram48"],
    "v256-port8": ["--config", "v256-port8"],
    "optimize 0": ["--optimize", "0"],
}
NUM_COSTLY_LAYERS = 5
SKIPPED = 77
LAYER_TEXTS = (0, 1, 2, 7)  # of its columns


class Unusable(Exception):
    """One line: what is missing or damaged."""


class Run:
    """One network on one machine. `refused` is the program's line instead, when it does not fit."""

    def __init__(self, vernier, network, options):
        with tempfile.TemporaryDirectory() as folder:
            package, report = f"{folder}/{network.name}.vnpu", f"{folder}/report.json"
            compiled = execute(vernier, "compile", str(network.model), "-q", "-o", package, *options)
            self.refused = compiled.stderr.strip() if compiled.returncode == 2 else None
            if self.refused:
                return
            execute(vernier, "estimate", package, "-q", "--report", report)
            self.report = json.loads(pathlib.Path(report).read_text(encoding="utf-8"))
            self.layers = layers.layers_of(self.report, execute(vernier, "disasm", package).stdout)
        self.totals, self.units = self.report["totals"], self.report["units"]
        self.cycles = self.totals["cycles"]
        self.least_cycles = -(-self.totals["macs"] // self.report["config"]["macs_per_cycle"])


def execute(vernier, *arguments):
    done = subprocess.run([vernier, *arguments], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 2) or (done.returncode == 2 and arguments[0] != "compile"):
        raise Unusable(f"vernier {' '.join(arguments)}: exit code {done.returncode}: {done.stderr.strip()[:300]}")
    return done


def table(headings, rows, texts=(0,)):
    """`texts`: columns that are no numbers."""
    rules = ["---" if i in texts else "---:" for i in range(len(headings))]
    lines = ["| " + " | ".join(headings) + " |", "|" + "|".join(rules) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def against(cycles, other):
    return f"{100 * (cycles / other - 1):+.0f} %"


def cycles_of(run):
    return "does not fit" if run.refused else f"{run.cycles:,}"


def link(name):
    return f"[{name}](networks/{name}.md)"


def cycles_table(runs):
    rows = []
    for name, of in runs.items():
        row = [link(name), f"{of['v256'].least_cycles:,}"]
        for machine in ("v256", "v64", "v1024"):
            run, spec = of[machine], SPEC.get(name, {}).get(machine)
            row += [f"{spec:,}" if spec else "-", cycles_of(run), against(run.cycles, spec) if spec else "-",
                    f"{run.totals['mac_utilization_percent']:.1f}"]
        rows.append(row)
    headings = ["network", "MACs/256"]
    for machine in ("v256", "v64", "v1024"):
        headings += [f"SPEC {machine}", machine, "", "util %"]
    return table(headings, rows)


def memory_table(runs):
    keys = ["v256", "weights-external", "v256-sram48", "v256-port8", "optimize 0"]
    headings = ["network", "v256", "weights-external", "v256-sram48", "v256-port8", "--optimize 0"]
    return table(headings, [[link(name), *(cycles_of(of[key]) for key in keys)] for name, of in runs.items()])


def vela_table(runs, estimates):
    rows = []
    for name, of in runs.items():
        other = estimates.get(name)
        if other is None:
            continue
        u55, u85, flash = (other[machine[0]] for machine in vela.MACHINES)
        ours, port8 = of["v256"], of["v256-port8"]
        ratio = "-" if port8.refused else f"{u55 / port8.cycles:.2f}"
        rows.append([name, f"{u55:,}", cycles_of(port8), ratio, f"{u85:,}", cycles_of(ours), f"{u85 / ours.cycles:.2f}", f"{flash:,}"])
    return table(["network", "Vela U55-256, 8 B/cycle", "v256-port8, 8 B/cycle", "ratio", "Vela U85-256, 32 B/cycle",
                  "v256, 64 + 32 B/cycle", "ratio", "Vela U55-256, weights in flash"], rows)


def array_table(runs):
    names = ["busy", "weight_load", "bank_conflict", "port_contention", "rescale_contention", "pipeline_fill", "waiting_for_token",
             "dma", "command_issue"]
    rows = []
    for name, of in runs.items():
        unit = of["v256"].units["mac_array"]
        counts = [unit["busy_cycles"], *(unit["stall_cycles"].get(stall, 0) for stall in names[1:]), unit["idle_cycles"]]
        rows.append([name, *(f"{count:,}" for count in counts)])
    return table(["network", *names, "idle"], rows)


def formula_table(runs):
    """How many layers lie far above their formula, and what share of the cycles is in them."""
    rows = []
    for name, of in runs.items():
        row = [link(name), str(len(of["v256"].layers))]
        for machine in MACHINES:
            far = [layer for layer in of[machine].layers if layer.is_far_above]
            row.append(f"{len(far)}, {100 * sum(layer.cycles for layer in far) / of[machine].cycles:.0f} %")
        rows.append(row)
    return table(["network", "layers", *(f"above on {machine}" for machine in MACHINES)], rows)


def layer_rows(some, total):
    return [[str(layer.index), layer.name, layer.what, f"{layer.cycles:,}", f"{100 * layer.cycles / total:.1f}",
             f"{layer.formula:,}", f"{layer.ratio:.2f}", layer.causes()] for layer in some]


def network_page(name, of):
    headings = ["machine", "cycles", "MACs/N^2", "SPEC", "cycles / SPEC", "util %", "SRAM read B", "SRAM written B", "external read B",
                "external written B", "SRAM peak B", "commands"]
    rows = []
    for key, run in of.items():
        if run.refused:
            rows.append([key, "does not fit"] + ["-"] * (len(headings) - 2))
            continue
        spec, totals = SPEC.get(name, {}).get(key), run.totals
        traffic = [f"{totals[direction]:,}" for direction in ("sram_read_bytes", "sram_write_bytes", "external_read_bytes",
                                                             "external_write_bytes", "sram_peak_bytes", "commands")]
        rows.append([key, f"{run.cycles:,}", f"{run.least_cycles:,}", f"{spec:,}" if spec else "-",
                     f"{run.cycles / spec:.2f}" if spec else "-", f"{totals['mac_utilization_percent']:.1f}", *traffic])
    text = [f"# {name}\n", "Generated by `./dev results`; what the columns mean: [README.md](../README.md).\n", table(headings, rows)]
    headings = ["#", "layer", "what", "cycles", "% of all", "formula", "ratio", "beyond the formula"]
    for machine in MACHINES:
        run = of[machine]
        costly = sorted(run.layers, key=lambda layer: (-layer.cycles, layer.index))[:NUM_COSTLY_LAYERS]
        far = [layer for layer in run.layers if layer.is_far_above and layer not in costly]
        text += [f"## {machine}: the layers that cost most\n", table(headings, layer_rows(costly, run.cycles), LAYER_TEXTS)]
        if far:
            text += [f"### {machine}: others above {layers.FAR_ABOVE} times their formula\n",
                     table(headings, layer_rows(far, run.cycles), LAYER_TEXTS)]
    return "\n".join(text)


def with_blocks(page, blocks, file):
    """The page with what stands between the marks of each block replaced."""
    for name, content in blocks.items():
        begin, end = f"<!-- results: begin {name} -->\n", f"<!-- results: end {name} -->\n"
        if page.count(begin) != 1 or page.count(end) != 1 or page.index(begin) > page.index(end):
            raise Unusable(f"{file}: not one '{begin.strip()}' before one '{end.strip()}'")
        page = page[: page.index(begin) + len(begin)] + content + page[page.index(end):]
    return page


def all_runs(vernier, networks):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        started = {network.name: {key: pool.submit(Run, vernier, network, options) for key, options in RUNS.items()}
                   for network in networks}
        return {name: {key: run.result() for key, run in of.items()} for name, of in started.items()}


def pages_of(runs):
    """{path: text} of everything in docs/results that this script makes."""
    try:
        estimates = vela.read_page((RESULTS / "vela.md").read_text(encoding="utf-8"))
    except ValueError as error:
        raise Unusable(f"{RESULTS / 'vela.md'}: {error}") from None
    blocks = {"cycles": cycles_table(runs), "memory": memory_table(runs), "vela": vela_table(runs, estimates),
              "array": array_table(runs), "formula": formula_table(runs)}
    readme = RESULTS / "README.md"
    pages = {readme: with_blocks(readme.read_text(encoding="utf-8"), blocks, readme)}
    for name, of in runs.items():
        pages[RESULTS / "networks" / f"{name}.md"] = network_page(name, of)
    return pages


def main(arguments):
    parser = argparse.ArgumentParser(prog="./dev results", description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 when a page is stale")
    parser.add_argument("--vernier", default=str(measure.ROOT / "build/release/vernier"), metavar="PATH", help="the program")
    options = parser.parse_args(arguments)
    networks = measure.golden_networks()
    if not networks and options.check:
        print("results: not checked, the networks are not here")
        return SKIPPED
    if not networks:
        raise Unusable(f"no networks in {measure.ROOT.parent / 'shared/golden/nets'}; bench.md has the project's own")
    if not os.access(options.vernier, os.X_OK):
        raise Unusable(f"--vernier: no program {options.vernier}; ./dev build makes it")
    stale = []
    for path, text in pages_of(all_runs(options.vernier, networks)).items():
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(path.relative_to(measure.ROOT))
        if not options.check:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
    for path in stale:
        print(f"results: {path} {'is stale' if options.check else 'written'}")
    return 1 if options.check and stale else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Unusable as unusable:
        print(f"results: {unusable}", file=sys.stderr)
        sys.exit(2)
    except OSError as error:
        print(f"results: {error.filename}: {error.strerror}", file=sys.stderr)
        sys.exit(2)
