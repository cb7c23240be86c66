# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite: files with several signatures, and networks whose batch is open."""

import random

import npy
import program
import tflite_file
from tosa_file import Scalar

PICTURE = (12, 12, 1)
NOTE = "the network leaves the first dimension of input 'picture' open (-1): taken as"


def codes(shape, seed):
    rng = random.Random(seed)
    count = 1
    for size in shape:
        count *= size
    return npy.Array("|i1", shape, [rng.randint(-128, 127) for _ in range(count)])


class LiteTest(program.ProgramTest):
    def put(self, content):
        (self.folder / "net.tflite").write_bytes(content)
        return self.folder / "net.tflite"

    def run_with(self, model, name, array, *options):
        npy.write(self.folder / "x.npy", array)
        return self.run_model(model, [f"{name}={self.folder / 'x.npy'}"], options)

    def refused(self, model, expected, *options):
        done = self.execute("run", model, *options)
        self.assertEqual((done.returncode, done.stdout, len(done.stderr.splitlines())), (2, "", 1), done.stderr)
        self.assertIn(expected, done.stderr)


class OpenBatch(LiteTest):
    def setUp(self):
        super().setUp()
        self.model = self.put(tflite_file.small_classifier(dynamic_batch=True))

    def test_each_picture_of_a_batch_has_its_own_result(self):
        """Convolutions, a pool, RESHAPE, FULLY_CONNECTED and SOFTMAX, on both back ends."""
        pictures = codes((3, *PICTURE), 1)
        size = len(pictures.values) // 3
        expected = []
        for i in range(3):
            one = npy.Array("|i1", (1, *PICTURE), pictures.values[i * size:(i + 1) * size])
            report, outputs = self.run_with(self.model, "picture", one, "--backend", "reference")
            self.assertIn(f"{NOTE} 1; --batch N takes another", report["notes"])
            expected += outputs["probabilities"].values
        for options in (["--batch", "3", "--check-all"], ["--batch", "3", "--backend", "reference"], ["--shape", "picture=3x12x12x1"]):
            report, outputs = self.run_with(self.model, "picture", pictures, *options)
            self.assertEqual(outputs["probabilities"].shape, (3, 10))
            self.assertEqual(list(outputs["probabilities"].values), list(expected))
            self.assertEqual(f"{NOTE} 3; --batch N takes another" in report["notes"], options[0] == "--batch")

    def test_a_package_keeps_its_batch(self):
        package = self.compile(self.model, "--batch", "2")
        _, outputs = self.run_with(package, "picture", codes((2, *PICTURE), 2))
        self.assertEqual(outputs["probabilities"].shape, (2, 10))

    def test_results_without_a_signature_grow_too(self):
        net = tflite_file.Network(dynamic_batch=True)
        x = net.tensor("x", (1, 4))
        net.dynamic_batch = False
        wide = net.operator(tflite_file.ADD, {0: Scalar(0, "B")}, [x, x], net.tensor("wide", (1, 4)))
        y = net.operator(tflite_file.DENSE, {0: Scalar(0, "B")}, [wide, net.constant("w", (3, 4), 0.01, 0), -1], net.tensor("y", (1, 3)))
        _, outputs = self.run_with(self.put(net.to_bytes([x], [y])), "x", codes((5, 4), 3), "--batch", "5")
        self.assertEqual(outputs["y"].shape, (5, 3))

    def test_what_is_refused(self):
        self.refused(self.model, "--shape: picture=2x13x12x1 does not fit input 'picture' [-1, 12, 12, 1], allowed are other sizes where that has -1",
                     "--shape", "picture=2x13x12x1")
        self.refused(self.model, "input 'picture' has a batch of 2 by --shape and of 3 by --batch, expected the same",
                     "--shape", "picture=2x12x12x1", "--batch", "3")
        self.refused(self.model, "--shape: no input is named 'pictures', the inputs are 'picture'", "--shape", "pictures=2x12x12x1")
        net = tflite_file.Network(dynamic_batch=True)
        a, b = net.tensor("a", (1, 4)), net.tensor("b", (1, 4))
        y = net.operator(tflite_file.ADD, {0: Scalar(0, "B")}, [a, b], net.tensor("y", (1, 4)))
        self.refused(self.put(net.to_bytes([a, b], [y])), "input 'b' has a batch of 1, and another input 2, expected the same", "--shape", "a=2x4")
        net.tensors[0][7] = [-1, -1]
        self.refused(self.put(net.to_bytes([a], [y])), "input 'a' leaves more than its batch open, allowed are then the sizes of the file, [1, 4]", "--batch", "2")


