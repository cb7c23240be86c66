# SPDX-License-Identifier: Apache-2.0
"""What the host computes at the ends of a network: float operators, formats and ranges of inputs, float ends of .tosa files."""

import array
import hashlib
import json
import math
import struct

import npy
import onnx_file
import program
import tosa_file
from onnx_file import FLOAT, INT8, INT64


def f32(value):
    """The float32 next to a number."""
    return struct.unpack("<f", struct.pack("<f", value))[0]


class EdgesTest(program.ProgramTest):
    def write(self, name, content):
        (self.folder / name).write_bytes(content)
        return self.folder / name

    def reals(self, name, shape, values):
        return self.write(name, npy.to_bytes(npy.Array("<f4", shape, array.array("f", values))))

    def codes(self, name, descr, shape, values):
        return self.write(name, npy.to_bytes(npy.Array(descr, shape, array.array({"|i1": "b", "|u1": "B", "<i4": "i"}[descr], values))))

    def refusal(self, *arguments):
        done = self.execute(*arguments)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        line, = done.stderr.splitlines()
        return line.removeprefix("vernier: ")

    def text(self, *arguments):
        return " ".join(self.execute(*arguments, codes=(0,)).stdout.split())


def scalar(name, value):
    return onnx_file.tensor(name, FLOAT, [], [value])


