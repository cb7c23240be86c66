# SPDX-License-Identifier: Apache-2.0
"""Chains of operators as tosa-converter-for-tflite writes them: requantized convolutions, residual adds, softmax."""

import math

import numpy as np
from operators import (binary, clamp, conv2d, depthwise, mul, quantize_scale, reduce, rescale, right_shift, table)

FRACTION_BITS = 20  # of the int32 operands of an add of two int8 tensors


def random_weight(rng, shape):
    return rng.integers(-127, 128, shape)


def random_bias(rng, channels, taps):
    return rng.integers(-1500, 1500, channels) * math.isqrt(taps)


def channel_scales(rng, channels, taps, spread=60.0):
    """Scales that spread the sums of `taps` products of uniform int8 over about +-`spread`, another one a channel."""
    return [quantize_scale(spread / (5500.0 * math.sqrt(taps)) * factor) for factor in rng.uniform(0.5, 2.0, channels)]


def requantized(net, rng, acc, taps, output_zp=0, relu=False, rounding="double"):
    """int32 sums to int8: RESCALE per channel, then a CLAMP if `relu`."""
    y = rescale(net, acc, "int8", channel_scales(rng, acc.shape[-1], taps), output_zp=output_zp, rounding=rounding)
    return clamp(net, y, output_zp, 127) if relu else y


def conv_layer(net, rng, x, channels, kernel, bias_elems=None, output_zp=0, relu=False, rounding="double", **geometry):
    """CONV2D with random weights and bias, requantized to int8."""
    taps = kernel[0] * kernel[1] * x.shape[3]
    acc = conv2d(net, x, random_weight(rng, (channels, *kernel, x.shape[3])),
                 random_bias(rng, channels if bias_elems is None else bias_elems, taps), **geometry)
    return requantized(net, rng, acc, taps, output_zp, relu, rounding)


def depthwise_layer(net, rng, x, kernel, multiplier=1, bias_elems=None, output_zp=0, relu=False, **geometry):
    """DEPTHWISE_CONV2D with random weights and bias, requantized to int8."""
    taps, channels = kernel[0] * kernel[1], x.shape[3] * multiplier
    acc = depthwise(net, x, random_weight(rng, (*kernel, x.shape[3], multiplier)),
                    random_bias(rng, channels if bias_elems is None else bias_elems, taps), **geometry)
    return requantized(net, rng, acc, taps, output_zp, relu)


def residual_add(net, x, y, x_scale=0.8, y_scale=0.55, x_zp=0, y_zp=0, output_zp=0, output_scale=0.7, relu=False):
    """int8 + int8: both to int32 with FRACTION_BITS, the second scaled relative to the first, ADD, RESCALE."""
    one = (2 ** 30, 30 - FRACTION_BITS)
    wide_x = rescale(net, x, "int32", one, input_zp=x_zp, rounding="double")
    wide_x = rescale(net, wide_x, "int32", quantize_scale(x_scale), rounding="double")
    wide_y = rescale(net, y, "int32", one, input_zp=y_zp, rounding="double")
    wide_y = rescale(net, wide_y, "int32", quantize_scale(y_scale), rounding="double")
    total = binary(net, "ADD", wide_x, wide_y)
    result = rescale(net, total, "int8", quantize_scale(output_scale / 2 ** FRACTION_BITS), output_zp=output_zp,
                     rounding="double")
    return clamp(net, result, output_zp, 127) if relu else result


def exp_tables(scale):
    """exp(scale * d) for d = -256 .. 0 in Q0.31, cut into its four bytes; entries for d > 0 are 0."""
    values = [min(round(math.exp(scale * (i - 256)) * 2 ** 31), 2 ** 31 - 1) if i <= 256 else 0 for i in range(513)]
    return [[(value >> shift) & 0xFF for value in values] for shift in (24, 16, 8, 0)]


def softmax(net, x, scale, input_zp):
    """int8 softmax over the last dimension; output scale 1/256, zero point -128. 41 operators."""
    axis, rank = len(x.shape) - 1, len(x.shape)

    def scalar(value):
        return net.const(np.full((1,) * rank, value), "int32")

    identity = (2 ** 30, 30)
    wide = rescale(net, x, "int32", identity, input_zp=input_zp)
    below = binary(net, "SUB", wide, reduce(net, "REDUCE_MAX", wide, axis))
    index = rescale(net, below, "int16", (2 ** 30, 23))  # times 128: the table's 7 fraction bits are 0
    parts = [table(net, index, values) for values in exp_tables(scale)]
    exps = binary(net, "ADD", binary(net, "LOGICAL_LEFT_SHIFT", parts[0], scalar(17)),
                  binary(net, "LOGICAL_LEFT_SHIFT", parts[1], scalar(9)))
    exps = binary(net, "ADD", exps, binary(net, "LOGICAL_LEFT_SHIFT", parts[2], scalar(1)))
    exps = binary(net, "ADD", exps, right_shift(net, parts[3], scalar(7), rounded=True))

    total = reduce(net, "REDUCE_SUM", right_shift(net, exps, scalar(12), rounded=True), axis)
    headroom = net.op("CLZ", [total], total.shape, "int32")
    half = binary(net, "LOGICAL_LEFT_SHIFT", total, binary(net, "SUB", headroom, scalar(1)))
    # Newton-Raphson for the reciprocal: 48/17 - 32/17 * half, then three steps.
    guess = binary(net, "ADD", mul(net, half, scalar(-1010580540), 31), scalar(1515870810))
    for _ in range(3):
        error = binary(net, "SUB", scalar(2 ** 29), mul(net, guess, half, 31))
        guess = binary(net, "ADD", guess, mul(net, mul(net, guess, error, 31), scalar(4)))
    product = mul(net, exps, guess, 30)
    shifted = right_shift(net, product, binary(net, "SUB", scalar(35), headroom), rounded=True)
    return rescale(net, shifted, "int8", identity, output_zp=-128)
