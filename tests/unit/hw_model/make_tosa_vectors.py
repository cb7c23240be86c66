#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes tosa_vectors.inc: results of the official TOSA reference model for single operators.

Needs the PyPI package tosa-tools (made with 2026.8.0). Only to make the vectors again:
    make_tosa_vectors.py > tosa_vectors.inc
"""
import random

import numpy as np
import tosa_reference_model
from serializer import tosa_serializer as ts
from tosa import Op, RoundingMode

OP = Op.Op()
ROUNDING = {0: RoundingMode.RoundingMode.SINGLE_ROUND, 1: RoundingMode.RoundingMode.DOUBLE_ROUND}
DTYPE = {8: ts.DType.INT8, 16: ts.DType.INT16, 32: ts.DType.INT32, 48: ts.DType.INT48}
NUM_VALUES = 12


def run(op, attribute, constants, out_bits, out_shape):
    """One operator on constants [(shape, bits, values)]; the output's values, or None where it is unpredictable."""
    ser = ts.TosaSerializer("", ts.ConstMode.EMBED)
    names = [ser.addConst(shape, DTYPE[bits], np.array(values, np.int64).reshape(shape)).name
             for shape, bits, values in constants]
    result = ser.addOutput(out_shape, DTYPE[out_bits])
    ser.addOperator(op, names, [result.name], attribute)
    outputs, status = tosa_reference_model.run(bytes(ser.serialize()), [])
    if status != tosa_reference_model.GraphStatus.TOSA_VALID:
        return None
    return np.frombuffer(np.asarray(outputs[0]).tobytes(), {8: "i1", 16: "<i2", 32: "<i4"}[out_bits]).tolist()


def show(kind, params, xs, ys):
    if ys is None or len(ys) != len(xs):
        return False
    text = [", ".join("INT32_MIN" if v == -2**31 else str(int(v)) for v in part) for part in (params, xs, ys)]
    print("{VectorKind::%s, {%s}, {%s}, {%s}}," % (kind, *text))
    return True


def spread(rng, bits):
    low = -(1 << (rng.randint(1, bits) - 1))
    return rng.randint(low, -low - 1)


def rescale(rng, in_bits, out_bits):
    scale32 = in_bits != 48 and rng.random() < 0.7
    rounding = int(scale32 and rng.random() < 0.6)
    is_small = in_bits < 32 and out_bits < 32
    signedness = rng.randint(0, 2) if is_small else 0
    input_unsigned, output_unsigned = int(signedness == 1), int(signedness == 2)
    zps = [rng.randint(-128, 127) if bits == 8 else (-32768 if bits == 16 and flag else 0)
           for bits, flag in ((in_bits, input_unsigned), (out_bits, output_unsigned))]
    # scaled so that most results lie within the output's range, some outside
    shift = rng.randint(max(14, in_bits + 2), 62 if in_bits == 48 else 46)
    size = min(in_bits + 1, shift - 1) if scale32 else in_bits
    magnitude = rng.choice([out_bits - size, out_bits - size + 1, 0 if size <= out_bits else out_bits - size]) + shift
    magnitude = max(1, min(magnitude, 31 if scale32 else 15))
    multiplier = rng.choice([1 << (magnitude - 1), rng.randint(1 << (magnitude - 1), (1 << magnitude) - 1)])  # ties in half
    xs = [spread(rng, in_bits) for _ in range(NUM_VALUES - 2)] + [-(1 << (in_bits - 1)), (1 << (in_bits - 1)) - 1]
    attribute = ts.TosaSerializerAttribute()
    attribute.RescaleAttribute(scale32, ROUNDING[rounding], False, bool(input_unsigned), bool(output_unsigned))
    ys = run(OP.RESCALE, attribute,
             [([NUM_VALUES], in_bits, xs), ([1], 32 if scale32 else 16, [multiplier]), ([1], 8, [shift]),
              ([1], in_bits, [zps[0]]), ([1], out_bits, [zps[1]])], out_bits, [NUM_VALUES])
    if ys is None or len(set(ys)) < 6:
        return False
    return show("Rescale", [in_bits, out_bits, input_unsigned, output_unsigned, int(scale32), rounding, *zps, multiplier, shift],
                xs, ys)


