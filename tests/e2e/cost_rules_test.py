# SPDX-License-Identifier: Apache-2.0
"""Rules that the compiler's choices keep on networks that a seed draws (drawn_blocks.py), on every preset. VERNIER_SEED repeats a
night's seed, VERNIER_BLOCKS says how many blocks of a kind (60 in the night)."""

import json
import os
import random

import drawn_blocks
import program
from made_graph import Graph

CONFIGS = ("v64", "v256", "v1024")
SEED = int(os.environ.get("VERNIER_SEED") or 20)
QUICK_BLOCKS = 2


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
        """A deeper queue lets commands be fetched ahead, from the memory that the first loads come from."""
        for name in ("resize_int16_wide", "avg_pool_3x3_pad", "softmax_rows", "add_broadcast"):
            self.assert_deeper_no_dearer(program.MADE / name / "model.tosa", (4, 8, 16, 64), name)
        for i, (text, graph) in enumerate(self.blocks(drawn_blocks.inverted_residual)):
            graph.write(self.folder / f"{i}.tosa")
            self.assert_deeper_no_dearer(self.folder / f"{i}.tosa", (8, 64), text)

    def assert_deeper_no_dearer(self, model, depths, text):
        for config in CONFIGS:
            options = "--config", config, "--memory", "external", "--set"
            cycles = [self.cycles(model, *options, f"queue_depth_commands={depth}") for depth in depths]
            for i, deeper in enumerate(cycles):
                self.assertLessEqual(deeper, 1.03 * min(cycles[:i + 1]), f"{config}, depths {depths}: {cycles}, {text}")

    def dearer_by(self, model, config, memory, sizes):
        """By which share more SRAM is dearer than less, and the cycles by bytes; sizes that do not fit are passed over."""
        cycles = {}
        for size in sorted(sizes):
            options = "--config", config, "--memory", memory, "--sram-bytes", str(size), "-q", "--report", "-"
            done = self.execute("estimate", model, *options, codes=(0, 1, 2))
            if done.returncode != 2:
                cycles[size] = json.loads(done.stdout)["totals"]["cycles"]
        found = list(cycles.values())
        return max((later / min(found[:i + 1]) - 1 for i, later in enumerate(found)), default=0), cycles

    def test_more_sram(self):
        """Blocks that were dearer in the larger SRAM by 8.3, 1.3 and 4.3 % (their best plans are made for sizes far below it), by 2.8 % (the
        third search below finds it) and by 5.0 % (the lean form of the program is the better one)."""
        for seed, i, config, memory, sizes in (
                (20, 0, "v64", "external", (192 << 10, 384 << 10)), (20, 1, "v64", "weights-external", (256 << 10, 512 << 10)),
                (354160114, 2, "v64", "external", (32 << 10, 512 << 10)), (77, 1, "v256", "external", (64 << 10, 96 << 10)),
                (77, 22, "v256", "weights-external", (96 << 10, 512 << 10))):
            text, graph = drawn_blocks.inverted_residual(random.Random(f"{seed} inverted_residual {i}"))
            graph.write(self.folder / "block.tosa")
            dearer, cycles = self.dearer_by(self.folder / "block.tosa", config, memory, sizes)
            self.assertLessEqual(dearer, 0.01, f"{memory}, cycles by bytes: {cycles}, {text}")


class Tonight(CostRules):
    """The same with many blocks, each night others."""
    num_blocks = int(os.environ.get("VERNIER_BLOCKS") or 60)
    seed = int(os.environ.get("VERNIER_SEED") or random.randrange(1 << 30))

    def test_more_sram(self):
        """Each block on each preset, in a memory mode and in two usual sizes that the seed draws. Decision 0040 searches every usual size
        below; its lower bounds end the search, so that a few blocks may still keep a better plan in the smaller size."""
        dearer_ones = []
        for text, graph in self.blocks(drawn_blocks.inverted_residual):
            graph.write(self.folder / "block.tosa")
            rng = random.Random(f"{self.seed} sizes {text}")
            for config in CONFIGS:
                sizes = rng.sample([1024 * size for size in (24, 32, 48, 64, 96, 128, 192, 256, 384, 512)], 2)
                memory = rng.choice(("weights-external", "external"))
                dearer, cycles = self.dearer_by(self.folder / "block.tosa", config, memory, sizes)
                told = f"{config} {memory}, cycles by bytes: {cycles}, {text}"
                self.assertLessEqual(dearer, 0.03, told)
                if dearer > 0.01:
                    dearer_ones.append(told)
        self.assertLessEqual(len(dearer_ones), max(1, self.num_blocks * len(CONFIGS) // 50), "\n".join(dearer_ones))


if __name__ == "__main__":
    program.main()
