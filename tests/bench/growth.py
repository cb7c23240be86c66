#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How host time and memory grow with the size of a network: made networks of 10^5 to 10^10 MACs, and of 1 to 500 layers.

./dev growth runs it, and writes docs/results/growth.md and growth.svg. Each figure is the least of --runs runs."""

import argparse
import json
import math
import os
import pathlib
import sys
import tempfile

import measure
from growth_plot import growth_picture
from made_graph import Graph

PAGE = measure.ROOT / "docs/results/growth.md"
CHANNELS_AND_EXTENT = ((8, 4), (8, 7), (16, 7), (16, 12), (16, 21), (32, 18), (32, 33), (32, 57), (64, 52), (64, 90), (128, 82))
NUM_LAYERS = (1, 2, 5, 10, 20, 50, 100, 200, 500)
QUANTITIES = (("compile_seconds", "compile s"), ("simulate_seconds", "simulate s"), ("peak_mib", "peak MiB"))
FITTED_POINTS = 3  # the largest networks: below, the start of the process is what takes time

HEAD = """# Growth

Written by `./dev growth` on {machine}, the least of {num_runs} runs each of

    vernier compile MODEL -o m.vnpu --config ...
    vernier run m.vnpu --no-check

on networks of 3x3 convolutions made for this ([tests/bench/growth.py](../../tests/bench/growth.py)). Seconds are CPU time of each of
the two processes, whole, on one core; peak memory is that of the larger one. They mean something only beside each other.

![growth of compile time, simulate time and peak memory](growth.svg)

Exponents, fitted to the {fitted} largest networks of each series: time and memory grow as (size)^exponent.

