# SPDX-License-Identifier: Apache-2.0
"""Inner tensors of a network against the floats of a framework: every figure is computed here once more."""

import math
import random
import struct
import zipfile

import accuracy_test
import npy
import onnx_file
import tflite_file


class FloatOutputs(accuracy_test.AccuracyTest):
    """A network of TensorFlow Lite and tensors of floats that are its own numbers, moved by a known amount."""

    LAYERS = ("first/Relu", "depthwise/Relu", "pointwise/Relu", "residual/add", "smaller/Relu", "pool", "flat", "classes/BiasAdd", "probabilities")
    dumped = {}

    def setUp(self):
        super().setUp()
        (self.folder / "net.tflite").write_bytes(tflite_file.small_classifier())
        draw = random.Random(8)
        self.input = npy.Array("|i1", (1, 12, 12, 1), [draw.randint(-128, 127) for _ in range(144)])
        npy.write(self.folder / "x.npy", self.input)
        (self.folder / "floats").mkdir()
        self.numbers, self.floats = {}, {}
        for layer in self.LAYERS:
            codes = self.codes_of(layer)
            scale, zero_point = (1 / 256 if layer == "probabilities" else 0.05), (0 if layer == "classes/BiasAdd" else -128)
            self.numbers[layer] = npy.Array("<f4", codes.shape, [rounded((code - zero_point) * rounded(scale)) for code in codes.values])
            # The network goes wrong from the second convolution on.
            noise = {"first/Relu": 0.02, "classes/BiasAdd": 0.05, "probabilities": 0.01}.get(layer, 1.1)
            self.floats[layer] = npy.Array("<f4", codes.shape, [x + draw.uniform(-noise, noise) + noise / 3 for x in self.numbers[layer].values])
            self.write(layer, self.floats[layer])

    def codes_of(self, layer):
        """The same in each case."""
        if layer not in self.dumped:
            done = self.execute("dump", "net.tflite", "--tensor", layer, "-o", "t.npy", "--optimize", 0, "--input", "x.npy")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.dumped[layer] = npy.read(self.folder / "t.npy")
        return self.dumped[layer]

    def write(self, name, array):
        npy.write(self.folder / "floats" / f"{name.replace('/', '_')}.npy", array)

    def floats_of(self, *options, inputs=("--input", "x.npy")):
        found, _ = self.accuracy("net.tflite", *inputs, "--float-outputs", "floats", *options)
        return found["floats"]

    def test_every_figure_is_that_of_the_numbers(self):
        found = self.floats_of()
        self.assertEqual(sorted(gap["tensor"] for gap in found["tensors"]), sorted(self.LAYERS))
        ratios = {}
        for gap in found["tensors"]:
            mine, theirs = self.numbers[gap["tensor"]].values, self.floats[gap["tensor"]].values
            noise = sum((a - b) ** 2 for a, b in zip(mine, theirs))
            ratios[gap["tensor"]] = 10 * math.log10(sum(b * b for b in theirs) / noise)
            cosine = sum(a * b for a, b in zip(mine, theirs)) / math.sqrt(sum(a * a for a in mine) * sum(b * b for b in theirs))
            self.assertAlmostEqual(gap["snr_db"], ratios[gap["tensor"]], places=4)
            self.assertAlmostEqual(gap["cosine"], cosine, places=6)
            self.assertAlmostEqual(gap["largest_difference"], max(abs(a - b) for a, b in zip(mine, theirs)), places=5)
            self.assertEqual(gap["num_elements"], len(mine))
            self.assertFalse(gap["is_equal"])
        self.assertEqual([gap["tensor"] for gap in found["tensors"]], sorted(self.LAYERS, key=ratios.get))
        sources = dict(zip(self.LAYERS[1:], self.LAYERS))
        sources["residual/add"] = min(("first/Relu", "pointwise/Relu"), key=ratios.get)
        drops = {tensor: ratios[source] - ratios[tensor] for tensor, source in sources.items()}
        added = {tensor: 100 * (10 ** (-ratios[tensor] / 10) - 10 ** (-ratios[source] / 10)) for tensor, source in sources.items()}
        for gap in found["tensors"]:
            if gap["tensor"] in drops:
                self.assertEqual(gap["source"], sources[gap["tensor"]])
                self.assertAlmostEqual(gap["snr_drop_db"], drops[gap["tensor"]], places=4)
                self.assertAlmostEqual(gap["added_noise_percent"], added[gap["tensor"]], places=4)
            self.assertEqual(gap["layer"], gap["tensor"])
        worst = max(added, key=added.get)
        self.assertEqual((found["greatest_drop"]["layer"], found["greatest_drop"]["from"]), (worst, sources[worst]))
        self.assertEqual(worst, "depthwise/Relu")
        self.assertAlmostEqual(found["greatest_drop"]["added_noise_percent"], added[worst], places=4)
        done = self.execute("run", "net.tflite", "--input", "x.npy", "--float-outputs", "floats")
        self.assertIn("greatest drop: layer 'depthwise/Relu' adds most noise", done.stdout)
        self.assertEqual(self.floats_of("--backend", "reference"), found)
        npy.write(self.folder / "many.npy", accuracy_test.stacked([self.input, npy.zeros("int8", (1, 12, 12, 1))]))
        first = self.floats_of(inputs=("--inputs", "many.npy"))
        self.assertEqual((first["tensors"], first["sample"]), (found["tensors"], "0000"))

    def test_equal_tensors_folders_and_archives(self):
        self.write("pool", self.numbers["pool"])
        [gap] = [gap for gap in self.floats_of()["tensors"] if gap["tensor"] == "pool"]
        self.assertEqual((gap["is_equal"], gap["snr_db"], gap["largest_difference"]), (True, None, 0))
        accuracy_test.write_npz(self.folder / "floats.npz", {"smaller/Relu": self.floats["smaller/Relu"]}, zipfile.ZIP_DEFLATED)
        found, _ = self.accuracy("net.tflite", "--input", "x.npy", "--float-outputs", "floats.npz")
        self.assertEqual([gap["tensor"] for gap in found["floats"]["tensors"]], ["smaller/Relu"])
        (self.folder / "floats" / "smaller").mkdir()
        (self.folder / "floats" / "smaller_Relu.npy").rename(self.folder / "floats" / "smaller" / "Relu.npy")
        self.assertEqual(len(self.floats_of()["tensors"]), len(self.LAYERS))

    def test_the_text_fits_the_width(self):
        for columns in (80, 160):
            self.environment["COLUMNS"] = str(columns)
            done = self.execute("run", "net.tflite", "--input", "x.npy", "--float-outputs", "floats")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertLessEqual(max(map(len, done.stdout.splitlines())), columns)

    def test_what_does_not_fit_is_one_line(self):
        self.write("pol", self.floats["pool"])
        self.assertEqual(self.floats_of()["unknown"], ["floats/pol.npy: no tensor is named 'pol', did you mean 'pool'?"])
        (self.folder / "floats" / "pol.npy").unlink()

        def refused(what, *options, inputs=("--input", "x.npy")):
            self.refused(what, *inputs, "--float-outputs", "floats", *options, model="net.tflite")

        refused("goes with --input or --inputs", inputs=())
        for array, what in ((npy.zeros("<f4", (1, 32)), "pool.npy: holds float32 [1, 32], tensor 'pool' is [1, 1, 1, 32]"),
                            (npy.zeros("<f8", (1, 1, 1, 32)), "pool.npy: holds float64 [1, 1, 1, 32], expected float32"),
                            (npy.Array("<f4", (1, 1, 1, 32), [float("nan")] * 32), "pool.npy: holds nan at [0, 0, 0, 0]")):
            self.write("pool", array)
            refused(what)
        for file in (self.folder / "floats").iterdir():
            file.unlink()
        refused("has no arrays")
        self.write("weights", npy.zeros("<f4", (3,)))
        refused("no tensor is named 'weights'")


