# SPDX-License-Identifier: Apache-2.0
"""Rules that the compiler's choices keep on networks that a seed draws (drawn_blocks.py), on every preset. VERNIER_SEED repeats a
night's seed, VERNIER_BLOCKS says how many blocks of a kind (60 in the night)."""

import itertools
import json
import os
import random

import drawn_blocks
import program
from made_graph import Graph

CONFIGS = ("v64", "v256", "v1024")
SEED = int(os.environ.get("VERNIER_SEED") or 20)
QUICK_BLOCKS = 3


class CostRules(program.ProgramTest):
    longest_seconds = 3000
    num_blocks = QUICK_BLOCKS
    seed = SEED

    def cycles(self, model, *options):
        done = self.execute("estimate", model, "-q", "--report", "-", *options, codes=(0, 1))
        return json.loads(done.stdout)["totals"]["cycles"]

    def blocks(self, kind):
        """(text, what the kind draws ...) of each block; the text names the seed."""
        for i in range(self.num_blocks):
            text, *made = kind(random.Random(f"{self.seed} {kind.__name__} {i}"))
            yield f"VERNIER_SEED={self.seed}, block {i}: {text}", *made

    def written(self, name, content):
        path = self.folder / name
        path.write_bytes(content)
        return path

    def assert_no_dearer(self, model, other, factor, text):
        """`model` takes at most `factor` times the cycles of `other`, on each preset, in SRAM and outside."""
        for config in CONFIGS:
            for memory in ("sram", "external"):
                cycles = [self.cycles(one, "--config", config, "--memory", memory) for one in (model, other)]
                self.assertLessEqual(cycles[0], factor * cycles[1], f"{config} {memory}, {text}")

    def test_sram_only_against_weights_outside(self):
        for text, graph in self.blocks(drawn_blocks.inverted_residual):
            model = self.folder / "block.tosa"
            graph.write(model)
            for config in CONFIGS:
                inside = self.cycles(model, "--config", config)
                outside = self.cycles(model, "--config", config, "--memory", "weights-external")
                self.assertLessEqual(inside, 1.01 * outside, f"{config}, {text}")

    def test_groups_against_dense(self):
        for text, grouped, dense in self.blocks(drawn_blocks.grouped):
            models = self.written("grouped.onnx", grouped), self.written("dense.onnx", dense)
            self.assert_no_dearer(*models, 1, text)
            report, _ = self.run_model(models[0], options=["--check-all", "--config", "v1024"])
            self.assertEqual(report["check"]["result"], "match", text)

    def test_groups_that_are_rescaled_one_by_one(self):
        """As TFLite's converters leave them. An output channel reads its own group alone: values are compared in every tensor."""
        for groups, channels in ((2, 64), (16, 64), (32, 64), (6, 24)):
            cycles = []
            for together in (groups, 1):
                graph, model = Graph(self.seed), self.folder / f"{together}.tosa"
                x = graph.conv2d(graph.input([1, 9, 11, 16]), channels)
                window = {"kernel": (3, 3), "pad": (1, 1, 1, 1)}
                graph.output(graph.grouped_conv2d(x, channels, together, **window) if together > 1 else graph.conv2d(x, channels, **window))
                graph.write(model)
                for config in CONFIGS:
                    report, _ = self.run_model(model, options=["--check-all", "--config", config])
                    self.assertEqual(report["check"]["result"], "match")
                    cycles.append(report["totals"]["cycles"])
            for config, grouped, dense in zip(CONFIGS, cycles, cycles[len(CONFIGS):]):
                self.assertLessEqual(grouped, dense, f"{config}, {groups} groups of {channels} channels")

    def test_mean_against_mean_of_lines(self):
        for text, of_map, of_lines in self.blocks(drawn_blocks.mean):
            models = self.written("map.onnx", of_map), self.written("lines.onnx", of_lines)
            self.assert_no_dearer(*models, 1.2, text)

    def test_a_deeper_queue(self):
        """From the depth of the presets on. A deeper queue lets commands be fetched ahead, beside the loads that they wait for."""
        model = program.MADE / "resize_int16_wide" / "model.tosa"
        models = [("resize_int16_wide", model)]
        for i, (text, graph) in enumerate(self.blocks(drawn_blocks.inverted_residual)):
            graph.write(self.folder / f"{i}.tosa")
            models.append((text, self.folder / f"{i}.tosa"))
        for text, model in models:
            for config in CONFIGS:
                options = "--config", config, "--memory", "external", "--set"
                cycles = [self.cycles(model, *options, f"queue_depth_commands={depth}") for depth in (8, 16, 64)]
                for i, deeper in enumerate(cycles):
                    self.assertLessEqual(deeper, 1.04 * min(cycles[:i + 1]), f"{config}, depths 8, 16, 64: {cycles}, {text}")


class Tonight(CostRules):
    """The same with many blocks, each night others."""
    num_blocks = int(os.environ.get("VERNIER_BLOCKS") or 60)
    seed = int(os.environ.get("VERNIER_SEED") or random.randrange(1 << 30))

    def test_more_sram(self):
        """This looks at the first blocks only. Plans far below a large SRAM are made for powers of two only, which costs up to 1.3 %."""
        sizes = [1024 * size for size in (24, 32, 48, 64, 96, 128, 192, 256, 384, 512)]
        for text, graph in itertools.islice(self.blocks(drawn_blocks.inverted_residual), 6):
            model = self.folder / "block.tosa"
            graph.write(model)
            for config in CONFIGS:
                for memory in ("weights-external", "external"):
                    cycles = [self.cycles(model, "--config", config, "--memory", memory, "--sram-bytes", str(size)) for size in sizes]
                    for i, more in enumerate(cycles):
                        self.assertLessEqual(more, 1.02 * min(cycles[:i + 1]), f"{config} {memory}, {sizes[i]} bytes: {cycles}, {text}")


if __name__ == "__main__":
    program.main()
