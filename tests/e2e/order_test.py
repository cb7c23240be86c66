# SPDX-License-Identifier: Apache-2.0
"""The stream sorted by starts: chosen where it takes fewer cycles, which are those that the simulator counts.

`compile --dump schedule` prints the orders that were tried with their cycles, the chosen one first."""

import re
import sys

import program

sys.path.insert(0, str(program.ROOT / "tests" / "bench"))
from made_graph import Graph

ORDERS = re.compile(r"^(?:order of the stream|memory plan), by cycles:\n((?: +\*? +\d+  .+\n)+)", re.M)
WAY = re.compile(r"^ +\*? +(\d+)  (.+): \d+ commands$", re.M)
SORTED = ", sorted by starts"
SMALL = [program.GOLDEN / name / "model.tosa" for name in ("vit_tiny_int8", "kws_ref_model")]
LARGE = [program.GOLDEN / name / "model.tosa" for name in ("mobilenet_v2_quantized_1x3x224x224", "unet_96_int8")]


def pool_beside_convolutions():
    graph = Graph()
    x = graph.input([1, 48, 48, 3])
    for kernel in (3, 5):
        graph.output(graph.conv2d(x, 16, kernel=(kernel, kernel), pad=(kernel // 2,) * 4))
    graph.output(graph.pool(x, kernel=(3, 3), stride=(1, 1), op="MAX_POOL2D"))
    return graph


class OrderTest(program.ProgramTest):
    def orders(self, model, *options):
        """[(name, cycles)], the chosen one first; empty when there was nothing to choose."""
        done = self.execute("compile", model, "--dump", "schedule", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = ORDERS.search(done.stdout)
        return [(name, int(cycles)) for cycles, name in WAY.findall(found.group(1))] if found else []

    def cycles(self, model, *options):
        report = self.folder / "report.json"
        done = self.execute("estimate", model, "-q", "--report", report, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return program.read_json(report)["totals"]["cycles"]

    def check_network(self, model, config):
        """Whether the stream was sorted; the chosen order takes what the simulator counts."""
        orders = self.orders(model, "--config", config)
        if not orders:
            return False
        self.assertEqual(orders[0][1], min(cycles for _, cycles in orders))
        self.assertEqual(orders[0][1], self.cycles(model, "--config", config), (model, config, orders))
        return SORTED in orders[0][0]


class Order(OrderTest):
    def test_independent_branches_run_beside_each_other(self):
        model = self.folder / "branches.tosa"
        pool_beside_convolutions().write(model)
        self.assertIn("as laid out", [name for name, _ in self.orders(model)])
        for options in ((), ("--config", "v256-port8")):
            (name, chosen), *others = self.orders(model, *options)
            self.assertIn(SORTED, name)
            for plain in (cycles for other, cycles in others if SORTED not in other):  # of the best few
                self.assertLess(chosen, 0.93 * plain, options)
            report, _ = self.run_model(model, options=options)  # and gives what the reference gives
            self.assertEqual((report["totals"]["cycles"], report["check"]["result"]), (chosen, "match"))

    def test_the_chosen_order_takes_what_the_simulator_counts(self):
        """So no network is slower than as laid out, which was among what there was to choose from."""
        made = [program.MADE / entry["name"] / "model.tosa" for entry in program.made_networks()]
        num_sorted = dict.fromkeys(("v64", "v256", "v256-port8"), 0)
        for config in num_sorted:
            for model in made:
                num_sorted[config] += self.check_network(model, config)
        for config, number in num_sorted.items():
            self.assertGreater(number, 1, config)

    def test_at_level_0_the_stream_is_that_of_the_graph(self):
        model = self.folder / "branches.tosa"
        pool_beside_convolutions().write(model)
        self.assertEqual(self.orders(model, "--optimize", "0"), [])


class Real(OrderTest):
    longest_seconds = 3000

    def test_the_chosen_order_takes_what_the_simulator_counts(self):
        for model in (path for path in (*SMALL, *LARGE) if path.exists()):
            for config in ("v64", "v256", "v256-port8"):
                with self.subTest(model=model, config=config):
                    self.check_network(model, config)


if __name__ == "__main__":
    program.main()
