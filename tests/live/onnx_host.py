# SPDX-License-Identifier: Apache-2.0
"""Networks of one operator that stays in float after the last quantizer: the host computes it."""

import numpy
from onnx import TensorProto
from onnx_groups import OPERATORS, in_turn
from onnx_one_operator import Operator


def in_float(rng, code_type, shape=(2, 4, 6, 4)):
    """A network whose value is no codes any more."""
    net = Operator(rng, code_type, list(shape), 1 / 64 if code_type != "int16" else 1 / 8192)
    net.value = net.node("Mul", [net.value, net.constant(numpy.float32(0.37))])
    return net


def integers(net, *numbers):
    return net.constant(numpy.asarray(numbers, numpy.int64))


def host_moved(rng, code_type):
    net, kind = in_float(rng, code_type), in_turn(rng, "host_moved")
    value = net.value
    if kind == "Concat":
        net.float_output = net.node(kind, [value, net.floats([2, 3, 6, 4], -1, 1), net.node("Abs", [value])], axis=rng.choice([1, -3]))
    elif kind in ("DepthToSpace", "SpaceToDepth"):
        net.float_output = net.node(kind, [value], blocksize=2, **({"mode": rng.choice(["DCR", "CRD"])} if kind == "DepthToSpace" else {}))
    elif kind == "Expand":
        net.float_output = net.node(kind, [net.node("Unsqueeze", [value, integers(net, 1)]), integers(net, 3, 2, 5, 1, 6, 1)])
    elif kind == "Gather":
        net.float_output = net.node(kind, [value, net.constant(numpy.asarray([[0, -1], [2, 2]], numpy.int64))], axis=rng.choice([1, 2, -1]))
    elif kind == "Pad":
        mode = rng.choice(["constant", "reflect", "edge", "wrap"])
        inputs = [value, integers(net, 0, 1, 2, -1, 0, 0, 3, 1)] + ([net.constant(numpy.float32(0.3))] if mode == "constant" else [])
        net.float_output = net.node(kind, inputs, mode=mode)
    elif kind == "Resize":
        positions = rng.choice(["half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"])
        how = rng.choice(["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"])
        sizes = integers(net, 2, 4, rng.randrange(2, 14), rng.randrange(2, 14))
        net.float_output = net.node(kind, [value, "", "", sizes], mode="nearest", coordinate_transformation_mode=positions, nearest_mode=how)
    elif kind == "Slice":
        net.float_output = net.node(kind, [value, integers(net, 1, -1), integers(net, 3, -6), integers(net, 1, 2), integers(net, 1, -2)])
    elif kind == "Split":
        parts = [net.name("part") for _ in range(3)]
        net.float_output = net.node(kind, [value, integers(net, 1, 2, 3)], axis=2)
        net.nodes[-1].output.extend(parts[1:])
        net.float_output = net.node("Concat", [parts[2], net.float_output], axis=2)
    elif kind == "Tile":
        net.float_output = net.node(kind, [value, integers(net, 1, 2, 1, 3)])
    elif kind == "Cast":
        whole = net.node(kind, [net.node("Mul", [value, net.constant(numpy.float32(7))])], to=rng.choice([TensorProto.INT64, TensorProto.INT32]))
        net.float_output = net.node(kind, [whole], to=TensorProto.FLOAT)
    else:
        raise ValueError(kind)
    return net