class HostOperators(EdgesTest):
    """x -> Transpose, Mul, Add -> codes -> Sigmoid, Flatten, Softmax -> y."""

    def model(self):
        nodes = [onnx_file.node("Transpose", ["x"], ["t"], perm=[0, 2, 1]), onnx_file.node("Mul", ["t", "m"], ["u"]),
                 onnx_file.node("Add", ["u", "a"], ["v"]), *onnx_file.quantizer("v", "s", "z"), onnx_file.node("Relu", ["v_d"], ["r"]),
                 *onnx_file.quantizer("r", "s", "z"), onnx_file.node("Sigmoid", ["r_d"], ["g"]),
                 onnx_file.node("Flatten", ["g"], ["f"]), onnx_file.node("Softmax", ["f"], ["y"])]
        constants = [scalar("s", 0.25), onnx_file.tensor("z", INT8, [], [0]), scalar("m", 2.0),
                     onnx_file.tensor("a", FLOAT, [2], [0.5, -0.5])]
        return self.write("net.onnx", onnx_file.model(nodes, constants, [("x", FLOAT, [1, 2, 3])], [("y", FLOAT, [1, 6])]))

    VALUES = [0.3, -1.0, 4.0, 0.125, 9.0, -0.2]

    def expected(self):
        """Codes of the output, (1, 3, 2), and the floats."""
        inputs = [[f32(value) for value in self.VALUES[row * 3:row * 3 + 3]] for row in range(2)]
        codes = []
        for column in range(3):
            for row in range(2):
                value = f32(f32(inputs[row][column] * 2) + (0.5, -0.5)[row])
                codes.append(max(0, min(127, max(-128, round(value / 0.25)))))
        powers = [math.exp(1 / (1 + math.exp(-code * 0.25))) for code in codes]
        return codes, [power / sum(powers) for power in powers]

    def check(self, model):
        report, outputs = self.run_model(model, [self.reals("x.npy", (1, 2, 3), self.VALUES)])
        codes, reals = self.expected()
        self.assertEqual((outputs["y"].shape, list(outputs["y"].values)), ((1, 3, 2), codes))
        self.assertEqual(outputs["y.float"].shape, (1, 6))
        for found, wanted in zip(outputs["y.float"].values, reals, strict=True):
            self.assertAlmostEqual(found, wanted, delta=1e-6)
        self.assertEqual(report["outputs"][0]["float_file"], "y.float.npy")

    def test_network_package_and_boundary_say_the_same(self):
        model = self.model()
        self.check(model)
        self.check(self.compile(model))
        self.execute("convert", model, "-o", "out.tosa", codes=(0,))
        self.check(self.folder / "out.tosa")

    def test_codes_are_taken_behind_the_operators(self):
        codes = self.codes("c.npy", "|i1", (1, 3, 2), [1, 2, 3, 4, 5, 6])
        _, outputs = self.run_model(self.model(), [codes])
        self.assertEqual(list(outputs["y"].values), [1, 2, 3, 4, 5, 6])
        wrong = self.codes("w.npy", "|i1", (1, 2, 3), [1, 2, 3, 4, 5, 6])
        self.assertEqual(self.refusal("run", self.model(), "-q", "--input", wrong),
                         f"{wrong}: holds int8 [1, 2, 3], expected float32 [1, 2, 3] or int8 [1, 3, 2]")

    def test_inspect_lists_them(self):
        text = self.text("inspect", self.model())
        for line in ("host before 'x': Transpose by [0, 2, 1] (n_t)", "host before 'x': Mul by 2 (n_u)",
                     "host before 'x': Add of a constant [2] (n_v)", "host takes float32 [1, 2, 3]", "host after 'y': Sigmoid (n_g)",
                     "host after 'y': Reshape to [1, 6] (n_f)", "host after 'y': Softmax along axis 1 (n_y)", "host gives float32 [1, 6]"):
            self.assertIn(line, text)

    def test_a_number_that_becomes_none_is_refused(self):
        values = [float("inf")] + self.VALUES[1:]
        model = self.write("sub.onnx", onnx_file.model(
            [onnx_file.node("Mul", ["x", "m"], ["v"]), *onnx_file.quantizer("v", "s", "z")],
            [scalar("s", 0.25), onnx_file.tensor("z", INT8, [], [0]), scalar("m", 0.0)], [("x", FLOAT, [6])], [("v_d", FLOAT, [6])]))
        self.assertEqual(self.refusal("run", model, "-q", "--input", self.reals("x.npy", (6,), values)),
                         f"{self.folder / 'x.npy'}: becomes, by the float operators of the network, nan at [0], allowed are numbers")

    def test_other_operators_there_are_refused_by_name(self):
        product = self.write("product.onnx", onnx_file.model(
            [onnx_file.node("Relu", ["x"], ["r"]), onnx_file.node("MatMul", ["r", "w"], ["t"]), *onnx_file.quantizer("t", "s", "z")],
            [scalar("s", 0.25), onnx_file.tensor("z", INT8, [], [0]), onnx_file.tensor("w", FLOAT, [6, 1], range(6))], [("x", FLOAT, [1, 6])],
            [("t_d", FLOAT, [1, 1])]))
        self.assertIn("node 'n_t' (MatMul): 'r' is computed by the host before any quantizer, allowed there are Abs Add Average",
                      self.refusal("run", product, "-q"))

    def test_batch_normalization_is_one_product_and_one_sum(self):
        parameters = [onnx_file.tensor(name, FLOAT, [2], values) for name, values in
                      (("g", [2.0, 1.0]), ("b", [1.0, -1.0]), ("m", [0.5, 0.0]), ("w", [4.0 - 1e-5, 0.25 - 1e-5]))]
        model = self.write("bn.onnx", onnx_file.model(
            [*onnx_file.quantizer("x", "s", "z"), onnx_file.node("BatchNormalization", ["x_d", "g", "b", "m", "w"], ["y"])],
            [scalar("s", 0.5), onnx_file.tensor("z", INT8, [], [0]), *parameters], [("x", FLOAT, [1, 2, 2])], [("y", FLOAT, [1, 2, 2])]))
        _, outputs = self.run_model(model, [self.codes("c.npy", "|i1", (1, 2, 2), [1, -2, 3, 4])])
        for found, wanted in zip(outputs["y.float"].values, (1.0, -0.5, 2.0, 3.0), strict=True):
            self.assertAlmostEqual(found, wanted, delta=1e-5)


