# SPDX-License-Identifier: Apache-2.0
"""The figures of docs/results: formulas of single layers against numbers worked by hand, attribution, pages.

usage: results_test.py VERNIER"""

import pathlib
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import growth
import layers
import measure
import results
import vela
from made_graph import Graph

VERNIER = None


def run_of(network, options=("--config", "v256")):
    return results.Run(VERNIER, network, list(options))


class Formulas(unittest.TestCase):
    def layer(self, build, *options):
        with tempfile.TemporaryDirectory() as folder:
            graph = Graph()
            graph.output(build(graph))
            model = pathlib.Path(folder) / "model.tosa"
            graph.write(model)
            (layer,) = run_of(measure.Network("made", model, [], True), ("--config", "v256", *options)).layers
        return layer

    def test_row_steps(self):
        for steps, build in (
            (4 * 4 * 125, lambda g: g.conv2d(g.input([1, 25, 5, 64]), 64)),
            (9 * 16 * 8, lambda g: g.conv2d(g.input([1, 16, 16, 16]), 8, kernel=(3, 3), pad=(1, 1, 1, 1))),
            (3 * 4 * 125, lambda g: g.conv2d(g.input([1, 49, 10, 1]), 64, kernel=(10, 4), stride=(2, 2), pad=(4, 5, 1, 1))),
            (45, lambda g: g.depthwise(g.input([1, 3, 15, 16]))),
            (2 * 9 * 2 * 64, lambda g: g.conv2d(g.input([1, 8, 8, 16], "int16"), 32, kernel=(3, 3), pad=(1, 1, 1, 1))),
            (4 * 2 * 144, lambda g: g.transpose_conv2d(g.input([1, 12, 12, 32]), 16, (2, 2), (2, 2))),
        ):
            self.assertEqual(self.layer(build).formula, steps + layers.EXPOSED_CYCLES)

    def test_weights(self):
        layer = self.layer(lambda g: g.conv2d(g.input([1, 1, 1, 512]), 128))
        self.assertEqual(layer.formula, 512 * 128 / 64 + layers.EXPOSED_CYCLES)
        self.assertIn("row steps", layer.causes())

    def test_a_first_layer_names_its_segments(self):
        layer = self.layer(lambda g: g.conv2d(g.input([1, 49, 10, 1]), 64, kernel=(10, 4), stride=(2, 2), pad=(4, 5, 1, 1)),
                           "--sram-bytes", "13312")  # no room for a copy
        self.assertTrue(layer.is_far_above)
        self.assertTrue(layer.causes().startswith("segments or windows 1,000"), layer.causes())


class Causes(unittest.TestCase):
    def test_they_are_those_of_the_cycles_that_belong_to_the_layer(self):
        for options in (("--config", "v256"), ("--memory", "weights-external")):
            run = run_of(measure.own_networks()[0], options)
            for layer, entry in zip(run.layers, run.report["layers"], strict=True):
                named = {layers.CAUSES.get(name, name): cycles for name, cycles in entry["attributed_cycles_by"].items()}
                for cause in layer.causes().split(", ") if layer.causes() != "at the formula" else []:
                    name, _, cycles = cause.rpartition(" ")
                    if name in named:
                        self.assertEqual(int(cycles.replace(",", "")), named[name], cause)
                    else:
                        self.assertIn(name, ("segments or windows", "lanes without a channel", "row steps", "array"), cause)


class Pages(unittest.TestCase):
    def test_blocks(self):
        page = "a\n<!-- results: begin x -->\nold\n<!-- results: end x -->\nb\n"
        self.assertEqual(results.with_blocks(page, {"x": "new\n"}, "p"), page.replace("old", "new"))
        for damaged in (page.replace("end x", "end y"), page + page, page.replace("begin", "start")):
            with self.assertRaises(results.Unusable):
                results.with_blocks(damaged, {"x": ""}, "p")

    def test_network_page(self):
        runs = {key: run_of(measure.own_networks()[0], options) for key, options in results.RUNS.items()}
        page = results.network_page("demo", runs)
        self.assertIn(f"| v256 | {runs['v256'].cycles:,} |", page)
        self.assertEqual(page, results.network_page("demo", runs))

    def test_the_committed_estimates_of_vela(self):
        table = vela.read_page((results.RESULTS / "vela.md").read_text())
        self.assertEqual(table["kws_ref_model"]["U55-256 SRAM-only"], 56222)
        with self.assertRaises(ValueError):
            vela.read_page(f"{vela.HEADER}\n|---|\n| a | 1 | x | 2 |\n")


class Growth(unittest.TestCase):
    def test_exponent(self):
        self.assertAlmostEqual(growth.exponent([(10**i, 3 * 10 ** (2 * i)) for i in range(5)]), 2.0)

    def test_the_committed_plot_is_that_of_the_page(self):
        page = growth.PAGE.read_text()
        self.assertEqual(growth.growth_picture(growth.read_page(page)), growth.PAGE.with_suffix(".svg").read_text())

    def test_a_small_network(self):
        with tempfile.TemporaryDirectory() as folder:
            model = pathlib.Path(folder) / "model.tosa"
            growth.residual_chain(3).write(model)
            row = growth.measured(VERNIER, model, ["--config", "v64"], 1)
        self.assertGreater(row["peak_mib"], 1)
        self.assertGreater(row["commands"], 3)


if __name__ == "__main__":
    VERNIER = sys.argv.pop(1)
    unittest.main()
