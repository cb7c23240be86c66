# SPDX-License-Identifier: Apache-2.0
"""Drawn TensorFlow Lite networks of an operator that computes with whole rows, or that divides."""

from tflite_case import LIMITS, NONE, RELU6, count_of
from tosa_file import Scalar


def log_softmax(case):
    shape = case.shape()
    x = case.input(shape, scales=(case.scale(0.005, 1.0),), zero_point=case.zero_point())
    return case.result("LOG_SOFTMAX", shape, [x], {}, "LogSoftmaxOptions", scales=(1 / 16,), zero_point=LIMITS[case.kind][1])


def l2_normalization(case):
    shape, zero_point = case.shape(), case.zero_point()
    # Rows of few different numbers too: their sums of squares are small.
    spread = case.rng.choice([1, 4, 30, 255])
    low, high = LIMITS[case.kind]
    limits = (max(low, zero_point - spread), min(high, zero_point + spread))
    x = case.input(shape, limits=limits, scales=(case.scale(),), zero_point=zero_point)
    zero = 0 if case.kind == "int8" else 128
    return case.result("L2_NORMALIZATION", shape, [x], {0: Scalar(NONE, "B")}, "L2NormOptions", scales=(1 / 128,), zero_point=zero)


def product_of_codes(case):
    """Scales with which the product is of the size of a code, and no part of it leaves int32."""
    rng, shape = case.rng, case.shape(None, 4)
    axes = rng.sample(range(len(shape)), rng.randrange(1, len(shape) + 1))
    while count_of([shape[axis] for axis in axes]) > 8:
        axes.pop()
    count, keep = count_of([shape[axis] for axis in axes]), rng.random() < 0.5
    result = [1 if i in axes else size for i, size in enumerate(shape) if keep or i not in axes]
    scale = case.scale()
    unit = scale * (rng.uniform(30, 120) if case.kind == "int8" else rng.uniform(8000, 30000))
    x = case.input(shape, scales=(scale,), zero_point=case.zero_point())
    return case.result("REDUCE_PROD", result, [x, case.numbers(axes)], {0: Scalar(keep, "?")}, "ReducerOptions", scales=(unit ** count,), zero_point=case.zero_point())


def cumulative_sum(case):
    shape = case.shape()
    axis = case.rng.randrange(-len(shape), len(shape))
    options = {0: Scalar(case.rng.random() < 0.5, "?"), 1: Scalar(case.rng.random() < 0.5, "?")}
    return case.result("CUMSUM", shape, [case.input(shape, "int32"), case.numbers([axis], [])], options, "CumsumOptions", kind="int32")


def quotient(case):
    """Divisors above the zero point, by which the kernel can divide; quotients that it does not shift by more than 31 bits."""
    rng, (a, b, shape) = case.rng, case.pair()
    low, high = LIMITS[case.kind]
    zero_point = rng.randint(low, high - 100) if high < 256 else 0
    divisor = {"scales": (case.scale(),), "zero_point": zero_point}
    x = case.input(a)
    if rng.random() < 0.4:
        values = [rng.choice([rng.randint(zero_point + 1, high), rng.randint(low, zero_point - 1) if zero_point > low else high]) for _ in range(count_of(b))]
        y = case.constant(b, values=values, **divisor)
    else:
        y = case.input(b, limits=(zero_point + 1, high), **divisor)
    ratio = rng.uniform(65, 300) if high < 256 else rng.uniform(17000, 60000)
    scale = case.net.scales[x][0] / divisor["scales"][0] / ratio
    return case.result("DIV", shape, [x, y], {0: Scalar(rng.choice([NONE, NONE, RELU6]), "B")}, "DivOptions", scales=(scale,), zero_point=case.zero_point())
