# SPDX-License-Identifier: Apache-2.0
"""The text of docs/results/silicon.md."""

import collections
import pathlib

from arcs import RAM_READ_NS, RAM_SETUP_NS, is_ram
from mapping import MAX_FANOUT, PERIOD_PS, SHORT, SHORT_PS, group

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/results/silicon.md"
LONGEST_IN_HALF_PRODUCTS = 1.5
# An inverter of this library that drives four of its kind: mean of a rising and a falling output in a chain of INVX1, each with four
# INVX1 behind it, by OpenSTA (0.1048 and 0.0936 ns).
FO4_NS = 0.0992
DRAWN_NM = 180
RUN_CLOCK_GHZ = 1.0  # clock_hz of every preset
# Constants of hw/spec/latency.hpp that are stages of a lane, and the registers that end each stage. Pins of memories end the stage
# of their edge.
STAGES = (
    ("kRescalePipelineCycles", "npu_rescale_lane", ("value_q multiplier_low_q multiplier_high_q shift0_q",
                                                    "product_low_q product_high_q shift1_q negative_q", "sum_q shift2_q", "result_o")),
    ("kTablePipelineCycles", "npu_table_lane",
     ("u_even.read_address_i u_odd.read_address_i even_column_q odd_column_q fraction_q entry_is_odd_q byte_q format_q", "result_o")),
    ("kMacPipelineCycles", "npu_mac_lane",
     ("gen_group[].activation_q gen_group[].weight_q", "gen_group[].product_q", "group_sum_q",
      "sum_q write_bank_q write_row_q gen_bank[].u_rows.read_address_i", "written_q gen_bank[].u_rows.write_data_i")),
    ("kTileSwapCycles", "npu_weight_lane", ("weight_o",)),
)


def short_ends():
    """Each of SHORT, for people."""
    return ", ".join(f"`{module}.{end.partition(':')[2]}`" for module, ends in SHORT.items() for end in ends)


HEAD = f"""# Area and clock of the core

Written by `./dev area` with Yosys VERSION, its ABC and OpenSTA, all of Debian 12, in the library OSU 0.18 um (`osu018_stdcells.lib` of
`qflow-tech-osu018`), a library of 1999. Read the numbers against each other: which part is large, and which path stands out. A nightly
test makes the tables again and fails where they differ, or where a path is too long.

How they are made:

- **Each module of hw/rtl by itself**, mapped by Yosys and ABC (for {PERIOD_PS / 1000:.0f} ns, at most {MAX_FANOUT} inputs on a net, above that buffers). Modules inside it
  are counted for themselves. ABC does not see what lies before and after a module. What ends in {short_ends()} shares
  its cycle with another module's adder and is mapped for {SHORT_PS / 1000:.0f} ns, without the steps that save area at the expense of time. Registers that are written by their
  number are decoded before (tests/rtl/decoded_writes.py), as a synthesiser for silicon does. Enables are multiplexers before a flip-flop: this library has no clock gate.
- **Multiplied by hand**: the column "instances". A lane is mapped once, the last of its kind, which has the most choices of
  the lane split, and counted as often as the preset has lanes; so is the row assembler of one pixel. `npu_window_lane` of 32 lanes is not mapped, because
  Yosys takes too long over it (minutes over that of 16): its row is an estimate, that of 16 lanes times the ratio of the rows of 16 and of 8 lanes. Its paths are those of 16 lanes.
- **Memories are counted in bits**, not in cells: the library has none. Assumed of each is that it gives its word {RAM_READ_NS:.0f} ns after the edge
  and wants its address and data {RAM_SETUP_NS:.0f} ns before it.
- **Paths** go through all modules: the longest path to a port of a module, by OpenSTA, plus the longest from there on. Ports are taken a
  bus at a time, so a path here may be one that no value takes; none is left out. A net that goes into a module passes one buffer,
  BUFFER ns, or a tree of them where it goes into more than {MAX_FANOUT}. Inputs of the core, and of the generators, stand at the edge.
- **Not covered**: wires, clock tree, reset, place and route, power; the DMA, the command processor and the SRAM, of which there is no RTL.
  Commands' fields and beats come from registers outside that are not counted.

A NAND2 is the area of NAND2X1. Rescale, table and MAC lanes are those of
[decision 0010](../decisions/0010-latencies-that-synthesis-allows.md), which looked at the lanes by themselves; its times are longer, because
gates were not sized there.
"""


def module_row(name, made, instances):
    row = f"| `{name}` | {made.cells:,} | {made.nand2:,.0f} | {made.flip_flops:,} | {made.memory_bits:,} |"
    return row if instances is None else f"{row} {instances} | {made.nand2 * instances:,.0f} |"


