# SPDX-License-Identifier: Apache-2.0
"""Four real networks, three inputs each, against the official reference model's results, on every back end, at both
optimization levels and in both memory modes. Skipped where ../shared/golden/nets is not there."""

import itertools
import unittest

import npy
import program

BACKENDS = ("reference", "sim")
OPTIMIZE = ("0", "1")
MEMORY = ("sram", "weights-external")


@unittest.skipUnless(program.GOLDEN.exists(), f"{program.GOLDEN} is not there")
class GoldenNetwork(program.ProgramTest):
    def network(self, name):
        folder = program.GOLDEN / name
        for seed in range(3):
            self.one_input(folder, seed)
        self.layers_are_those_of_the_converter(folder)

    def one_input(self, folder, seed):
        given = [f"TosaInput_0={folder / f'seed{seed}' / 'input0.npy'}"]
        expected = npy.read(folder / f"seed{seed}" / "output_tosa.npy")
        for backend, optimize, memory in itertools.product(BACKENDS, OPTIMIZE, MEMORY):
            if backend == "reference" and seed > 0 and (optimize, memory) != ("1", "sram"):
                continue  # neither matters to it
            what = f"{folder.name} seed {seed} {backend} optimize {optimize} {memory}"
            options = ["--backend", backend, "--optimize", optimize, "--memory", memory]
            if backend == "sim":
                options.append("--check-all")
            report, outputs = self.run_model(folder / "model.tosa", given, options)
            self.assertEqual(list(outputs), ["TosaOutput_0"], what)
            self.assert_arrays_equal(outputs["TosaOutput_0"], expected, what)
            self.assertEqual(report["totals"]["macs"], program.read_json(folder / "expected.json")["macs"], what)
            if backend == "sim":
                self.everything_was_compared(folder, report, what)

    def everything_was_compared(self, folder, report, what):
        """Every computed tensor is compared or, above --optimize 0, listed as folded with its reason."""
        self.assertEqual(report["check"]["result"], "match", what)
        computed = program.read_json(folder / "intermediate.json")
        folded = {entry["tensor"]: entry["reason"] for entry in report["check"]["folded"]}
        self.assertTrue(all(folded.values()), f"{what}: a reason is missing: {folded}")
        if report["config"]["optimize"] == 0:
            reshapes = {entry["tensor"] for entry in computed if entry["op"] == "RESHAPE"}
            self.assertLessEqual(set(folded), reshapes, what)
        unfolded = [entry for entry in computed if entry["tensor"] not in folded]
        self.assertGreaterEqual(report["check"]["tensors_compared"], len(unfolded), what)
        elements = 0
        for entry in unfolded:
            count = 1
            for size in entry["shape"]:
                count *= size
            elements += count
        self.assertEqual(report["check"]["elements_compared"], elements, what)

    def layers_are_those_of_the_converter(self, folder):
        """Names, operators and MACs of the layers are the same on both back ends, and come from the locations."""
        reports = [self.run_model(folder / "model.tosa", options=["--backend", backend])[0] for backend in BACKENDS]
        layers = [[(layer["name"], layer["operators"], layer["macs"]) for layer in report["layers"]] for report in reports]
        self.assertEqual(layers[0], layers[1])
        locations = {entry["location"] for entry in program.read_json(folder / "intermediate.json")}
        self.assertLessEqual({name for name, _, _ in layers[0]}, locations)
        self.assertEqual(len({name for name, _, _ in layers[0]}), len(layers[0]))

    def test_ad01_int8(self):
        self.network("ad01_int8")

    def test_kws_ref_model(self):
        self.network("kws_ref_model")

    def test_pretrainedResnet_quant(self):  # noqa: N802
        self.network("pretrainedResnet_quant")

    def test_mobilenet_v1_025_96_int8(self):
        self.network("mobilenet_v1_025_96_int8")


if __name__ == "__main__":
    program.main()
