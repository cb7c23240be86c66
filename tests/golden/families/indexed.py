# SPDX-License-Identifier: Apache-2.0
"""GATHER and SCATTER, convolutions in three dimensions, computed weights and biases, RESIZE of int16 by large scales."""

import numpy as np
from chains import random_bias, random_weight, requantized
from families import network
from operators import conv2d, conv3d, depthwise, gather, quantize_scale, rescale, resize_bilinear, right_shift, scatter


@network("gather_int8", "rows of 21 bytes, two batches, an index several times")
def gather_int8(net, rng):
    indices = net.input((2, 11), "int32", rng.integers(0, 9, (2, 11)))
    net.output(gather(net, net.input((2, 9, 21)), indices))


@network("gather_embedding", "a constant table, as an embedding has it")
def gather_embedding(net, rng):
    table = net.const(rng.integers(-128, 128, (1, 300, 48)), "int8")
    indices = net.input((1, 25), "int32", rng.integers(0, 300, (1, 25)))
    net.output(gather(net, table, indices))


@network("scatter_int16", "rows of int16 to half of the places, the other places keep theirs")
def scatter_int16(net, rng):
    places = np.stack([rng.permutation(10)[:5] for _ in range(3)])
    values, rows = net.input((3, 10, 7), "int16"), net.input((3, 5, 7), "int16")
    net.output(scatter(net, values, net.input((3, 5), "int32", places), rows))


@network("scatter_gathered", "gathered rows of int32, scattered by a constant list")
def scatter_gathered(net, rng):
    values = net.input((1, 12, 16), "int32")
    rows = gather(net, values, net.input((1, 12), "int32", rng.integers(0, 12, (1, 12))))
    net.output(scatter(net, values, net.const(rng.permutation(12)[None, :], "int32"), rows))


@network("conv3d_padded", "3x3x3 kernel, padding on all sides, a zero point")
def conv3d_padded(net, rng):
    x = net.input((1, 4, 5, 5, 6))
    weight = rng.integers(-127, 128, (10, 3, 3, 3, 6))
    acc = conv3d(net, x, weight, random_bias(rng, 10, 162), pad=(1, 1, 1, 1, 1, 1), input_zp=-9)
    net.output(requantized(net, rng, acc, 162, output_zp=3))


@network("conv3d_strided", "stride and dilation of planes, two images, sums in int32")
def conv3d_strided(net, rng):
    x = net.input((2, 7, 4, 5, 3))
    weight = rng.integers(-127, 128, (5, 2, 1, 3, 3))
    net.output(conv3d(net, x, weight, random_bias(rng, 5, 18), stride=(2, 1, 1), dilation=(3, 1, 1),
                      pad=(1, 0, 0, 0, 1, 1), input_zp=4))


@network("conv3d_planes", "a kernel of one plane: nothing is stacked")
def conv3d_planes(net, rng):
    x = net.input((1, 5, 6, 6, 8))
    acc = conv3d(net, x, rng.integers(-127, 128, (16, 1, 3, 3, 8)), random_bias(rng, 16, 72), stride=(2, 1, 1))
    net.output(requantized(net, rng, acc, 72))


@network("conv_computed_weights", "weights and bias are inputs")
def conv_computed_weights(net, rng):
    x, weight = net.input((1, 6, 6, 12)), net.input((20, 3, 3, 12))
    bias = right_shift(net, net.input((20,), "int32"), net.const([16], "int32"), False)
    acc = conv2d(net, x, weight, bias, pad=(1, 1, 1, 1), input_zp=5, weight_zp=-2)
    net.output(requantized(net, rng, acc, 108, output_zp=-4))


@network("depthwise_computed_weights", "weights are an input, the bias is one computed value for all")
def depthwise_computed_weights(net, rng):
    x, weight = net.input((1, 7, 7, 20)), net.input((3, 3, 20, 2))
    bias = right_shift(net, net.input((1,), "int32"), net.const([18], "int32"), False)
    net.output(depthwise(net, x, weight, bias, pad=(1, 1, 1, 1), input_zp=-128))


@network("conv_by_itself", "one computed tensor is input and weights")
def conv_by_itself(net, rng):
    x = net.input((16, 1, 1, 16))
    acc = conv2d(net, x, random_weight(rng, (16, 1, 1, 16)), random_bias(rng, 16, 16))
    y = requantized(net, rng, acc, 16)
    net.output(conv2d(net, y, y, random_bias(rng, 16, 16)))


@network("resize_int16_wide", "weights of 22 bits: sums of int16 need 48")
def resize_int16_wide(net, rng):
    x = net.input((1, 3, 4, 5), "int16")
    acc = resize_bilinear(net, x, (2048, 1024, 1536, 512), (-512, 256), (512, 768))
    net.output(rescale(net, acc, "int16", quantize_scale(1 / (2048 * 1536), False), scale32=False))