def arrow(end, step, module):
    """From which register to which, and through which other modules."""
    short = [name.removeprefix("npu_") for name in step.modules]
    last = module.removeprefix("npu_")
    start = step.start.removeprefix("npu_")
    target = end if end.startswith("port ") else f"{last}.{end}"
    between = [name for name in short[1:] if name != last]
    through = f", through {', '.join(dict.fromkeys(between))}" if between else ""
    return f"`{start}` to `{target}`{through}"


def alone(arcs, module, names):
    """ns of the longest path inside one module to a register or memory pin of `names`, from its ports and registers; enables of
    stages aside."""
    def is_named(end):
        return any(group(end) == name for name in names.split())

    times = [ns for end, ns in arcs.ends.items() if is_named(end)]
    for (port, end), ns in arcs.in_reg.items():
        if is_named(end) and port != "advance_i":
            times.append(ns + (RAM_READ_NS if is_ram(port) else 0))
    times += [ns + RAM_SETUP_NS for port, (ns, _) in arcs.reg_out.items() if is_ram(port) and is_named(port)]
    for (source, sink), ns in arcs.in_out.items():
        if is_ram(sink) and is_named(sink) and source != "advance_i":
            times.append(ns + RAM_SETUP_NS + (RAM_READ_NS if is_ram(source) else 0))
    return max(times)


def half_product(preset):
    ends = preset.paths.arcs["npu_rescale_lane"].ends
    return max(ends["product_low_q"], ends["product_high_q"])


def modules_table(preset, limit):
    """Sums {column: number}, and the table of all modules."""
    total = collections.Counter()
    rows = []
    for name, made in preset.modules.items():
        number = preset.count[name]
        for key in ("cells", "nand2", "flip_flops", "memory_bits"):
            total[key] += getattr(made, key) * number
        longest = preset.paths.longest(name)
        mark = " **too long**" if longest and longest[1].ns > limit else ""
        path = f"{longest[1].ns:.2f}{mark} | {arrow(*longest, name)}" if longest else "- | no register, no memory"
        rows.append(f"{module_row(name, made, number)} {path} |")
    table = "\n".join(rows)
    return total, f"""| module | cells | NAND2 | flip-flops | memory bits | instances | NAND2 of all | longest path that ends in it, ns | from, to |
|---|---:|---:|---:|---:|---:|---:|---:|---|
{table}
"""


def slowest(preset):
    found = [(preset.paths.longest(name), name) for name in preset.modules if preset.paths.longest(name)]
    (end, step), name = max(found, key=lambda one: (one[0][1].ns, one[1]))
    return step, arrow(end, step, name)


def too_long_ends(preset, limit):
    """{(module, register or pin)} of paths longer than `limit`."""
    return {(name, group(end)) for name in preset.modules for end, step in preset.paths.ends(name).items() if step.ns > limit}


def stages_section(presets, limit):
    lines = []
    for constant, module, stages in STAGES:
        for number, names in enumerate(stages):
            times = [alone(preset.paths.arcs[module], module, names) for preset in presets]
            whole = [max((step.ns for end, step in preset.paths.ends(module).items() if group(end) in names.split()), default=0.0)
                     for preset in presets]
            lines.append(f"| `{constant}` = {len(stages)} | `{module}` {number} | {', '.join(f'{time:.2f}' for time in times)} | "
                         f"{', '.join(f'{time:.2f}' for time in whole)} |")
    return "\n".join(lines)


def limit_ns(presets):
    return LONGEST_IN_HALF_PRODUCTS * max(half_product(preset) for preset in presets)


