# SPDX-License-Identifier: Apache-2.0
"""A larger array is never slower: cycles of v64 >= v256 >= v1024 on every network, the tree's own and the real ones. (One
output channel more than the lanes: system/channel_formula_test.cpp. SRAM and bandwidth: memory_test.py.)"""

import json
import sys

import program

sys.path.insert(0, str(program.ROOT / "tests" / "bench"))
from made_graph import Graph

CONFIGS = ("v64", "v256", "v1024")


class Trends(program.ProgramTest):
    def never_slower(self, name, model):
        cycles = []
        for config in CONFIGS:
            done = self.execute("estimate", model, "-q", "--config", config, "--report", "-")
            self.assertEqual(done.returncode, 0, done.stderr)
            cycles.append(json.loads(done.stdout)["totals"]["cycles"])
        self.assertEqual(cycles, sorted(cycles, reverse=True), name)
        return dict(zip(CONFIGS, cycles))

    def test_own_networks(self):
        self.never_slower("demo", program.DEMO)
        for entry in program.made_networks():
            with self.subTest(entry["name"]):
                self.never_slower(entry["name"], program.MADE / entry["name"] / "model.tosa")

    def test_short_rows(self):
        """Reductions over a few channels of many pixels use the lanes for pixels: in cycles a pixel of v256, far fewer than the
        log2 N steps of one that goes across the lanes, and values stay."""
        def head(g):
            return g.softmax(g.conv2d(g.input([1, 40, 48, 16]), 4))

        networks = {"head of four classes": (head, 6), "rows that are no map": (lambda g: g.softmax(g.input([1920, 4])), 6),
                    "argmax over 5": (lambda g: g.argmax(g.input([1, 40, 48, 5])), 1.75)}
        for dtype, most in (("int8", 1.25), ("int16", 1.75), ("int32", 2)):
            networks[f"{dtype} over 6"] = (lambda g, dtype=dtype: g.reduce_max(g.input([1, 40, 48, 6], dtype)), most)
        for name, (make, most) in networks.items():
            with self.subTest(name):
                graph, model = Graph(), self.folder / "short.tosa"
                graph.output(make(graph))
                graph.write(model)
                self.assertLessEqual(self.never_slower(name, model)["v256"] / 1920, most)
                for config in CONFIGS:
                    done = self.execute("run", model, "-q", "--check-all", "--config", config)
                    self.assertIn("check match", done.stdout, done.stderr)

    def test_real_networks(self):
        if not program.GOLDEN.exists():
            self.skipTest(f"{program.GOLDEN} is not there")
        for model in sorted(program.GOLDEN.glob("*/model.tosa")):
            with self.subTest(model.parent.name):
                self.never_slower(model.parent.name, model)


if __name__ == "__main__":
    program.main()
