# SPDX-License-Identifier: Apache-2.0
"""Random float networks that are quantized as tools do it, and what onnxruntime makes of them with its optimisations off.

usage: onnx_habits.py --seed N --networks N FOLDER, in an environment that has onnx, onnxruntime and numpy. Writes FOLDER/N.onnx, N.input.npy,
N.output.npy (float32) and FOLDER/index.json. HABITS says where the quantizers stand."""

import argparse
import json
import pathlib
import random

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx_networks import session_of

# Of a tensor that is no constant: whether a quantizer stands behind it.
HABITS = {
    "everywhere": lambda net, name: True,
    "at convolutions": lambda net, name: net.is_read_by(name, WEIGHTED) or name == net.value,
    "residual in float": lambda net, name: not net.is_read_by(name, ("Add",)) or net.is_read_by(name, WEIGHTED),
    "ends in float": lambda net, name: name not in net.end,
}
WEIGHTED = ("Conv", "Gemm")
SAMPLES = 4


class FloatNetwork:
    """Grows block by block; `shape` is that of `value`, the last tensor."""

    def __init__(self, rng):
        self.rng, self.numbers = rng, numpy.random.default_rng(rng.randrange(1 << 30))
        self.nodes, self.constants, self.kinds, self.end = [], {}, [], []
        self.shape = [1, rng.choice([1, 3, 4, 8]), rng.randrange(5, 13), rng.randrange(5, 13)]
        self.input_shape, self.value = list(self.shape), "x"
        for _ in range(rng.randrange(1, 4)):
            rng.choice(BLOCKS)(self)
        self.end_begins = len(self.nodes)
        rng.choice(ENDS)(self)
        self.end = [output for node in self.nodes[self.end_begins:] for output in node.output]

    def constant(self, value, kind=numpy.float32):
        name = f"c{len(self.constants)}"
        self.constants[name] = numpy.asarray(value, kind)
        return name

    def node(self, kind, *inputs, **attributes):
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], name=f"n{len(self.nodes)}", **attributes))
        self.kinds.append(kind)
        return name

    def is_read_by(self, name, kinds):
        return any(name in node.input for node in self.nodes if node.op_type in kinds)

    def normal(self, *shape):
        return self.numbers.standard_normal(shape)

    def conv(self, value, results=None, kernel=None, group=1):
        channels = self.shape[1]
        results, kernel = results or self.rng.choice([3, 4, 8]), kernel or self.rng.choice([1, 3])
        weights = self.normal(results, channels // group, kernel, kernel) / (channels // group * kernel * kernel) ** 0.5
        bias = [self.constant(self.normal(results) / 4)] if self.rng.random() < 0.8 else []
        self.shape = [1, results, *self.shape[2:]]
        return self.node("Conv", value, self.constant(weights), *bias, pads=[kernel // 2] * 4, group=group)

    def model(self, nodes=None, constants=None, outputs=None):
        outputs = [helper.make_tensor_value_info(name, self.output_type(name), None) for name in outputs or [self.value]]
        named = [numpy_helper.from_array(value, name) for name, value in (constants or self.constants).items()]
        graph = helper.make_graph(nodes or self.nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, self.input_shape)], outputs, named)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)

    def output_type(self, name):
        kind = next((node.op_type for node in self.nodes if name in node.output), "")
        return TensorProto.INT64 if kind.startswith("Arg") else TensorProto.FLOAT


def sigmoid_times(net, value):
    return net.node("Mul", value, net.node("Sigmoid", value))


def hard_swish(net, value):
    limited = net.node("Clip", net.node("Add", value, net.constant(3)), net.constant(0), net.constant(6))
    return net.node("Div", net.node("Mul", value, limited), net.constant(6))


def gelu(net, value):
    erf = net.node("Erf", net.node("Div", value, net.constant(2 ** 0.5)))
    return net.node("Mul", net.node("Mul", value, net.node("Add", erf, net.constant(1))), net.constant(0.5))


def mish(net, value):
    return net.node("Mul", value, net.node("Tanh", net.node("Softplus", value)))


def of_kind(kind, **attributes):
    return lambda net, value: net.node(kind, value, **attributes)


def root(net, value):
    return net.node("Sqrt", net.node("Add", net.node("Mul", value, value), net.constant(0.01)))


FUNCTIONS = (
    of_kind("Relu"), of_kind("Relu"), of_kind("Sigmoid"), of_kind("Tanh"), of_kind("LeakyRelu", alpha=0.1), of_kind("HardSwish"), of_kind("Elu"),
    of_kind("Selu"), of_kind("Softsign"), of_kind("Abs"), sigmoid_times, sigmoid_times, hard_swish, gelu, mish, root,
    lambda net, value: net.node("Max", value, net.constant(0.1)), lambda net, value: net.node("Min", value, net.constant(0.5)),
    lambda net, value: net.node("Pow", value, net.constant(2)))


