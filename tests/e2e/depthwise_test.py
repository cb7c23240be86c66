# SPDX-License-Identifier: Apache-2.0
"""Depthwise 3x3 int8 layers at stride 1 on v256: the share of the array's multiplications that they use, as the report says.
Nine of sixteen taps, 56 %, are the most that there is; docs/architecture/depthwise.md has the formulas."""

import json
import re
import sys

import program

sys.path.insert(0, str(program.ROOT / "tests" / "bench"))
from made_graph import Graph

# Rows, columns, channels.
BEHIND_ANOTHER = [(4, 4, 512), (5, 5, 320), (6, 6, 256), (7, 7, 512), (8, 8, 128), (14, 14, 64), (25, 5, 64), (28, 28, 48),
                  (56, 56, 32), (112, 112, 16)]
OF_THE_INPUT = [(5, 5, 384), (6, 6, 320), (7, 7, 256), (7, 7, 384), (7, 7, 1024), (10, 10, 192), (12, 12, 128), (14, 14, 256),
                (16, 16, 128), (28, 28, 128), (32, 32, 96), (56, 56, 64), (112, 112, 16), (112, 112, 32), (4, 4, 512), (8, 8, 128),
                (9, 9, 128), (12, 6, 128), (12, 12, 64), (14, 14, 64), (25, 5, 64)]


class Depthwise(program.ProgramTest):
    def utilization(self, shape, is_behind_another, options=()):
        """Of the layer, which the reference finds equal too."""
        graph = Graph()
        x = graph.input([1, *shape[:2], 32 if is_behind_another else shape[2]])
        if is_behind_another:
            graph.layer("before")
            x = graph.conv2d(x, shape[2])
        graph.layer("depthwise")
        x = graph.depthwise(x)
        if is_behind_another:
            graph.layer("behind")
            x = graph.conv2d(x, 32)
        graph.output(x)
        model = self.folder / "model.tosa"
        graph.write(model)
        done = self.execute("run", model, "-q", "--report", "-", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        layers = json.loads(done.stdout)["layers"]
        return next(layer["mac_utilization_percent"] for layer in layers if layer["name"] == "depthwise")

    def holds(self, shape, is_behind_another, least):
        with self.subTest(shape=shape):
            self.assertGreaterEqual(self.utilization(shape, is_behind_another), least)

    def test_behind_another_layer(self):
        for shape in BEHIND_ANOTHER:
            self.holds(shape, True, 45)

    def test_of_a_dense_input(self):
        """Where channels are a multiple of 128 all results of a channel tile lie in one bank, and wait for the copy's words there, on RTL too."""
        for shape in OF_THE_INPUT:
            self.holds(shape, False, 33 if shape[2] % 128 == 0 else 45)

    def test_the_estimate_of_a_copy_is_what_the_machine_takes(self):
        """Both units side by side, as the compiler foresees them, to 5 %; of the smallest map, whose parts have a few lines each, to 11 %."""
        compared = 0
        for shape in OF_THE_INPUT:
            with self.subTest(shape=shape):
                graph = Graph()
                graph.layer("depthwise")
                graph.output(graph.depthwise(graph.input([1, *shape])))
                model = self.folder / "model.tosa"
                graph.write(model)
                printed = self.execute("compile", model, "-o", self.folder / "model.vnpu", "--dump", "schedule").stdout
                chosen = re.search(r"\* +([\d,]+)  copied,", printed)
                if chosen is None:
                    continue  # its words do not meet
                compared += 1
                report = json.loads(self.execute("estimate", model, "-q", "--report", "-").stdout)
                self.assertAlmostEqual(int(chosen[1].replace(",", "")) / report["layers"][0]["in_flight_cycles"], 1,
                                       delta=0.11 if shape[0] * shape[1] <= 16 else 0.05)
        self.assertGreaterEqual(compared, 8)

    def test_short_of_sram_the_input_is_read_as_it_lies(self):
        """The copy needs room beside the map; 100 KiB hold a map of 32 KiB and its result."""
        self.assertLess(self.utilization((16, 16, 128), False, ("--sram-bytes", "102400")), 25)


if __name__ == "__main__":
    program.main()