"""


class Unusable(Exception):
    """One line."""


def block(graph, x, channels):
    return graph.conv2d(x, channels, kernel=(3, 3), pad=(1, 1, 1, 1))


def chain(num_layers, channels, extent):
    graph = Graph()
    x = graph.input([1, extent, extent, channels])
    for i in range(num_layers):
        graph.layer(f"conv_{i}")
        x = block(graph, x, channels)
    graph.output(x)
    return graph


def residual_chain(num_layers):
    """Every layer but the first adds what came two before it."""
    graph = Graph()
    before = graph.input([1, 12, 12, 16])
    x = block(graph, before, 16)
    for i in range(1, num_layers):
        graph.layer(f"conv_{i}")
        y = block(graph, x, 16)
        graph.layer(f"add_{i}")
        before, x = x, graph.add(y, before)
    graph.output(x)
    return graph


# Name, heading of its size, options of the program, (size, made network).
def all_series():
    macs = [chain(10, channels, extent) for channels, extent in CHANNELS_AND_EXTENT]
    yield "MACs", "MACs", ["--config", "v256"], [(graph.macs, graph) for graph in macs]
    yield "layers", "layers", ["--config", "v256"], [(num, chain(num, 16, 12)) for num in NUM_LAYERS]
    yield "layers with residuals", "layers", ["--config", "v256"], [(num, residual_chain(num)) for num in NUM_LAYERS]
    spilling = [(num, chain(num, 16, 48)) for num in NUM_LAYERS]  # maps of 36 KiB
    yield "layers that spill, 48 KiB of SRAM", "layers", ["--config", "v256-port8"], spilling


def measured(vernier, model, options, num_runs):
    """Least CPU seconds and memory; commands and cycles."""
    best = {}
    with tempfile.TemporaryDirectory() as folder:
        package, report, output = (pathlib.Path(folder) / name for name in ("model.vnpu", "report.json", "output.txt"))
        commands = {"compile_seconds": [str(vernier), "compile", str(model), "-q", "-o", str(package), *options],
                    "simulate_seconds": [str(vernier), "run", str(package), "-q", "--no-check", "--report", str(report)]}
        for _ in range(num_runs):
            now = {"peak_mib": 0.0}
            for key, command in commands.items():
                code, peak_kib, now[key] = measure.run_child(command, output)
                if code != 0:
                    raise Unusable(f"exit code {code}: {output.read_text(errors='replace').strip()[:300]}")
                now["peak_mib"] = max(now["peak_mib"], peak_kib / 1024)
            best = {key: min(value, best.get(key, value)) for key, value in now.items()}
        totals = json.loads(report.read_text())["totals"]
    return {**best, "commands": totals["commands"], "cycles": totals["cycles"]}


def exponent(points):
    """Slope of the line through (log x, log y), by least squares."""
    logs = [(math.log(x), math.log(y)) for x, y in points]
    mean_x, mean_y = (sum(log[i] for log in logs) / len(logs) for i in range(2))
    return sum((x - mean_x) * (y - mean_y) for x, y in logs) / sum((x - mean_x) ** 2 for x, _ in logs)


def exponents_of(rows):
    return {key: exponent([(row["size"], row[key]) for row in rows[-FITTED_POINTS:]]) for key, _ in QUANTITIES}


def page_of(series, num_runs, machine):
    text = HEAD.format(machine=machine, num_runs=num_runs, fitted=FITTED_POINTS)
    text += "| series | " + " | ".join(heading.split()[0] for _, heading in QUANTITIES) + " |\n|---|" + "---:|" * len(QUANTITIES) + "\n"
    for name, _, _, rows in series:
        fitted = exponents_of(rows)
        text += f"| {name} | " + " | ".join(f"{fitted[key]:.2f}" for key, _ in QUANTITIES) + " |\n"
    for name, heading, options, rows in series:
        text += f"\n## {name}\n`{' '.join(options)}`\n\n"
        text += f"| {heading} | " + " | ".join(heading for _, heading in QUANTITIES) + " | commands | cycles |\n"
        text += "|" + "---:|" * (len(QUANTITIES) + 3) + "\n"
        for row in rows:
            text += (f"| {row['size']:,} | {row['compile_seconds']:.4f} | {row['simulate_seconds']:.4f} | {row['peak_mib']:.1f} "
                     f"| {row['commands']:,} | {row['cycles']:,} |\n")
    return text


def read_page(text):
    """[(name, heading of its size, rows)] of a page, for its plot."""
    series = []
    for part in text.split("\n## ")[1:]:
        name, _, body = part.partition("\n")
        lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in body.splitlines() if line.startswith("|")]
        rows = [{"size": int(cells[0].replace(",", "")), **{key: float(cell) for (key, _), cell in zip(QUANTITIES, cells[1:])}}
                for cells in lines[2:]]
        series.append((name, lines[0][0], rows))
    return series


def main(arguments):
    parser = argparse.ArgumentParser(prog="./dev growth", description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("--runs", type=int, default=5, choices=range(1, 101), metavar="N", help="runs of each network; default 5")
    parser.add_argument("--quick", action="store_true", help="only small networks, and write nothing: that everything works")
    parser.add_argument("--vernier", default=str(measure.ROOT / "build/release/vernier"), metavar="PATH", help="the program")
    options = parser.parse_args(arguments)
    if not os.access(options.vernier, os.X_OK):
        raise Unusable(f"--vernier: no program {options.vernier}; ./dev build makes it")
    series = []
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "model.tosa"
        for name, heading, settings, networks in all_series():
            rows = []
            for size, graph in networks[: FITTED_POINTS if options.quick else None]:
                graph.write(model)
                rows.append({"size": size, **measured(options.vernier, model, settings, options.runs)})
                print(f"{name}: {size:,}: " + ", ".join(f"{heading} {rows[-1][key]:.4f}" for key, heading in QUANTITIES), flush=True)
            series.append((name, heading, settings, rows))
    if not options.quick:
        import run  # for the name of the host's processor

        page = page_of(series, options.runs, run.machine_text())
        PAGE.write_text(page, encoding="utf-8")
        PAGE.with_suffix(".svg").write_text(growth_picture(read_page(page)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Unusable as unusable:
        print(f"growth: {unusable}", file=sys.stderr)
        sys.exit(2)
