# SPDX-License-Identifier: Apache-2.0
"""Several operators: fused chains, residual adds, softmax, branches, several inputs and outputs, file variants."""

import numpy as np
from chains import conv_layer, depthwise_layer, random_bias, random_weight, requantized, residual_add, softmax
from families import network
from operators import (avg_pool, binary, clamp, conv2d, mul, quantize_scale, reduce, rescale, reshape, table)

AROUND = (1, 1, 1, 1)


@network("residual_add", "int8 + int8 as the converter writes it, zero points and scales differ")
def residual_add_only(net, rng):
    x, y = net.input((1, 5, 4, 20)), net.input((1, 5, 4, 20))
    net.layer("add/add")
    net.output(residual_add(net, x, y, x_zp=-128, y_zp=14, output_zp=-11))


@network("residual_add_itself", "one tensor is both operands of a residual add")
def residual_add_itself(net, rng):
    x = net.input((1, 3, 4, 16))
    net.layer("add/add")
    net.output(residual_add(net, x, x, x_zp=7, y_zp=7, output_zp=3, output_scale=0.6))


@network("residual_block", "two convolutions, an add with their input, relu")
def residual_block(net, rng):
    x = net.input((1, 6, 6, 16))
    net.layer("a/Relu;a/Conv2D")
    y = conv_layer(net, rng, x, 16, (3, 3), pad=AROUND, input_zp=-128, output_zp=-128, relu=True)
    net.layer("b/BiasAdd;b/Conv2D")
    y = conv_layer(net, rng, y, 16, (3, 3), pad=AROUND, input_zp=-128, output_zp=4)
    net.layer("add/Relu;add/add")
    net.output(residual_add(net, x, y, x_zp=-128, y_zp=4, output_zp=-128, relu=True))


@network("residual_shortcut", "a residual block whose shortcut is a convolution too")
def residual_shortcut(net, rng):
    x = net.input((1, 5, 5, 8))
    net.layer("main/Conv2D")
    y = conv_layer(net, rng, x, 24, (3, 3), pad=AROUND, stride=(2, 2), input_zp=2, output_zp=-3)
    net.layer("shortcut/Conv2D")
    z = conv_layer(net, rng, x, 24, (1, 1), stride=(2, 2), input_zp=2, output_zp=9)
    net.layer("add/add")
    net.output(residual_add(net, y, z, x_zp=-3, y_zp=9, output_zp=1))


@network("mul_int8", "int8 x int8 as the converter writes it: both widened, MUL, RESCALE")
def mul_int8(net, rng):
    x, gate = net.input((1, 4, 4, 18)), net.input((1, 1, 1, 18))
    net.layer("gate/mul")
    wide = [rescale(net, t, "int32", (2**30, 30), input_zp=zp, rounding="double") for t, zp in ((x, -4), (gate, -128))]
    net.output(rescale(net, mul(net, *wide), "int8", quantize_scale(0.0071), output_zp=-4, rounding="double"))


def sigmoid_table(scale):
    return np.clip(np.round(256 / (1 + np.exp(-scale * np.arange(-128, 128)))) - 128, -128, 127).astype(int)


@network("conv_clamp_table", "CONV2D, RESCALE, CLAMP, TABLE: the whole epilogue")
def conv_clamp_table(net, rng):
    x = net.input((1, 5, 5, 8))
    net.layer("conv/Relu;conv/Conv2D")
    y = conv_layer(net, rng, x, 20, (3, 3), pad=AROUND, input_zp=-1, output_zp=-90, relu=True)
    net.layer("conv/Sigmoid")
    net.output(table(net, y, sigmoid_table(0.03)))


@network("depthwise_table", "DEPTHWISE_CONV2D, RESCALE, TABLE")
def depthwise_table(net, rng):
    x = net.input((1, 5, 5, 16))
    net.layer("dw/depthwise")
    y = depthwise_layer(net, rng, x, (3, 3), pad=AROUND, input_zp=-1)
    net.layer("dw/Sigmoid")
    net.output(table(net, y, sigmoid_table(0.05)))


@network("unary_chain", "TABLE, CLAMP, RESCALE, TABLE on one tensor, each a layer of its own")
def unary_chain(net, rng):
    net.layer(None)
    y = table(net, net.input((1, 3, 5, 17)), rng.integers(-128, 128, 256))
    y = rescale(net, clamp(net, y, -100, 90), "int8", quantize_scale(1.2), input_zp=-10, output_zp=5)
    net.output(table(net, y, sigmoid_table(0.04)))


@network("branch_two_consumers", "one convolution feeds two")
def branch_two_consumers(net, rng):
    x = net.input((1, 6, 5, 8))
    net.layer("stem/Relu;stem/Conv2D")
    stem = conv_layer(net, rng, x, 16, (3, 3), pad=AROUND, output_zp=-128, relu=True)
    net.layer("left/Conv2D")
    net.output(conv_layer(net, rng, stem, 8, (1, 1), input_zp=-128))
    net.layer("right/depthwise")
    net.output(depthwise_layer(net, rng, stem, (3, 3), pad=AROUND, input_zp=-128))


@network("branch_output_consumed", "a graph output inside: the first convolution's result is one, and is read on")
def branch_output_consumed(net, rng):
    x = net.input((1, 5, 5, 16))
    net.layer("first/Conv2D")
    y = conv_layer(net, rng, x, 16, (1, 1))
    net.output(y)
    net.layer("second/Conv2D")
    net.output(conv_layer(net, rng, y, 8, (3, 3)))