def conv_block(net):
    net.value = net.rng.choice(FUNCTIONS)(net, net.conv(net.value))


def residual_block(net):
    before, channels = net.value, net.shape[1]
    inner = net.rng.choice(FUNCTIONS)(net, net.conv(before))
    net.value = net.node("Add", net.conv(inner, channels), before)
    if net.rng.random() < 0.5:
        net.value = net.rng.choice(FUNCTIONS)(net, net.value)


def gated_block(net):
    """Squeeze and excitation."""
    before, shape = net.value, net.shape
    net.shape = [1, shape[1], 1, 1]
    gate = net.conv(net.node("GlobalAveragePool", before), shape[1], 1)
    net.value, net.shape = net.node("Mul", before, net.node(net.rng.choice(["Sigmoid", "HardSigmoid"]), gate)), shape


def branches(net):
    before, shape = net.value, net.shape
    left = net.rng.choice(FUNCTIONS)(net, net.conv(before))
    channels, net.shape = net.shape[1], shape
    right = net.conv(before)
    net.value, net.shape = net.node("Concat", left, right, axis=1), [1, channels + net.shape[1], *shape[2:]]


def pool_block(net):
    kind = net.rng.choice(["MaxPool", "AveragePool"])
    net.value = net.node(kind, net.conv(net.value), kernel_shape=[2, 2])
    net.shape = [*net.shape[:2], net.shape[2] - 1, net.shape[3] - 1]


def sequence_block(net):
    """The columns of the image as steps of an LSTM or a GRU, as networks that read text have them."""
    value = net.conv(net.value)
    _, channels, rows, columns = net.shape
    kind, results = net.rng.choice(["LSTM", "GRU"]), net.rng.choice([2, 3])
    direction = net.rng.choice(["forward", "reverse", "bidirectional"])
    directions = 1 + (direction == "bidirectional")
    inputs, hidden, gates = channels * rows, results * rows, (4, 3)[kind == "GRU"]
    sequence = net.node("Transpose", net.node("Reshape", value, net.constant([1, inputs, columns], numpy.int64)), perm=[2, 0, 1])
    weights = [net.constant(net.normal(directions, gates * hidden, size) / size ** 0.5) for size in (inputs, hidden)]
    states = net.node(kind, sequence, *weights, net.constant(net.normal(directions, 2 * gates * hidden) / 4), hidden_size=hidden, direction=direction)
    turned = net.node("Transpose", states, perm=[2, 1, 3, 0])
    net.shape = [1, directions * results, rows, columns]
    net.value = net.node("Reshape", turned, net.constant(net.shape, numpy.int64))


BLOCKS = (conv_block, conv_block, residual_block, residual_block, gated_block, branches, pool_block, sequence_block)


def end_in_classes(net):
    pooled = net.node("Flatten", net.node("GlobalAveragePool", net.value))
    weights = net.constant(net.normal(net.shape[1], 5))
    net.value = net.node("Gemm", pooled, weights, net.constant(net.normal(5)))
    last = net.rng.choice(["", "Softmax", "ArgMax", "Sigmoid"])
    if last:
        net.value = net.node(last, net.value, **({} if last == "Sigmoid" else {"axis": 1}))


def end_in_a_map(net):
    net.value = net.rng.choice((*FUNCTIONS[:6], lambda net, value: value))(net, net.conv(net.value, kernel=1))


def end_in_a_reduction(net):
    net.value = net.node(net.rng.choice(["ReduceMax", "ReduceMean", "ReduceMin"]), net.conv(net.value), axes=[2, 3], keepdims=net.rng.randrange(2))


def end_in_boxes(net):
    raw = net.node("Sigmoid", net.conv(net.value, 6, 1))
    scaled = net.node("Mul", net.node("Sub", net.node("Mul", raw, net.constant(2)), net.constant(0.5)), net.constant(8))
    net.value = net.node("Reshape", net.node("Concat", scaled, raw, axis=1), net.constant([1, 12, -1], numpy.int64))


ENDS = (end_in_classes, end_in_classes, end_in_a_map, end_in_a_reduction, end_in_boxes)


