# SPDX-License-Identifier: Apache-2.0
"""Which layer the cycles of a run belong to, counted a second time outside the program (attribution.py), and what has to hold
of any such count.

Cases: Made (networks of the tree), Golden.test_NETWORK (../shared/golden/nets)."""

import pathlib
import re
import sys
import tempfile
import unittest

import attribution
import program
import report_checks

sys.path.insert(0, str(program.ROOT / "tests" / "bench"))
from made_graph import Graph

PRESETS = ("v64", "v256", "v1024", "v256-sram48", "v256-port8")
MODES = ("sram", "weights-external", "external")
AMPLE_SRAM = ["--sram-bytes", str(64 << 20)]
# What attribution may leave unsaid: the share of a network's cycles by which the MACs of hidden layers exceed their cycles.
MOST_HIDDEN_PERCENT = 1.0
MORE_HIDDEN = {"vit_tiny_int8": 11.0, "unet_96_int8": 2.0}  # its attention heads and its stripes run beside each other
NOT_AT_WORK = ("waiting_for_load", "waiting_for_copy", "nothing_at_work")


def hidden_percent(report):
    """Of the run's cycles: what the MACs of each layer take at least, beyond the cycles that it has."""
    rate = report["config"]["macs_per_cycle"]
    hidden = sum(max(0.0, layer["macs"] / rate - layer["attributed_cycles"]) for layer in report["layers"])
    return 100.0 * hidden / report["totals"]["cycles"]


class Attribution(program.ProgramTest):
    def estimate(self, model, *options, refused=False):
        """The report; None where the program refuses the options and `refused` allows that."""
        file = self.folder / "report.json"
        done = self.execute("estimate", model, "-q", "--report", file, *options)
        if refused and done.returncode == 2:
            return None
        self.assertEqual(done.returncode, 0, done.stderr)
        return program.read_json(file)

    def assert_attributed(self, report, what):
        self.assertEqual(report_checks.check(report), [], what)  # sums, and every number of attribution.py
        cycles, gaps = report["totals"]["cycles"], 0
        for layer in report["layers"]:
            of_gaps = sum(layer["attributed_cycles_by"].get(cause, 0) for cause in NOT_AT_WORK)
            gaps += of_gaps
            self.assertLessEqual(layer["attributed_cycles"] - of_gaps, layer["working_cycles"], f"{what}: {layer['name']}")
        at_work = attribution.covered(attribution.commands_at_work(report["commands"]))
        self.assertEqual(gaps, cycles - at_work, f"{what}: cycles in which no layer is at work")

    def assert_all_operators(self, model, report, what):
        """Each operator of the network stands in one layer."""
        inspected = self.execute("inspect", model).stdout
        counts = {kind: int(count.replace(",", ""))
                  for kind, count in re.findall(r"^([A-Z][A-Z0-9_]+) +([\d,]+) +[\d,]+$", inspected, re.MULTILINE)}
        self.assertTrue(counts, inspected)
        found = [operator for layer in report["layers"] for operator in layer["operators"]]
        self.assertEqual({kind: found.count(kind) for kind in set(found)}, counts, what)


class Made(Attribution):
    def test_networks(self):
        for index, entry in enumerate(program.made_networks()):
            model = program.MADE / entry["name"] / "model.tosa"
            mode, preset = MODES[index % 3], PRESETS[index % 5]
            what = f"{entry['name']} {mode} {preset}"
            with self.subTest(what):
                report = self.estimate(model, "--memory", mode, "--config", preset, *AMPLE_SRAM)
                self.assert_attributed(report, what)
                self.assert_all_operators(model, report, what)

    def test_demo_in_every_mode(self):
        for preset in PRESETS:
            for mode in MODES:
                for optimize in ("0", "1"):
                    what = f"{preset} {mode} {optimize}"
                    report = self.estimate(program.DEMO, "--memory", mode, "--config", preset, "--optimize", optimize)
                    self.assert_attributed(report, what)
                    if mode == "sram" and optimize == "1":
                        self.assertLess(hidden_percent(report), MOST_HIDDEN_PERCENT, what)

    def test_little_sram(self):
        """Copies and stores in stripes, commands of several layers in flight."""
        for sram_bytes in (8192, 12288, 20480):
            for mode in ("weights-external", "external"):
                report = self.estimate(program.DEMO, "--memory", mode, "--sram-bytes", sram_bytes, refused=True)
                if report is not None:
                    self.assert_attributed(report, f"{mode} {sram_bytes}")

    def test_independent_branches_both_get_cycles(self):
        """One branch for the array, one for the vector unit, at once."""
        with tempfile.TemporaryDirectory() as folder:
            graph = Graph()
            graph.output(graph.conv2d(graph.input([1, 32, 32, 32]), 32))
            graph.output(graph.pool(graph.input([1, 64, 64, 32]), (3, 3), (1, 1), "MAX_POOL2D"))
            model = pathlib.Path(folder) / "model.tosa"
            graph.write(model)
            report = self.estimate(model)
        self.assert_attributed(report, "branches")
        layers = {command["unit"]: report["layers"][command["layer_idx"]] for command in report["commands"][:-1]
                  if command["unit"] in attribution.COMPUTE}
        self.assertEqual(set(layers), set(attribution.COMPUTE))
        array, vector = (layers[unit] for unit in attribution.COMPUTE)
        self.assertLess(max(array["first_cycle"], vector["first_cycle"]), min(array["last_cycle"], vector["last_cycle"]))
        self.assertGreater(array["attributed_cycles"], 0)
        self.assertGreater(vector["attributed_cycles"], 0)


