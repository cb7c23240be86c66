# SPDX-License-Identifier: Apache-2.0
"""Networks whose operators are functions of one code in pieces, with quantizers between them or without, and functions of sums that no
quantizer has met."""

import numpy
from onnx_groups import in_turn
from onnx_one_operator import Operator, image


def number(net, low, high):
    return net.floats(net.rng.choice([[], [1]]), low, high)


def piece(net, kind, values):
    """An operator of one or two of the values, all of which are functions of one number, and constants."""
    rng = net.rng
    value, other = rng.choice(values), rng.choice(values)
    if kind in ("Max", "Min", "Sum", "Mean"):
        return net.node(kind, [value, *(rng.choice([other, number(net, -1, 1)]) for _ in range(rng.randrange(1, 3)))])
    if kind == "Pow":
        return net.node(kind, [value, net.constant(numpy.float32(rng.choice([2, 3])))])
    if kind == "Div":  # by what is 1 or more
        raised = net.node("Add", [net.node("Abs", [other]), net.floats([], 1, 2)])
        return net.node(kind, [value, raised])
    if kind in ("Add", "Mul", "Sub"):
        inputs = [value, other if rng.random() < 0.7 else number(net, -1.5, 1.5)]
        rng.shuffle(inputs)
        return net.node(kind, inputs)
    return net.node(kind, [value])


def code_function(rng, code_type):
    """A graph of operators of one code. Of 8 bits quantizers may stand between; what they round is rounded here too."""
    kind = in_turn(rng, "code_function")
    net = Operator(rng, code_type, [1, 64, 3], 1 / 64 if code_type != "int16" else 1 / 8192)
    values = [net.value]
    for _ in range(rng.randrange(1, 4)):
        value = piece(net, rng.choice(["Sigmoid", "Tanh", "Relu", "HardSigmoid", "Add", "Mul", "Sub"]), values)
        if code_type != "int16" and rng.random() < 0.4:
            value = net.quantized(value, net.shape, net.scale(1 / 50))
        values.append(value)
    value = piece(net, kind, values)
    if rng.random() < 0.5:
        value = net.node("Mul", [value, values[0]])
    net.finish(value, 4)
    needed = {net.last_codes}
    kept = [node for node in reversed(net.nodes) if needed.intersection(node.output) and not needed.update(node.input)]
    net.nodes = kept[::-1] + [net.nodes[-1]]  # the last one makes numbers of the codes
    return net


def sum_function(rng, code_type):
    """A Conv, then a function of its sums, and a quantizer after it all."""
    kind = in_turn(rng, "sum_function")
    net = image(rng, code_type)
    channels = net.shape[1]
    weights, _ = net.weights([channels, channels, 1, 3], 0, channels)
    bias = [net.floats([channels], -1, 1)] if rng.random() < 0.5 else []
    sums = net.node("Conv", [net.value, weights, *bias], pads=[0, 1, 0, 1])
    if kind == "Mul":  # SiLU
        value = net.node(kind, [sums, net.node("Sigmoid", [sums])])
    elif kind == "Softmax":
        value = net.node(kind, [sums], axis=rng.choice([1, -1]))
    elif kind in ("GlobalAveragePool", "ReduceMean"):
        if rng.random() < 0.5:
            sums = net.node("Relu", [sums])
        axes = [] if kind == "GlobalAveragePool" else [net.constant(numpy.array([2, 3], numpy.int64))]
        value = net.node(kind, [sums, *axes])
    elif kind == "MaxPool":
        value = net.node(kind, [net.node("HardSwish", [sums])], kernel_shape=[2, 2])
    else:
        value = net.node(kind, [sums])
    net.finish(value, {"Sigmoid": 1, "Tanh": 1, "Softmax": 1, "HardSigmoid": 1}.get(kind, 3))
    return net
