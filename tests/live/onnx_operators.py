# SPDX-License-Identifier: Apache-2.0
"""Networks of one operator each, of those that random networks do not have, and what onnxruntime makes of them.

usage: onnx_operators.py --seed N --cases N FOLDER, in an environment that has onnx, onnxruntime and numpy. Writes the files of
onnx_networks.py, N cases of each kind."""

import argparse
import json
import pathlib
import random

import numpy
import onnx
from onnx_choices import CHOICES
from onnx_functions import code_function, sum_function
from onnx_groups import OPERATORS, in_turn
from onnx_host import HOST
from onnx_networks import session_of
from onnx_one_operator import Operator, image
from onnx_recurrent import RECURRENT
from onnx_windows import average, conv_groups, conv_transpose, line, line_average, max_dilated, mean


def softmax(rng, code_type):
    net = Operator(rng, code_type, rng.choice([[1, 10], [1, 7, 33], [2, 3, 4, 5], [1, 300], [3, 128]]),
                   rng.choice([1 / 8, 1 / 32]) if code_type != "int16" else rng.choice([1 / 1024, 1 / 4096]))
    info = numpy.iinfo(net.code_type)
    axis = rng.randrange(-len(net.shape), len(net.shape))
    value = net.node("Softmax", [net.value], axis=axis)
    parameters = [net.constant(numpy.float32(1 / (info.max - info.min + 1 if net.code_type != "int16" else 32768))),
                  net.constant(numpy.asarray(info.min if net.code_type != "int16" else 0, net.code_type))]
    net.quantized(value, None, None, parameters)
    return net


def layer_norm(rng, code_type):
    net = Operator(rng, code_type, rng.choice([[1, 64], [1, 7, 33], [2, 3, 4, 5], [3, 200]]), 1 / 32 if code_type != "int16" else 1 / 4096)
    axis = rng.choice([-1, len(net.shape) - 1, 1])
    shape = net.shape[axis:]
    inputs = [net.value, net.floats(shape, -1.5, 1.5)] + ([net.floats(shape, -1, 1)] if rng.random() < 0.7 else [])
    net.finish(net.node("LayerNormalization", inputs, axis=axis), 4)
    return net


def resize_nearest(rng, code_type):
    return resize(rng, code_type, "nearest")


def resize_linear(rng, code_type):
    return resize(rng, code_type, "linear")


def resize(rng, code_type, mode):
    net = image(rng, code_type)
    attributes = {"mode": mode,
                  "coordinate_transformation_mode": rng.choice(["half_pixel", "pytorch_half_pixel", "asymmetric", "align_corners"])}
    if mode == "nearest":
        attributes["nearest_mode"] = rng.choice(["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"])
    if rng.random() < 0.5:
        scales = [1, 1, rng.choice([1, 2, 3, 4, 0.5, 1.5]), rng.choice([1, 2, 4, 0.5])]
        inputs = [net.value, "", net.constant(numpy.array(scales, numpy.float32))]
    else:
        sizes = [*net.shape[:2], rng.randrange(1, 20), rng.randrange(1, 20)]
        inputs = [net.value, "", "", net.constant(numpy.array(sizes, numpy.int64))]
    net.quantized(net.node("Resize", inputs, **attributes), None, None, net.last)
    return net


def movement(rng, code_type):
    kind = in_turn(rng, "movement")
    if kind in ("Identity", "Split", "Slice", "Pad"):
        return moved(rng, code_type, kind)
    if kind == "Gather":
        net = Operator(rng, code_type, [2, 5, 4])
        axis = rng.randrange(3)
        indices = [rng.randrange(-net.shape[axis], net.shape[axis]) for _ in range(rng.randrange(1, 7))]
        net.quantized(net.node(kind, [net.value, net.constant(numpy.array(indices, numpy.int64))], axis=axis), None, None, net.last)
    elif kind == "DepthToSpace":
        net = Operator(rng, code_type, [1, 8, 3, 2])
        net.quantized(net.node(kind, [net.value], blocksize=2, mode=rng.choice(["DCR", "CRD"])), None, None, net.last)
    else:
        net = Operator(rng, code_type, [1, 3, 4, 6])
        net.quantized(net.node(kind, [net.value], blocksize=2), None, None, net.last)
    return net