class Quantized:
    """The network with quantizers, by the ranges that its tensors have for some inputs."""

    def __init__(self, net, habit):
        self.net, self.rng, self.nodes, self.constants, self.scales = net, net.rng, [], dict(net.constants), {}
        self.codes = self.rng.choice([numpy.int8, numpy.uint8])
        self.is_power_of_two = self.rng.random() < 0.2
        self.has_float_bias, self.is_per_channel = self.rng.random() < 0.4, self.rng.random() < 0.5
        ranges = self.ranges_of()
        self.behind, self.renamed = {}, {}
        if HABITS[habit](net, "x"):
            self.quantize("x", ranges["x"])
        for node in net.nodes:
            inputs = [self.renamed.get(name, name) for name in node.input]
            if node.op_type in WEIGHTED:
                inputs[1:] = self.weights(node, inputs[0])
            changed = onnx.NodeProto()
            changed.CopyFrom(node)
            del changed.input[:]
            changed.input.extend(inputs)
            self.nodes.append(changed)
            if net.output_type(node.output[0]) == TensorProto.FLOAT and HABITS[habit](net, node.output[0]):
                self.quantize(node.output[0], ranges[node.output[0]])
        self.output = self.renamed.get(net.value, net.value)

    def ranges_of(self):
        names = [node.output[0] for node in self.net.nodes if self.net.output_type(node.output[0]) == TensorProto.FLOAT]
        session, found = session_of(self.net.model(outputs=names)), {}
        for _ in range(SAMPLES):
            x = self.net.normal(*self.net.input_shape).astype(numpy.float32)
            for name, value in zip(["x", *names], [x, *session.run(None, {"x": x})]):
                low, high = found.get(name, (0, 0))
                found[name] = min(low, float(value.min())), max(high, float(value.max()))
        return found

    def constant(self, value, name):
        self.constants[name] = numpy.asarray(value)
        return name

    def quantize(self, name, limits):
        low, high = limits
        if self.codes == numpy.int8:
            scale, zero = max(-low, high, 1e-4) / 127, 0
        else:
            scale = max(high - low, 1e-4) / 255
            zero = round(-low / scale)
        if self.is_power_of_two:
            scale = 2.0 ** numpy.ceil(numpy.log2(scale))
            zero = 0 if self.codes == numpy.int8 else round(-low / scale)
        parameters = [self.constant(numpy.float32(scale), f"{name}/scale"), self.constant(self.codes(zero), f"{name}/zero")]
        self.nodes.append(helper.make_node("QuantizeLinear", [name, *parameters], [f"{name}/codes"], name=f"{name}/q"))
        self.nodes.append(helper.make_node("DequantizeLinear", [f"{name}/codes", *parameters], [f"{name}/real"], name=f"{name}/dq"))
        self.renamed[name], self.scales[f"{name}/real"] = f"{name}/real", float(numpy.float32(scale))

    def weights(self, node, data):
        """int8 codes with a scale for each output channel or one for all; a bias of int32 codes or floats."""
        weights, axis = self.net.constants[node.input[1]], 0 if node.op_type == "Conv" else 1
        others = tuple(i for i in range(weights.ndim) if i != axis)
        most = numpy.abs(weights).max(axis=others) if self.is_per_channel else numpy.abs(weights).max()
        scale = numpy.maximum(most / 63, 1e-6).astype(numpy.float32)  # 7 bits: kernels saturate on some processors
        shaped = scale.reshape([-1 if i == axis else 1 for i in range(weights.ndim)]) if self.is_per_channel else scale
        codes, name = numpy.round(weights / shaped).astype(numpy.int8), node.output[0]
        constants = [self.constant(codes, f"{name}/w"), self.constant(scale, f"{name}/w/scale"),
                     self.constant(numpy.zeros(scale.shape, numpy.int8), f"{name}/w/zero")]
        self.nodes.append(helper.make_node("DequantizeLinear", constants, [f"{name}/w/real"], axis=axis))
        if len(node.input) < 3:
            return [f"{name}/w/real"]
        if self.has_float_bias or data not in self.scales:
            return [f"{name}/w/real", node.input[2]]
        step = (numpy.float32(self.scales[data]) * scale).astype(numpy.float32)
        codes = numpy.round(self.net.constants[node.input[2]] / step).astype(numpy.int32)
        constants = [self.constant(codes, f"{name}/b"), self.constant(step, f"{name}/b/scale")]
        self.nodes.append(helper.make_node("DequantizeLinear", constants, [f"{name}/b/real"], axis=0))
        return [f"{name}/w/real", f"{name}/b/real"]

    def model(self):
        self.net.value = self.output
        return self.net.model(self.nodes, self.constants)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--networks", type=int, required=True)
    arguments = parser.parse_args()
    index = []
    for number in range(arguments.networks):
        rng = random.Random(f"{arguments.seed}/{number}")
        habit = list(HABITS)[number % len(HABITS)]
        net = FloatNetwork(rng)
        quantized = Quantized(net, habit)
        model = quantized.model()
        x = net.normal(*net.input_shape).astype(numpy.float32)
        output, = session_of(model).run(None, {"x": x})
        onnx.save(model, arguments.folder / f"{number}.onnx")
        numpy.save(arguments.folder / f"{number}.input.npy", x)
        numpy.save(arguments.folder / f"{number}.output.npy", output)
        index.append({"number": number, "habit": habit, "kinds": sorted(set(net.kinds)), "step": quantized.scales.get(quantized.output)})
    (arguments.folder / "index.json").write_text(json.dumps(index, indent=1))


if __name__ == "__main__":
    main()
