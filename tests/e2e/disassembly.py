# SPDX-License-Identifier: Apache-2.0
"""Reads what `vernier disasm` prints, and bounds each command from below by arithmetic that nothing in hw/timing shares:
its MAC steps, the words that it must read and write over the ports' width, its external bytes over the bandwidth."""

import math
import re

ELEMENT_BYTES = {"bool": 1, "int8": 1, "int16": 2, "int32": 4, "int48": 8}
# Words a cycle that the SRAM delivers and takes, and N, by the name of the preset (the contract's table in docs/reference).
PORTS = {"v64": (8, 4, 2), "v256": (16, 4, 2), "v1024": (32, 4, 2), "v256-sram48": (16, 2, 1)}
COMMAND = re.compile(r" *(\d+) 0x[0-9a-f]+ \[.*\] (mac|dma|vec|end) q=(\w+)(.*)")
MAX_POSITIONS = 200_000


class Command:
    """One command: its number, kind, the words after it, and the lines of a vector program."""

    def __init__(self, index, kind, queue, text):
        self.index, self.kind, self.queue, self.text = index, kind, queue, text
        self.words, self.lines = text.split(), []
        self.fields = dict(word.split("=", 1) for word in self.words if "=" in word)

    def numbers(self, key):
        return [int(number) for number in re.split("[x,]", self.fields[key])]


def parse(text):
    commands, lines = [], []
    for line in text.splitlines():
        if line.startswith("        ") and lines:  # what did not fit the line before
            lines[-1] += " " + line.strip()
        else:
            lines.append(line)
    for line in lines:
        match = COMMAND.fullmatch(line)
        if match:
            commands.append(Command(int(match[1]), *match.groups()[1:]))
        elif line.startswith("    ") and commands:
            commands[-1].lines.append(line.split())
    return commands


def element_bytes(text):
    """Of `0x7880:uint8` and the like."""
    kind = text.rsplit(":", 1)[1]
    return ELEMENT_BYTES[kind[1:] if kind.startswith("u") else kind]


def distinct_bytes(counts, strides, run):
    """Bytes that counts x runs touch at least: each counts once, however often it is touched."""
    dims = [(count, abs(stride)) for count, stride in zip(counts, strides) if count > 1 and stride != 0]
    if math.prod(count for count, _ in dims) > MAX_POSITIONS:
        extent, total = run, run
        for count, stride in sorted(dims, key=lambda dim: dim[1]):
            if stride >= extent:  # what overlaps is left out: the result stays a lower bound
                total *= count
                extent = (count - 1) * stride + extent
        return total
    starts = {0}
    for count, stride in dims:
        starts = {start + i * stride for start in starts for i in range(count)}
    end = total = 0
    for start in sorted(starts):
        total += run - max(0, end - start) if start < end else run
        end = start + run
    return total


