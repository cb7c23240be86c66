# SPDX-License-Identifier: Apache-2.0
"""--tflite-rounding: what the witnesses of each flavour gave is recorded in tflite_flavours.txt, and the reference and the simulator give the same."""

import npy
import program
import tflite_draw

RECORDED = program.ROOT / "tests/e2e/tflite_flavours.txt"


class Flavours(program.ProgramTest):
    def drawn(self, name, kind, case):
        """The file of a network, and its inputs as arguments of --input."""
        content, inputs = tflite_draw.draw(name, kind, tflite_draw.rng_of(name, kind, case))
        model = self.folder / "net.tflite"
        model.write_bytes(content)
        files = []
        for i, values in enumerate(tflite_draw.values_of(name, kind, case, inputs)):
            npy.write(self.folder / f"x{i}.npy", values)
            files.append(f"x{i}={self.folder / f'x{i}.npy'}")
        return model, files

    def result(self, name, kind, case, *options):
        model, files = self.drawn(name, kind, case)
        report, outputs = self.run_model(model, files, options)
        return report, tflite_draw.crc_of(outputs["y0"])

    def test_results_of_the_witnesses(self):
        for line in RECORDED.read_text(encoding="utf-8").splitlines():
            if line.startswith("#"):
                continue
            flavour, name, kind, case, expected, *other = line.split()
            for options in (["--backend", "reference"], ["--check-all"]):
                report, found = self.result(name, kind, case, "--tflite-rounding", flavour, *options)
                self.assertEqual(found, expected, line)
                self.assertEqual(report["tflite_rounding"], {"flavour": flavour, "layers": ["y0"]})
            if other:
                self.assertNotEqual(self.result(name, kind, case, "--backend", "reference")[1], expected, line)

    def test_inspect_names_the_layers(self):
        model, _ = self.drawn("CONV_2D", "int8", 0)
        said = self.execute("inspect", model).stdout
        self.assertIn("rounds as litert-ref (--tflite-rounding), 1 layer may change with it:\n  y0\n", said)
        said = self.execute("inspect", model, "--tflite-rounding", "litert-ref-int").stdout
        self.assertIn("rounds as litert-ref-int (--tflite-rounding), 1 layer", said)
        model, _ = self.drawn("ABS", "int8", 0)
        self.assertIn("no layer changes with it", self.execute("inspect", model).stdout)

    def refused(self, text, model, *options, command="run"):
        done = self.execute(command, model, *options)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertIn(text, done.stderr)

    def test_what_is_refused(self):
        model, _ = self.drawn("RESIZE_BILINEAR", "int8", 0)
        self.refused("operator 0 RESIZE_BILINEAR 'y0': is not read with --tflite-rounding xnnpack, allowed is litert-ref", model, "--tflite-rounding", "xnnpack")
        self.assertEqual(self.execute("run", model, "-q", "--tflite-rounding", "litert-ref-int").returncode, 0)
        self.refused("--tflite-rounding: 'tflm' is not one of litert-ref, litert-ref-int, xnnpack", model, "--tflite-rounding", "tflm")
        small, _ = self.drawn("CONV_2D", "int8", 0)
        self.refused("are INT4, which are not read with --tflite-rounding xnnpack, allowed is litert-ref", small, "--tflite-rounding", "xnnpack")
        package = self.compile(small)
        self.refused("--tflite-rounding: ", package, "--tflite-rounding", "xnnpack")
        tosa = self.folder / "net.tosa"
        self.assertEqual(self.execute("convert", small, "-o", tosa).returncode, 0)
        self.refused("--tflite-rounding: goes with networks of TensorFlow Lite", tosa, "--tflite-rounding", "xnnpack", command="estimate")


if __name__ == "__main__":
    program.main()
