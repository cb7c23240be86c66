# SPDX-License-Identifier: Apache-2.0
"""CONV2D, one network a mapping of the array and a trap of the operator. Most end in a RESCALE per channel to int8."""

import numpy as np
from chains import conv_layer, random_weight, requantized
from families import network
from operators import conv2d, reshape, same_pads, slice_of


def register(name, what, shape, channels, kernel, located=True, **options):
    @network(name, what)
    def build(net, rng):
        net.layer("conv/Relu;conv/BiasAdd;conv/Conv2D" if located else None)
        net.output(conv_layer(net, rng, net.input(shape), channels, kernel, **options))


def same(size, kernel, stride):
    """Pads top, bottom, left, right of TFLite's SAME."""
    return tuple(pad for axis in (0, 1) for pad in same_pads(size[axis], kernel[axis], stride[axis]))


register("conv_1x1", "1x1, a multiple of the lanes", (1, 5, 7, 16), 32, (1, 1))
register("conv_1x1_c20_oc33", "1x1, channels that fill no vector", (1, 4, 5, 20), 33, (1, 1), located=False)
register("conv_3x3_pad", "3x3 with padding on all sides, input zero point, relu", (1, 6, 7, 16), 16, (3, 3),
         pad=(1, 1, 1, 1), input_zp=-7, output_zp=-128, relu=True)
register("conv_3x3_valid", "3x3 without padding", (1, 7, 6, 8), 16, (3, 3), located=False)
register("conv_first_c1", "first layer with one channel, stride 2", (1, 10, 8, 1), 8, (3, 3), stride=(2, 2),
         pad=(1, 0, 0, 1), input_zp=-128, output_zp=-128, relu=True)
register("conv_first_c3", "first layer with three channels, stride 2, TFLite SAME", (1, 12, 12, 3), 16, (3, 3),
         stride=(2, 2), pad=same((12, 12), (3, 3), (2, 2)), input_zp=-1)
register("conv_first_c3_stride1", "three channels, 3x3, stride 1", (1, 8, 9, 3), 16, (3, 3), pad=(1, 1, 1, 1))
register("conv_first_10x4", "one channel, a 10x4 kernel, stride 2, as in keyword spotting", (1, 21, 10, 1), 16, (10, 4),
         stride=(2, 2), pad=same((21, 10), (10, 4), (2, 2)), input_zp=83)
register("conv_stride2", "3x3, stride 2, TFLite SAME on an even size: pads only below and right", (1, 8, 8, 16), 16,
         (3, 3), stride=(2, 2), pad=same((8, 8), (3, 3), (2, 2)), input_zp=11)
register("conv_stride_1x3", "another stride in each direction", (1, 5, 10, 8), 8, (3, 4), stride=(1, 3))
register("conv_dilation_2", "3x3, dilation 2, padded", (1, 7, 8, 8), 8, (3, 3), dilation=(2, 2), pad=(2, 2, 2, 2),
         input_zp=-20)
register("conv_dilation_3x1", "another dilation in each direction", (1, 9, 5, 4), 8, (3, 3), dilation=(3, 1))
register("conv_pads_asymmetric", "four different pads", (1, 5, 5, 8), 8, (3, 4), pad=(0, 1, 3, 2), input_zp=40)
register("conv_pads_beyond_kernel", "pads above the kernel: outputs of nothing but bias", (1, 2, 3, 8), 8, (2, 2),
         pad=(3, 0, 2, 4), input_zp=-100)
register("conv_5x1", "a column kernel", (1, 9, 4, 8), 16, (5, 1), pad=(2, 2, 0, 0))
register("conv_1x5", "a row kernel", (1, 4, 9, 8), 16, (1, 5), pad=(0, 0, 2, 2))
register("conv_oc1", "one output channel", (1, 5, 6, 16), 1, (3, 3), pad=(1, 1, 1, 1))
register("conv_oc3", "three output channels", (1, 5, 6, 16), 3, (3, 3), pad=(1, 1, 1, 1), located=False)
register("conv_oc8", "eight output channels: half the lanes of v256", (1, 5, 6, 16), 8, (3, 3), pad=(1, 1, 1, 1))
register("conv_oc17", "seventeen output channels: one above the lanes of v256", (1, 5, 6, 16), 17, (3, 3),
         pad=(1, 1, 1, 1))
