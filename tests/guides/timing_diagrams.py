#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the timing diagrams of docs/guides/bring-your-own-rtl.md from waves of the real RTL.

usage: timing_diagrams.py VERNIER [--check]. --check: whether the committed files are what the RTL does; exit code 1 where not, 77
where the program was built without Verilator."""

import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
import program
import vcd

GUIDES = HERE.parents[1] / "docs" / "guides"
SKIPPED = 77
LABEL, STEP, ROW, HEIGHT, TOP = 150, 30, 28, 16, 24  # pixels: of names, a cycle, a row, a signal, the numbers above
INK, PALE, FILL = "#333333", "#bbbbbb", "#e8eef7"


class Signal:
    """`values` by cycle, as the rising edge at its end finds them. `valid`: by cycle, whether the value means anything."""

    def __init__(self, name, values, valid=None, is_bus=False):
        self.name, self.values, self.is_bus = name, values, is_bus
        self.valid = valid or [True] * len(values)


def text(x, y, content, anchor="start", colour=INK, size=12):
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" fill="{colour}" font-size="{size}">{content}</text>'


def drawn_bit(signal, top):
    points, level = [], {0: top + HEIGHT, 1: top}
    for i, value in enumerate(signal.values):
        points += [(LABEL + i * STEP, level[value]), (LABEL + (i + 1) * STEP, level[value])]
    line = " ".join(f"{x},{y}" for x, y in points)
    return [f'<polyline points="{line}" fill="none" stroke="{INK}" stroke-width="1.5"/>']


def drawn_bus(signal, top):
    parts, i = [], 0
    while i < len(signal.values):
        end = i + 1
        while end < len(signal.values) and (signal.values[end], signal.valid[end]) == (signal.values[i], signal.valid[i]) or (
                end < len(signal.values) and not signal.valid[i] and not signal.valid[end]):
            end += 1
        left, right, middle = LABEL + i * STEP, LABEL + end * STEP, top + HEIGHT // 2
        if signal.valid[i]:
            corners = [(left, middle), (left + 3, top), (right - 3, top), (right, middle), (right - 3, top + HEIGHT), (left + 3, top + HEIGHT)]
            parts.append(f'<polygon points="{" ".join(f"{x},{y}" for x, y in corners)}" fill="{FILL}" stroke="{INK}"/>')
            parts.append(text((left + right) // 2, middle + 4, signal.values[i], "middle", size=11))
        else:
            parts.append(f'<line x1="{left}" y1="{middle}" x2="{right}" y2="{middle}" stroke="{PALE}" stroke-width="1.5"/>')
        i = end
    return parts


def drawn(signals, first_cycle, title):
    cycles = len(signals[0].values)
    width, height = LABEL + cycles * STEP + 10, TOP + len(signals) * ROW + 6
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
             'font-family="sans-serif">', f"<title>{title}</title>", f'<rect width="{width}" height="{height}" fill="#ffffff"/>']
    for i in range(cycles + 1):
        x = LABEL + i * STEP
        parts.append(f'<line x1="{x}" y1="{TOP - 4}" x2="{x}" y2="{height - 4}" stroke="{PALE}" stroke-dasharray="2,3"/>')
        if i < cycles:
            parts.append(text(x + STEP // 2, 14, first_cycle + i, "middle", "#777777", 10))
    for row, signal in enumerate(signals):
        top = TOP + row * ROW
        parts.append(text(LABEL - 8, top + 13, signal.name, "end"))
        parts += (drawn_bus if signal.is_bus else drawn_bit)(signal, top)
    return "\n".join([*parts, "</svg>"]) + "\n"


def rescale(vernier, folder):
    """Vectors back to back, gaps between them, and cycles without en_i."""
    run(vernier, folder, "cosim", "rescale", "--config", "v64", "--vectors", "20000", "--wave", "w.vcd")
    edges = vcd.Wave((folder / "w.vcd").read_text(encoding="utf-8")).edges
    length = 24

    def merits(i):
        """How much of each a window shows."""
        window = edges[i:i + length]
        stops = [k for k, edge in enumerate(window) if not edge["en_i"]]
        taken = [k for k, edge in enumerate(window) if edge["en_i"] and edge["scale_valid_i"]]
        pairs = sum(later == earlier + 1 for earlier, later in zip(taken, taken[1:]))
        return sum((2 <= len(stops) <= 4, 5 <= len(taken) <= 14, taken[:1] == [1], pairs >= 2, len(taken) - pairs >= 3,
                    not any(edge["scale_valid_o"] for edge in window[:3]), any(window[k]["scale_valid_o"] for k in stops)))

    first = max(range(len(edges) - length), key=merits)
    window = edges[first:first + length]

    def row(name, valid=None, is_bus=False):
        return Signal(name, [edge[name] for edge in window], valid and [bool(edge[valid]) for edge in window], is_bus)

    return drawn([row("en_i"), row("scale_valid_i"), row("scale_tag_i", "scale_valid_i", True), row("scale_valid_o"),
                  row("scale_tag_o", "scale_valid_o", True)], 0, "npu_rescale_unit: vectors in and results out")


def array(vernier, folder):
    """The classifier of the demo's network: one row of 10 channels, two channel tiles, four steps of 8 each."""
    run(vernier, folder, "cosim", program.DEMO, "--config", "v64", "--wave", "w.vcd", "--wave-layer", "classes")
    dump = vcd.Dump((folder / "w.vcd").read_text(encoding="utf-8"))
    state = dump.stretches("npu.rtl0.state")
    begin = next(time for time, _, value in state if value == "running")
    end = next(until for time, until, value in state if value == "running")
    cycles = range(begin // vcd.CYCLE_PS, end // vcd.CYCLE_PS)

    def values(name):
        at = dump.values[next(path for path in dump.values if path.split("[")[0] == f"npu.rtl0.npu_datapath.{name}")]
        found, k = [], 0
        for cycle in cycles:
            while k + 1 < len(at) and at[k + 1][0] < (cycle + 1) * vcd.CYCLE_PS:
                k += 1
            found.append(at[k][1])
        return found

    def row(name, valid=None):
        return Signal(name, values(name), valid and [bool(value) for value in values(valid)], valid is not None)

    return drawn([row("cmd_ready_o"), row("prm_valid_i"), row("prm_ready_o"), row("wgt_valid_i"), row("wgt_ready_o"),
                  row("wgt_last_i", "wgt_valid_i"), row("act_valid_i"), row("act_ready_o"), row("act_last_i", "act_valid_i"),
                  row("out_valid_o"), row("out_ready_i"), row("out_row_o", "out_valid_o"), row("out_mask_o", "out_valid_o"),
                  row("out_last_o", "out_valid_o")], 0, "npu_datapath: a command of one row in two channel tiles")


def vector(vernier, folder):
    """A command with memories that keep it waiting: of a load's data, and of the room for a store."""
    run(vernier, folder, "cosim", "vector", "--config", "v64", "--vectors", "200", "--seed", "26", "--wave", "w.vcd")
    edges = vcd.Wave((folder / "w.vcd").read_text(encoding="utf-8")).edges
    length = 26

    def merits(i):
        """How much of each a window shows, in which a command is taken in cycle 1 and nothing but the streams stops the unit."""
        window = edges[i:i + length]
        if not (window[1]["cmd_valid_i"] and window[1]["cmd_ready_o"]) or not all(
                edge[name] for edge in window for name in ("rst_ni", "en_i", "scale_ready_i", "look_ready_i")):
            return -1

        def count(valid, ready, values):
            return sum((edge[valid], edge[ready]) == values for edge in window)

        return sum((2 <= count("ld_valid_i", "ld_ready_o", (1, 1)) <= 8, 2 <= count("st_valid_o", "st_ready_i", (1, 1)) <= 8,
                    1 <= count("ld_valid_i", "ld_ready_o", (0, 1)) <= 3, 1 <= count("st_valid_o", "st_ready_i", (1, 0)) <= 3))

    first = max(range(len(edges) - length), key=merits)
    window = edges[first:first + length]
    if merits(first) < 4:
        raise SystemExit("timing_diagrams.py: no command in the wave of npu_vector_unit waits for both streams; another seed has one")

    def row(name, valid=None):
        return Signal(name, [edge[name] for edge in window], valid and [bool(edge[valid]) for edge in window], valid is not None)

    return drawn([row("cmd_valid_i"), row("cmd_ready_o"), row("ld_valid_i"), row("ld_ready_o"), row("st_valid_o"), row("st_ready_i"),
                  row("st_mask_o", "st_valid_o"), row("scale_en_o")], 0, "npu_vector_unit: a command, its loads and its stores")


def run(vernier, folder, *arguments):
    done = subprocess.run([vernier, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    if "built without Verilator" in done.stderr:
        print(done.stderr, end="")
        raise SystemExit(SKIPPED)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, arguments))}: exit code {done.returncode}: {done.stderr}")


DIAGRAMS = {"timing-rescale.svg": rescale, "timing-array.svg": array, "timing-vector.svg": vector}


def main():
    if sys.argv[2:] not in ([], ["--check"]) or len(sys.argv) < 2:
        raise SystemExit("usage: timing_diagrams.py VERNIER [--check]")
    vernier, is_check = pathlib.Path(sys.argv[1]).resolve(), len(sys.argv) == 3
    for name, diagram in DIAGRAMS.items():
        with tempfile.TemporaryDirectory(prefix="vernier_timing_") as folder:
            fresh = diagram(vernier, pathlib.Path(folder))
        file = GUIDES / name
        if not is_check:
            file.write_text(fresh, encoding="utf-8")
            print(f"{file}: {len(fresh):,} bytes")
        elif not file.exists() or file.read_text(encoding="utf-8") != fresh:
            raise SystemExit(f"docs/guides/{name} is not what the RTL does: tests/guides/timing_diagrams.py draws it anew")


if __name__ == "__main__":
    main()