def moved(rng, code_type, kind):
    net = Operator(rng, code_type, rng.choice([[2, 5, 6], [1, 3, 5, 4], [7, 9]]))
    axis = rng.randrange(len(net.shape))

    def numbers(*values):
        return net.constant(numpy.array(values, numpy.int64))
    if kind == "Identity":
        value = net.node(kind, [net.value])
    elif kind == "Split":
        names = [net.name("part") for _ in range(2)]
        net.nodes.append(onnx.helper.make_node(kind, [net.value], names, axis=axis, num_outputs=2, name=f"node_{names[0]}"))
        value = rng.choice(names)
    elif kind == "Slice":
        size = net.shape[axis]
        begin, end, step = rng.randrange(-size - 2, size + 2), rng.randrange(-size - 2, size + 2), rng.choice([1, 2, 3, -1, -2, 100, -100])
        value = net.node(kind, [net.value, numbers(begin), numbers(end), numbers(axis), numbers(step)])
    else:
        mode = rng.choice(["constant", "reflect", "edge", "wrap"])
        pads = [rng.randrange(2) for _ in range(2 * len(net.shape))]
        inputs = [net.value, numbers(*pads)] if rng.random() < 0.6 else [net.value, numbers(2, 1), "", numbers(axis - len(net.shape))]
        value = net.node(kind, inputs, mode=mode)
    net.quantized(value, None, None, net.last)
    return net


def batch_norm(rng, code_type):
    net = image(rng, code_type)
    value, channels = net.value, net.shape[1]
    if rng.random() < 0.5:
        channels = 4
        weights, scale = net.weights([channels, net.shape[1], 1, 1], 0, channels)
        value = net.node("Conv", [value, weights, *net.bias(channels, scale)])
    parameters = [net.floats([channels], -1, 1), net.floats([channels], -1, 1), net.floats([channels], -1, 1), net.floats([channels], 0.25, 2)]
    net.finish(net.node("BatchNormalization", [value, *parameters]), 4)
    return net


def prelu(rng, code_type):
    net = image(rng, code_type)
    slopes = net.floats(rng.choice([[net.shape[1], 1, 1], [1], [1, 1, 1]]), -0.5, 0.5)
    net.finish(net.node("PRelu", [net.value, slopes]), 4)
    return net


def matmul(rng, code_type):
    """Of the value and its transpose, or of shapes that go along with each other; with 16 bits also with zero points."""
    shape, other = rng.choice([([4, 6], None), ([1, 4, 6], None), ([2, 4, 6], None), ([1, 3, 4, 6], None), ([2, 1, 4, 6], [3, 6, 5]),
                               ([4, 6], [2, 6, 3]), ([2, 4, 6], [6, 3]), ([1, 4, 6], [3, 2, 6, 5]), ([2, 3, 4, 6], [2, 1, 6, 2])])
    net = Operator(rng, code_type, shape, 1 / 64 if code_type != "int16" else 1 / 8192, has_zero_point=rng.random() < 0.5)
    if other:
        right = net.quantized(net.floats(other, -1, 1), other, net.scale(1 / 64 if code_type != "int16" else 1 / 16384))
    else:
        right = net.node("Transpose", [net.value], perm=[*range(len(shape) - 2), len(shape) - 1, len(shape) - 2])
    net.finish(net.node("MatMul", [net.value, right]), 8)
    return net


def gemm(rng, code_type):
    rows, columns, out, turned = rng.choice([1, 5]), rng.choice([6, 32]), rng.choice([3, 8]), rng.randrange(2)
    # Steps of the products that are small beside those of the result, since a bias of floats is rounded to them.
    net = Operator(rng, code_type, [columns, rows] if turned else [rows, columns], 1 / 32 if code_type != "int16" else 1 / 4096)
    transposed = rng.randrange(2)
    weights, _ = net.weights([out, columns] if transposed else [columns, out], 1 - transposed, out)
    bias = [net.floats(rng.choice([[out], [1, out], [1], []]), -2, 2)] if rng.random() < 0.7 else []
    net.finish(net.node("Gemm", [net.value, weights, *bias], transA=turned, transB=transposed, alpha=rng.choice([1.0, 0.5, 1.7]),
                        beta=rng.choice([1.0, 0.0, -2.5])), 4)
    return net


def integer(rng, code_type):
    """Sums of codes as they are."""
    kind = in_turn(rng, "integer")
    net = Operator(rng, "uint8", rng.choice([[1, 4, 5, 6], [2, 1, 7, 3]]) if kind == "ConvInteger" else rng.choice([[3, 6], [2, 3, 6]]))
    shape = [3, net.shape[1], 3, 2] if kind == "ConvInteger" else [6, 5]
    weights = numpy.random.default_rng(rng.randrange(1 << 30)).integers(0, 256, shape).astype(numpy.uint8)
    inputs = [net.last_codes, net.constant(weights), net.last[1], net.constant(numpy.uint8(rng.randrange(256)))]
    attributes = {"pads": [1, 0, 1, 1], "strides": [1, 2]} if kind == "ConvInteger" else {}
    return net.ends_with_integers(net.node(kind, inputs[:rng.choice([2, 3, 4, 4])], **attributes))