def host_compared(rng, code_type):
    net, kind = in_float(rng, code_type), in_turn(rng, "host_compared")
    other = rng.choice([net.node("Abs", [net.value]), net.floats([4, 1, 4], 0.5, 2), net.floats([1, 2, 1, 6, 4], 0.5, 2)])
    if kind in ("ArgMax", "ArgMin"):
        value = net.node("MatMul", [net.value, net.floats([4, 4], -1, 1)])  # the machine itself takes indices of codes
        index = net.node(kind, [value], axis=rng.randrange(3), keepdims=rng.randrange(2), select_last_index=rng.randrange(2))
        net.float_output = net.node("Cast", [index], to=TensorProto.FLOAT)
    elif kind in ("ReduceMax", "ReduceMin"):
        net.float_output = net.node(kind, [net.value, integers(net, *rng.choice([[1], [2, 3], [0, -1]]))], keepdims=rng.randrange(2))
    elif kind == "GlobalMaxPool":
        net.float_output = net.node(kind, [net.value])
    elif kind == "MaxPool":
        net.float_output = net.node(kind, [net.value], kernel_shape=[3, 2], strides=[2, 1], pads=[1, 0, 1, 1], dilations=[1, rng.choice([1, 2])],
                                    ceil_mode=rng.randrange(2))
    elif kind == "PRelu":
        net.float_output = net.node(kind, [net.value, net.floats([4, 1, 1], -0.5, 0.5)])
    elif kind == "Pow":
        net.float_output = net.node(kind, [net.value, net.constant(numpy.float32(rng.choice([2, 3])))])
    elif kind in ("Sum", "Max", "Min"):
        net.float_output = net.node(kind, [net.value, other, net.node("Neg", [net.value])])
    else:
        net.float_output = net.node(kind, rng.choice([[net.value, other], [other, net.value]]) if kind != "Div" else [net.value, net.floats([4, 1, 4], 0.5, 2)])
    return net


def host_sums(rng, code_type):
    kind = in_turn(rng, "host_sums")
    net = in_float(rng, code_type, (5, 6) if kind == "Gemm" else (2, 4, 6, 4))
    value = net.value
    if kind == "Conv":
        group = rng.choice([1, 2, 4])
        net.float_output = net.node(kind, [value, net.floats([8, 4 // group, 3, 2], -1, 1), net.floats([8], -1, 1)], group=group, pads=[1, 0, 1, 1],
                                    strides=[1, 2], dilations=[rng.choice([1, 2]), 1])
    elif kind == "Gemm":
        transposed = rng.randrange(2)
        net.float_output = net.node(kind, [value, net.floats([7, 6] if transposed else [6, 7], -1, 1), net.floats([7], -1, 1)], transB=transposed,
                                    alpha=rng.choice([1.0, 0.5]), beta=rng.choice([1.0, 2.0]))
    elif kind == "MatMul":
        net.float_output = net.node(kind, rng.choice([[value, net.floats([4, 5], -1, 1)], [net.floats([3, 6], -1, 1), value],
                                                      [value, net.node("Transpose", [value], perm=[0, 1, 3, 2])], [value, net.floats([4], -1, 1)]]))
    elif kind == "AveragePool":
        net.float_output = net.node(kind, [value], kernel_shape=[3, 2], strides=[2, 1], pads=[1, 0, 1, 1], count_include_pad=rng.randrange(2),
                                    ceil_mode=rng.randrange(2))
    elif kind.startswith("Reduce"):
        net.float_output = net.node(kind, [value, integers(net, *rng.choice([[1], [2, 3], [0, -1]]))], keepdims=rng.randrange(2))
    elif kind == "Resize":
        positions = rng.choice(["half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"])
        sizes = integers(net, 2, 4, rng.randrange(2, 14), rng.randrange(2, 14))
        net.float_output = net.node(kind, [value, "", "", sizes], mode="linear", coordinate_transformation_mode=positions)
    elif kind == "LayerNormalization":
        net.float_output = net.node(kind, [value, net.floats([6, 4], 0.5, 2), net.floats([6, 4], -1, 1)], axis=2)
    elif kind == "InstanceNormalization":
        net.float_output = net.node(kind, [value, net.floats([4], 0.5, 2), net.floats([4], -1, 1)])
    elif kind == "BatchNormalization":
        net.float_output = net.node(kind, [value, *(net.floats([4], 0.5, 2) for _ in range(4))])
    elif kind == "Mean":
        net.float_output = net.node(kind, [value, net.node("Abs", [value]), net.floats([4], -1, 1)])
    elif kind in ("Softmax", "LogSoftmax"):
        net.float_output = net.node(kind, [value], axis=rng.randrange(4))
    else:
        net.float_output = net.node(kind, [value])
    return net


def host_function(rng, code_type):
    net, kind = in_float(rng, code_type), rng.choice(OPERATORS["host_function"].operators)
    value = net.node("Add", [net.node("Abs", [net.value]), net.constant(numpy.float32(0.1))]) if kind in ("Log", "Sqrt", "Reciprocal") else net.value
    net.float_output = net.node(kind, [value], **({"approximate": rng.choice(["none", "tanh"])} if kind == "Gelu" else {}))
    return net


HOST = (host_moved, host_compared, host_sums, host_function)