class InputFormats(EdgesTest):
    def model(self, quantizes=False):
        value = "x_d" if quantizes else "x"
        return self.write("net.onnx", onnx_file.model(
            [*(onnx_file.quantizer("x", "s", "z") if quantizes else ()), onnx_file.node("Relu", [value], ["r"]),
             onnx_file.node("MaxPool", ["r"], ["p"], kernel_shape=[1, 1]), *onnx_file.quantizer("p", "s", "z")],
            [scalar("s", 0.5), onnx_file.tensor("z", INT8, [], [0])], [("x", FLOAT, [1, 1, 2, 3])], [("p_d", FLOAT, [1, 1, 2, 3])]))

    def test_a_given_format_makes_codes(self):
        values = self.reals("x.npy", (1, 1, 2, 3), [0.24, 0.26, -3, 500, 1.25, 1.75])
        _, outputs = self.run_model(self.model(), [values], ["--input-format", "x:scale=0.5,bits=4,zero_point=1"])
        self.assertEqual(list(outputs["p_d"].values), [0, 1, 0, 6, 3, 3])  # 3.5 and 4.5 become 4: the zero point comes first

    def test_who_has_a_quantizer_takes_no_format(self):
        self.assertEqual(self.refusal("run", self.model(True), "-q", "--input-format", "x:scale=1"),
                         "--input-format: input 'x' is quantized by the network itself, allowed are inputs without a quantizer")

    def test_every_command_takes_it(self):
        given = ("--input-format", "x:scale=0.5")
        for command in (("run", "-q"), ("estimate", "-q"), ("inspect",), ("compile", "-q", "-o", "m.vnpu"), ("convert", "-q", "-o", "c.tosa")):
            self.execute(command[0], self.model(), *command[1:], *given, codes=(0,))
        self.assertEqual(self.refusal("run", "m.vnpu", "-q", *given),
                         "--input-format: m.vnpu is a package, whose inputs are fixed; recompile it from its network")


class Shapes(EdgesTest):
    def model(self):
        return self.write("open.onnx", onnx_file.model(
            onnx_file.quantizer("x", "s", "z"), [scalar("s", 0.5), onnx_file.tensor("z", INT8, [], [0])],
            [("x", FLOAT, [-1, 3, -1])], [("x_d", FLOAT, [-1, 3, -1])]))

    def test_shapes_fill_what_is_open(self):
        report, _ = self.run_model(self.model(), options=["--shape", "x=2x3x5"])
        self.assertEqual(report["outputs"][0]["shape"], [2, 3, 5])
        self.assertFalse([note for note in report["notes"] if "open" in note])
        package = self.compile(self.model(), "--shape", "x=1x3x4")
        report, _ = self.run_model(package)
        self.assertEqual(report["outputs"][0]["shape"], [1, 3, 4])
        self.assertEqual(self.refusal("run", self.model(), "-q", "--shape", "x=2x4x5"),
                         "--shape: x=2x4x5 does not fit input 'x' [-1, 3, -1], allowed are other sizes where that has -1")
        self.assertIn("dimension 2 of graph input 'x' is open (-1), allowed without --shape is the first one only: --shape x=AxBxC",
                      self.refusal("run", self.model(), "-q"))

    def test_a_tosa_file_too(self):
        model = self.write("open.tosa", tosa_file.graph(
            [tosa_file.tensor("x", (-1, -1), "int32"), tosa_file.tensor("y", (-1, -1), "int32")],
            [tosa_file.operator("ABS", ["x"], ["y"])], ["x"], ["y"]))
        report, _ = self.run_model(model, options=["--shape", "x=2x7"])
        self.assertEqual(report["outputs"][0]["shape"], [2, 7])
        report, _ = self.run_model(self.compile(model, "--shape", "x=3x7"))
        self.assertEqual(report["outputs"][0]["shape"], [3, 7])


