# SPDX-License-Identifier: Apache-2.0
"""Random small QDQ networks and what onnxruntime makes of them with its optimisations off.

usage: onnx_networks.py --seed N --networks N FOLDER, in an environment that has onnx, onnxruntime and numpy. Writes
FOLDER/N.onnx, N.input.npy (float32) and N.output.npy (the codes of the output), and FOLDER/index.json."""

import argparse
import json
import pathlib
import random

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper


class Network:
    """A network that grows operator by operator; `shape` is that of the value at its end."""

    part_limited = 0.15  # of quantizers of 8 bits, whose codes have limits

    def __init__(self, rng, code_type, is_power_of_two):
        self.rng, self.code_type, self.is_power_of_two = rng, numpy.dtype(code_type), is_power_of_two
        self.nodes, self.constants, self.count, self.kinds = [], [], 0, []
        rank4 = [1, rng.choice([1, 2, 3, 5, 8, 16]), rng.randrange(4, 13), rng.randrange(4, 13)]
        self.shape = rank4
        self.input_shape = list(rank4)
        self.value = self.quantized("x", self.shape, self.scale(1 / 64))

    def name(self, what):
        self.count += 1
        return f"{what}_{self.count}"

    def constant(self, array, what="c"):
        name = self.name(what)
        self.constants.append(numpy_helper.from_array(numpy.asarray(array), name))
        return name

    def scale(self, about):
        if self.is_power_of_two:
            return numpy.float32(2.0 ** round(numpy.log2(about) + self.rng.choice([-1, 0, 0, 1])))
        return numpy.float32(about * self.rng.uniform(0.5, 2))

    def node(self, kind, inputs, what=None, **attributes):
        output = self.name(what or kind.lower())
        self.nodes.append(helper.make_node(kind, inputs, [output], name=f"node_{output}", **attributes))
        return output

    def parameters(self, scale):
        info = numpy.iinfo(self.code_type)
        zero = 0 if self.code_type.itemsize == 2 else self.rng.choice([0, info.min, info.max // 2, self.rng.randrange(info.min, info.max)])
        return [self.constant(numpy.float32(scale), "scale"), self.constant(numpy.asarray(zero, self.code_type), "zero")]

    def quantized(self, value, shape, scale, parameters=None):
        parameters = parameters or self.parameters(scale)
        codes = self.node("QuantizeLinear", [value, *parameters], "codes")
        if self.code_type.itemsize == 1 and self.part_limited and self.rng.random() < self.part_limited:  # QCDQ
            info = numpy.iinfo(self.code_type)
            limits = [self.constant(numpy.asarray(limit, self.code_type)) for limit in (info.min // 2 + info.max // 4 - 20, info.max - 30)]
            codes = self.node("Clip", [codes, *limits], "limited")
        self.last = parameters
        self.last_codes = codes
        return self.node("DequantizeLinear", [codes, *parameters], "real")

    def weights(self, shape, axis, channels):
        """The name of weights in float32 and their scales."""
        codes = numpy.random.default_rng(self.rng.randrange(1 << 30)).integers(-127, 128, shape).astype(numpy.int8)
        if self.rng.random() < 0.5:
            scale = numpy.array([self.scale(1 / 256) for _ in range(channels)], numpy.float32)
            zero, attributes = numpy.zeros(channels, numpy.int8), {"axis": axis}
        else:
            scale, zero, attributes = self.scale(1 / 256), numpy.int8(0), {}
        inputs = [self.constant(codes), self.constant(scale), self.constant(zero)]
        return self.node("DequantizeLinear", inputs, "weights", **attributes), scale

    def bias(self, channels, weight_scale):
        kind = self.rng.random()
        if kind < 0.3:
            return []
        x_scale = next(numpy_helper.to_array(c) for c in self.constants if c.name == self.last[0])
        scale = numpy.float32(numpy.float32(x_scale) * numpy.asarray(weight_scale, numpy.float32))
        codes = numpy.random.default_rng(self.rng.randrange(1 << 30)).integers(-2000, 2000, channels).astype(numpy.int32)
        attributes = {"axis": 0} if scale.ndim else {}
        inputs = [self.constant(codes), self.constant(scale)]
        return [self.node("DequantizeLinear", inputs, "bias", **attributes)]

    # Operators: each gives the new value and its shape, or None where the shape at hand does not suit it.
    def conv(self):
        if len(self.shape) != 4:
            return None
        channels, (kh, kw) = self.shape[1], (self.rng.choice([1, 2, 3, 3, 5]), self.rng.choice([1, 3, 3, 4]))
        group = self.rng.choice([1, 1, 1, channels] + ([2] if channels % 2 == 0 else []))
        out = group * self.rng.choice([1, 2, 3, 4])
        attributes = {"group": group, "strides": [self.rng.choice([1, 1, 2, 3]), self.rng.choice([1, 1, 2])],
                      "dilations": [self.rng.choice([1, 1, 2]), 1]}
        if self.rng.random() < 0.3:
            attributes["auto_pad"] = self.rng.choice(["SAME_UPPER", "SAME_LOWER", "VALID"])
            attributes["dilations"] = [1, 1]
        else:
            attributes["pads"] = [self.rng.randrange(kh), self.rng.randrange(kw), self.rng.randrange(kh), self.rng.randrange(kw)]
        weights, scale = self.weights([out, channels // group, kh, kw], 0, out)
        return self.node("Conv", [self.value, weights, *self.bias(out, scale)], **attributes)

    def gemm(self):
        if len(self.shape) != 2:
            return None
        out, transposed = self.rng.choice([1, 5, 10, 16]), self.rng.random() < 0.5
        shape = [out, self.shape[1]] if transposed else [self.shape[1], out]
        weights, scale = self.weights(shape, 0 if transposed else 1, out)
        return self.node("Gemm", [self.value, weights, *self.bias(out, scale)], transB=int(transposed))

    def matmul(self):
        out = self.rng.choice([1, 4, 9])
        weights, _ = self.weights([self.shape[-1], out], 1, out)
        return self.node("MatMul", [self.value, weights])

    def binary(self):
        kind = self.rng.choice(["Add", "Sub", "Mul"])
        if self.rng.random() < 0.4:
            shape = [size if self.rng.random() < 0.7 else 1 for size in self.shape]
            shape = shape[self.rng.randrange(len(shape)):]
            values = numpy.random.default_rng(self.rng.randrange(1 << 30)).uniform(-1.5, 1.5, shape).astype(numpy.float32)
            other = self.quantized(self.constant(values), shape, self.scale(1 / 64))
        else:
            before = self.value
            other = self.quantized(self.node(self.rng.choice(["Relu", "Neg", "Tanh"]) if self.code_type.itemsize == 1 else "Relu",
                                             [before]), self.shape, self.scale(1 / 64))
        return self.node(kind, [self.value, other] if self.rng.random() < 0.5 else [other, self.value])

    def unary(self):
        kinds = {"Relu": {}, "LeakyRelu": {"alpha": 0.1}, "Sigmoid": {}, "Tanh": {}, "HardSigmoid": {"alpha": 0.25}, "HardSwish": {},
                 "Elu": {"alpha": 0.7}, "Abs": {}, "Neg": {}, "Exp": {}, "Erf": {}, "Softplus": {}}
        kind = self.rng.choice(list(kinds)) if self.code_type.itemsize == 1 else "Relu"
        return self.node(kind, [self.value], **kinds[kind])

    def clip(self):
        low, high = sorted([self.rng.uniform(-1.5, 1), self.rng.uniform(-1, 1.5)])
        return self.node("Clip", [self.value, self.constant(numpy.float32(low)), self.constant(numpy.float32(high))])

    def pool(self):
        if len(self.shape) != 4:
            return None
        kind = self.rng.choice(["MaxPool", "AveragePool", "GlobalAveragePool", "ReduceMean"])
        if kind == "ReduceMean":
            axes = self.constant(numpy.array([2, 3], numpy.int64))
            return self.node(kind, [self.value, axes], keepdims=self.rng.randrange(2))
        if kind == "GlobalAveragePool":
            return self.node(kind, [self.value])
        kernel = [self.rng.randrange(1, min(4, self.shape[2] + 1)), self.rng.randrange(1, min(4, self.shape[3] + 1))]
        attributes = {"kernel_shape": kernel, "strides": [self.rng.randrange(1, 4), self.rng.randrange(1, 3)]}
        if kind == "MaxPool":
            attributes["ceil_mode"] = self.rng.randrange(2)
            attributes["pads"] = [self.rng.randrange(kernel[0]), self.rng.randrange(kernel[1]), self.rng.randrange(kernel[0]), self.rng.randrange(kernel[1])]
        elif self.rng.random() < 0.3:
            attributes["pads"], attributes["count_include_pad"] = [0, kernel[1] - 1, kernel[0] - 1, 0], 1
        return self.node(kind, [self.value], **attributes)

    def move(self):
        kind = self.rng.choice(["Flatten", "Reshape", "Transpose", "Unsqueeze", "Squeeze", "Pad"])
        if kind == "Flatten":
            return self.node(kind, [self.value], axis=self.rng.choice([1, 1, -1]))
        if kind == "Reshape":
            if len(self.shape) < 2:
                return None
            shape = self.rng.choice([[0, -1], [1, -1, self.shape[-1]], [0, self.shape[1], -1]])
            return self.node(kind, [self.value, self.constant(numpy.array(shape, numpy.int64))])
        if kind == "Transpose":
            perm = list(range(len(self.shape)))
            self.rng.shuffle(perm)
            return self.node(kind, [self.value], perm=perm)
        if kind == "Unsqueeze":
            if len(self.shape) > 4:
                return None
            return self.node(kind, [self.value, self.constant(numpy.array([self.rng.choice([0, 1, -1])], numpy.int64))])
        if kind == "Squeeze":
            return self.node(kind, [self.value, self.constant(numpy.array([0], numpy.int64))]) if self.shape[0] == 1 and len(self.shape) > 2 else None
        pads = [self.rng.randrange(3) for _ in range(2 * len(self.shape))]
        return self.node(kind, [self.value, self.constant(numpy.array(pads, numpy.int64))])

    def part(self):
        axis = self.rng.randrange(len(self.shape))
        if self.rng.random() < 0.5:
            bounds = sorted([self.rng.randrange(self.shape[axis] + 1), self.rng.randrange(-1, self.shape[axis] + 1)])
            return self.node("Slice", [self.value, *(self.constant(numpy.array([n], numpy.int64)) for n in (*bounds, axis))])
        first = self.rng.randrange(1, self.shape[axis] + 1)
        if first == self.shape[axis]:
            return None
        sizes = self.constant(numpy.array([first, self.shape[axis] - first], numpy.int64))
        output, other = self.name("split"), self.name("split")
        self.nodes.append(helper.make_node("Split", [self.value, sizes], [output, other], name=f"node_{output}", axis=axis))
        return self.rng.choice([output, other])

    def concat(self):
        axis = self.rng.randrange(len(self.shape))
        other = self.quantized(self.node("Relu", [self.value]), self.shape, self.scale(1 / 64))
        same = self.rng.random() < 0.3
        return self.node("Concat", [self.value, self.value if same else other], axis=axis)

    def grow(self):
        """One more operator with a quantizer behind it."""
        for _ in range(20):
            kind = self.rng.choice(["conv", "conv", "gemm", "matmul", "binary", "unary", "clip", "pool", "move", "part", "concat"])
            mark = len(self.nodes), len(self.constants)
            value = getattr(self, kind)()
            if value is None:
                continue
            if kind in ("conv", "matmul", "gemm") and self.rng.random() < 0.3:
                value = self.node("Relu", [value])
            try:
                shape = self.shape_of(value)
            except Exception:
                shape = None
            if shape is None or min(shape, default=1) < 1 or numpy.prod(shape) > 20000 or (kind == "conv" and len(shape) != 4):
                del self.nodes[mark[0]:], self.constants[mark[1]:]
                continue
            self.kinds.append(self.nodes[-1].op_type)
            keeps = kind in ("pool", "move", "part", "clip") and self.rng.random() < 0.6
            about = 1 / 16 if kind in ("conv", "gemm", "matmul") else 1 / 64
            self.value = self.quantized(value, shape, self.scale(about), self.last if keeps else None)
            self.shape = shape
            return

    def model(self, output=None, code_output=False):
        inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, self.input_shape)]
        names = [output] if output else ["y"]
        nodes = list(self.nodes)
        outputs = [helper.make_tensor_value_info(output, TensorProto.FLOAT, None)] if output else []
        if not output:
            nodes.append(helper.make_node("DequantizeLinear", [self.last_codes, *self.last], ["y"], name="node_y"))
            outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]
        if code_output:
            code_type = helper.np_dtype_to_tensor_dtype(self.code_type)
            outputs.append(helper.make_tensor_value_info(self.last_codes, code_type, None))
        graph = helper.make_graph(nodes, "g", inputs, outputs, self.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)], ir_version=10)

    def shape_of(self, value):
        """Fails where onnxruntime does not take the network."""
        x = numpy.zeros(self.input_shape, numpy.float32)
        return list(session_of(self.model(value)).run(None, {"x": x})[0].shape)


def session_of(model):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--networks", type=int, default=200)
    parser.add_argument("folder", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    index = []
    for number in range(arguments.networks):
        rng = random.Random(arguments.seed * 100003 + number)
        network = Network(rng, rng.choice(["int8", "int8", "uint8", "uint8", "int16"]), rng.random() < 0.4)
        for _ in range(rng.randrange(1, 5)):
            network.grow()
        x = numpy.random.default_rng(number + arguments.seed * 7919).uniform(-2, 2, network.input_shape).astype(numpy.float32)
        codes = session_of(network.model(code_output=True)).run(None, {"x": x})[1]
        onnx.save(network.model(), arguments.folder / f"{number}.onnx")
        numpy.save(arguments.folder / f"{number}.input.npy", x)
        numpy.save(arguments.folder / f"{number}.output.npy", codes)
        index.append({"number": number, "kinds": network.kinds, "codes": network.code_type.name, "power_of_two": network.is_power_of_two})
    (arguments.folder / "index.json").write_text(json.dumps(index, indent=1))


if __name__ == "__main__":
    main()
