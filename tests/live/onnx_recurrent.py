# SPDX-License-Identifier: Apache-2.0
"""Networks of an LSTM or a GRU, or of two of them one after the other, for onnx_operators.py."""

import numpy
import onnx
from onnx_one_operator import Operator

STEPS = 16


def weights(net, *shape):
    """In float32 as quantize_static leaves them, or of 8 bits."""
    about = (2 / shape[-1]) ** 0.5
    if net.rng.random() < 0.7:
        return net.floats(list(shape), -about, about)
    codes = numpy.random.default_rng(net.rng.randrange(1 << 30)).integers(-127, 128, shape).astype(numpy.int8)
    return net.node("DequantizeLinear", [net.constant(codes), net.constant(numpy.float32(about / 127))], "weights")


def layer(net, kind, value, inputs, hidden, direction, batch):
    """The names of the node's outputs."""
    gates, directions = (4, 3)[kind == "GRU"], 1 + (direction == "bidirectional")
    operands = [value, weights(net, directions, gates * hidden, inputs), weights(net, directions, gates * hidden, hidden),
                net.floats([directions, 2 * gates * hidden], -0.5, 0.5) if net.rng.random() < 0.8 else ""]
    state = [directions, batch, hidden]
    if net.rng.random() < 0.4:
        operands += [net.constant(numpy.full([batch], STEPS, numpy.int32)) if net.rng.random() < 0.3 else ""]
        operands += [net.floats(state, -0.8, 0.8) for _ in range(1 + (kind == "LSTM"))]
    outputs = [net.name(kind.lower()) for _ in range(2 + (kind == "LSTM"))]
    attributes = {"linear_before_reset": net.rng.randrange(2)} if kind == "GRU" else {}
    if net.rng.random() < 0.3:
        attributes["activations"] = ["Sigmoid", "Tanh"] * directions if kind == "GRU" else ["Sigmoid", "Tanh", "Tanh"] * directions
    net.nodes.append(onnx.helper.make_node(kind, operands, outputs, name=f"node_{outputs[0]}", hidden_size=hidden, direction=direction, **attributes))
    return outputs


def recurrent(rng, code_type, kind):
    batch, inputs, hidden = rng.choice([1, 1, 2, 3]), rng.choice([1, 3, 8, 24]), rng.choice([1, 2, 5, 16, 32])
    net = Operator(rng, code_type, [STEPS, batch, inputs], 1 / 64 if code_type != "int16" else 1 / 16384)
    direction = rng.choice(["forward", "reverse", "bidirectional"])
    directions = 1 + (direction == "bidirectional")
    outputs = layer(net, kind, net.value, inputs, hidden, direction, batch)
    if rng.random() < 0.25:
        turned = net.node("Transpose", [outputs[0]], perm=[0, 2, 1, 3])
        rows = net.node("Reshape", [turned, net.constant(numpy.array([STEPS, batch, directions * hidden], numpy.int64))])
        outputs = layer(net, kind, rows, directions * hidden, hidden, direction, batch)
    chosen = rng.choice([0, 0, 0, *range(1, len(outputs))])
    value = outputs[chosen]
    if chosen == 0 and directions == 1 and rng.random() < 0.5:
        value = net.node("Squeeze", [value, net.constant(numpy.array([1], numpy.int64))])
    net.finish(value, 1 if chosen < 2 else 4)
    return net


def lstm(rng, code_type):
    return recurrent(rng, code_type, "LSTM")


def gru(rng, code_type):
    return recurrent(rng, code_type, "GRU")


RECURRENT = (lstm, gru)
