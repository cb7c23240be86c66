# SPDX-License-Identifier: Apache-2.0
"""DEPTHWISE_CONV2D: channel counts around the lanes, multipliers, strides, kernels within and beyond the window."""

from chains import conv_layer, depthwise_layer, random_weight, requantized
from families import network
from operators import depthwise, reshape, same_pads


def register(name, what, shape, kernel, located=True, **options):
    @network(name, what)
    def build(net, rng):
        net.layer("dw/Relu;dw/BiasAdd;dw/depthwise" if located else None)
        net.output(depthwise_layer(net, rng, net.input(shape), kernel, **options))


def same(size, kernel, stride):
    return tuple(pad for axis in (0, 1) for pad in same_pads(size[axis], kernel[axis], stride[axis]))


AROUND = (1, 1, 1, 1)
register("depthwise_c1", "one channel", (1, 6, 6, 1), (3, 3), pad=AROUND)
register("depthwise_c8", "eight channels: half the lanes of v256", (1, 6, 7, 8), (3, 3), pad=AROUND, input_zp=-128,
         output_zp=-128, relu=True)
register("depthwise_c16", "sixteen channels", (1, 6, 7, 16), (3, 3), pad=AROUND, input_zp=-12)
register("depthwise_c20", "twenty channels: a second, mostly empty block", (1, 5, 6, 20), (3, 3), pad=AROUND,
         input_zp=19, located=False)
register("depthwise_c48", "three full blocks", (1, 4, 4, 48), (3, 3), pad=AROUND, located=False)
register("depthwise_stride2", "stride 2, TFLite SAME", (1, 8, 8, 16), (3, 3), stride=(2, 2),
         pad=same((8, 8), (3, 3), (2, 2)), input_zp=-128)
register("depthwise_stride_2x1", "another stride in each direction", (1, 7, 6, 8), (3, 3), stride=(2, 1),
         pad=(1, 1, 0, 0))
register("depthwise_dilation_2", "dilation 2", (1, 8, 7, 16), (3, 3), dilation=(2, 2), pad=(2, 2, 2, 2), input_zp=4)
register("depthwise_5x5", "25 taps: more than a window of 16", (1, 7, 7, 16), (5, 5), pad=(2, 2, 2, 2), input_zp=-3)
register("depthwise_7x3", "21 taps in a tall kernel", (1, 9, 5, 8), (7, 3), pad=(3, 3, 1, 1))
register("depthwise_4x4", "16 taps: exactly a window", (1, 7, 7, 16), (4, 4), pad=(1, 2, 1, 2), input_zp=50)
register("depthwise_1x1", "a single tap", (1, 4, 5, 16), (1, 1))
register("depthwise_multiplier_2", "two outputs a channel", (1, 5, 5, 8), (3, 3), multiplier=2, pad=AROUND, input_zp=-6)
register("depthwise_multiplier_3_c5", "three outputs a channel, five channels", (1, 5, 4, 5), (3, 3), multiplier=3,
         pad=AROUND)
register("depthwise_multiplier_8_c1", "one channel to eight", (1, 6, 6, 1), (3, 3), multiplier=8, stride=(2, 2),
         pad=(0, 1, 0, 1), input_zp=-128)
register("depthwise_zero_points", "input and weight zero point", (1, 5, 5, 16), (3, 3), pad=AROUND, input_zp=-128,
         weight_zp=-17)
register("depthwise_bias_one", "a bias of length 1", (1, 5, 5, 8), (3, 3), bias_elems=1)
register("depthwise_long_row", "a row of 70 pixels", (1, 3, 70, 8), (3, 3), pad=AROUND, input_zp=2)
register("depthwise_batch_2", "a batch of two", (2, 4, 5, 16), (3, 3), pad=AROUND, input_zp=-5)


@network("depthwise_accumulators", "no RESCALE: int32 outputs")
def depthwise_accumulators(net, rng):
    net.layer("raw/depthwise")
    net.output(depthwise(net, net.input((1, 4, 5, 17)), random_weight(rng, (3, 3, 17, 1)),
                         rng.integers(-2**31, 2**31, 17) // 4, pad=AROUND, input_zp=-9))


@network("depthwise_separable", "depthwise and 1x1 as the converter writes them, weights through a RESHAPE")
def depthwise_separable(net, rng):
    x = net.input((1, 6, 5, 16))
    net.layer("block/dw/Relu;block/dw/depthwise")
    weight = reshape(net, net.const(random_weight(rng, (1, 3, 3, 16)), "int8"), (3, 3, 16, 1))
    acc = depthwise(net, x, weight, rng.integers(-4000, 4000, 16), pad=AROUND, input_zp=-128)
    y = requantized(net, rng, acc, 9, output_zp=-128, relu=True)
    net.layer("block/pw/Relu;block/pw/Conv2D")
    net.output(conv_layer(net, rng, y, 24, (1, 1), input_zp=-128, output_zp=-128, relu=True))

