# SPDX-License-Identifier: Apache-2.0
"""Small networks that a seed draws, of the kinds whose cycles cost_rules_test.py compares: inverted-residual blocks, grouped
convolutions beside the dense one, means over a map as it lies in an NCHW input and after a reshape, chains of resizes."""

import pathlib
import sys

import onnx_file
from onnx_file import FLOAT, INT8, INT64, node, quantizer, tensor

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "bench"))
from made_graph import Graph


def inverted_residual(rng):
    """(text, Graph): one to three times expansion, depthwise, projection, with an activation after none, one or both of the first,
    perhaps the input added. An activation is a table, or the product of a value and its table (swish)."""
    size, channels = rng.randint(4, 20), rng.choice((8, 16, 24, 32, 40, 80))
    activation = rng.choice(("table", "swish", "swish"))
    graph = Graph(rng.randrange(1 << 30))
    x = graph.input([1, size, size, channels])
    text = f"{size}x{size}x{channels}, {activation}:"
    for _ in range(rng.randint(1, 3)):
        wide, kernel, stride = channels * rng.choice((1, 2, 3, 4, 6)), rng.choice((3, 5)), rng.choice((1, 1, 2))
        num_active, is_added = rng.choice((0, 1, 2, 2)), stride == 1 and rng.random() < 0.5
        output = channels if is_added else rng.choice((8, 16, 24, 40, 64))
        y = graph.conv2d(x, wide)
        y = _active(graph, y, activation) if num_active > 0 else y
        y = graph.depthwise(y, (kernel, kernel), (stride, stride), _same(size, kernel, stride))
        y = _active(graph, y, activation) if num_active > 1 else y
        y = graph.conv2d(y, output)
        x = graph.add(x, y) if is_added else y
        size, channels = x.shape[1], output
        text += f" {wide} wide {kernel}x{kernel}/{stride} to {output}, {num_active} active{', added' if is_added else ''};"
    graph.output(x)
    return text, graph


def _active(graph, x, activation):
    return graph.table(x) if activation == "table" else graph.swish(x)


def _same(size, kernel, stride):
    total = max((-(-size // stride) - 1) * stride + kernel - size, 0)
    over = (total + stride) // stride * stride - total if (size + total - kernel) % stride else 0
    return (total // 2, total - total // 2 + over) * 2


def grouped(rng):
    """(text, grouped model, dense model) in ONNX: one convolution, its weights in groups of channels and in one."""
    per_group, groups = rng.choice(((2, 16), (2, 32), (4, 4), (4, 16), (8, 4), (8, 8), (16, 2), (16, 4), (12, 3), (32, 2), (6, 10)))
    inputs = per_group * groups
    outputs = groups * rng.choice((per_group, per_group, max(1, per_group // 2), 2 * per_group))
    kernel, stride, size = rng.choice((1, 3, 3, 5)), rng.choice((1, 1, 2)), rng.randint(5, 32)
    text = f"{inputs} to {outputs} channels, {kernel}x{kernel}/{stride}, {size}x{size} map, {groups} groups"
    return text, *(_convolution(inputs, outputs, size, kernel, stride, count) for count in (groups, 1))


def _convolution(inputs, outputs, size, kernel, stride, groups):
    shape = [outputs, inputs // groups, kernel, kernel]
    weights = [(7 * i + i // 13) % 255 - 127 for i in range(outputs * shape[1] * kernel * kernel)]
    result = (size + kernel // 2 * 2 - kernel) // stride + 1
    initializers = [*_scales(), tensor("w", INT8, shape, weights), tensor("ws", FLOAT, [], [0.003])]
    nodes = [*quantizer("x", "s", "z"), node("DequantizeLinear", ["w", "ws"], ["w_d"]),
             node("Conv", ["x_d", "w_d"], ["c"], group=groups, pads=[kernel // 2] * 4, strides=[stride] * 2),
             *_end("c")]
    return onnx_file.model(nodes, initializers, [("x", FLOAT, [1, inputs, size, size])],
                           [("y", FLOAT, [1, outputs, result, result])])


def mean(rng):
    """(text, model that reads the map, model that reads it reshaped to lines) in ONNX."""
    channels, height, width = rng.choice((8, 16, 24, 64, 100, 256)), rng.randint(4, 40), rng.randint(4, 40)
    is_pool = rng.random() < 0.5
    return (f"mean over {height}x{width} of {channels} channels" + (", pooled" if is_pool else ""),
            _mean([1, channels, height, width], None, is_pool),
            _mean([1, channels, height, width], [1, channels, height * width], False))


def _mean(shape, reshaped, is_pool):
    initializers = [*_scales(), tensor("shape", INT64, [len(reshaped or shape)], reshaped or shape)]
    nodes, read = [*quantizer("x", "s", "z")], "x_d"
    if reshaped:
        nodes.append(node("Reshape", [read, "shape"], ["r"]))
        read = "r"
    nodes.append(node("GlobalAveragePool", [read], ["c"]) if is_pool else
                 node("ReduceMean", [read], ["c"], axes=[2] if reshaped else [2, 3], keepdims=1))
    ends = [1, shape[1]] + [1] * (len(reshaped or shape) - 2)
    return onnx_file.model([*nodes, *_end("c")], initializers, [("x", FLOAT, shape)], [("y", FLOAT, ends)])


def _scales():
    return [tensor("s", FLOAT, [], [0.02]), tensor("z", INT8, [], [3])]


def _end(name):
    return [node("QuantizeLinear", [name, "s", "z"], [f"{name}_q"]), node("DequantizeLinear", [f"{name}_q", "s", "z"], ["y"])]