class Ranges(EdgesTest):
    """--quantize is `vernier quantize` at an input."""

    def model(self, dtype="int8"):
        return self.write("abs.tosa", tosa_file.one_operator("IDENTITY", (2, 3), dtype))

    VALUES = [-1.5, -0.4, 0.1, 0.26, 0.9, 3.0]

    def test_codes_are_those_of_quantize(self):
        reals = self.reals("x.npy", (2, 3), self.VALUES)
        self.reals("low.npy", (3,), [-1, -2, -3])
        self.reals("high.npy", (3,), [1, 2, 3])
        for dtype, kind in (("int8", "qint8"), ("int16", "qint16")):
            for mode, more in (("MIN_COMBINED", ()), ("MIN_FIRST", ()), ("SCALED", (("round_mode", "HALF_TO_EVEN"), ("narrow_range", 1)))):
                for limits in (("-1", "1"), ("low.npy", "high.npy")):
                    axis = (("axis", 1),) if limits[0] == "low.npy" else ()
                    if axis and mode == "MIN_FIRST":
                        continue
                    with self.subTest(dtype, mode=mode, limits=limits):
                        words = [f"--{key.replace('_', '-')}" + ("" if key == "narrow_range" else f"={value}") for key, value in (*more, *axis)]
                        self.execute("quantize", reals, "--mode", mode, "--type", kind, f"--min={limits[0]}", f"--max={limits[1]}", *words,
                                     "-o", "codes.npy", codes=(0,))
                        fields = ",".join(f"{key}={value}" for key, value in (("mode", mode), ("type", kind), ("min", limits[0]),
                                                                              ("max", limits[1]), *more, *axis))
                        _, outputs = self.run_model(self.model(dtype), [reals], ["--quantize", f"x:{fields}"])
                        self.assertEqual(list(outputs["y"].values), list(npy.read(self.folder / "codes.npy").values))

    def test_every_field_matters(self):
        """A field that is read and dropped would leave the codes as they are."""
        reals = self.reals("x.npy", (2, 3), (0.0390625, 1.0, -2.0, 1.984375, 0.1, -0.7))  # the first is a tie: 2.5 / 64

        def codes(**fields):
            wanted = {"mode": "SCALED", "type": "qint8", "min": "-2", "max": "1.984375"} | fields
            _, outputs = self.run_model(self.model(), [reals], ["--quantize", "x:" + ",".join(f"{key}={value}" for key, value in wanted.items())])
            return list(outputs["y"].values)
        usual = codes()
        self.assertNotEqual(codes(mode="MIN_FIRST", min="-3"), codes(min="-3"))
        for field, value in (("min", "-3"), ("max", "2.5"), ("round_mode", "HALF_TO_EVEN"), ("narrow_range", "1"),
                             ("ensure_minimum_range", "100")):
            with self.subTest(field):
                self.assertNotEqual(codes(**{field: value}), usual)
        lists = {}
        for name, values in (("min", (-2.0, -3.0)), ("max", (1.984375, 2.5))):
            path = self.folder / f"{name}.npy"
            path.write_bytes(npy.to_bytes(npy.Array("<f4", (2,), values)))
            lists[name] = str(path)
        by_slice = codes(**lists, axis="0")
        self.assertEqual(by_slice[:3], usual[:3])
        self.assertNotEqual(by_slice[3:], usual[3:])

    def test_packages_and_boundaries_keep_it(self):
        given = ("--quantize", "x:mode=SCALED,type=qint8,min=-1,max=1")
        reals = self.reals("x.npy", (2, 3), self.VALUES)
        _, wanted = self.run_model(self.model(), [reals], given)
        _, found = self.run_model(self.compile(self.model(), *given), [reals])
        self.assertEqual(list(found["y"].values), list(wanted["y"].values))
        _, found = self.run_model(self.compile(self.model()), [reals], given)
        self.assertEqual(list(found["y"].values), list(wanted["y"].values))
        self.execute("convert", self.model(), "-o", "out.tosa", *given, codes=(0,))
        _, found = self.run_model(self.folder / "out.tosa", [reals])
        self.assertEqual(list(found["y"].values), list(wanted["y"].values))
        self.assertIn("float32 in the source, int8 codes by QuantizeV2 SCALED of -1 to 1", self.text("inspect", self.model(), *given))

    def test_what_is_refused(self):
        def refusal(fields, dtype="int8"):
            return self.refusal("run", self.model(dtype), "-q", "--quantize", fields)
        good = "mode=SCALED,type=qint8,min=-1,max=1"
        self.assertEqual(refusal("z:" + good), "--quantize: no input is named 'z', the inputs are 'x'")
        self.assertEqual(refusal("x:" + good, "int16"), "--quantize: type qint8 is not that of input 'x', which is int16: type=qint16")
        self.assertEqual(refusal("x:mode=SCALED,type=quint8,min=-1,max=1"),
                         "--quantize: type quint8 is not that of input 'x', which is int8: type=qint8")
        self.assertEqual(refusal("x:mode=SCALED,type=qint8,min=2,max=1"), "--quantize: min 2 is above max 1, allowed is at most max")
        self.assertEqual(refusal("x:mode=MIN_COMBINED,type=qint8,min=-3e38,max=3e38"),
                         "--quantize: the range -3e+38 to 3e+38 is wider than float32 can tell: the codes say nothing")
        self.assertEqual(refusal("x:" + good, "bool"), "--quantize: input 'x' is bool, allowed are int8, uint8, int16, uint16 and int32")