class Signatures(LiteTest):
    def setUp(self):
        """Two subgraphs: one doubles its input, the other adds two."""
        super().setUp()
        net = tflite_file.Network()
        x = net.tensor("serving_default_x:0", (1, 4))
        y = net.operator(tflite_file.ADD, {0: Scalar(0, "B")}, [x, x], net.tensor("StatefulPartitionedCall:0", (1, 4), scales=(0.1,)))
        other = tflite_file.Network(beside=net)
        a, b = other.tensor("sum_a:0", (1, 2)), other.tensor("sum_b:0", (1, 2))
        total = other.operator(tflite_file.ADD, {0: Scalar(0, "B")}, [a, b], other.tensor("PartitionedCall:0", (1, 2)))
        net.further.append((other, [a, b], [total]))
        net.signatures = [("twice", 0, {"x": x}, {"y": y}), ("sum", 1, {"a": a, "b": b}, {"total": total})]
        self.net, self.ends = net, ([x], [y])
        self.model = self.put(net.to_bytes([x], [y]))

    def test_the_first_is_taken_and_the_names_of_all_are_said(self):
        report, outputs = self.run_model(self.model)
        self.assertEqual(list(outputs), ["StatefulPartitionedCall:0"])
        self.assertIn("the file has the signatures 'twice', 'sum': 'twice' is taken; --signature NAME takes another", " ".join(report["notes"]))

    def test_one_is_chosen_with_its_names(self):
        for name, array in (("a", npy.Array("|i1", (1, 2), [1, -100])), ("b", npy.Array("|i1", (1, 2), [4, -50]))):
            npy.write(self.folder / f"{name}.npy", array)
        report, outputs = self.run_model(self.model, [f"b={self.folder / 'b.npy'}", f"a={self.folder / 'a.npy'}"], ["--signature", "sum", "--check-all"])
        self.assertEqual({name: list(array.values) for name, array in outputs.items()}, {"total": [5, -128]})
        self.assertNotIn("--signature", " ".join(report["notes"]))
        _, outputs = self.run_with(self.model, "x", npy.Array("|i1", (1, 4), [1, 2, 3, 4]), "--signature", "twice")
        self.assertEqual(list(outputs["y"].values), [1, 2, 3, 4])

    def test_a_package_has_the_chosen_one(self):
        package = self.compile(self.model, "--signature", "sum")
        _, outputs = self.run_model(package)
        self.assertEqual(list(outputs), ["total"])
        self.refused(package, "is a package, whose inputs are fixed; recompile it from its network", "--signature", "sum")

    def test_what_is_refused(self):
        self.refused(self.model, "--signature: no signature is named 'summ', the file has 'twice', 'sum', did you mean 'sum'?", "--signature", "summ")
        self.net.signatures = [("far", 7, {}, {})]
        self.refused(self.put(self.net.to_bytes(*self.ends)), "signature 0 'far' is of subgraph 7, the file has 2")
        self.net.signatures = [("odd", 0, {"x": 1}, {})]
        self.refused(self.put(self.net.to_bytes(*self.ends)), "signature 'odd': input 'x' is tensor 1, which is no input of subgraph 0", "--signature", "odd")
        self.run_model(self.put(self.net.to_bytes(*self.ends)))  # nobody asked for its names
        self.net.signatures = []
        self.refused(self.put(self.net.to_bytes(*self.ends)), "--signature: no signature is named 'sum', the file has none", "--signature", "sum")


if __name__ == "__main__":
    program.main()
