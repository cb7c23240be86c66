# SPDX-License-Identifier: Apache-2.0
"""What users of quantized formats have asked other tools for (docs/reference/format-requests.md): small networks with random numbers, whose
results are worked out here with fractions, from the formats' definitions."""

import collections
import itertools
import random
import struct
from fractions import Fraction

import npy
import onnx_file
import program
import qonnx_file
from onnx_file import FLOAT, INT4, INT8, INT16, INT32, INT64, MICROSOFT, UINT8, UINT16, node, tensor

SEED = 20260731
RANGES = {INT8: (-128, 127), UINT8: (0, 255), INT16: (-32768, 32767), UINT16: (0, 65535), INT4: (-8, 7)}
DESCR = {INT8: "|i1", UINT8: "|u1", INT16: "<i2", UINT16: "<u2"}
Grid = collections.namedtuple("Grid", "dtype scale zero")  # of codes; the scale is a float32, in weights one for each output channel
IMAGE, KERNEL = (1, 3, 6, 6), (4, 3, 3, 3)


def float32(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def is_tie(value):
    return value.denominator == 2


def code_of(real, grid):
    """The exact number as a code: to the nearest one, ties to the even one, then the zero point, then the ends of the type."""
    low, high = RANGES[grid.dtype]
    return min(high, max(low, round(real / Fraction(grid.scale)) + grid.zero))


def convolved(codes, zero, weights, shape=KERNEL, image=IMAGE):
    """Sums of products of a convolution without padding: (output channel, sum), row by row."""
    _, channels, rows, columns = image
    outputs, _, height, width = shape
    for channel, row, column in itertools.product(range(outputs), range(rows - height + 1), range(columns - width + 1)):
        taps = itertools.product(range(channels), range(height), range(width))
        yield channel, sum((codes[(c * rows + row + r) * columns + column + k] - zero) * weights[((channel * channels + c) * height + r) * width + k]
                           for c, r, k in taps)


class Requests(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.random = random.Random(f"{SEED} {self.id()}")
        self.model = self.folder / "net.onnx"

    def numbers(self, low, high, count):
        return [self.random.randint(low, high) for _ in range(count)]

    def write(self, nodes, initializers, out, image=IMAGE, **options):
        ends = [("x", FLOAT, list(image))], [("y", FLOAT, list(out))]
        self.model.write_bytes(onnx_file.model(nodes, initializers, *ends, **options))

    def write_conv(self, x, w, y, codes, bias=None, domain="", opset=13, **attributes):
        """A convolution in QDQ form. `codes`: of the weights; `bias`: codes and scales for each channel."""
        initializers = [tensor("xs", FLOAT, [], [x.scale]), tensor("xz", x.dtype, [], [x.zero]), tensor("ws", FLOAT, [len(w.scale)], w.scale),
                        tensor("ys", FLOAT, [], [y.scale]), tensor("yz", y.dtype, [], [y.zero]), tensor("w", w.dtype, KERNEL, codes)]
        nodes = [node("QuantizeLinear", ["x", "xs", "xz"], ["x_q"], domain), node("DequantizeLinear", ["x_q", "xs", "xz"], ["x_d"], domain),
                 node("DequantizeLinear", ["w", "ws"], ["w_d"], axis=0, **attributes)]
        if bias:
            initializers += [tensor("b", INT32, [KERNEL[0]], bias[0]), tensor("bs", FLOAT, [KERNEL[0]], bias[1])]
            nodes.append(node("DequantizeLinear", ["b", "bs"], ["b_d"], axis=0))
        nodes += [node("Conv", ["x_d", "w_d", *(["b_d"] if bias else [])], ["c"]), node("QuantizeLinear", ["c", "ys", "yz"], ["c_q"], domain),
                  node("DequantizeLinear", ["c_q", "ys", "yz"], ["y"], domain)]
        domains = {domain: 1} if domain else {}
        self.write(nodes, initializers, (1, KERNEL[0], 4, 4), opset=opset, domains=domains)

    def results(self, codes, descr, shape=IMAGE):
        """Codes of y, and the report, of a run with these codes of x; simulated and, by its reference, checked."""
        (self.folder / "x.npy").write_bytes(npy.to_bytes(npy.Array(descr, shape, codes)))
        report, outputs = self.run_model(self.model, [self.folder / "x.npy"])
        self.assertEqual(report["check"]["result"], "match")
        return list(outputs["y"].values), report

    def refusal(self):
        done = self.execute("run", self.model, "-q")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        return done.stderr

    def conv_numbers(self, x, weight_type):
        low, high = RANGES[x.dtype]
        least, greatest = RANGES[weight_type]
        return self.numbers(low, high, 3 * 36), self.numbers(least + 1, greatest, 4 * 27)

    def test_ties_go_to_even_and_inspect_lists_who_has_them(self):
        """The meaning is that of the unfused graph: exact sums, ties to even."""
        for scale, rows, least_ties in ((0.25, "frequent: half to even, exactly", 8), (0.3, "rare", 0)):
            x, w, y = Grid(INT8, 0.5, -3), Grid(INT8, [float32(scale)] * 4, 0), Grid(INT8, 2.0, 5)
            ties = 0
            for _ in range(4):
                codes, weights = self.conv_numbers(x, INT8)
                weights = [weight // 32 for weight in weights]  # sums of a few hundred: codes do not saturate
                self.write_conv(x, w, y, weights)
                reals = [total * Fraction(x.scale) * Fraction(w.scale[channel]) for channel, total in convolved(codes, x.zero, weights)]
                ties += sum(is_tie(real / Fraction(y.scale)) for real in reals)
                self.assertEqual(self.results(codes, "|i1")[0], [code_of(real, y) for real in reals])
            self.assertGreaterEqual(ties, least_ties)
            self.assertRegex(self.execute("inspect", self.model).stdout, rf"(?m)^ *rescaled layer .*\n.*\S +{rows}$")

    def test_a_bias_of_another_scale(self):
        """Exact: what its steps leave of those of the sums is added before the rescale."""
        for ratio in (1.0, 2.0, 8.0, 0.5, 0.3):
            x, w, y = Grid(UINT8, 0.5, 100), Grid(INT8, [0.25, 0.5, 0.125, 1.0], 0), Grid(INT8, float32(37.3), 5)
            codes, weights = self.conv_numbers(x, INT8)
            bias, scales = self.numbers(-30000, 30000, 4), [float32(x.scale * scale * ratio) for scale in w.scale]
            self.write_conv(x, w, y, weights, (bias, scales))
            found, report = self.results(codes, "|u1")
            for (channel, total), code in zip(convolved(codes, x.zero, weights), found, strict=True):
                step = Fraction(x.scale) * Fraction(w.scale[channel])
                self.assertEqual(code, code_of(total * step + bias[channel] * Fraction(scales[channel]), y), ratio)
            notes = [note for note in report["notes"] if "bias" in note]
            self.assertEqual(["a bias is no whole number of steps" in note for note in notes], [True] if ratio < 1 else [])

    def test_16_bits_in_both_domains(self):
        """Microsoft's domain in old files, ONNX's own from opset 21; signed and unsigned."""
        for dtype, zero in ((INT16, 0), (INT16, -77), (UINT16, 32768), (UINT16, 11000)):
            x, w = Grid(dtype, float32(0.001), zero), Grid(INT8, [float32(0.01 * (i + 1)) for i in range(4)], 0)
            y = Grid(dtype, float32(0.0123), zero)
            codes, weights = self.conv_numbers(x, INT8)
            for domain, opset in ((MICROSOFT, 13), (MICROSOFT, 17), ("", 21)):
                self.write_conv(x, w, y, weights, domain=domain, opset=opset)
                found, _ = self.results(codes, DESCR[dtype])
                expected = [code_of(total * Fraction(x.scale) * Fraction(w.scale[channel]), y)
                            for channel, total in convolved(codes, zero, weights)]
                self.assertEqual(found, expected, (dtype, zero, domain, opset))
                self.assertGreater(len(set(expected)), 32)

    def test_weights_of_4_bits(self):
        """For each output channel, two a byte on the machine where all are in -7 to 7; blocks are refused by their axis."""
        x, w = Grid(UINT8, 0.5, 17), Grid(INT4, [float32(0.1 * (i + 1)) for i in range(4)], 0)
        y = Grid(UINT8, float32(1.7), 128)
        codes, weights = self.conv_numbers(x, INT4)
        for least, weight_bits in ((-7, 4), (-8, 8)):
            weights[5] = least
            self.write_conv(x, w, y, weights, opset=21)
            found, report = self.results(codes, "|u1")
            self.assertEqual(found, [code_of(total * Fraction(x.scale) * Fraction(w.scale[channel]), y)
                                     for channel, total in convolved(codes, x.zero, weights)])
            self.assertGreater(len(set(found)), 32)
            # 27 taps fill two steps of 16; parameters have ten bytes a channel.
            self.assertEqual(report["totals"]["weight_bytes"], 4 * 32 * weight_bits // 8 + 4 * 10)
        self.write_conv(x, w, y, weights, opset=21, block_size=2)
        self.assertIn("node 'n_w_d' (DequantizeLinear): attribute block_size is 2: 2 codes on axis 0 of [4, 3, 3, 3] share a scale", self.refusal())

    def test_qcdq_and_qonnx_in_one_file(self):
        """Weights by Quant of 4 bits, values by QuantizeLinear, Clip and DequantizeLinear; then the other way round."""
        flags = {"signed": 1, "narrow": 1, "rounding_mode": "ROUND"}
        weights, codes = self.numbers(-7, 7, 4 * 27), self.numbers(-128, 127, 3 * 36)
        x, y = Grid(INT8, 0.25, 0), Grid(INT8, 4.0, 0)
        shared = [tensor("xs", FLOAT, [], [x.scale]), tensor("ys", FLOAT, [], [y.scale]), tensor("z", INT8, [], [0]),
                  tensor("zero", FLOAT, [], [0]), tensor("ws", FLOAT, [], [0.5]), tensor("four", FLOAT, [], [4]), tensor("eight", FLOAT, [], [8]),
                  tensor("low", INT8, [], [-31]), tensor("high", INT8, [], [31])]
        real_weights = tensor("w", FLOAT, KERNEL, [weight * 0.5 for weight in weights])
        code_weights = tensor("w", INT8, KERNEL, weights)
        qcdq = [node("QuantizeLinear", ["c", "ys", "z"], ["c_q"]), node("Clip", ["c_q", "low", "high"], ["c_l"]),
                node("DequantizeLinear", ["c_l", "ys", "z"], ["y"])]
        mixed = {"weights by Quant": (real_weights, [*onnx_file.quantizer("x", "xs", "z"),
                                                     qonnx_file.quantizer("Quant", ["w", "ws", "zero", "four"], "w_d", **flags),
                                                     node("Conv", ["x_d", "w_d"], ["c"]), *qcdq], 31),
                 "values by Quant": (code_weights, [qonnx_file.quantizer("Quant", ["x", "xs", "zero", "eight"], "x_d", **flags | {"narrow": 0}),
                                                    node("DequantizeLinear", ["w", "ws"], ["w_d"]), node("Conv", ["x_d", "w_d"], ["c"]),
                                                    qonnx_file.quantizer("Quant", ["c", "ys", "zero", "eight"], "y", **flags)], 127)}
        for what, (constant, nodes, limit) in mixed.items():
            self.write(nodes, [*shared, constant], (1, 4, 4, 4), domains={qonnx_file.DOMAIN: 2})
            expected = [total * Fraction(1, 8) / Fraction(y.scale) for _, total in convolved(codes, 0, weights)]
            self.assertGreater(sum(map(is_tie, expected)), 0, what)
            self.assertEqual(self.results(codes, "|i1")[0], [min(limit, max(-limit, round(value))) for value in expected], what)

    def test_resize_between_quantizers(self):
        """Linear, by the specification's positions; roi and scales are left out by position, with empty names."""
        positions = {"half_pixel": lambda o, size, scale: (o + Fraction(1, 2)) / scale - Fraction(1, 2), "asymmetric": lambda o, size, scale: o / scale,
                     "align_corners": lambda o, size, scale: o * Fraction(5, size - 1)}
        for (mode, position), (height, width), zero in itertools.product(positions.items(), ((12, 12), (18, 9)), (0, 3)):
            x, y = Grid(INT8, 0.5, zero), Grid(INT8, float32(0.3), -7)
            codes = self.numbers(-60, 60, 3 * 36)
            scales = [1.0, 1.0, height / 6, width / 6]
            initializers = [tensor("xs", FLOAT, [], [x.scale]), tensor("xz", INT8, [], [x.zero]), tensor("ys", FLOAT, [], [y.scale]),
                            tensor("yz", INT8, [], [y.zero]), tensor("scales", FLOAT, [4], scales), tensor("sizes", INT64, [4], [1, 3, height, width])]
            inputs = ["x_d", "", "scales"] if zero else ["x_d", "", "", "sizes"]
            nodes = [*onnx_file.quantizer("x", "xs", "xz"), node("Resize", inputs, ["r"], mode="linear", coordinate_transformation_mode=mode),
                     node("QuantizeLinear", ["r", "ys", "yz"], ["r_q"]), node("DequantizeLinear", ["r_q", "ys", "yz"], ["y"])]
            self.write(nodes, initializers, (1, 3, height, width))

            def weights(o, size):
                at = min(Fraction(5), max(Fraction(0), position(o, size, Fraction(size, 6))))
                low = int(at)
                return (low, 1 - (at - low)), (min(low + 1, 5), at - low)
            reals = [sum(a * b * (codes[(c * 6 + i) * 6 + j] - x.zero) for i, a in weights(o, height) for j, b in weights(p, width)) * Fraction(x.scale)
                     for c in range(3) for o in range(height) for p in range(width)]
            self.assertEqual(self.results(codes, "|i1")[0], [code_of(real, y) for real in reals], (mode, height, width, zero))

    def write_thresholds(self, operand, levels, out):
        """y = how many thresholds the sums of x [4, 6] and weights, plus an operand, reach. `operand`, `levels`: shape and numbers."""
        scalars = {"s": 0.5, "zero": 0, "four": 4, "ws": 0.5}
        parameters = [*(tensor(name, FLOAT, [], [value]) for name, value in scalars.items()), tensor("a", FLOAT, *operand), tensor("t", FLOAT, *levels),
                      tensor("w", FLOAT, [6, out], [value / 2 for value in self.weights])]
        flags = {"signed": 1, "narrow": 0, "rounding_mode": "ROUND"}
        nodes = [qonnx_file.quantizer("Quant", ["x", "s", "zero", "four"], "x_d", **flags),
                 qonnx_file.quantizer("Quant", ["w", "ws", "zero", "four"], "w_d", **flags), node("MatMul", ["x_d", "w_d"], ["c"]),
                 node("Add", ["c", "a"], ["sum"]), qonnx_file.quantizer("MultiThreshold", ["sum", "t"], "y", out_dtype="UINT2", data_layout="NC")]
        self.write(nodes, parameters, (4, out), (4, 6), domains={qonnx_file.DOMAIN: 1})

    def test_operands_and_thresholds_of_any_legal_shape(self):
        """An operand before MultiThreshold is a number, or has one for each channel; so are thresholds. What does not go together is told."""
        channels, addends, rows = 5, [0.25, -1.125, 3.5, 0.0, -0.5], [self.random.sample(range(-120, 121), 3) for _ in range(5)]
        codes, self.weights = self.numbers(-8, 7, 24), self.numbers(-8, 7, 6 * channels)
        sums = [Fraction(sum(codes[n * 6 + k] * self.weights[k * channels + c] for k in range(6)), 4) for n in range(4) for c in range(channels)]
        rows = [sorted(Fraction(level, 8) + 1 for level in row) for row in rows]
        for shape, row_shape in itertools.product(([channels], [1], [], [1, channels], [1, 1]), ([channels, 3], [1, 3])):
            numbers = addends if channels in shape else addends[:1]
            levels = rows if row_shape[0] == channels else rows[:1]
            self.write_thresholds((shape, numbers), (row_shape, [float(level) for row in levels for level in row]), channels)
            expected = [sum(total + Fraction(numbers[i % len(numbers)]) >= level for level in levels[i % channels % len(levels)])
                        for i, total in enumerate(sums)]
            self.assertEqual(self.results(codes, "|i1", (4, 6))[0], expected, (shape, row_shape))
            self.assertGreater(len(set(expected)), 2)
        self.write_thresholds(([3], [1, 2, 3]), ([1, 2], [0, 1]), channels)
        self.assertRegex(self.refusal(), r"\(Add|MultiThreshold\): .*\[3\].*\[4, 5\]|\[4, 5\].*\[3\]")
        self.write_thresholds(([1], [1]), ([channels], [0, 1, 2, 3, 4]), channels)
        self.assertIn("the thresholds have shape [5], expected channels and levels for a value [4, 5]", self.refusal())
        self.write_thresholds(([1], [1]), ([3, 1], [0, 1, 2]), channels)
        self.assertIn("the thresholds have shape [3, 1], dimension 1 of [4, 5] has the channels", self.refusal())


if __name__ == "__main__":
    program.main()