register("conv_weight_zp", "weight and input zero point", (1, 5, 5, 8), 8, (3, 3), pad=(1, 1, 1, 1), input_zp=-128,
         weight_zp=5)
register("conv_bias_one", "a bias of length 1", (1, 4, 4, 8), 16, (3, 3), bias_elems=1)
register("conv_batch_2", "a batch of two", (2, 4, 5, 8), 16, (3, 3), pad=(1, 1, 1, 1), input_zp=3)
register("conv_long_row", "a row of more pixels than an accumulator bank has rows", (1, 1, 70, 8), 16, (1, 3))
register("conv_long_column", "many rows of few pixels", (1, 70, 2, 8), 16, (3, 1), pad=(1, 1, 0, 0))
register("conv_deep", "a reduction of 864 products", (1, 4, 4, 96), 4, (3, 3), pad=(1, 1, 1, 1), input_zp=-30)
register("conv_single_round", "SINGLE_ROUND in the RESCALE", (1, 5, 5, 16), 16, (1, 1), rounding="single")


@network("conv_accumulators", "no RESCALE: int32 outputs")
def conv_accumulators(net, rng):
    net.layer("raw/Conv2D")
    net.output(conv2d(net, net.input((1, 4, 5, 8)), random_weight(rng, (17, 3, 3, 8)),
                      rng.integers(-2**31, 2**31, 17) // 4, pad=(1, 1, 1, 1), input_zp=9))


@network("conv_zero_points_extreme", "zero points at opposite ends: nine-bit operands, all products negative")
def conv_zero_points_extreme(net, rng):
    net.layer("raw/Conv2D")
    net.output(conv2d(net, net.input((1, 4, 4, 8)), random_weight(rng, (8, 2, 2, 8)), [0], pad=(1, 0, 0, 1),
                      input_zp=127, weight_zp=-128))


@network("conv_extremes", "all inputs -128 against zero point 127, weights at both ends")
def conv_extremes(net, rng):
    net.layer("extremes/Conv2D")
    x = net.input((1, 3, 3, 32), values=np.full((1, 3, 3, 32), -128, np.int8))
    weight = np.where(rng.integers(0, 2, (8, 2, 2, 32)) == 1, 127, -128)
    weight[0], weight[1] = -128, 127
    net.output(conv2d(net, x, weight, [2**30] * 4 + [-2**30] * 4, input_zp=127))


@network("conv_1x1_stride2_slice", "1x1 with stride 2: the converter slices the last row and column off first")
def conv_1x1_stride2_slice(net, rng):
    net.layer("shortcut/BiasAdd;shortcut/Conv2D")
    x = slice_of(net, net.input((1, 8, 8, 16)), (0, 0, 0, 0), (1, 7, 7, 16))
    net.output(conv_layer(net, rng, x, 32, (1, 1), stride=(2, 2), input_zp=-128))


def register_fully_connected(name, what, batch, features, classes, **options):
    @network(name, what)
    def build(net, rng):
        net.layer("dense/MatMul;dense/BiasAdd")
        x = net.input((batch, features))
        weight = reshape(net, net.const(random_weight(rng, (classes, features)), "int8"), (classes, 1, 1, features))
        pixels = reshape(net, x, (batch, 1, 1, features))
        acc = conv2d(net, pixels, weight, rng.integers(-3000, 3000, classes), **options)
        y = requantized(net, rng, acc, features, output_zp=-9)
        net.output(reshape(net, y, (batch, classes)))


register_fully_connected("fc_64_12", "fully connected: 1x1 on 1x1, weights through a RESHAPE", 1, 64, 12, input_zp=-128)
register_fully_connected("fc_200_17", "fully connected, sizes that fill no vector", 1, 200, 17, input_zp=5)
register_fully_connected("fc_batch_3", "fully connected, a batch of three", 3, 40, 16)
