# SPDX-License-Identifier: Apache-2.0
"""The text of docs/results/fidelity.md, from the runs and the table of deviations; nothing that changes from one computer to another."""

import cliffs
import core_totals
from cycles import Figures

HEADINGS = ["network", "preset", "commands", "of these on RTL", "exact %", "largest error %", "mean error %", "cycles of the model",
            "cycles of RTL", "layers", "exact %", "largest error %", "mean error %", "commit"]
RULE = "|---|---|" + "---:|" * (len(HEADINGS) - 2)
BANKED_PERCENT = 1  # a sum that is further off is a deviation
COMMAND_PERCENT = 15  # no command alone is meant to be further off

HEAD = """# Fidelity: the model's cycles beside those of RTL

Written by `./dev fidelity --write` ([tests/fidelity](../../tests/fidelity/README.md)).

{totals}## Commands alone
For each command that has RTL, the cycles
that hw/timing charges for it are compared with those that the Verilated RTL takes, from the command's handshake to its last result, of the vector unit until another command could follow: alone,
and with memories that never keep it waiting (`rtl.command_cycles` of [the report](../reference/report.md#rtl)). An error is the model's
cycles less those of RTL, in percent of those of RTL; the largest and the mean are without their sign. A layer is the sum of its commands on a
unit. What banks and ports cost a command stands [below](#with-banks-and-ports); what neighbours and the rest of the machine cost is not in these
figures: it is in the [table of deviations](#deviations).

![cycles of the model over cycles of RTL, per command and per layer](fidelity.svg)

The same with a name for each point: `./dev fidelity --html FILE`. All cycles, command by command: [fidelity.json](fidelity.json).

{summary}
"""

CORES = """## Whole networks
All commands of a network run together on `npu_core_sram`: both units, address generators and a banked SRAM in RTL
([0038](../decisions/0038-networks-on-the-core.md); `vernier run MODEL --backend rtl --rtl-scope core`). All values are those of the model. A total lasts until the last command
has ended; the model says when commands start at the earliest, so that RTL is hardly ever faster. In `weights-external` and `external` the SRAM has 256 KiB. The worst
command is the one of array or vector unit that is furthest off, in percent of its cycles, or of 100 if it has fewer.

{summary}
"""

CLIFFS = """## Where one resource is asked for most
Random graphs of a few commands, made so that they ask one resource of the core for as much as they can
([cliffs.hpp](../../tests/fuzz/cliffs.hpp)), on {config} in mode sram, all commands together on `npu_core_sram`. All values are those of the model. Networks
have such commands beside others; a network of nothing else would be so far off. The model shares ports and lanes, and plays an array command
against the banks; that others want the same bank it does not know ([D-034](#deviations)). The worst graph again:
`./dev fuzz-ops --replay SEED --kind KIND --config {config} --memory sram --sram-percent 0 --speed 0 --rtl-scope core`.

"""

NETWORKS = """### Networks
Commands without RTL are {without}. `commit` is the one that the program was built from. Of the {num} networks
{num_real} lie beside the tree and are measured where they are; the others are those of `./dev bench` in this tree. `--model FILE` measures any
other one.
"""

BANKED_HEADINGS = ["network", "preset", "array, model", "array, RTL", "vector unit, model", "vector unit, RTL", "sum, model", "sum, RTL",
                   "RTL more %", "worst layer: RTL more %", "worst command: RTL more %", "commands over 15 %"]
BANKED_RULE = "|---|---|" + "---:|" * (len(BANKED_HEADINGS) - 2)

BANKED = """### With banks and ports
The same commands, each alone, with addresses from `npu_agu` and an SRAM of {banks} in the test bench ([0020](../decisions/0020-addresses-and-the-memory-of-a-test-bench.md);
`--rtl-memory banked`): of the array from the handshake to the last result in memory, of the vector unit until another command could follow and the last store is there. The model's
are main.cycles + drain.cycles, with ports and conflicts. With an SRAM that has no limits (`--rtl-memory unlimited`) each of these commands has the edges of
ideal memories: a run in which one has not is no row here. The worst command is the one in which RTL and the model are furthest apart, by its
number in the stream; "-" stands where a row was measured before commands were kept one by one.

{summary}
"""

DEVIATIONS = """## Deviations
What the model says and what hardware does where the two are not the same. The table is made from
[tests/fidelity/deviations.toml](../../tests/fidelity/deviations.toml), the one home of these facts. States:

- **measured**: the size is a difference to RTL, to edges that RTL shows, or to the same rule in exact numbers;
- **bounded**: RTL does not show it by itself; the size is the most that it could be;
- **not measured**: there is RTL, and nobody has measured yet how far the model is from it;
- **no RTL yet**: no RTL shows it, and nothing counts it;
- **gone**: the model and RTL say the same now; the id is not given again.

A test measures each size of the first two states again, and fails when it is larger than here, and when it is gone: then the entry is stale. Of
the others a test holds that whatever names the id still stands where the table says.
"""


def cells_of(run):
    """Of the table's row, as texts."""
    commands, layers = Figures(run.commands()), Figures(run.of_layers())
    if not commands.count:
        return [run.network, run.config, f"{run.num_commands:,}", "0"] + ["-"] * 5 + ["0"] + ["-"] * 3 + [run.commit]
    return [run.network, run.config, f"{run.num_commands:,}", f"{commands.count:,}", f"{commands.exact_percent:.1f}",
            f"{commands.largest_percent:.2f}", f"{commands.mean_percent:.3f}", f"{commands.model_cycles:,}", f"{commands.rtl_cycles:,}",
            f"{layers.count:,}", f"{layers.exact_percent:.1f}", f"{layers.largest_percent:.2f}", f"{layers.mean_percent:.3f}", run.commit]