def clock_section(rows):
    """`rows`: (preset, ns of its slowest path, [(module, NAND2 of all its instances)])."""
    most = max(ns for _, ns, _ in rows) / FO4_NS
    least_ps = 1000 / RUN_CLOCK_GHZ / most
    delays = ", ".join(f"{preset} {ns / FO4_NS:.0f}" for preset, ns, _ in rows)
    lines = []
    for preset, _, modules in rows:
        whole = sum(nand2 for _, nand2 in modules)
        two = sorted(modules, key=lambda one: -one[1])[:2]
        lines.append(f"| {preset} | " + " | ".join(f"`{name}` | {nand2:,.0f} | {100 * nand2 / whole:.0f} %" for name, nand2 in two) + " |")
    return f"""
## The clock of the runs
The presets run at {RUN_CLOCK_GHZ:.0f} GHz, and this library reaches a tenth of that. What carries over from one process to another is the number of FO4 delays
of a path; an FO4 is an inverter that drives four of its kind. Here it takes {FO4_NS:.4f} ns, so that the slowest paths have: {delays}. A cycle of
{1 / RUN_CLOCK_GHZ:.0f} ns then needs an FO4 of at most {least_ps:.1f} ps. An FO4 grows about with the drawn length of a gate ({DRAWN_NM} nm here): by that ratio {RUN_CLOCK_GHZ:.0f} GHz is for
processes of about {DRAWN_NM * least_ps / 1000 / FO4_NS:.0f} nm and below. Wires and the clock tree are not in these paths and take a part of the cycle; sizing of gates and clock gates,
which are not in them either, give some of it back. `clock_hz` is a value of the configuration: cycles do not depend on it, times do.

## The two largest blocks
NAND2 of all instances, without memories, and their share of the core:

| preset | largest | NAND2 | share | second | NAND2 | share |
|---|---|---:|---:|---|---:|---:|
{chr(10).join(lines)}
"""


def generators_section(presets, limit):
    totals, tables = [], []
    for preset in presets:
        total, table = modules_table(preset, limit)
        step, path = slowest(preset)
        totals.append(f"| {preset.name} | {total['cells']:,} | {total['nand2']:,.0f} | {total['flip_flops']:,} | {total['memory_bits']:,} | {step.ns:.2f} | {path} |")
        tables.append(f"### Generators of {preset.name}\n{table}")
    return f"""
## Address generators
`npu_agu` with two sets of generators, which is no part of the core and not in its tables. Its outputs end at the port, without the byte networks
and the buffers of `npu_core_sram` ([0037](../decisions/0037-the-core-with-its-memory.md)). Of 8 lanes alone: Yosys takes too long over the windows of
more, so that their paths are not shown; [0037](../decisions/0037-the-core-with-its-memory.md) has what was mapped of 16 lanes. The two sets are larger than the core.

| preset | cells | NAND2 | flip-flops | memory bits | slowest path, ns | from, to |
|---|---:|---:|---:|---:|---:|---|
{chr(10).join(totals)}

{chr(10).join(tables)}"""


def page(presets, generators, version):
    """`generators`: the presets' address generators, none: without them."""
    limit = limit_ns(presets)
    sections, totals = [], []
    for preset in presets:
        total, table = modules_table(preset, limit)
        sections.append(f"### {preset.name}\n{table}")
        step, path = slowest(preset)
        totals.append(f"| {preset.name} | {total['cells']:,} | {total['nand2']:,.0f} | {total['flip_flops']:,} | {total['memory_bits']:,} | "
                      f"{step.ns:.2f} | {1000 / step.ns:.0f} | {path} |")
    rows = [(preset.name, slowest(preset)[0].ns, [(name, made.nand2 * preset.count[name]) for name, made in preset.modules.items()])
            for preset in presets]
    names = ", ".join(preset.name for preset in presets)
    too_long = sum(preset.paths.longest(name) is not None and preset.paths.longest(name)[1].ns > limit
                   for preset in [*presets, *generators] for name in preset.modules)
    verdict = "No path is longer."
    if too_long:
        verdict = f"**In {too_long} of the rows below a path is longer**, and marked."
    head = HEAD.replace("VERSION", version).replace("BUFFER", f"{presets[0].paths.buffer:.2f}")
    return f"""{head}
## Presets
| preset | cells | NAND2 | flip-flops | memory bits | slowest path, ns | clock, MHz | from, to |
|---|---:|---:|---:|---:|---:|---:|---|
{chr(10).join(totals)}
{clock_section(rows)}
## How long a stage may be
Half of a rescale product takes {limit / LONGEST_IN_HALF_PRODUCTS:.2f} ns, and no stage may take more than {LONGEST_IN_HALF_PRODUCTS} times that: {limit:.2f} ns
([decision 0010](../decisions/0010-latencies-that-synthesis-allows.md)).

{verdict}

Which latencies of hw/spec/latency.hpp this supports: each constant below is the number of stages of a lane. "By itself" are paths inside the lane, from its
inputs and registers, without the enables of stages, of which silicon makes clock gates; "whole" are the longest ones to the same registers through
all modules, enables included. Each cell has {names}. `kSramReadLatencyCycles`, `kVectorSlotCycles` and the others of that file are
supported by nothing here.

| constant | stage | ns by itself | ns whole |
|---|---|---:|---:|
{stages_section(presets, limit)}

## Modules
{chr(10).join(sections)}{generators_section(generators, limit) if generators else ""}"""
