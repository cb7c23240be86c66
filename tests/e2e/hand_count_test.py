# SPDX-License-Identifier: Apache-2.0
"""docs/results/kws-by-hand.md against the program: MACs, steps of the array, packed weights and external bytes of each layer
of kws_ref_model. The page is the count; this test parses it and never says a figure itself."""

import json
import math
import re
import unittest

import disassembly
import program

PAGE = program.ROOT / "docs" / "results" / "kws-by-hand.md"
MODEL = program.GOLDEN / "kws_ref_model" / "model.tosa"
OFFSET = re.compile(r" *\d+ 0x([0-9a-f]+) \[.*\] (?:mac|dma|vec|end) q=")
STREAM = re.compile(r"stream of (\d+) bytes")


def rows_of(heading):
    """The rows of the page's table with that first cell: lists of cells, numbers without commas."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(f"| {heading} |"))
    rows = []
    for line in lines[start + 2:]:
        if not line.startswith("|"):
            break
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        rows.append([int(cell.replace(",", "")) if re.fullmatch(r"[\d,]+", cell) else cell for cell in cells])
    return rows


@unittest.skipUnless(MODEL.exists(), f"{MODEL} is not there")
class HandCount(program.ProgramTest):
    def count(self, memory):
        """(report, for each layer: its commands, and their bytes in the stream)."""
        package = self.compile(MODEL, "-q", "--memory", memory)
        done = self.execute("estimate", package, "-q", "--report", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        text = self.execute("disasm", package).stdout
        commands = disassembly.parse(text)
        offsets = [int(found[1], 16) for found in map(OFFSET.match, text.splitlines()) if found]
        offsets.append(int(STREAM.search(text)[1]))
        layers = [[] for _ in report["layers"]]
        stream_bytes = [0] * len(layers)
        for entry, command in zip(report["commands"], commands, strict=True):
            layers[entry["layer_idx"]].append(command)
            stream_bytes[entry["layer_idx"]] += offsets[command.index + 1] - offsets[command.index]
        return report, layers, stream_bytes

    def test_the_page_is_the_formula(self):
        """What the page says of steps and bytes follows from its own shapes."""
        *rows, total = rows_of("layer")
        for _, operator, pixels, reduction, channels, macs, steps, weights, loaded in rows:
            self.assertEqual(macs, pixels * reduction * channels, operator)
            tiles = math.ceil(channels / 16) * math.ceil(reduction / 16)
            self.assertEqual(steps, tiles * pixels, operator)
            taps = reduction if operator.startswith("DEPTHWISE") else 16 * math.ceil(reduction / 16)
            self.assertEqual(weights, channels * (taps + 10) if reduction else 0, operator)
            bursts = 2 * math.ceil(1024 / 64) if "tables" in operator else math.ceil(weights / 64)
            self.assertEqual(loaded, 64 * bursts, operator)
        self.assertEqual(total[5:], [sum(row[column] for row in rows) for column in range(5, 9)])

    def test_layer_by_layer(self):
        report, layers, stream_bytes = self.count("weights-external")
        machine = disassembly.Machine(report["config"])
        *rows, total = rows_of("layer")
        self.assertEqual(len(rows), len(report["layers"]))
        for row, layer, commands, fetched in zip(rows, report["layers"], layers, stream_bytes):
            index, operator, _, _, _, macs, steps, weights, loaded = row
            what = f"layer {index}, {operator}: the page against the program"
            self.assertEqual(index, layer["layer_idx"], what)
            self.assertEqual(macs, layer["macs"], what)
            found = sum(machine.bounds(command)["MAC steps"] for command in commands if command.kind == "mac")
            self.assertEqual(steps, found, what)
            self.assertGreaterEqual(layer["in_flight_cycles"], steps, what)
            packed = sum(int(command.fields["run_bytes"]) for command in commands
                         if command.kind == "dma" and command.fields.get("src", "").startswith("ext"))
            if weights > 0:
                self.assertEqual(weights, packed, what)
            self.assertEqual(loaded + fetched, layer["external_read_bytes"], what)
            self.assertEqual(0, layer["external_write_bytes"], what)
        self.assertEqual(total[5], report["totals"]["macs"])
        self.assertEqual(total[7], report["totals"]["weight_bytes"])
        self.assertEqual(total[8] + sum(stream_bytes), report["totals"]["external_read_bytes"])

    def test_memory_modes(self):
        for memory, loaded, stored in rows_of("mode"):
            report, _, stream_bytes = self.count(memory)
            fetched = sum(stream_bytes) if memory != "sram" else 0
            self.assertEqual(loaded + fetched, report["totals"]["external_read_bytes"], memory)
            self.assertEqual(stored, report["totals"]["external_write_bytes"], memory)


if __name__ == "__main__":
    program.main()
