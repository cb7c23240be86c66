# SPDX-License-Identifier: Apache-2.0
"""The networks of QONNX's model zoo in ../shared/models, whole: what the host computes at their ends too. The expected numbers are
worked out here from the constants of the files; all scales are powers of two, so that sums are exact."""

import array
import math
import random
import struct

import measured
import npy
import onnx_file
import program

WORKED_OUT = "integers worked out from the file's constants"
MODELS = program.ROOT.parent / "shared" / "models" / "qonnx"


def f32(value):
    """The float32 next to a number."""
    return struct.unpack("<f", struct.pack("<f", value))[0]


def rounded(values, least, greatest):
    """Half to even, and into the limits."""
    return [max(least, min(greatest, round(value))) for value in values]


class ZooTest(program.ProgramTest):
    NAME = ""

    def setUp(self):
        super().setUp()
        self.model = MODELS / self.NAME
        if not self.model.is_file():
            self.skipTest(f"{self.model} is not there")
        self.constants = onnx_file.float_initializers(self.model.read_bytes())

    def reals(self, shape, values):
        (self.folder / "x.npy").write_bytes(npy.to_bytes(npy.Array("<f4", shape, array.array("f", values))))
        return self.folder / "x.npy"


class Tfc(ZooTest):
    """TFC_2W2A: Reshape, Mul and Sub on the host, three layers of 2-bit codes with batch normalizations between them (integer
    thresholds), a fourth one whose sums are the output in int32, and four float operators on the host."""

    NAME = "TFC_2W2A.onnx"
    LAYERS = (("41", 784, 64, "features.3"), ("53", 64, 64, "features.7"), ("65", 64, 64, "features.11"), ("77", 64, 10, None))

    def sums(self, image):
        codes = rounded([f32(f32(value * 2) - 1) for value in image], -1, 1)
        for weights, inputs, outputs, normal in self.LAYERS:
            w = rounded(self.constants[weights], -1, 1)
            sums = [sum(code * w[o * inputs + i] for i, code in enumerate(codes) if code) for o in range(outputs)]
            if normal is None:
                return sums
            scale, bias, mean, variance = (self.constants[f"{normal}.{part}"] for part in ("weight", "bias", "running_mean", "running_var"))
            codes = rounded([(one - mean[o]) * scale[o] / math.sqrt(variance[o] + 1e-5) + bias[o] for o, one in enumerate(sums)], -1, 1)
        return None

    def numbers(self, sums):
        """Sub, Div by a Pow of constants, Mul and Add, each rounded to float32."""
        mean, scale, bias = (self.constants[f"features.15.{part}"][0] for part in ("running_mean", "weight", "bias"))
        root = f32(math.sqrt(self.constants["92"][0]))
        return [f32(f32(f32(f32(one - mean) / root) * scale) + bias) for one in sums]

    def images(self):
        generator = random.Random(1)
        yield [0.0] * 784
        yield [1.0] * 784
        yield [(0.25, 0.75)[i % 2] for i in range(784)]  # 2 x - 1 is a tie
        for _ in range(13):
            yield [f32(generator.choice((generator.random(), round(generator.random())))) for _ in range(784)]

    def check(self, model):
        found_codes, compared = set(), 0
        for image in self.images():
            report, outputs = self.run_model(model, [self.reals((1, 1, 28, 28), image)])
            sums = self.sums(image)
            self.assertEqual((report["outputs"][0]["dtype"], list(outputs["90"].values)), ("int32", sums))
            self.assertEqual(list(outputs["90.float"].values), self.numbers(sums))
            found_codes |= set(sums)
            compared += len(sums)
        self.assertGreater(len(found_codes), 10)
        return compared

    def test_sums_and_numbers_are_exact(self):
        compared = self.check(self.compile(self.model))
        measured.tell("QONNX zoo network TFC_2W2A", "16 images", WORKED_OUT, compared, 0, 0)

    def test_converted(self):
        self.execute("convert", self.model, "-o", "out.tosa", codes=(0,))
        self.check(self.folder / "out.tosa")


class JetTagging(ZooTest):
    """qkeras_jettagging: a float input without a quantizer, and a Softmax at the end. Its scales are powers of two: the logits are
    computed here in exact arithmetic."""

    NAME = "qkeras_jettagging.onnx"
    FORMAT = "global_in:scale=0.0625,zero_point=0,bits=8,signed=1"
    LAYERS = ((6, 7, 16, 64), (4, 5, 64, 32), (2, 3, 32, 32), (0, 1, 32, 5))

    def logits(self, sample):
        codes, steps = sample, 16  # steps of the codes in 1
        for weights, bias, rows, columns in self.LAYERS:
            w = rounded([32 * value for value in self.constants[f"Quant_{weights}_param0"]], -32, 31)
            b = rounded([32 * value for value in self.constants[f"Quant_{bias}_param0"]], -32, 31)
            sums = [sum(codes[r] * w[r * columns + c] for r in range(rows)) + b[c] * steps for c in range(columns)]
            if columns == 5:
                return sums, steps * 32
            codes = rounded([value * 64 / (steps * 32) for value in sums], 0, 63)
            steps = 64
        return None

    def test_logits_are_exact_and_softmax_is_within_1e_6(self):
        package = self.compile(self.model, "--input-format", self.FORMAT)
        compared = 0
        for seed in range(16):
            sample = [(seed * 7919 + index * index * 31 + index * 977) % 256 - 128 for index in range(16)]
            values = self.reals((1, 16), [code / 16 for code in sample])
            report, outputs = self.run_model(package, [values])
            sums, steps = self.logits(sample)
            self.assertEqual((report["outputs"][0]["dtype"], list(outputs["global_out"].values)), ("int32", sums))
            powers = [math.exp((one - max(sums)) / steps) for one in sums]
            for found, power in zip(outputs["global_out.float"].values, powers, strict=True):
                self.assertAlmostEqual(found, power / sum(powers), delta=1e-6)
            compared += len(sums)
        measured.tell("QONNX zoo network qkeras_jettagging, logits", "16 samples", WORKED_OUT, compared, 0, 0)

    def test_without_a_format_the_input_is_refused(self):
        done = self.execute("run", self.model, "-q")
        self.assertEqual(done.returncode, 2)
        self.assertIn("input 'global_in' is not quantized, expected a quantizer before every operator, or --input-format "
                      "global_in:scale=S", done.stderr)
        self.assertIn("no input is named 'global', the inputs are 'global_in'",
                      self.execute("run", self.model, "-q", "--input-format", "global:scale=1", codes=(2,)).stderr)


if __name__ == "__main__":
    program.main()