class OnnxFloats(accuracy_test.AccuracyTest):
    def test_values_are_known_by_their_names_before_quantizers_and_in_the_order_of_the_source(self):
        draw = random.Random(9)
        weights = [draw.randint(-3, 3) for _ in range(12)]
        initializers = [onnx_file.tensor("s", onnx_file.FLOAT, [], [0.25]), onnx_file.tensor("z", onnx_file.UINT8, [], [100]),
                        onnx_file.tensor("w", onnx_file.INT8, [3, 2, 2, 1], weights), onnx_file.tensor("ws", onnx_file.FLOAT, [], [0.5])]
        nodes = [*onnx_file.quantizer("x", "s", "z"), onnx_file.node("DequantizeLinear", ["w", "ws"], ["w_d"]),
                 onnx_file.node("Conv", ["x_d", "w_d"], ["conv"]), *onnx_file.quantizer("conv", "s", "z"),
                 onnx_file.node("Relu", ["conv_d"], ["relu"]), onnx_file.node("QuantizeLinear", ["relu", "s", "z"], ["relu_q"]),
                 onnx_file.node("DequantizeLinear", ["relu_q", "s", "z"], ["y"])]
        (self.folder / "net.onnx").write_bytes(onnx_file.model(nodes, initializers, [("x", onnx_file.FLOAT, [1, 2, 4, 5])], [("y", onnx_file.FLOAT, [1, 3, 3, 5])]))
        codes = [draw.randint(60, 140) for _ in range(40)]
        npy.write(self.folder / "x.npy", npy.Array("<f4", (1, 2, 4, 5), [(code - 100) / 4 for code in codes]))
        self.write_folder("floats", {})
        npy.write(self.folder / "floats" / "x.npy", npy.read(self.folder / "x.npy"))
        conv = []
        for channel in range(3):
            for row in range(3):
                for column in range(5):
                    total = sum((codes[(c * 4 + row + k) * 5 + column] - 100) * weights[(channel * 2 + c) * 2 + k] for c in range(2) for k in range(2))
                    conv.append(max(0, min(255, round(total / 2) + 100)))  # scales 0.25 x 0.5 to 0.25, halves to even
        npy.write(self.folder / "floats" / "conv.npy", npy.Array("<f4", (1, 3, 3, 5), [(code - 100) / 4 for code in conv]))
        npy.write(self.folder / "floats" / "relu.npy", npy.Array("<f4", (3, 3, 5), [max(0, code - 100) / 4 + 0.25 for code in conv]))
        found, _ = self.accuracy("net.onnx", "--input", "x.npy", "--float-outputs", "floats")
        gaps = {gap["tensor"]: gap for gap in found["floats"]["tensors"]}
        self.assertEqual(sorted(gaps), ["conv", "relu", "x"])
        self.assertEqual((gaps["conv"]["is_equal"], gaps["x"]["is_equal"], gaps["relu"]["largest_difference"]), (True, True, 0.25))
        self.assertEqual(found["floats"]["greatest_drop"]["from"], "conv")


def rounded(number):
    """To float32."""
    return struct.unpack("<f", struct.pack("<f", number))[0]


if __name__ == "__main__":
    accuracy_test.program.main()