def average(rng, bits, n):
    """The window of n equal-sum inputs is not what is printed: x is the sum, made of n inputs that add up to it."""
    zps = [rng.randint(-128, 127), rng.randint(-128, 127)] if bits == 8 else [0, 0]
    rows = [[spread(rng, bits) for _ in range(n)] for _ in range(NUM_VALUES)]
    attribute = ts.TosaSerializerAttribute()
    attribute.AvgPool2dAttribute([1, n], [1, n], [0, 0, 0, 0], ts.DType.INT32)
    ys = run(OP.AVG_POOL2D, attribute, [([1, NUM_VALUES, n, 1], bits, rows), ([1], bits, zps[:1]), ([1], bits, zps[1:])],
             bits, [1, NUM_VALUES, 1, 1])
    return show("Average", [bits, n, zps[1]], [sum(row) - n * zps[0] for row in rows], ys)


def mul(rng, shift):
    other = spread(rng, 32)
    xs = [spread(rng, 32) for _ in range(NUM_VALUES - 2)] + [-1, 1]
    limit = 1 << (30 + shift)
    xs = [x if abs(x * other) < limit or shift == 0 else x % 97 for x in xs]
    attribute = ts.TosaSerializerAttribute()
    attribute.MulAttribute()
    ys = run(OP.MUL, attribute, [([NUM_VALUES], 32, xs), ([1], 32, [other]), ([1], 8, [shift])], 32, [NUM_VALUES])
    return show("Mul", [other, shift], xs, ys)


def shift_right(rng, amount, is_rounded):
    xs = [spread(rng, 32) for _ in range(NUM_VALUES)]
    attribute = ts.TosaSerializerAttribute()
    attribute.ArithmeticRightShiftAttribute(is_rounded)
    ys = run(OP.ARITHMETIC_RIGHT_SHIFT, attribute, [([NUM_VALUES], 32, xs), ([1], 32, [amount])], 32, [NUM_VALUES])
    return show("ArithmeticRightShift", [amount, int(is_rounded)], xs, ys)


def table16(rng):
    """The table is entry i = (i * i * 7 + 13 * i) % 32768 - 16384."""
    table = [(i * i * 7 + 13 * i) % 32768 - 16384 for i in range(513)]
    xs = [rng.randint(-32768, 32767) for _ in range(NUM_VALUES - 2)] + [-32768, 32767]
    attribute = ts.TosaSerializerAttribute()
    attribute.TableAttribute()
    return show("Table16", [], xs, run(OP.TABLE, attribute, [([NUM_VALUES], 16, xs), ([513], 16, table)], 32, [NUM_VALUES]))


def negate(rng):
    zps = [rng.randint(-128, 127), rng.randint(-128, 127)]
    xs = [rng.randint(-128, 127) for _ in range(NUM_VALUES - 2)] + [-128, 127]
    attribute = ts.TosaSerializerAttribute()
    attribute.NegateAttribute()
    return show("Negate", zps, xs,
                run(OP.NEGATE, attribute, [([NUM_VALUES], 8, xs), ([1], 8, zps[:1]), ([1], 8, zps[1:])], 8, [NUM_VALUES]))


def main():
    rng = random.Random(1)
    print("// SPDX-License-Identifier: Apache-2.0")
    print("// Made by make_tosa_vectors.py with tosa-tools 2026.8.0. {kind, {parameters}, {inputs}, {outputs}}")
    for in_bits in (8, 16, 32, 48):
        for out_bits in (8, 16, 32):
            made = 0
            while made < 4:
                made += rescale(rng, in_bits, out_bits)
    for bits, n in ((8, 1), (8, 3), (8, 64), (8, 125), (8, 4096), (16, 9), (16, 49), (16, 1000)):
        assert average(rng, bits, n)
    for shift in (0, 0, 1, 2, 15, 31, 32, 47, 62, 63):
        while not mul(rng, shift):
            pass
    for amount in (0, 1, 7, 30, 31):
        assert shift_right(rng, amount, False) and shift_right(rng, amount, True)
    for _ in range(4):
        assert table16(rng) and negate(rng)


if __name__ == "__main__":
    main()
