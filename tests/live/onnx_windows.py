# SPDX-License-Identifier: Apache-2.0
"""Networks of one convolution or pool, with what few networks have: lines, groups, dilation, padding that is not counted."""

import numpy
from onnx_groups import in_turn
from onnx_one_operator import Operator, image


def is_16_bits(code_type):
    return code_type not in ("int8", "uint8")


def conv_transpose(rng, code_type):
    net = image(rng, code_type)
    channels, (kh, kw) = net.shape[1], (rng.choice([1, 2, 3, 4]), rng.choice([1, 2, 3]))
    groups = rng.choice([1, 1, channels] + ([2] if channels % 2 == 0 else []))
    out = rng.choice([1, 2, 5])
    strides = [rng.choice([1, 2, 3]), rng.choice([1, 2])]
    attributes = {"strides": strides, "group": groups, "dilations": [rng.choice([1, 1, 2]), rng.choice([1, 1, 3])]}
    way = rng.choice(["pads", "pads", "auto", "shape"])
    if way == "pads":
        attributes |= {"pads": [rng.randrange(kh), rng.randrange(kw), rng.randrange(kh), rng.randrange(kw)],
                       "output_padding": [rng.randrange(strides[0]), rng.randrange(strides[1])]}
    elif way == "auto":
        attributes["auto_pad"] = rng.choice(["SAME_UPPER", "SAME_LOWER", "VALID"])
    else:
        whole = [(size - 1) * stride + dilation * (kernel - 1) + 1
                 for size, stride, dilation, kernel in zip(net.shape[2:], strides, attributes["dilations"], (kh, kw))]
        attributes["output_shape"] = [max(1, size - rng.randrange(3)) for size in whole]
        attributes["auto_pad"] = rng.choice(["NOTSET", "SAME_UPPER", "SAME_LOWER"])
    weights, scale = net.weights([channels, out, kh, kw], 1, out)
    bias = net.bias(out, scale) if groups == 1 else [net.floats([out * groups], -1, 1)]
    net.finish(net.node("ConvTranspose", [net.value, weights, *bias], **attributes), 4)
    return net


def conv_groups(rng, code_type):
    """Groups of several channels, more than 64 of them too."""
    groups, inner = rng.choice([(2, 2), (3, 2), (4, 3)] + [(66, 2)] * (not is_16_bits(code_type)))
    net = Operator(rng, code_type, [1, groups * inner, 5, 4], 1 / 4096 if is_16_bits(code_type) else 1 / 32)
    out = groups * rng.choice([1, 2])
    weights, scale = net.weights([out, inner, 2, 3], 0, out)
    net.finish(net.node("Conv", [net.value, weights, *net.bias(out, scale)], group=groups, pads=[1, 1, 0, 0]), 4)
    return net


def line_average(rng, code_type):
    return line(rng, code_type, "line_average")


def line(rng, code_type, group="line"):
    """Rank 3."""
    net = Operator(rng, code_type, [rng.choice([1, 2]), rng.choice([1, 4, 6]), rng.randrange(8, 20)], 1 / 4096 if is_16_bits(code_type) else 1 / 32)
    channels, kernel = net.shape[1], rng.choice([1, 2, 3, 5])
    kind = in_turn(rng, group)
    attributes = {"strides": [rng.choice([1, 2, 3])], "pads": [rng.randrange(kernel), rng.randrange(kernel)]}
    if kind == "Conv":
        groups = rng.choice([1, channels] + ([2] if channels % 2 == 0 else []))
        weights, scale = net.weights([groups * 3, channels // groups, kernel], 0, groups * 3)
        inputs = [weights, *net.bias(groups * 3, scale)]
        attributes |= {"group": groups, "dilations": [rng.choice([1, 2])]}
    elif kind == "ConvTranspose":
        weights, scale = net.weights([channels, 3, kernel], 1, 3)
        inputs = [weights, *net.bias(3, scale)]
    else:
        inputs = []
        attributes = {} if kind == "GlobalAveragePool" else attributes | {"kernel_shape": [kernel]}
    value = net.node(kind, [net.value, *inputs], **attributes)
    if kind == "Conv" and rng.random() < 0.4:  # one more line after it, perhaps with another order of dimensions between
        net.value = net.quantized(net.node("Relu", [value]), None, net.scale(1 / 16 if net.code_type.itemsize == 1 else 1 / 4096))
        weights, scale = net.weights([2, groups * 3, 1], 0, 2)
        value = net.node("Conv", [net.value, weights, *net.bias(2, scale)])
    net.finish(value, 4)
    return net


def average(rng, code_type):
    """AveragePool of which windows have padding, that counts or not, and elements apart."""
    net = image(rng, code_type)
    kernel = [rng.randrange(1, min(4, size) + 1) for size in net.shape[2:]]
    attributes = {"kernel_shape": kernel, "strides": [rng.choice([1, 2, 3]), rng.choice([1, 2])], "ceil_mode": rng.randrange(2),
                  "count_include_pad": rng.randrange(2), "dilations": [1 + (rng.random() < 0.2 and 2 * size - 1 <= whole) for size, whole in zip(kernel, net.shape[2:])]}
    if rng.random() < 0.3:  # with SAME onnxruntime forgets the dilation
        attributes |= {"auto_pad": rng.choice(["SAME_UPPER", "SAME_LOWER", "VALID"]), "ceil_mode": 0, "dilations": [1, 1]}
    else:
        attributes["pads"] = [rng.randrange(kernel[0]), rng.randrange(kernel[1]), rng.randrange(kernel[0]), rng.randrange(kernel[1])]
    net.quantized(net.node("AveragePool", [net.value], **attributes), None, None, net.last if rng.random() < 0.5 else None or net.parameters(net.scale(1 / 40)))
    return net


def max_dilated(rng, code_type):
    """MaxPool of elements apart."""
    net = image(rng, code_type)
    kernel, dilations = [rng.choice([1, 2, 3]), rng.choice([1, 2, 3])], [rng.choice([1, 2, 3]), rng.choice([2, 3])]
    reach = [dilation * (size - 1) + 1 for size, dilation in zip(kernel, dilations)]
    pads = [rng.randrange(min(size, 3)) for size in kernel * 2]
    pads = [max(pad, (far - size + 1) // 2) for pad, far, size in zip(pads, reach * 2, net.shape[2:] * 2)]
    attributes = {"kernel_shape": kernel, "dilations": dilations, "pads": pads, "strides": [rng.choice([1, 2]), rng.choice([1, 3])],
                  "ceil_mode": rng.randrange(2)}
    net.quantized(net.node("MaxPool", [net.value], **attributes), None, None, net.last)
    return net


def mean(rng, code_type):
    net = Operator(rng, code_type, rng.choice([[3, 10], [1, 7, 33], [2, 3, 4, 5]]), 1 / 8192 if is_16_bits(code_type) else 1 / 32)
    axes = rng.sample(range(-len(net.shape), 0), rng.randrange(1, len(net.shape) + 1))
    inputs = [net.constant(numpy.array(axes, numpy.int64))] if rng.random() < 0.9 else []
    value = net.node("ReduceMean", [net.value, *inputs], keepdims=rng.randrange(2))
    net.quantized(value, None, None, net.parameters(net.scale(1 / 8192 if is_16_bits(code_type) else 1 / 64)))
    return net
