# SPDX-License-Identifier: Apache-2.0
"""ONNX networks in QDQ form: floats in, floats out, and the results of onnxruntime in ../shared."""

import json

import measured
import npy
import onnx_file
import program

QDQ = program.ROOT.parent / "shared" / "golden" / "quant" / "qdq"


def rounded(value):
    """To the nearest integer, ties to even, as Python's round()."""
    return int(round(value))


class Golden(program.ProgramTest):
    """All 16 samples of each network; the codes that onnxruntime gives with its optimisations off."""

    def samples(self, name, most):
        folder = QDQ / name
        if not folder.exists():
            self.skipTest(f"{folder} is not there")
        meta = json.loads((folder / "meta.json").read_text())
        inputs, expected = npy.read(folder / "input.npy"), npy.read(folder / "output_plain.npy")
        package = self.compile(folder / "model.onnx")
        count = inputs.shape[0]
        size, num_outputs = len(inputs.values) // count, len(expected.values) // count
        steps = []
        for i in range(count):
            sample = npy.Array("<f4", (1, *inputs.shape[1:]), inputs.values[i * size:(i + 1) * size])
            (self.folder / "x.npy").write_bytes(npy.to_bytes(sample))
            _, outputs = self.run_model(package, [self.folder / "x.npy"])
            codes, reals = outputs["y"], outputs["y.float"]
            wanted = expected.values[i * num_outputs:(i + 1) * num_outputs]
            wanted_codes = [rounded(value / meta["output_scale"]) + meta["output_zero_point"] for value in wanted]
            steps += [abs(a - b) for a, b in zip(codes.values, wanted_codes, strict=True)]
            if most == 0:
                self.assertEqual(list(reals.values), list(wanted), f"{name}, sample {i}")
        measured.tell_steps(f"ONNX QDQ network {name}", f"{count} samples", "onnxruntime", steps)
        self.assertLessEqual(max(steps), most, name)

    def test_int8_per_tensor(self):
        self.samples("int8_per_tensor", 0)

    def test_int8_per_channel(self):
        self.samples("int8_per_channel", 0)

    def test_uint8_asymmetric(self):
        self.samples("uint8_asymmetric", 0)

    def test_uint8_reduced_range(self):
        self.samples("uint8_reduced_range", 0)

    def test_int8_pow2_scales(self):
        self.samples("int8_pow2_scales", 0)

    def test_int16_activations(self):
        self.samples("int16_activations", 1)