class Machine:
    def __init__(self, config):
        self.lanes, self.read_words, self.write_words = PORTS[config["base"]]
        self.external_bytes_per_cycle = config["external_bytes_per_cycle"]

    def read_cycles(self, num_bytes):
        return num_bytes / (self.lanes * self.read_words)

    def write_cycles(self, num_bytes):
        return num_bytes / (self.lanes * self.write_words)

    def bounds(self, command):
        """{name: cycles}, none of which a command can beat."""
        return {"mac": self._mac, "dma": self._dma, "vec": self._vec, "end": lambda _: {}}[command.kind](command)

    def _mac(self, c):
        f, n = c.fields, self.lanes
        rows, columns, channels = c.numbers("out_shape")
        in_rows, in_columns, in_channels = c.numbers("in_shape")
        kernel_rows, kernel_columns = c.numbers("k")
        begin, end = (int(number) for number in f["reduction"].split(".."))
        split = int(f["split"])
        passes = element_bytes(f["in"]) * (1 if element_bytes(f["weights"]) == 1 else 2)
        accumulator_rows = rows * math.ceil(columns / split)
        tiles = math.ceil(channels / (n // split))
        steps = accumulator_rows * tiles * math.ceil((end - begin) / n) * passes
        depthwise = "depthwise" in c.words
        multiplier = int(f.get("multiplier", 1))
        channels_read = math.ceil(channels / multiplier) if depthwise else in_channels
        taps = [(kernel_rows, rows, in_rows), (kernel_columns, columns, in_columns)]
        touched = []
        for axis, (kernel, out, extent) in enumerate(taps):
            stride, dilation, origin = (c.numbers(key)[axis] for key in ("stride", "dilation", "origin"))
            at = {origin + i * stride + k * dilation for i in range(out) for k in range(kernel)}
            touched.append(len([position for position in at if 0 <= position < extent]))
        is_whole = begin == 0 and end == kernel_rows * kernel_columns * (1 if depthwise else in_channels)
        read = (end - begin) * channels * element_bytes(f["weights"])
        if is_whole:
            read += touched[0] * touched[1] * channels_read * element_bytes(f["in"])
        written = 0
        if "last" in c.words:
            read += 10 * channels  # parameters
            written = rows * columns * channels * element_bytes(f["out"])
            if "addend" in f:
                read += rows * columns * channels * element_bytes(f["addend"])
        return {"MAC steps": steps, "words read": self.read_cycles(read), "words written": self.write_cycles(written)}

    def _dma(self, c):
        counts, run = c.numbers("counts"), int(c.fields["run_bytes"])
        moved = math.prod(counts) * run
        if "table_fill" in c.words:
            return {"one word a cycle": math.ceil(run / self.lanes)}
        result = {"datapath": moved / (2 * self.lanes)}
        sides = [side for side in ("src", "dst") if side in c.fields]
        for side in sides:
            space = c.fields[side].split(":")[0]
            strides = c.numbers(side + "_strides")
            if space == "sram":
                touched = distinct_bytes(counts, strides, run)
                result[f"{side} words"] = self.read_cycles(touched) if side == "src" else self.write_cycles(touched)
            else:
                result[f"{side} bandwidth"] = distinct_bytes(counts, strides, run) / self.external_bytes_per_cycle
        return result

    def _vec(self, c):
        counts, lanes, kept = c.numbers("counts"), int(c.fields["lanes"]), int(c.fields["kept"])
        vectors, lanes_reduced = math.ceil(lanes / self.lanes), "lanes_reduced" in c.words
        kept_positions = math.prod(counts[:kept]) * (1 if lanes_reduced else vectors)
        times = {"init": kept_positions, "body": math.prod(counts) * vectors, "final": kept_positions}
        streams, steps = {}, []
        for line in c.lines:
            if line[0].startswith("stream"):
                name, place = line[0].split("=")
                fields = dict(word.split("=", 1) for word in line[1:])
                streams[name] = (element_bytes(place), int(fields["lane_stride"]),
                                 [int(number) for number in fields["strides"].split(",")])
            else:
                steps.append((line[0], line[2], [word.rstrip(",") for word in line[3:]]))  # line[1] is the offset
        touched = {"load": 0, "store": 0}
        for name, (size, lane_stride, strides) in streams.items():
            for kind in touched:
                phases = {phase for phase, op, words in steps if op == kind and name in words}
                if "body" in phases:
                    touched[kind] += distinct_bytes([*counts, lanes], [*strides, lane_stride], size)
                elif phases:
                    width = 1 if lanes_reduced else lanes
                    touched[kind] += distinct_bytes([*counts[:kept], width], [*strides[:kept], lane_stride], size)
        slots = {kind: sum(times[phase] for phase, op, _ in steps if op == kind) for kind in ("store", "table")}
        return {"stores": slots["store"], "tables": slots["table"], "words read": self.read_cycles(touched["load"]),
                "words written": self.write_cycles(touched["store"])}
