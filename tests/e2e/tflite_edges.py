# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite networks of one operator at edges that drawn scales seldom meet: ratios near a power of two, where kernels differ that form
them in float32 and in float64; sums of int16 in 32 bits; and groups whose weights and biases are no int8 and int32."""

import random
import struct

from tflite_case import Case
from tflite_file import INT32, INT4, INT64, INT8
from tosa_file import Scalar



def float32(number):
    return struct.unpack("<f", struct.pack("<f", number))[0]


# The product in float32, which is more than that in float64: with a result of that scale, or twice and more, the ratio is a power of two or
# nearly one, as the arithmetic is.
TENTH = float32(0.1)
HUNDREDTH = float32(TENTH * TENTH)
WINDOW = {0: Scalar(1, "B"), 1: Scalar(1), 2: Scalar(1), 3: Scalar(0, "B")}


def mul(case):
    limits, shift = ((-300, 300), 2) if case.kind == "int16" else (None, 8)
    inputs = [case.input([40, 50], limits=limits, scales=(TENTH,), zero_point=0) for _ in range(2)]
    return case.result("MUL", [40, 50], inputs, {0: Scalar(0, "B")}, "MulOptions", scales=(HUNDREDTH * 2**shift,), zero_point=0)


def batch_matmul(case):
    a, b = (case.input(shape, scales=(TENTH,), zero_point=0) for shape in ([1, 30, 20], [1, 20, 40]))
    return case.result("BATCH_MATMUL", [1, 30, 40], [a, b], {}, "BatchMatMulOptions", scales=(HUNDREDTH * 1024,), zero_point=0)


def conv(case, groups=1, weight_kind=INT8, bias_type=None):
    x = case.input([1, 9, 9, 4 * groups], scales=(TENTH,), zero_point=0)
    channels, most = 6 * groups, 7 if weight_kind == INT4 else 127
    values = [case.rng.randint(-most, most) for _ in range(channels * 4)]
    zero_point = 0
    if case.kind == "uint8":
        weight_kind, values, zero_point = 3, [128 + value for value in values], 128
    weights = case.net.tensor("weights", [channels, 1, 1, 4], weight_kind, (TENTH,), zero_point, values, 0)
    wide = case.kind == "int16" and bias_type is None
    bias = case.net.tensor("bias", [channels], INT64 if wide else INT32, (TENTH * TENTH,), 0, [case.rng.randint(-3000, 3000) for _ in range(channels)])
    options = {**WINDOW, 4: Scalar(1), 5: Scalar(1), **({} if bias_type is None else {6: Scalar(bias_type, "b")})}
    return case.result("CONV_2D", [1, 9, 9, channels], [x, weights, bias], options, "Conv2DOptions", scales=(HUNDREDTH * 64,), zero_point=0)


#: Name, type, maker, and the sum (tflite_draw.crc_of) of what ai-edge-litert 2.3.0's reference kernels gave.
EDGES = (
    ("MUL", "int8", mul, "d47e6d69"),
    ("MUL", "uint8", mul, "a9de6622"),
    ("MUL", "int16", mul, "1e1b9a6b"),
    ("BATCH_MATMUL", "int8", batch_matmul, "a67598bb"),
    ("BATCH_MATMUL", "int16", batch_matmul, "c7ec75bb"),
    ("CONV_2D", "uint8", conv, "0a871961"),
    ("CONV_2D with sums in 32 bits", "int16", lambda case: conv(case, bias_type=INT32), "58a4efe7"),
    ("CONV_2D of 2 groups", "int16", lambda case: conv(case, groups=2), "beef2709"),
    ("CONV_2D of 3 groups, weights of int4", "int8", lambda case: conv(case, groups=3, weight_kind=INT4), "9ac0da72"),
)


def drawn(name, kind, maker):
    """The network, and what its inputs are (Case.given)."""
    case = Case(kind, random.Random(f"{name} {kind}"))
    return maker(case), case.given