class TosaEnds(EdgesTest):
    """As the official converter writes them."""

    def model(self, edge="int8", zero=False):
        """x, MUL by 2, CAST to int8, ABS as int32, back, CAST, MUL by 0.5, y; `zero`: through int32 and ADD, and SUB."""
        def const(name, shape, dtype, data):
            return tosa_file.tensor(name, shape, dtype, data)
        tensors = [tosa_file.tensor("x", (1, 6), "fp32"), const("two", (1, 1), "fp32", struct.pack("<f", 2)),
                   const("half", (1, 1), "fp32", struct.pack("<f", 0.5)), const("zero", (1, 1), "fp32", struct.pack("<f", -3)),
                   const("shift", (1,), "int8", b"\0"), const("three", (1, 1), "int32", struct.pack("<i", -3))]
        tensors += [tosa_file.tensor(name, (1, 6), dtype) for name, dtype in
                    (("m", "fp32"), ("c", "int32" if zero else edge), ("d", "int32"), ("q", "int8" if zero else edge), ("f", "fp32"),
                     ("g", "fp32"), ("y", "fp32"))]
        constants = [tosa_file.operator("CONST", [], [name]) for name in ("two", "half", "zero", "shift", "three")]
        operators = [tosa_file.operator("MUL", ["x", "two", "shift"], ["m"]), tosa_file.operator("CAST", ["m"], ["c"])]
        if zero:
            operators += [tosa_file.operator("ADD", ["c", "three"], ["d"]), tosa_file.operator("CAST", ["d"], ["q"]),
                          tosa_file.operator("CAST", ["q"], ["f"]), tosa_file.operator("SUB", ["f", "zero"], ["g"]),
                          tosa_file.operator("MUL", ["g", "half", "shift"], ["y"])]
        else:
            operators += [tosa_file.operator("IDENTITY", ["c"], ["q"]), tosa_file.operator("CAST", ["q"], ["f"]),
                          tosa_file.operator("MUL", ["f", "half", "shift"], ["y"])]
        return self.write("ends.tosa", tosa_file.graph(tensors, constants + operators, ["x"], ["y"]))

    VALUES = [0.25, 0.75, -0.75, 63.5, 64.0, -1000.0]

    def test_cast_rounds_half_to_even_and_saturates(self):
        """As the official reference model gives them (tosa-tools 2026.8)."""
        reals = self.reals("x.npy", (1, 6), self.VALUES)
        for model in (self.model(), self.compile(self.model())):
            report, outputs = self.run_model(model, [reals])
            self.assertEqual(list(outputs["y"].values), [0, 2, -2, 127, 127, -128])
            self.assertEqual(list(outputs["y.float"].values), [0, 1, -1, 63.5, 63.5, -64])
            self.assertFalse([note for note in report["notes"] if "wraps" in note])
            # The float output's codes have its name, without another operator.
            self.assertIn(" IDENTITY 1 0 ", self.text("inspect", model))
        self.execute("convert", self.model(), "-o", "out.tosa", codes=(0,))
        _, outputs = self.run_model(self.folder / "out.tosa", [reals])
        self.assertEqual(list(outputs["y.float"].values), [0, 1, -1, 63.5, 63.5, -64])

    def test_a_cast_of_int32_wraps_with_a_warning(self):
        model = self.model(zero=True)
        report, outputs = self.run_model(model, [self.reals("x.npy", (1, 6), self.VALUES)])
        self.assertEqual(list(outputs["y"].values), [-3, -1, -5, 124, 125, 45])  # -2003 wraps to 45
        self.assertEqual(list(outputs["y.float"].values), [0, 1, -1, 63.5, 64, 24])
        self.assertIn(f"{model}: input 'x' becomes int32 and then int8 by a CAST, which wraps where TFLite saturates", report["notes"])
        text = self.text("inspect", model)
        for line in ("host before 'x': Mul by 2 (m)", "host after 'y': Sub of -3 (g)", "host after 'y': Mul by 0.5 (y)"):
            self.assertIn(line, text)

    def test_unsigned_inputs_take_unsigned_files(self):
        """RESCALE with input_unsigned reads them; the same bytes as int8 are taken too."""
        entry, = (one for one in program.made_networks() if one["name"] == "rescale_from_unsigned")
        folder = program.MADE / entry["name"]
        signed = {name: npy.read(folder / f"{name}.npy") for name, _, _ in entry["inputs"]}
        given = [f"{name}={folder / name}.npy" for name in signed]
        for name, (descr, dtype) in zip(signed, (("|u1", "int8"), ("<u2", "int16"))):
            values = signed[name]
            self.write(f"{name}.npy", npy.to_bytes(npy.Array(descr, values.shape, values.values.tobytes())))
            self.assertIn(f"{name} {dtype} {list(values.shape)}; u{dtype} in the source", self.text("inspect", folder / "model.tosa"))
        for files in (given, [f"{name}={self.folder / name}.npy" for name in signed]):
            _, outputs = self.run_model(folder / "model.tosa", files)
            for output, _, _ in entry["outputs"]:
                self.assert_arrays_equal(outputs[output], npy.read(folder / f"{output}.npy"), files)

    def test_unsigned_outputs_are_written_where_the_boundary_says_so(self):
        entry, = (one for one in program.made_networks() if one["name"] == "rescale_to_unsigned")
        folder = program.MADE / entry["name"]
        content = (folder / "model.tosa").read_bytes()
        model = self.write("net.tosa", content)
        inputs = [f"{name}={folder / name}.npy" for name, _, _ in entry["inputs"]]
        _, signed = self.run_model(model, inputs)
        name = entry["outputs"][0][0]
        end = {"tensor": name, "is_float": False, "codes": "uint8", "scale": 1, "zero_point": 0, "keeps_bits": True}
        (self.folder / "net.boundary.json").write_text(json.dumps({
            "schema": "vernier-boundary/1", "tosa_sha256": hashlib.sha256(content).hexdigest(), "inputs": [], "outputs": [end]}))
        report, unsigned = self.run_model(model, inputs)
        self.assertEqual((report["outputs"][0]["dtype"], unsigned[name].descr), ("uint8", "|u1"))
        self.assertEqual(unsigned[name].values.tobytes(), signed[name].values.tobytes())

    def test_other_floats_are_refused(self):
        model = self.write("sum.tosa", tosa_file.graph(
            [tosa_file.tensor("x", (1, 6), "fp32"), tosa_file.tensor("m", (1, 6), "fp32"), tosa_file.tensor("y", (1, 6), "int8")],
            [tosa_file.operator("ADD", ["x", "x"], ["m"]), tosa_file.operator("CAST", ["m"], ["y"])], ["x"], ["y"]))
        self.assertIn("tensor 'x', read by ADD, is FP32 (tensors of floating point: 2); the NPU is integer only",
                      self.refusal("run", model, "-q"))
        self.assertEqual(self.refusal("run", self.model(), "-q", "--input-format", "x:scale=1"),
                         "--input-format: input 'x' is quantized by the network itself, allowed are inputs without a quantizer")


if __name__ == "__main__":
    program.main()
