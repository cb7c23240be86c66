# SPDX-License-Identifier: Apache-2.0
"""The section of docs/results/bench.md that says how far the model's cycles are from RTL's at this commit: a row for each network and preset
with RTL. tests/fidelity measures; docs/results/fidelity.md has each layer, and the networks that are too large for here."""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fidelity"))
import cycles

HEADING = "## Fidelity"
TEXT = """Of each command that has RTL, the cycles of the model beside those of the RTL; errors in percent of those of RTL, without their
sign ([fidelity.md](fidelity.md) says more).

"""
HEADER = "| network | config | commands | exact % | largest error % | mean error % | cycles of the model | cycles of RTL |"
RULE = "|---|---|---:|---:|---:|---:|---:|---:|"
MACS_PER_CYCLE = {"v64": 64, "v256": 256, "v1024": 1024}  # presets that the program has RTL for
MOST_MACS = 1_000_000_000


def line_of(run):
    figures = cycles.Figures(run.commands())
    return (f"| {run.network} | {run.config} | {figures.count:,} | {figures.exact_percent:.1f} | {figures.largest_percent:.2f} | "
            f"{figures.mean_percent:.3f} | {figures.model_cycles:,} | {figures.rtl_cycles:,} |")


def measured(vernier, networks, rows):
    """({(network, config): line}, lines for people) of those networks and presets of `rows`, the table of the benchmark, that are not too
    large; without lines where the program has no RTL."""
    lines, said = {}, []
    by_name = {network.name: network for network in networks}
    for row in rows:
        name, config = row["network"], row["config"]
        if config not in MACS_PER_CYCLE:
            continue
        if row["least_cycles"] * MACS_PER_CYCLE[config] > MOST_MACS:
            said.append(f"fidelity: {name} on {config} is left out, it is large: ./dev fidelity measures it")
            continue
        try:
            run = cycles.measured(vernier, by_name[name], config)
        except cycles.NoRtl as error:
            return {}, [f"fidelity: nothing is compared: {error}"]
        except cycles.Failed as failed:
            said.append(f"fidelity: {failed}")
            continue
        if run.rows:
            lines[run.key] = line_of(run)
    return lines, said


def kept(page):
    """{(network, config): line} of a page."""
    if HEADING not in page:
        return {}
    section = page[page.index(HEADING):].removeprefix(HEADING).split("\n## ")[0]
    return {tuple(match.groups()): match[0] for match in re.finditer(r"^\| (\S+) \| (v\d\S*) \|.*\|$", section, re.MULTILINE)}


def section(lines, order):
    """`order`: a key of (network, config)."""
    if not lines:
        return ""
    return "\n".join(["", HEADING, "", TEXT + HEADER, RULE, *(lines[key] for key in sorted(lines, key=order))]) + "\n"
