# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite networks as they are: real ones against LiteRT's reference kernels, byte for byte, on both back ends; and what is
refused, in one line each. The real ones are skipped where ../shared is not there."""

import json
import struct

import npy
import program
import tflite_case
import tflite_file
from tosa_file import Scalar

NETWORKS = ("ad01_int8", "ds_cnn_kws_int16x8", "kws_ref_model", "mobilenet_v1_025_96_int16x8", "mobilenet_v1_025_96_int8", "pretrainedResnet_quant",
            "str_ww_ref_model", "unet_96_int8", "vit_tiny_int8", "vww_96_int8", "mobilenet_v2_quantized_1x3x224x224", "resnet50_int8")
MODELS = program.ROOT.parent / "shared" / "models"
INPUTS = 3


def source_of(name):
    found = [program.GOLDEN / name / "model.tflite", *MODELS.glob(f"*/{name}.tflite")]
    return next((path for path in found if path.exists()), None)


class RealNetworks(program.ProgramTest):
    def compare(self, name, seeds, options):
        source = source_of(name)
        if source is None:
            self.skipTest(f"{program.GOLDEN / name} is not there")
        for seed in seeds:
            folder = program.GOLDEN / name / f"seed{seed}"
            report, outputs = self.run_model(source, [folder / "input0.npy"], options)
            (found,) = outputs.values()
            self.assert_arrays_equal(found, npy.read(folder / "output_litert_ref.npy"), f"{name}, seed {seed}, {options}")
        return report

    def estimate(self, model):
        done = self.execute("estimate", model, "-q", "--report", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def cycles_as_converted(self, name):
        """Cycles are those of the same network through the official converter, half a percent more at most: decision 0048 says why."""
        source = source_of(name)
        if source is None:
            self.skipTest(f"{program.GOLDEN / name} is not there")
        found, expected = (self.estimate(model)["totals"] for model in (source, program.GOLDEN / name / "model.tosa"))
        self.assertEqual(found["macs"], expected["macs"])
        self.assertLessEqual(found["cycles"], 1.005 * expected["cycles"], name)


def _add_cases(name):
    setattr(RealNetworks, f"test_{name}_reference", lambda self: self.compare(name, range(INPUTS), ["--backend", "reference"]))
    setattr(RealNetworks, f"test_{name}_sim", lambda self: self.compare(name, [0], ["--check-all"]))
    setattr(RealNetworks, f"test_{name}_cycles", lambda self: self.cycles_as_converted(name))


for _name in NETWORKS:
    _add_cases(_name)


def one_operator(number, options, source_shape, result_shape, constants=(), **tensor):
    """A network of one operator on int8: `constants` are (shape, kind, values)."""
    net = tflite_file.Network()
    inputs = [net.tensor("x", source_shape, **tensor)]
    inputs += [net.tensor(f"c{i}", shape, kind, (), 0, values) for i, (shape, kind, values) in enumerate(constants)]
    result = net.operator(number, options, inputs, net.tensor("y", result_shape, **tensor))
    return net.to_bytes([inputs[0]], [result])


class MadeNetworks(program.ProgramTest):
    def put(self, content):
        (self.folder / "net.tflite").write_bytes(content)
        return self.folder / "net.tflite"

    def test_a_classifier_has_the_layers_of_the_file(self):
        report, outputs = self.run_model(self.put(tflite_file.small_classifier()), options=["--check-all"])
        self.assertEqual(report["check"]["result"], "match")
        self.assertEqual([layer["name"] for layer in report["layers"]],
                         ["first/Relu", "depthwise/Relu", "pointwise/Relu", "residual/add", "smaller/Relu", "pool", "classes/BiasAdd", "probabilities"])
        self.assertEqual(list(outputs), ["probabilities"])
        self.assertAlmostEqual(sum(code + 128 for code in outputs["probabilities"].values), 256, delta=8)

    def test_a_mean_is_rounded_twice(self):
        """As the kernel does: a quarter becomes a half, and that 1."""
        reducer = {0: Scalar(1, "B")}
        tflite_file.OPTIONS[40] = 27
        model = self.put(one_operator(40, reducer, (1, 2, 2, 1), (1, 1, 1, 1), [((2,), tflite_file.INT32, [1, 2])]))
        for values, mean in (((1, 2, 2, 2), 2), ((1, 1, 2, 2), 2), ((-1, -1, -2, -2), -2), ((0, 0, 0, 1), 1), ((0, 0, 0, 0), 0)):
            npy.write(self.folder / "x.npy", npy.Array("|i1", (1, 2, 2, 1), list(values)))
            _, outputs = self.run_model(model, [self.folder / "x.npy"])
            self.assertEqual(list(outputs["y"].values), [mean], values)

    def test_floats_at_the_ends(self):
        """QUANTIZE and DEQUANTIZE are the host's: halves go away from 0, and codes saturate."""
        net = tflite_file.Network()
        x = net.tensor("x", (1, 4), kind=tflite_file.FLOAT32, scales=())
        format = {"scales": (0.5,), "zero_point": 3}
        codes = net.operator(tflite_file.QUANTIZE, {}, [x], net.tensor("codes", (1, 4), **format))
        moved = net.operator(tflite_file.RESHAPE, {}, [codes], net.tensor("moved", (4,), **format))
        y = net.operator(6, {}, [moved], net.tensor("y", (4,), kind=tflite_file.FLOAT32, scales=()), 0)
        npy.write(self.folder / "x.npy", npy.Array("<f4", (1, 4), [0.25, -0.25, 0.75, 100]))
        report, outputs = self.run_model(self.put(net.to_bytes([x], [y])), [self.folder / "x.npy"], ["--check-all"])
        self.assertEqual(report["check"]["result"], "match")
        self.assertEqual(list(outputs["y"].values), [4, 2, 5, 127])
        self.assertEqual(list(outputs["y.float"].values), [0.5, -0.5, 1, 62])

    def test_floats_in_the_middle(self):
        net = tflite_file.Network()
        x = net.tensor("x", (1, 4))
        floats = net.operator(6, {}, [x], net.tensor("floats", (1, 4), kind=tflite_file.FLOAT32, scales=()), 0)
        y = net.operator(tflite_file.QUANTIZE, {}, [floats], net.tensor("y", (1, 4)))
        self.refused(net.to_bytes([x], [y]), "operator 0 DEQUANTIZE 'floats': QUANTIZE reads 'floats', which is FLOAT32: floats stand at the ends of a network alone")
        net = tflite_file.Network()
        x = net.tensor("x", (1, 4), kind=tflite_file.FLOAT32, scales=())
        y = net.operator(tflite_file.RESHAPE, {}, [x], net.tensor("y", (4,), kind=tflite_file.FLOAT32, scales=()))
        self.refused(net.to_bytes([x], [y]), "not quantized: its operator computes with FLOAT32, needed are integers (docs/guides/your-own-network.md)")

    def test_every_operator_on_floats_is_named(self):
        net = tflite_file.Network()
        x = net.tensor("x", (1, 4))
        floats = net.operator(6, {}, [x], net.tensor("floats", (1, 4), kind=tflite_file.FLOAT32, scales=()), 0)
        a = net.operator(tflite_file.ADD, {0: Scalar(0, "B")}, [floats, floats], net.tensor("a", (1, 4), kind=tflite_file.FLOAT32, scales=()))
        b = net.operator(tflite_file.RESHAPE, {}, [a], net.tensor("b", (4,), kind=tflite_file.FLOAT32, scales=()))
        y = net.operator(tflite_file.QUANTIZE, {}, [b], net.tensor("y", (4,)))
        said = self.refused(net.to_bytes([x], [y]), "operator 1 ADD 'a': computes with FLOAT32: floats stand at the ends of a network alone",
                            "operator 2 RESHAPE 'b': computes with FLOAT32")
        self.assertEqual(len(said.splitlines()), 2)

    def test_weights_alone_are_quantized(self):
        net = tflite_file.Network()
        x = net.tensor("x", (1, 4), kind=tflite_file.FLOAT32, scales=())
        weights = net.constant("w", (3, 4), 0.01, 0)
        y = net.operator(tflite_file.DENSE, {0: Scalar(0, "B")}, [x, weights, -1], net.tensor("y", (1, 3), kind=tflite_file.FLOAT32, scales=()))
        said = self.refused(net.to_bytes([x], [y]), "not quantized: its operator computes with FLOAT32: weights alone are quantized, needed are activations too (docs/guides/your-own-network.md)")
        self.assertEqual(len(said.splitlines()), 1)

    def test_all_that_is_wrong_is_told_at_once(self):
        """An operator that is not read, floats in the middle, an input that is none, an operator whose options are wrong, and what reads its result."""
        net = tflite_file.Network()
        x, words = net.tensor("x", (1, 4)), net.tensor("words", (1, 4), kind=5, scales=())
        floats = net.operator(6, {}, [x], net.tensor("floats", (1, 4), kind=tflite_file.FLOAT32, scales=()), 0)
        net.operator(tflite_file.ADD, {0: Scalar(0, "B")}, [floats, floats], net.tensor("a", (1, 4), kind=tflite_file.FLOAT32, scales=()))
        odd = net.operator(48, {}, [x], net.tensor("odd", (1, 4)), 0)
        bad = net.operator(tflite_file.ADD, {0: Scalar(9, "B")}, [x, x], net.tensor("bad", (1, 4)))
        both = net.operator(tflite_file.ADD, {0: Scalar(0, "B")}, [odd, bad], net.tensor("both", (1, 4)))
        said = self.refused(net.to_bytes([x, words], [both]), "input 'words' is STRING, allowed are", "operator 1 ADD 'a': computes with FLOAT32",
                            "operator 2 TOPK_V2 'odd': is not read", "operator 3 ADD 'bad': ")
        self.assertEqual(len(said.splitlines()), 4, said)

    def test_a_broken_structure_hides_no_operators(self):
        net = tflite_file.Network()
        x = net.tensor("x", (1, 4), scales=(-1.0,))
        floats = net.operator(6, {}, [x], net.tensor("floats", (1, 4), kind=tflite_file.FLOAT32, scales=()), 0)
        net.operator(tflite_file.ADD, {0: Scalar(0, "B")}, [floats, 99], net.tensor("a", (1, 4), kind=tflite_file.FLOAT32, scales=()))
        odd = net.operator(48, {}, [x], net.tensor("odd", (1, 4)), 0)
        second = tflite_file.Network(beside=net)
        y = second.tensor("y", (1, 4), scales=(0.0,))
        net.further.append((second, [y], [y]))
        said = self.refused(net.to_bytes([x], [odd]), "tensor 0 'x' has a scale of -1, allowed are finite numbers above 0", "operator 1 ADD: tensor 99 is none of the 4",
                            "subgraph 1: tensor 0 'y' has a scale of 0", "operator 1 ADD 'a': computes with FLOAT32", "operator 2 TOPK_V2 'odd': is not read")
        self.assertEqual(len(said.splitlines()), 5, said)

    def test_an_operator_of_no_code(self):
        """Its tensors, which are none of the file's either, are not looked at."""
        net = tflite_file.Network()
        x = net.tensor("x", (1, 4))
        y = net.operator(tflite_file.ADD, {0: Scalar(0, "B")}, [x, 123456789], net.tensor("y", (1, 4)))
        net.operators[0][0] = Scalar(9, "I")
        said = self.refused(net.to_bytes([x], [y]), "operator 0 has code 9, the file has 1")
        self.assertEqual(len(said.splitlines()), 1, said)

    def test_names_that_promise_what_the_file_is_not(self):
        for name, content, said in (("net.tflite", b"", "is empty, expected a network"),
                                    ("net.tflite", b"about a network", "not a TensorFlow Lite flatbuffer: its bytes 4 to 7 are not 'TFL3'"),
                                    ("net.mlir", b"about a network", "net.mlir:1:1: ")):
            path = self.folder / name
            path.write_bytes(content)
            done = self.execute("inspect", path)
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)
            self.assertIn(said, done.stderr)

    def test_indices_of_64_bits_and_orders_from_the_end(self):
        results = []
        for kind in (tflite_file.INT32, tflite_file.INT64):
            net = tflite_file.Network()
            x = net.tensor("x", (2, 5))
            moved = net.operator(39, {}, [x, net.tensor("order", (2,), tflite_file.INT32, (), 0, [-1, 0])], net.tensor("moved", (5, 2)), 0)
            axis = net.tensor("axis", (1,), tflite_file.INT32, (), 0, [0])
            y = net.operator(56, {}, [moved, axis], net.tensor("y", (2,), kind, ()), 0)
            npy.write(self.folder / "x.npy", npy.Array("|i1", (2, 5), [1, 2, 3, 9, 5, 7, -6, 5, 4, 3]))
            results.append(self.run_model(self.put(net.to_bytes([x], [y])), [self.folder / "x.npy"], ["--check-all"])[1]["y"])
        self.assertEqual([list(result.values) for result in results], [[3, 0], [3, 0]])

    def test_equality_of_truths(self):
        net = tflite_file.Network()
        a, b = (net.tensor(name, (1, 4), tflite_file.BOOL, ()) for name in "ab")
        same = net.operator(71, {}, [a, b], net.tensor("same", (1, 4), tflite_file.BOOL, ()), 0)
        other = net.operator(72, {}, [a, b], net.tensor("other", (1, 4), tflite_file.BOOL, ()), 0)
        for name, values in (("a", [0, 0, 1, 1]), ("b", [0, 1, 0, 1])):
            npy.write(self.folder / f"{name}.npy", npy.Array("|b1", (1, 4), values))
        _, outputs = self.run_model(self.put(net.to_bytes([a, b], [same, other])), [f"{name}={self.folder / name}.npy" for name in "ab"], ["--check-all"])
        self.assertEqual([[int(value) for value in outputs[name].values] for name in ("same", "other")], [[1, 0, 0, 1], [0, 1, 1, 0]])

    def test_codes_that_move_to_another_scale_stay_as_they_are(self):
        net = tflite_file.Network()
        x = net.tensor("x", (1, 4), scales=(0.5,))
        y = net.operator(tflite_file.RESHAPE, {}, [x], net.tensor("y", (4,), scales=(0.25,), zero_point=3))
        npy.write(self.folder / "x.npy", npy.Array("|i1", (1, 4), [1, -2, 3, 100]))
        model = self.put(net.to_bytes([x], [y]))
        _, outputs = self.run_model(model, [self.folder / "x.npy"], ["--check-all"])
        self.assertEqual(list(outputs["y"].values), [1, -2, 3, 100])
        said = " ".join(self.execute("inspect", model).stdout.split())
        self.assertIn("'x' and 'y' have other scales or zero points: the codes stay as they are, as LiteRT's kernel has it", said)

    def test_numbers_of_int32(self):
        """SUM of them, and ADD with an activation."""
        net = tflite_file.Network()
        a, b = (net.tensor(name, (2, 3), tflite_file.INT32, ()) for name in "ab")
        shapes = {"relu": 1, "near": 2, "six": 3}
        outputs = [net.operator(tflite_file.ADD, {0: Scalar(activation, "B")}, [a, b], net.tensor(name, (2, 3), tflite_file.INT32, ())) for name, activation in shapes.items()]
        axis = net.tensor("axis", (1,), tflite_file.INT32, (), 0, [1])
        outputs.append(net.operator(74, {0: Scalar(False, "?")}, [a, axis], net.tensor("sum", (2,), tflite_file.INT32, ()), 27))
        for name, values in (("a", [1, -2, 70000, 4, -5, 6]), ("b", [2, 1, 7, -4, 4, 1])):
            npy.write(self.folder / f"{name}.npy", npy.Array("<i4", (2, 3), values))
        _, found = self.run_model(self.put(net.to_bytes([a, b], outputs)), [f"{name}={self.folder / name}.npy" for name in "ab"], ["--check-all"])
        self.assertEqual({name: list(array.values) for name, array in found.items()},
                         {"relu": [3, 0, 70007, 0, 0, 7], "near": [1, -1, 1, 0, -1, 1], "six": [3, 0, 6, 0, 0, 6], "sum": [69999, 5]})

    def test_a_pool_with_one_window_and_any_stride(self):
        net = tflite_file.Network()
        x = net.tensor("x", (1, 3, 3, 2))
        options = {0: Scalar(1, "B"), 1: Scalar(2**31 - 1), 2: Scalar(2**31 - 1), 3: Scalar(2), 4: Scalar(2)}
        y = net.operator(17, options, [x], net.tensor("y", (1, 1, 1, 2)), tflite_case.OPTIONS["Pool2DOptions"] + 1)
        npy.write(self.folder / "x.npy", npy.Array("|i1", (1, 3, 3, 2), range(18)))
        _, found = self.run_model(self.put(net.to_bytes([x], [y])), [self.folder / "x.npy"], ["--check-all", "--level", "none"])
        self.assertEqual(list(found["y"].values), [8, 9])

    def test_names_that_are_too_long_for_a_file(self):
        net = tflite_file.Network()
        x = net.tensor("x", (1, 4))
        outputs = [net.operator(tflite_file.ADD, {0: Scalar(0, "B")}, [x, x], net.tensor("model/batch;" * 30 + end, (1, 4))) for end in "ab"]
        npy.write(self.folder / "x.npy", npy.Array("|i1", (1, 4), [1, -2, 3, 50]))
        _, found = self.run_model(self.put(net.to_bytes([x], outputs)), [self.folder / "x.npy"], ["--backend", "reference"])
        self.assertEqual([list(array.values) for array in found.values()], [[2, -4, 6, 100]] * 2)

    def test_data_that_is_not_there(self):
        for change, said in (({2: Scalar(0, "I")}, "operator 0 FULLY_CONNECTED 'y': the weights: 'w' has no data, and nothing before it gives it, expected a constant"),
                             ({10: Scalar(3, "I")}, "tensor 1 'w' lies in another file, as external buffer 3, which is not read"),
                             ({6: {}}, "tensor 1 'w' is sparse, allowed are dense tensors"),
                             ({5: Scalar(True, "?")}, "tensor 1 'w' is a variable and has data, allowed is one of the two")):
            net = tflite_file.Network()
            x, weights = net.tensor("x", (1, 4)), net.constant("w", (3, 4), 0.01, 0)
            net.tensors[weights].update(change)
            y = net.operator(tflite_file.DENSE, {0: Scalar(0, "B")}, [x, weights, -1], net.tensor("y", (1, 3)))
            self.assertEqual(len(self.refused(net.to_bytes([x], [y]), said).splitlines()), 1)

    def test_data_after_the_flatbuffer(self):
        def net():
            net = tflite_file.Network()
            x, weights = net.tensor("x", (1, 4)), net.constant("w", (3, 4), 0.01, 0)
            bias = net.tensor("b", (3,), kind=tflite_file.INT32, scales=(0.0005,), values=[70, -900, 5])
            return net, [x], [net.operator(tflite_file.DENSE, {0: Scalar(0, "B")}, [x, weights, bias], net.tensor("y", (1, 3)))]
        npy.write(self.folder / "x.npy", npy.Array("|i1", (1, 4), [1, -100, 7, 90]))
        inputs = [f"x={self.folder / 'x.npy'}"]
        network, *ends = net()
        _, inside = self.run_model(self.put(network.to_bytes(*ends)), inputs)
        network, *ends = net()
        content = network.to_bytes_with_data_after(*ends)
        _, after = self.run_model(self.put(content), inputs)
        self.assertEqual(list(inside["y"].values), list(after["y"].values))
        said = self.refused(content[:-32], "tensor 2 'b' has 12 bytes at ", ", the file ends at ")
        self.assertIn("tensor 1 'w' has 12 bytes at ", said)
        network, *ends = net()
        network.buffers[1] = {1: Scalar(2 ** 64 - 8, "Q"), 2: Scalar(12, "Q")}
        self.refused(network.to_bytes(*ends), "tensor 1 'w' has 12 bytes at 18446744073709551608, the file ends at ")
        network, *ends = net()
        network.buffers[1] = {1: Scalar(16, "Q"), 2: Scalar(5, "Q")}
        self.refused(network.to_bytes(*ends), "tensor 1 'w' [3, 4] of INT8 has 5 bytes, expected 12")

    def test_zero_points_at_any_address(self):
        """The verifier of flatbuffers lets a vector of 64-bit numbers begin at a multiple of 4: one of these two files has such a one."""
        for name in ("x", "xxxxx"):
            net = tflite_file.Network()
            x, y = net.tensor(name, (1, 4), zero_point=3), net.tensor("y", (1, 4), zero_point=-2)
            for tensor in (x, y):
                [zero_point] = struct.unpack("<q", net.tensors[tensor][4][3].content)
                net.tensors[tensor][4][3] = tflite_file.Vector("q", [zero_point], align=4)
            net.operator(tflite_file.QUANTIZE, {}, [x], y)
            npy.write(self.folder / "x.npy", npy.Array("|i1", (1, 4), [1, -100, 7, 90]))
            _, outputs = self.run_model(self.put(net.to_bytes([x], [y])), [f"{name}={self.folder / 'x.npy'}"])
            self.assertEqual(list(outputs["y"].values), [-4, -105, 2, 85])

    def test_all_mistakes_of_quantization_at_once(self):
        net = tflite_file.Network()
        x = net.tensor("x", (1, 4), scales=(0.0,))
        weights = net.tensor("w", (3, 4), scales=(0.1, 0.2, 0.3), values=[1] * 12, axis=7)
        bias = net.tensor("b", (3,), kind=tflite_file.INT32, scales=(0.1, 0.1), values=[1] * 3)
        y = net.operator(tflite_file.DENSE, {0: Scalar(0, "B")}, [x, weights, bias], net.tensor("y", (1, 3), scales=(-1.0,)))
        said = self.refused(net.to_bytes([x], [y]), "tensor 0 'x' has a scale of 0", "tensor 1 'w' has scales along dimension 7 of [3, 4]",
                            "tensor 2 'b' [3] has 2 scales along dimension 0, expected as many", "tensor 3 'y' has a scale of -1")
        self.assertEqual(len(said.splitlines()), 4)

    def test_inputs_that_are_left_out(self):
        net = tflite_file.Network()
        x = net.tensor("x", (1, 4))
        a = net.operator(tflite_file.ADD, {0: Scalar(0, "B")}, [x, -1], net.tensor("a", (1, 4)))
        b = net.operator(tflite_file.ADD, {0: Scalar(0, "B")}, [x], net.tensor("b", (1, 4)))
        said = self.refused(net.to_bytes([x], [a, b]), "operator 0 ADD 'a': input 1 is missing", "operator 1 ADD 'b': input 1 is missing")
        self.assertEqual(len(said.splitlines()), 2)
        self.refused(net.to_bytes([-1], [a, -1]), "the network's inputs: tensor -1 is none of the 3 of the file", "the network's outputs: tensor -1 is none of the 3 of the file")

    def test_control_flow_that_never_ends(self):
        """A subgraph that runs itself, and one that is not there."""
        for branch, said in ((0, "runs subgraph 0, the file has 1"), (7, "runs subgraph 7, the file has 1"), (1, "subgraph 1: operator 0 IF 'inner': runs subgraph 1, which runs it")):
            net = tflite_file.Network()
            condition, x = net.tensor("condition", (1,), kind=tflite_file.BOOL, scales=()), net.tensor("x", (1, 4))
            y = net.operator(tflite_case.NUMBERS["IF"], {0: Scalar(branch), 1: Scalar(branch)}, [condition, x], net.tensor("y", (1, 4)), tflite_case.OPTIONS["IfOptions"] + 1)
            part = tflite_file.Network(beside=net)
            inner, again = part.tensor("c", (1,), kind=tflite_file.BOOL, scales=()), part.tensor("x", (1, 4))
            result = part.operator(tflite_case.NUMBERS["IF"], {0: Scalar(1), 1: Scalar(1)}, [inner, again], part.tensor("inner", (1, 4)), tflite_case.OPTIONS["IfOptions"] + 1)
            net.further.append((part, [inner, again], [result]))
            self.refused(net.to_bytes([condition, x], [y]), said)

    def refused(self, content, *expected):
        done = self.execute("run", self.put(content))
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        for line in expected:
            self.assertIn(line, done.stderr)
        return done.stderr

    def test_what_is_not_read_is_named_at_once(self):
        net = tflite_file.Network()
        tflite_file.OPTIONS.update({16: 0, 32: 0})
        x = net.tensor("x", (1, 4))
        a = net.operator(16, {}, [x], net.tensor("a", (1, 4)))
        b = net.operator(16, {}, [a], net.tensor("b", (1, 4)))
        y = net.operator(32, {}, [b], net.tensor("y", (1, 4)))
        said = self.refused(net.to_bytes([x], [y]), "operator 0 LSTM 'a': is not read", "operator 2 CUSTOM 'y': is not read")
        self.assertEqual(len(said.splitlines()), 2)

    def test_types_and_quantization(self):
        net = tflite_file.Network()
        x = net.tensor("x", (1, 4), kind=0, scales=())
        y = net.operator(tflite_file.RESHAPE, {}, [x], net.tensor("y", (4,), kind=0, scales=()))
        self.refused(net.to_bytes([x], [y]), "not quantized: its operator computes with FLOAT32")
        self.refused(one_operator(tflite_file.RESHAPE, {}, (1, 4), (5,)), "operator 0 RESHAPE 'y': [1, 4] becomes [5], which has another number of elements")
        self.refused(one_operator(tflite_file.RESHAPE, {}, (1, 4), (4,), scales=(float("nan"),)), "tensor 0 'x' has a scale of nan, allowed are finite numbers above 0")
        self.refused(one_operator(tflite_file.RESHAPE, {}, (1, 4), (4,), zero_point=200), "tensor 0 'x' has a zero point of 200, which is no INT8")

    def test_hostile_constants(self):
        tflite_file.OPTIONS.update({34: 22, 39: 26})
        for order in ([5, 0], [2147483647, 0], [0, 0], [-1, 1], [0]):
            self.refused(one_operator(39, {}, (2, 3), (3, 2), [((len(order),), tflite_file.INT32, order)]), "is none of the dimensions of [2, 3]")
        self.refused(one_operator(34, {}, (2, 3), (3, 2), [((2, 2), tflite_file.INT32, [0, -1, 0, 0])]), "is no pair of numbers from 0 to 2^31 - 1")

    def test_ends(self):
        """A tensor has one name: a RESHAPE that changes nothing is a tensor of its own. An input is no constant."""
        net = tflite_file.Network()
        x = net.tensor("x", (1, 4))
        a = net.operator(tflite_file.RESHAPE, {}, [x], net.tensor("a", (4,)))
        y = net.operator(tflite_file.RESHAPE, {}, [a], net.tensor("y", (4,)))
        npy.write(self.folder / "x.npy", npy.Array("|i1", (1, 4), [1, -2, 3, 127]))
        _, outputs = self.run_model(self.put(net.to_bytes([x], [a, y])), [self.folder / "x.npy"])
        self.assertEqual({name: list(array.values) for name, array in outputs.items()}, {"a": [1, -2, 3, 127], "y": [1, -2, 3, 127]})
        w = net.tensor("w", (2, 2), values=[1, 2, 3, 4])
        self.refused(net.to_bytes([x, w], [y]), "input 'w' is a constant")
        self.refused(net.to_bytes([x, x], [y]), "input 'x' is listed twice")
        self.refused(net.to_bytes([x], [w]), "output 'w' is a constant")
        self.refused(net.to_bytes([x], [x]), "output 'x' is an input of the network")
        late = tflite_file.Network()
        x = late.tensor("x", (1, 4))
        missing = late.tensor("missing", (1, 4))
        y = late.operator(tflite_file.RESHAPE, {}, [missing], late.tensor("y", (4,)))
        self.refused(late.to_bytes([x], [y]), "operator 0 RESHAPE 'y': nothing before it gives 'missing', and it has no data")

    def test_structure(self):
        good = tflite_file.small_classifier()
        self.refused(good[:len(good) // 2], "a damaged or truncated TensorFlow Lite flatbuffer")
        net = tflite_file.Network()
        x = net.tensor("x", (1, 4))
        net.tensors[0][2] = Scalar(7, "I")
        y = net.operator(tflite_file.RESHAPE, {}, [x, 9], net.tensor("y", (4,)))
        self.refused(net.to_bytes([x], [y]), "tensor 0 'x' is in buffer 7, the file has 1", "operator 0 RESHAPE: tensor 9 is none of the 2 of the file")
        net = tflite_file.Network()
        x = net.tensor("x", (1, 4))
        weights = net.tensor("w", (2, 4), values=[1] * 7)
        self.refused(net.to_bytes([x], [x]), "tensor 1 'w' [2, 4] of INT8 has 7 bytes, expected 8")
        self.assertEqual(weights, 1)

    def test_a_batch_that_is_not_open(self):
        done = self.execute("run", self.put(tflite_file.small_classifier()), "--batch", "3")
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)
        self.assertIn("input 'picture' [1, 12, 12, 1] has no batch of 3", done.stderr)


if __name__ == "__main__":
    program.main()