class Files(program.ProgramTest):
    REALS = (1.0, 2.125, -3.0, 100.0, 0.5, 0.375, -25.0, 0.0)  # 2.125 and 0.375 are ties
    RESULTS = (2.0, 3.0, -25.0, 38.75)  # x0 + 2 x1; codes are from 0 to 255, numbers from -25 to 38.75

    def setUp(self):
        super().setUp()
        self.model = self.folder / "net.onnx"
        self.model.write_bytes(onnx_file.small())

    def write_input(self, values, descr="<f4"):
        path = self.folder / "in.npy"
        path.write_bytes(npy.to_bytes(npy.Array(descr, (1, 2, 2, 2), values)))
        return path

    def results(self, model, inputs=(), options=()):
        report, outputs = self.run_model(model, inputs, options)
        self.assertEqual([(o["tensor"], o["file"], o["float_file"], o["dtype"]) for o in report["outputs"]],
                         [("y", "y.npy", "y.float.npy", "uint8")])
        codes, reals = outputs["y"], outputs["y.float"]
        self.assertEqual((codes.descr, reals.descr, codes.shape, reals.shape), ("|u1", "<f4", (1, 1, 2, 2), (1, 1, 2, 2)))
        self.assertEqual([(code - 100) * 0.25 for code in codes.values], list(reals.values))
        return list(reals.values)

    def test_floats_and_codes_are_taken(self):
        self.assertEqual(self.results(self.model, [self.write_input(self.REALS)]), list(self.RESULTS))
        codes = [min(255, max(0, rounded(value / 0.25) + 100)) for value in self.REALS]
        self.assertEqual(self.results(self.model, [self.write_input(codes, "|u1")]), list(self.RESULTS))
        package = self.compile(self.model)
        self.assertEqual(self.results(package, [self.write_input(self.REALS)]), list(self.RESULTS))
        reference = self.results(self.model, [self.write_input(self.REALS)], ["--backend", "reference"])
        self.assertEqual(reference, list(self.RESULTS))
        self.assertEqual(self.results(self.model), self.results(package))  # random codes of the same seed

    def test_operators_on_codes_compute_the_same(self):
        parameters = [onnx_file.tensor("s", onnx_file.FLOAT, [], [0.25]), onnx_file.tensor("z", onnx_file.UINT8, [], [100]),
                      onnx_file.tensor("w", onnx_file.INT8, [1, 2, 1, 1], [1, 2]), onnx_file.tensor("ws", onnx_file.FLOAT, [], [1.0]),
                      onnx_file.tensor("wz", onnx_file.INT8, [], [0])]
        nodes = [onnx_file.node("QuantizeLinear", ["x", "s", "z"], ["x_q"]),
                 onnx_file.node("QLinearConv", ["x_q", "s", "z", "w", "ws", "wz", "s", "z"], ["c_q"]),
                 onnx_file.node("DequantizeLinear", ["c_q", "s", "z"], ["y"])]
        ends = [("x", onnx_file.FLOAT, [1, 2, 2, 2])], [("y", onnx_file.FLOAT, [1, 1, 2, 2])]
        self.model.write_bytes(onnx_file.model(nodes, parameters, *ends))
        self.assertEqual(self.results(self.model, [self.write_input(self.REALS)]), list(self.RESULTS))

    def test_a_scale_of_a_power_of_two_is_one_command(self):
        """Ties go to even, and the array's epilogue does it: nothing is left for the vector unit."""
        self.model.write_bytes(onnx_file.small(weight_scale=0.25))
        codes = [*range(100, 104), *range(90, 94)]  # sums -20, -17, -14, -11: a quarter of -14 is a tie
        for options in ((), ("--optimize", "0")):
            report, outputs = self.run_model(self.model, [self.write_input(codes, "|u1")], options)
            self.assertEqual(report["check"]["result"], "match")
            self.assertEqual(list(outputs["y"].values), [95, 96, 96, 97])
            busy = report["units"]["vector_unit"]["busy_cycles"]
            self.assertEqual(busy > 0, bool(options))

    def test_many_operators_on_every_machine(self):
        self.model.write_bytes(onnx_file.operators())
        reference, expected = self.run_model(self.model, options=["--backend", "reference"])
        for options in (["--check-all"], ["--optimize", "0"], ["--config", "v64", "--memory", "external"], ["--config", "v1024"]):
            report, outputs = self.run_model(self.model, options=options)
            self.assertEqual(report["check"]["result"], "match")
            self.assert_arrays_equal(outputs["y.float"], expected["y.float"], options)
        self.assertEqual([layer["name"] for layer in reference["layers"]][:2], ["x", "n_a"])

    def test_other_inputs_are_refused(self):
        def refusal(path):
            done = self.execute("run", self.model, "--input", path, "-q")
            self.assertEqual(done.returncode, 2)
            return done.stderr.removeprefix(f"vernier: {path}: ").strip()
        self.assertEqual(refusal(self.write_input(range(8), "|i1")), "holds int8 [1, 2, 2, 2], expected float32 or uint8 [1, 2, 2, 2]")
        self.assertEqual(refusal(self.write_input(range(8), "<f8")), "holds float64 [1, 2, 2, 2], expected float32 or uint8 [1, 2, 2, 2]")
        self.assertEqual(refusal(self.write_input([float("nan")] * 8)), "holds nan at [0, 0, 0, 0], allowed are numbers")

    def test_convert_writes_the_boundary_too(self):
        done = self.execute("convert", self.model, "-o", "out.tosa")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        boundary = self.folder / "out.boundary.json"
        text = json.loads(boundary.read_text())
        self.assertEqual(text["inputs"], [{"tensor": "x", "is_float": True, "codes": "uint8", "scale": 0.25, "zero_point": 100}])
        tosa = self.folder / "out.tosa"
        self.assertEqual(self.results(tosa, [self.write_input(self.REALS)]), list(self.RESULTS))
        self.assertEqual(self.results(self.compile(tosa), [self.write_input(self.REALS)]), list(self.RESULTS))
        self.execute("convert", tosa, "-o", "again.tosa", codes=(0,))  # a copy, with what belongs to it
        self.assertEqual((self.folder / "again.tosa").read_bytes(), tosa.read_bytes())
        self.assertEqual((self.folder / "again.boundary.json").read_text(), boundary.read_text())

        def refusal(changed):
            boundary.write_text(changed)
            done = self.execute("run", tosa, "-q")
            self.assertEqual(done.returncode, 2)
            return done.stderr.removeprefix(f"vernier: {boundary}: ").strip()
        good = json.dumps(text)
        self.assertRegex(refusal(good.replace(text["tosa_sha256"], "0" * 64)), "^belongs to another network: it was written for ")
        self.assertEqual(refusal("{"), "is not JSON with one object")
        self.assertEqual(refusal("{}"), "has no 'schema' where one is needed")
        self.assertEqual(refusal(good.replace("boundary/1", "boundary/2")), "has schema 'vernier-boundary/2', allowed is vernier-boundary/1")
        self.assertEqual(refusal(good.replace('"uint8"', '"int16"')), "the codes of 'x' are int16, allowed are int8 and uint8")
        self.assertEqual(refusal(good.replace("0.25", "-1.0")), "'x': the scale is -1, allowed are finite numbers above 0")
        self.assertEqual(refusal(good.replace("100", "256")), "'x': the zero point is 256, allowed are 0 to 255")
        self.assertEqual(refusal(good.replace('"x"', '"u"')), "'u' is none of the inputs of the network")
        boundary.unlink()  # without it the network is one of int8
        _, outputs = self.run_model(tosa)
        self.assertEqual(outputs["y"].descr, "|i1")

    def test_inspect_lists_how_layers_are_rescaled(self):
        for scale, row in ((0.25, r"1 +0 +frequent: half to even, exactly"), (0.3, "1 +0 +rare")):
            self.model.write_bytes(onnx_file.small(weight_scale=scale))
            self.assertRegex(self.execute("inspect", self.model).stdout, rf"(?m)^ *rescaled layer .*\n.*\S +{row}$")
        tosa = self.execute("inspect", program.DEMO).stdout
        self.assertNotIn("rescaled layer", tosa)

    def test_inspect_and_estimate(self):
        for model in (self.model, self.compile(self.model)):
            done = self.execute("inspect", model)
            self.assertIn("float32 in the source, real = (uint8 code - 100) * 0.25", " ".join(done.stdout.split()))
        done = self.execute("estimate", self.model, "--report", "e.json")
        self.assertEqual(done.returncode, 0)
        outputs = json.loads((self.folder / "e.json").read_text())["outputs"]
        self.assertEqual([(o["tensor"], o["file"], o["dtype"]) for o in outputs], [("y", "", "uint8")])

    def test_an_open_batch(self):
        self.model.write_bytes(onnx_file.small(batch=-1))
        report, _ = self.run_model(self.model, options=["--batch", "3"])
        self.assertEqual(report["outputs"][0]["shape"], [3, 1, 2, 2])
        self.assertIn("taken as 3", report["notes"][0])

    def test_what_is_not_quantized_or_not_known_is_told(self):
        def refusal(nodes, initializers=()):
            self.model.write_bytes(onnx_file.model(nodes, initializers, [("x", onnx_file.FLOAT, [1, 2])], [("y", onnx_file.FLOAT, [1, 2])]))
            done = self.execute("convert", self.model, "-o", "out.tosa")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            return done.stderr.replace(f"vernier: {self.model}: ", "").splitlines()
        self.assertEqual(refusal([onnx_file.node("Relu", ["x"], ["y"])]),
                         ["this network is not quantized: it has no QuantizeLinear and no DequantizeLinear; --encodings takes how AIMET quantizes it"])
        scale = [onnx_file.tensor("s", onnx_file.FLOAT, [], [0.5])]
        lines = refusal([onnx_file.node("Loop", ["x"], ["a"]), onnx_file.node("QuantizeLinear", ["a", "s"], ["b"]),
                         onnx_file.node("Einsum", ["b"], ["y"])], scale)
        self.assertEqual(lines[:2], ["node 'n_a' (Loop): is not supported", "node 'n_y' (Einsum): is not supported"])
        self.assertRegex(lines[2], r"^supported are Abs Add ")
        self.assertEqual(len(lines), 3)


if __name__ == "__main__":
    program.main()