def ends(rng, code_type):
    """Float operators before the first quantizer and after the last one: the host's."""
    net = Operator(rng, code_type, [1, 3, 4, 5])
    net.nodes.clear()
    value = "x"
    for _ in range(rng.randrange(1, 4)):
        value = one_end(net, value)
    net.value = net.quantized(value, net.shape, net.scale(1 / 64 if code_type != "int16" else 1 / 8192))
    value = net.node("DequantizeLinear", [net.last_codes, *net.last])
    for _ in range(rng.randrange(1, 4)):
        value = one_end(net, value)
    net.float_output = value
    return net


def one_end(net, value):
    kind = net.rng.choice(OPERATORS["ends"].operators)
    if kind in ("Relu",):
        return net.node(kind, [value])
    if kind == "Clip":
        return net.node(kind, [value, net.constant(numpy.float32(-1.25)), net.constant(numpy.float32(1.1))])
    if kind == "BatchNormalization":
        return net.node(kind, [value, *(net.floats([3], 0.5, 2) for _ in range(4))])
    other = net.floats(net.rng.choice([[], [3, 1, 1], [1, 3, 1, 1], [5]]), 0.3, 3)
    return net.node(kind, [value, other] if kind == "Div" or net.rng.random() < 0.5 else [other, value])


def unary(rng, code_type):
    kind = in_turn(rng, "unary")
    net = Operator(rng, code_type, [1, 200], 1 / 64 if code_type != "int16" else 1 / 8192)
    attributes = {"approximate": rng.choice(["none", "tanh"])} if kind == "Gelu" else {}
    inputs = [net.value, net.floats([], 0.5, 3)] if kind == "Div" else [net.value]
    net.finish(net.node(kind, inputs, **attributes), {"Sigmoid": 1, "Tanh": 1, "HardSigmoid": 1, "Erf": 1, "Exp": 8}.get(kind, 2.5))
    return net


def sums(rng, code_type):
    """A Conv with a bias of floats, whose sums an operator reads without a quantizer between the two; or the Conv alone."""
    kind = in_turn(rng, "sums")
    net = image(rng, code_type)
    channels = net.shape[1]
    weights, _ = net.weights([channels, channels, 1, 3], 0, channels)
    value = net.node("Conv", [net.value, weights, net.floats([channels], -1, 1)], pads=[0, 1, 0, 1])
    if kind in ("Add", "Sub"):
        value = net.node(kind, [value, net.value] if rng.random() < 0.5 else [net.value, value])
    elif kind == "LeakyRelu":
        value = net.node(kind, [value], alpha=0.3)
    elif kind == "PRelu":
        value = net.node(kind, [value, net.floats([channels, 1, 1], -0.5, 0.5)])
    elif kind == "MaxPool":
        value = net.node(kind, [value], kernel_shape=[2, 2])
    net.finish(value, 4)
    return net