def row_of(cells):
    return "| " + " | ".join(cells) + " |"


def summary_of(runs):
    pairs = [pair for run in runs for pair in run.commands()]
    figures = Figures(pairs)
    networks, presets = len({run.network for run in runs if run.rows}), list(dict.fromkeys(run.config for run in runs))
    units = sorted({pair.unit for pair in pairs})
    return (f"{figures.count:,} commands ({', '.join(units)}) of {networks} networks on {', '.join(presets)}: {figures.exact_percent:.1f} % are\n"
            f"exact, the largest error is {figures.largest_percent:.2f} %, the mean is {figures.mean_percent:.3f} %; in all "
            f"{figures.model_cycles:,} cycles of the model and {figures.rtl_cycles:,} of RTL.")


def banked_cells_of(run):
    array, vector = run.banked.get("mac_array", [0, 0]), run.banked.get("vector_unit", [0, 0])
    whole = run.banked_sum
    return [run.network, run.config, *(f"{cycles:,}" for cycles in [*array, *vector, whole.model_cycles, whole.rtl_cycles]),
            f"{banked_percent(run):+.2f}", worst_layer_of(run), *worst_cells_of(run)]


def worst_layer_of(run):
    """The layer that is furthest off, on one of its units; "-" for a row that was measured without commands."""
    pairs = run.banked_layers()
    worst = max(pairs, key=lambda pair: abs(more_percent(pair)), default=None)
    return f"{short_name(worst.name)} {more_percent(worst):+.1f}" if worst else "-"


def short_name(layer):
    """The first of the names that were fused, without the folders in front."""
    return "/".join(layer.split(";")[0].split("/")[-2:]).replace("|", " ")


def worst_cells_of(run):
    """The command that is furthest off, and how many are by more than COMMAND_PERCENT; "-" for a row that was measured without them."""
    pairs = run.banked_commands()
    if not pairs:
        return ["-", "-"]
    worst = max(pairs, key=lambda pair: abs(more_percent(pair)))
    return [f"{worst.name} {more_percent(worst):+.1f}", str(sum(abs(more_percent(pair)) > COMMAND_PERCENT for pair in pairs))]


def more_percent(pair):
    return 100 * (pair.rtl_cycles - pair.model_cycles) / max(pair.model_cycles, 1)


def banked_percent(run):
    """How much longer RTL takes."""
    return more_percent(run.banked_sum)


def banked_summary(runs, own):
    percents = [banked_percent(run) for run in runs if run.network not in own] or [0]
    within = sum(abs(percent) <= BANKED_PERCENT for percent in percents)
    return (f"Of the networks outside this tree {within} of {len(percents)} rows are within {BANKED_PERCENT} %, from {min(percents):+.2f} to {max(percents):+.2f} %. Rows\n"
            "beyond that, and commands that are over 15 % off, have an entry with their sizes in the table of deviations. Networks of this tree are so short that a few cycles are percents.")


def deviation_table(deviations):
    lines = ["| id | the model says | hardware | state | size | how | held by |", "|---|---|---|---|---|---|---|"]
    for entry in deviations:
        lines.append(row_of([entry.id, entry.model, entry.hardware, f"**{entry.state}**", entry.size_text(), entry.how, entry.held_by]))
    return "\n".join(lines) + "\n"


def cores_text(cores):
    """What the page begins with; nothing before anything was measured."""
    if not cores:
        return ""
    percents = [row.more_percent for row in cores]
    summary = (f"{len(cores)} rows: RTL takes {min(percents):+.2f} to {max(percents):+.2f} % of the model's cycles more. {sum(abs(percent) <= 1 for percent in percents)} rows are\n"
               "within 1 %; rows beyond that are in the table of deviations.")
    rule = "|---|---|---|" + "---:|" * (len(core_totals.HEADINGS) - 3)
    return "\n".join([CORES.format(summary=summary), row_of(core_totals.HEADINGS), rule, *(row_of(row.cells()) for row in cores), "", ""])


def cliffs_text(rows):
    if not rows:
        return ""
    rule = "|---|---|" + "---:|" * (len(cliffs.HEADINGS) - 2)
    return CLIFFS.format(config=cliffs.CONFIG) + "\n".join([row_of(cliffs.HEADINGS), rule, *(row_of(row.cells()) for row in rows), "", ""])


def page(runs, deviations, own, cores=(), of_cliffs=()):
    units = {pair.unit for run in runs for pair in run.commands()}
    without = "those of the DMA" + ("" if "vector_unit" in units else " and of the vector unit")
    table = "\n".join([row_of(HEADINGS), RULE] + [row_of(cells_of(run)) for run in runs])
    measured = [run for run in runs if run.banked]
    banked = [BANKED.format(summary=banked_summary(measured, own), banks="8 single-port banks and the ports of the preset"),
              "\n".join([row_of(BANKED_HEADINGS), BANKED_RULE] + [row_of(banked_cells_of(run)) for run in measured]), ""] if measured else []
    return "\n".join([HEAD.format(summary=summary_of(runs), totals=cores_text(cores) + cliffs_text(of_cliffs)), NETWORKS.format(without=without, num=len({run.network for run in runs}), num_real=len({run.network for run in runs} - own)), table, "",
                      *banked, DEVIATIONS, deviation_table(deviations)])