class End(Attribution):
    """A package, and so `vernier disasm`, says of END what the report says: the layer of the command at work that ends last."""

    def branches(self, rows):
        """One for the array and one for the vector unit, at once; `rows` of the second: which of them ends last."""
        graph = Graph()
        graph.output(graph.conv2d(graph.input([1, 32, 32, 32]), 32, kernel=(3, 3)))
        graph.output(graph.pool(graph.input([1, rows, 16, 32]), (3, 3), (1, 1), "MAX_POOL2D"))
        model = self.folder / f"branches{rows}.tosa"
        graph.write(model)
        return model

    def test_one_layer(self):
        made = [program.MADE / entry["name"] / "model.tosa" for entry in program.made_networks()[::9]]
        num_against_the_stream = 0
        for model in (program.DEMO, *map(self.branches, (4, 12, 40, 80, 120)), *made):
            for mode in MODES:
                for optimize in ("0", "1"):
                    options = ("--memory", mode, "--optimize", optimize, *AMPLE_SRAM)
                    report = self.estimate(model, *options)
                    listing = self.folder / "listing.json"
                    self.execute("disasm", self.compile(model, "-q", *options), "--report", listing, codes=(0,))
                    commands = program.read_json(listing)["commands"]
                    found = [command["layer_idx"] for command in commands]
                    self.assertEqual(found, [command["layer_idx"] for command in report["commands"]], f"{model} {options}")
                    at_work = {one["command_idx"]: one for one in attribution.commands_at_work(report["commands"])}
                    if at_work and at_work[max(at_work)]["layer_idx"] != found[-1]:
                        num_against_the_stream += 1
        self.assertGreater(num_against_the_stream, 0)


class Bites(Attribution):
    """attribution.differences() finds what is off by one cycle, and a cycle that went to another layer."""

    def test_counts(self):
        report = self.estimate(program.DEMO, "--memory", "weights-external")
        for index, layer in enumerate(report["layers"]):
            for key in ("attributed_cycles", "first_cycle", "last_cycle", "working_cycles", "in_flight_cycles"):
                layer[key] += 1
                self.assertEqual(len(list(attribution.differences(report))), 1, f"layer {index}: {key}")
                layer[key] -= 1
        report["commands"][-1]["layer_idx"] = 0
        self.assertTrue(list(attribution.differences(report)))

    def test_rules(self):
        """The order of the stream, hidden loads, stores, copies of a layer of its own, and the end, by hand."""
        def command(layer, unit, start, end, stored=0):
            return {"layer_idx": layer, "unit": unit, "start_cycle": start, "end_cycle": end, "external_write_bytes": stored}
        commands = [command(2, "dma", 0, 10), command(1, "dma", 5, 20), command(1, "mac_array", 25, 60),
                    command(0, "vector_unit", 30, 40), command(2, "dma", 50, 70), command(1, "dma", 72, 80, stored=64),
                    command(1, "dma", 80, 99), command(2, "command_processor", 90, 90)]
        report = {"commands": commands, "layers": [{}, {}, {}], "totals": {"cycles": 100}}
        found = [(layer.attributed_cycles, layer.first_cycle, layer.last_cycle, layer.working_cycles)
                 for layer in attribution.attribute(report)]
        self.assertEqual(found, [(10, 30, 40, 10), (15 + 5 + 20 + 10 + 20, 25, 80, 43), (20, 0, 70, 30)])


@unittest.skipUnless(program.GOLDEN.exists(), f"{program.GOLDEN} is not there")
class Golden(Attribution):
    def check_network(self, name):
        model = program.GOLDEN / name / "model.tosa"
        for preset in PRESETS:
            what = f"{name} sram {preset}"
            report = self.estimate(model, "--memory", "sram", "--config", preset, *AMPLE_SRAM)
            self.assert_attributed(report, what)
            self.assertLess(hidden_percent(report), MORE_HIDDEN.get(name, MOST_HIDDEN_PERCENT), what)
            if preset == "v256":
                self.assert_all_operators(model, report, what)
                self.assert_no_layer_swallows_the_rest(report, what)
                in_sram = report
        for options in (["--memory", "weights-external"], ["--memory", "external"], ["--config", "v256-port8"]):
            report = self.estimate(model, *options)
            self.assert_attributed(report, f"{name} {options}")
            if options[1] == "weights-external":
                self.assert_hidden_loads_bound_nothing(in_sram, report)

    def assert_no_layer_swallows_the_rest(self, report, what):
        """A layer has no more cycles than its commands were at work, and what precedes them while nothing is."""
        for layer in report["layers"]:
            gaps = sum(layer["attributed_cycles_by"].get(cause, 0) for cause in NOT_AT_WORK)
            self.assertLess(gaps, max(0.05 * report["totals"]["cycles"], 500), f"{what}: {layer['name']}")

    def assert_hidden_loads_bound_nothing(self, in_sram, outside):
        for before, layer in zip(in_sram["layers"], outside["layers"], strict=True):
            if before["attributed_cycles"] == layer["attributed_cycles"] and before["bound_by"] != "external":
                self.assertNotEqual(layer["bound_by"], "external", layer["name"])


def _add_case(name):
    setattr(Golden, f"test_{name}", lambda self: self.check_network(name))


for _name in ("ad01_int8", "ds_cnn_kws_int16x8", "kws_ref_model", "mobilenet_v1_025_96_int16x8", "mobilenet_v1_025_96_int8",
              "mobilenet_v2_quantized_1x3x224x224", "pretrainedResnet_quant", "resnet50_int8", "str_ww_ref_model",
              "unet_96_int8", "vit_tiny_int8", "vww_96_int8"):
    _add_case(_name)

if __name__ == "__main__":
    program.main()