def zero_point(rng, code_type):
    """16 bits unsigned, or with a zero point: of no interest with 8."""
    net = image(rng, "uint16" if rng.random() < 0.5 else "int16")
    net.nodes, net.constants = [], []
    info = numpy.iinfo(net.code_type)
    zeros = [info.min, info.max, *(rng.randrange(info.min // 2 + info.max // 4, info.max // 2) for _ in range(4))]

    def parameters(about):
        return [net.constant(numpy.float32(net.scale(about)), "scale"),
                net.constant(numpy.asarray(rng.choice(zeros), net.code_type), "zero")]
    net.value = net.quantized("x", net.shape, None, parameters(1 / 16384))
    kind = in_turn(rng, "zero_point")
    if kind == "ConvTranspose":
        weights, scale = net.weights([net.shape[1], 3, 3, 2], 1, 3)
        value = net.node(kind, [net.value, weights, *net.bias(3, scale)], pads=[1, 0, 0, 1], strides=[rng.choice([1, 2]), rng.choice([1, 3])])
    elif kind == "Conv":
        weights, scale = net.weights([3, net.shape[1], 2, 2], 0, 3)
        value = net.node(kind, [net.value, weights, *net.bias(3, scale)], pads=[1, 0, 1, 1])
    elif kind == "MaxPool":
        value = net.node(kind, [net.value], kernel_shape=[2, 2])
    else:
        value = net.node(kind, [net.value] * (1 if kind == "Relu" else 2))
    net.quantized(value, None, None, net.last if kind == "MaxPool" else parameters(1 / 8192))
    return net


def qlinear(rng, code_type):
    """One operator on codes, of ONNX or of Microsoft's domain."""
    kind = in_turn(rng, "qlinear")
    shapes = {"QLinearMatMul": [2, 4, 6], "QGemm": [3, 6]}
    net = Operator(rng, code_type, shapes.get(kind, [1, 4, 5, 6]))
    x, result = [net.last_codes, *net.last], net.parameters(net.scale(1 / 64))
    attributes = {"domain": "com.microsoft"}
    if kind == "QLinearSoftmax":
        opset = rng.choice([11, 12, 13])  # rows of all dimensions from the axis on, before 13
        attributes |= {"axis": -1 if opset == 13 else rng.choice([1, 2, 3]), "opset": opset}
        result = [net.constant(numpy.float32(1 / 256)), net.constant(numpy.asarray(numpy.iinfo(net.code_type).min, net.code_type))]
    elif kind == "QLinearGlobalAveragePool":
        attributes |= {"channels_last": 0}
    elif kind == "QLinearReduceMean":
        attributes |= {"axes": rng.choice([[2, 3], [1], [-1]]), "keepdims": rng.randrange(2)}
    elif kind == "QLinearAveragePool":
        attributes |= {"kernel_shape": [3, 3], "strides": [1, 2]}
    elif kind == "QLinearConcat":
        attributes |= {"axis": 1}
    elif kind in ("QLinearMatMul", "QLinearConv"):
        attributes = {"pads": [1, 0, 1, 1]} if kind == "QLinearConv" else {}
    if kind in ("QLinearMatMul", "QGemm", "QLinearConv"):
        shape = [3, 4, 3, 2] if kind == "QLinearConv" else [6, 5]
        weights = numpy.random.default_rng(rng.randrange(1 << 30)).integers(-63, 64, shape).astype(numpy.int8)
        w = [net.constant(weights), net.constant(numpy.float32(net.scale(1 / 256))), net.constant(numpy.int8(0))]
        inputs = [*x, *w] + ([""] if kind == "QGemm" else []) + result
    elif kind == "QLinearConcat":
        inputs = [*result, *x, *x]
    elif kind in ("QLinearAdd", "QLinearMul"):
        inputs = [*x, *x, *result]
    else:
        inputs = [*x, *result]
    if kind == "QLinearReduceMean":  # of which onnxruntime has the definition only
        axes = net.constant(numpy.array(attributes["axes"], numpy.int64))
        net.stand_in = [*net.nodes, onnx.helper.make_node("ReduceMean", [net.value, axes], ["mean"], keepdims=attributes["keepdims"]),
                        onnx.helper.make_node("QuantizeLinear", ["mean", *result], ["mean_codes"])]
    net.last_codes, net.last = net.node(kind, inputs, **attributes), result
    if net.stand_in:
        net.stand_in[-1].output[0] = net.last_codes
    return net


KINDS = {kind.__name__: kind for kind in (softmax, layer_norm, conv_transpose, resize_nearest, resize_linear, movement, batch_norm, prelu,
                                          matmul, gemm, unary, sums, zero_point, qlinear, integer, ends, line, line_average, average, max_dilated, mean,
                                          conv_groups, code_function, sum_function, *CHOICES, *HOST, *RECURRENT)}
CODES = {"zero_point": ["int16"], "qlinear": ["int8", "uint8"], "integer": ["int16"], "conv_groups": ["int16", "int8"]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=30)
    parser.add_argument("folder", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    index = []
    plan = [(kind, code_type) for kind in KINDS for code_type in CODES.get(kind, ["int8", "uint8", "int16"])]
    for kind, code_type in plan:
        for case in range(arguments.cases if code_type == "int16" else (arguments.cases + 1) // 2):
            rng = random.Random(f"{arguments.seed} {kind} {code_type} {case}")
            rng.case = case
            net = KINDS[kind](rng, code_type)
            number = len(index)
            x = numpy.random.default_rng(rng.randrange(1 << 30)).uniform(-2, 2, net.input_shape).astype(numpy.float32)
            try:
                numbers, codes = session_of(net.model(code_output=True)).run(None, {"x": x})
            except Exception as error:  # of a shape that onnxruntime does not take
                print(f"{kind} {code_type} {case}: not taken by onnxruntime: {str(error).splitlines()[0][:120]}")
                continue
            onnx.save(net.model(), arguments.folder / f"{number}.onnx")
            numpy.save(arguments.folder / f"{number}.input.npy", x)
            numpy.save(arguments.folder / f"{number}.output.npy", codes)
            if net.float_output:
                numpy.save(arguments.folder / f"{number}.float.npy", numbers)
            group = f"{kind}, {net.code_bits or (16 if net.code_type.itemsize == 2 else 8)} bits"
            index.append({"number": number, "kinds": [node.op_type for node in net.nodes], "codes": net.code_type.name, "group": group})
    (arguments.folder / "index.json").write_text(json.dumps(index, indent=1))


if __name__ == "__main__":
    main()
