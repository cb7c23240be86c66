# SPDX-License-Identifier: Apache-2.0
"""The address generators, which stand beside the core, in docs/results/silicon.md: each module of npu_agu for 8 lanes with two sets of
generators, mapped and timed by itself. Yosys takes ten minutes over the largest two of them, and much longer for more lanes."""

from arcs import RAM_READ_NS, RAM_SETUP_NS, Arcs, is_ram
from mapping import Module

LANES, PRESET = 8, "v64"
# How many of each stand in npu_agu.
INSTANCES = {
    "npu_agu": 1,
    "npu_agu_weights": 2,
    "npu_agu_weights_tiles": 2,
    "npu_agu_weights_beats": 2,
    "npu_agu_segments": 2,
    "npu_agu_windows": 2,
    "npu_agu_windows_setup": 2,
    "npu_agu_windows_walk": 2,
    "npu_agu_windows_taps": 2,
    "npu_agu_windows_reads": 2,
    "npu_agu_rows": 2,
    "npu_agu_rows_walker": 4,
    "npu_agu_vector": 2,
    "npu_agu_vector_side": 4,
    "npu_agu_vector_walk": 4,
    "npu_agu_vector_order": 4,
}
OTHER_PARAMETERS = {"npu_agu": {"Lanes": LANES, "Sets": 2}, "npu_agu_vector_order": {}}
NOT_MAPPED = "npu_agu_windows_beats"


def longest_ns(arcs):
    """The longest path that begins and ends in the module or at its ports."""
    def read(port):
        return RAM_READ_NS if is_ram(port) else 0.0

    def setup(port):
        return RAM_SETUP_NS if is_ram(port) else 0.0

    return max([0.0, *arcs.ends.values(), *(ns + read(port) for (port, _), ns in arcs.in_reg.items()),
                *(ns + setup(port) for port, (ns, _) in arcs.reg_out.items()),
                *(ns + read(source) + setup(sink) for (source, sink), ns in arcs.in_out.items())])


def section(scratch, limit, say):
    """The text of the page. `limit`: ns that a stage of the core may take."""
    rows, nand2, flip_flops, longest = [], 0.0, 0, 0.0
    for name, instances in INSTANCES.items():
        say(name)
        made = Module(name, OTHER_PARAMETERS.get(name, {"Lanes": LANES}), scratch)
        ns = longest_ns(Arcs(made))
        nand2 += made.nand2 * instances
        flip_flops += made.flip_flops * instances
        longest = max(longest, ns)
        mark = " **too long**" if ns > limit else ""
        rows.append(f"| `{name}` | {made.cells:,} | {made.nand2:,.0f} | {made.flip_flops:,} | {instances} | {made.nand2 * instances:,.0f} | {ns:.2f}{mark} |")
    return f"""
## Address generators
`npu_agu` of {PRESET} with two sets of generators, each module by itself: its longest path is from its ports or registers to its registers or ports,
and is not joined with those of other modules. `{NOT_MAPPED}`, the beats of depthwise windows, is not mapped: Yosys and ABC take more than half an hour over it.
Without it {nand2:,.0f} NAND2 and {flip_flops:,} flip-flops.

**The claim above is not one about these.** Generators of segments and windows make a beat from the one before in one cycle, piece
after piece and pixel after pixel, which takes up to {longest:.2f} ns, {longest / limit:.1f} times as long as a stage may be. RTL shows which words the beats need and in which order; it does
not show that they come in each cycle at the clock of the core (D-027, [0020](../decisions/0020-addresses-and-the-memory-of-a-test-bench.md)).

| module | cells | NAND2 | flip-flops | instances | NAND2 of all | longest path in it, ns |
|---|---:|---:|---:|---:|---:|---:|
{chr(10).join(rows)}
"""