@network("branch_accumulator", "sums that two RESCALEs read and that are a graph output too: nothing may be folded")
def branch_accumulator(net, rng):
    x = net.input((1, 4, 4, 16))
    net.layer("conv/Conv2D")
    acc = conv2d(net, x, random_weight(rng, (16, 1, 1, 16)), random_bias(rng, 16, 16), input_zp=-3)
    fine, coarse = requantized(net, rng, acc, 16), requantized(net, rng, acc, 16, output_zp=-128, relu=True)
    net.output(fine, coarse, acc)


@network("branch_rescale_relu", "a RESCALE whose result goes to a CLAMP, a TABLE and the outside")
def branch_rescale_relu(net, rng):
    x = net.input((1, 4, 4, 8))
    net.layer("conv/Conv2D")
    y = conv_layer(net, rng, x, 16, (2, 2))
    net.layer("relu")
    low = clamp(net, y, 0, 127)
    net.layer("sigmoid")
    net.output(low, y, table(net, y, sigmoid_table(0.04)))


@network("outputs_reversed", "two inputs and two outputs, the outputs listed against the order of computation")
def outputs_reversed(net, rng):
    x, y = net.input((1, 3, 3, 8)), net.input((2, 30), "int32", values=rng.integers(-2**30, 2**30, (2, 30)))
    net.layer("conv/Conv2D")
    first = conv_layer(net, rng, x, 8, (1, 1))
    net.layer("sum")
    net.output(reduce(net, "REDUCE_MAX", y, 1), first)


@network("weights_shared", "two convolutions with the same weights, bias and scales")
def weights_shared(net, rng):
    weight, bias = net.const(random_weight(rng, (8, 3, 3, 8)), "int8"), random_bias(rng, 8, 72)
    x = net.input((1, 5, 5, 8))
    for layer in ("one", "two"):
        net.layer(f"{layer}/Conv2D")
        acc = conv2d(net, x, weight, bias, pad=AROUND)
        x = requantized(net, np.random.default_rng(1), acc, 72)
    net.output(x)


def register_softmax(name, what, shape, scale, input_zp, values=None):
    @network(name, what)
    def build(net, rng):
        net.layer("Identity")
        net.output(softmax(net, net.input(shape, values=values), scale, input_zp))


register_softmax("softmax_1x12", "the 41 operators of int8 softmax, a row of 12", (1, 12), 0.02, 47)
register_softmax("softmax_rows", "five rows of 40, rank 2", (5, 40), 0.13, -128)
register_softmax("softmax_rank_3", "rank 3", (2, 3, 17), 0.05, 0)
register_softmax("softmax_uniform", "equal inputs, then one that takes it all", (2, 10), 0.2, 3,
                 np.array([[5] * 10, [-128] * 9 + [127]]))


@network("classifier_head", "mean, fully connected and softmax")
def classifier_head(net, rng):
    net.layer("pool/AvgPool")
    y = avg_pool(net, net.input((1, 5, 4, 32)), (5, 4))
    net.layer("dense/MatMul;dense/BiasAdd")
    weight = reshape(net, net.const(random_weight(rng, (10, 32)), "int8"), (10, 1, 1, 32))
    y = requantized(net, rng, conv2d(net, y, weight, random_bias(rng, 10, 32)), 8, output_zp=-10)
    y = reshape(net, y, (1, 10))
    net.layer("Identity")
    net.output(softmax(net, y, 0.11, -10))


@network("small_classifier", "first layer, depthwise-separable block, residual block, pool, dense: every mapping once")
def small_classifier(net, rng):
    x = net.input((1, 12, 10, 1))
    net.layer("first/Relu;first/Conv2D")
    y = conv_layer(net, rng, x, 16, (3, 3), stride=(2, 2), pad=(0, 1, 0, 1), input_zp=30, output_zp=-128, relu=True)
    net.layer("dw/Relu;dw/depthwise")
    y = depthwise_layer(net, rng, y, (3, 3), pad=AROUND, input_zp=-128, output_zp=-128, relu=True)
    net.layer("pw/Relu;pw/Conv2D")
    y = conv_layer(net, rng, y, 16, (1, 1), input_zp=-128, output_zp=-128, relu=True)
    net.layer("branch/Conv2D")
    z = conv_layer(net, rng, y, 16, (3, 3), pad=AROUND, input_zp=-128, output_zp=6)
    net.layer("add/add")
    y = residual_add(net, y, z, x_zp=-128, y_zp=6, output_zp=-20)
    net.layer("pool/AvgPool")
    y = avg_pool(net, y, (6, 5), input_zp=-20, output_zp=-20)
    net.layer("dense/MatMul")
    y = requantized(net, rng, conv2d(net, y, random_weight(rng, (10, 1, 1, 16)), random_bias(rng, 10, 16),
                                     input_zp=-20), 8, output_zp=-5)
    net.output(reshape(net, y, (1, 10)))


def two_layers(net, rng):
    x = net.input((1, 4, 4, 8))
    net.layer("conv/Conv2D")
    y = conv_layer(net, rng, x, 8, (1, 1))
    net.layer(None)
    net.output(binary(net, "ADD", rescale(net, y, "int32", (2**30, 20)), net.const([[[[77]]]], "int32")))


network("file_draft", "a file of TOSA 1.0.2 draft, as the conformance suite has them",
        version=(1, 0, 2, True))(two_layers)
network("file_unpadded", "constants without padding to 8 bytes, as the Python serializer writes them",
        pad_data=False)(two_layers)
