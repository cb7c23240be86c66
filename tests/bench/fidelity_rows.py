# SPDX-License-Identifier: Apache-2.0
"""The section of docs/results/bench.md that says how far the model's cycles are from RTL's: a row for each network and preset of the
benchmark, computed from fidelity.json beside the page. ./dev fidelity --write measures it and writes fidelity.md, so that the two
pages cannot differ."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fidelity"))
import cycles

HEADING = "## Fidelity"
TEXT = """Of each command that has RTL, the cycles of the model beside those of the RTL; errors in percent of those of RTL, without their
sign. The rows are those of [fidelity.md](fidelity.md), which says more.

"""
HEADER = "| network | config | commands | exact % | largest error % | mean error % | cycles of the model | cycles of RTL |"
RULE = "|---|---|---:|---:|---:|---:|---:|---:|"


def line_of(run):
    figures = cycles.Figures(run.commands())
    return (f"| {run.network} | {run.config} | {figures.count:,} | {figures.exact_percent:.1f} | {figures.largest_percent:.2f} | "
            f"{figures.mean_percent:.3f} | {figures.model_cycles:,} | {figures.rtl_cycles:,} |")


def section(measurements, keys):
    """`measurements`: the file fidelity.json; a row for those of `keys`, (network, config) in order, that it has commands of. Empty
    without such a row."""
    runs = cycles.read(measurements)
    lines = [line_of(runs[key]) for key in keys if key in runs and runs[key].rows]
    return "\n".join(["", HEADING, "", TEXT + HEADER, RULE, *lines]) + "\n" if lines else ""


def section_of_page(text):
    """As `section` gives it."""
    return "\n" + text[text.index(HEADING):] if HEADING in text else ""
