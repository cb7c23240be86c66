# SPDX-License-Identifier: Apache-2.0
"""The twelve real networks, three inputs each, against the official reference model's results: the reference, and the
machine in every preset and memory mode. The reference runs once a network and input; a package is made once a network and
machine and then run. Skipped where ../shared/golden/nets is not there.

Cases, so that ctest can take them apart: GoldenNetwork.test_<network>_reference, and test_<network>_<entry of MACHINES>."""

import json

import npy
import program

NETWORKS = ("ad01_int8", "ds_cnn_kws_int16x8", "kws_ref_model", "mobilenet_v1_025_96_int16x8", "mobilenet_v1_025_96_int8",
            "mobilenet_v2_quantized_1x3x224x224", "pretrainedResnet_quant", "resnet50_int8", "str_ww_ref_model", "unet_96_int8",
            "vit_tiny_int8", "vww_96_int8")
SMALL = ("ad01_int8", "ds_cnn_kws_int16x8", "kws_ref_model", "str_ww_ref_model", "vit_tiny_int8")
NUM_INPUTS = 3
MOST_OVERHEAD_CYCLES = 1500  # of the control path of a job
MACHINES = {
    "v64": ["--config", "v64"],
    "v256": ["--config", "v256"],
    "v1024": ["--config", "v1024"],
    "sram48": ["--config", "v256-sram48"],
    "port8": ["--config", "v256-port8"],
    "weights_external": ["--memory", "weights-external"],
    "external": ["--memory", "external"],
    "optimize0": ["--optimize", "0"],
    "optimize0_v64": ["--optimize", "0", "--config", "v64"],
    "optimize0_v1024": ["--optimize", "0", "--config", "v1024", "--memory", "weights-external"],
}


class GoldenNetwork(program.ProgramTest):
    def setUp(self):
        super().setUp()
        if not program.GOLDEN.exists():
            self.skipTest(f"{program.GOLDEN} is not there")

    def run_input(self, folder, model, seed, options):
        """The report of one run whose output files equal the official ones in shape, type and every element."""
        what = f"{folder.name} seed {seed} {options}"
        report, outputs = self.run_model(model, [f"TosaInput_0={folder / f'seed{seed}' / 'input0.npy'}"], options)
        self.assertEqual(list(outputs), ["TosaOutput_0"], what)
        self.assert_arrays_equal(outputs["TosaOutput_0"], npy.read(folder / f"seed{seed}" / "output_tosa.npy"), what)
        self.assertEqual(report["totals"]["macs"], program.read_json(folder / "expected.json")["macs"], what)
        return report

    def reference(self, name):
        folder = program.GOLDEN / name
        reports = [self.run_input(folder, folder / "model.tosa", seed, ["--backend", "reference"])
                   for seed in range(NUM_INPUTS)]
        locations = {entry["location"] for entry in program.read_json(folder / "intermediate.json")}
        layers = self.layers_of(reports[0])
        names = [name for name, _, _ in layers]
        self.assertLessEqual(set(names), locations)
        self.assertEqual(len(set(names)), len(names))
        self.assertEqual(self.layers_of(self.estimate(folder / "model.tosa")), layers)

    @staticmethod
    def layers_of(report):
        return [(layer["name"], layer["operators"], layer["macs"]) for layer in report["layers"]]

    def estimate(self, model):
        done = self.execute("estimate", model, "-q", "--report", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def machine(self, name, options):
        """Every computed tensor of the first input is compared, and the outputs of all; estimate says the same. The last input goes
        through the firmware of the control CPU."""
        folder = program.GOLDEN / name
        package = self.compile(folder / "model.tosa", "-q", *options)
        first = self.run_input(folder, package, 0, ["--check-all"])
        self.everything_was_compared(folder, first)
        self.estimate_is_equal(package, first)
        for seed in range(1, NUM_INPUTS):
            by_cpu = ["--control", "cpu"] if seed == NUM_INPUTS - 1 else []
            report = self.run_input(folder, package, seed, ["--no-check", *by_cpu])
            self.assertEqual(report["totals"], first["totals"], "cycles depend on the input, or on who starts the network")
        self.assertLess(report["control"]["job_overhead_cycles"], MOST_OVERHEAD_CYCLES)

    def everything_was_compared(self, folder, report):
        """Every computed tensor is compared or, above --optimize 0, listed as folded with its reason."""
        self.assertEqual(report["check"]["result"], "match")
        computed = program.read_json(folder / "intermediate.json")
        folded = {entry["tensor"]: entry["reason"] for entry in report["check"]["folded"]}
        self.assertTrue(all(folded.values()), f"a reason is missing: {folded}")
        if report["config"]["optimize"] == 0:
            free = {entry["tensor"] for entry in computed if entry["op"] == "RESHAPE"}
            constant = {tensor for tensor, reason in folded.items() if reason == "constant"}
            self.assertLessEqual(set(folded), free | constant)
        unfolded = [entry for entry in computed if entry["tensor"] not in folded]
        self.assertGreaterEqual(report["check"]["tensors_compared"], len(unfolded))
        elements = 0
        for entry in unfolded:
            count = 1
            for size in entry["shape"]:
                count *= size
            elements += count
        self.assertEqual(report["check"]["elements_compared"], elements)

    def estimate_is_equal(self, package, run):
        estimate = self.estimate(package)
        self.assertEqual(estimate["check"]["result"], "skipped")
        for key in ("totals", "units", "layers", "config", "commands"):
            self.assertEqual(estimate[key], run[key], key)


def _add_cases(name):
    setattr(GoldenNetwork, f"test_{name}_reference", lambda self: self.reference(name))
    for machine, options in MACHINES.items():
        if name in SMALL or not machine.startswith("optimize0"):
            setattr(GoldenNetwork, f"test_{name}_{machine}", lambda self, options=options: self.machine(name, options))


for _name in NETWORKS:
    _add_cases(_name)

if __name__ == "__main__":
    program.main()
