#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes nodes.json: small ONNX networks in QDQ form and the codes that onnxruntime gives for them, without its optimisations.
One or more for each attribute that a lowering of compiler/import/quantized reads. No code of this project has a part in it.

usage: make_nodes.py      (in an environment with requirements.txt)"""

import json
import pathlib

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper

FOLDER = pathlib.Path(__file__).resolve().parent
TYPES = {"int8": TensorProto.INT8, "uint8": TensorProto.UINT8, "int16": TensorProto.INT16, "uint16": TensorProto.UINT16,
         "int32": TensorProto.INT32, "int64": TensorProto.INT64, "float32": TensorProto.FLOAT}
CASES = []


class Case:
    """A network: 'x' in codes, operators, the last value in codes."""

    def __init__(self, name, shape, scale=0.5, zero=0, dtype="int8", opset=21, low=None, high=None):
        self.name, self.opset, self.nodes, self.constants = name, opset, [], {}
        self.has_inexact_ties = False  # float32 has no number for a tie: onnxruntime may round it either way
        info = np.iinfo(dtype)
        self.random = np.random.default_rng(sum(name.encode()) + len(shape))
        codes = self.random.integers(info.min if low is None else low, (info.max if high is None else high) + 1, shape)
        self.input = {"shape": list(shape), "scale": scale, "zero_point": zero, "type": dtype, "codes": codes.astype(dtype)}
        self.value = self.quantized("x", scale, zero, dtype)

    def constant(self, values, dtype="float32"):
        name = f"c{len(self.constants)}"
        array = np.array(values, dtype)
        self.constants[name] = {"type": dtype, "shape": list(array.shape), "elements": array.flatten().tolist()}
        return name

    def node(self, kind, inputs, outputs=1, **attributes):
        names = [f"v{len(self.nodes)}" + ("" if i == 0 else f"_{i}") for i in range(outputs)]
        self.nodes.append({"kind": kind, "inputs": inputs, "outputs": names, "attributes": attributes})
        return names[0] if outputs == 1 else names

    def quantized(self, value, scale, zero=0, dtype="int8"):
        ends = [self.constant(scale), self.constant(zero, dtype)]
        codes = self.node("QuantizeLinear", [value, *ends])
        return self.node("DequantizeLinear", [codes, *ends])

    def weights(self, shape, scales=(0.25,), axis=0, dtype="int8", most=127):
        codes = self.random.integers(-most, most + 1, shape)
        scale = scales[0] if len(scales) == 1 else list(scales)
        return self.node("DequantizeLinear", [self.constant(codes, dtype), self.constant(scale)], axis=axis)

    def bias(self, count, scales):
        codes = self.random.integers(-500, 501, [count])
        return self.node("DequantizeLinear", [self.constant(codes, "int32"), self.constant(scales[0] if len(scales) == 1 else list(scales))], axis=0)

    def through(self, kind, inputs=(), scale=0.5, zero=0, dtype="int8", **attributes):
        """The operator on x and `inputs`, its result in codes: the case is complete."""
        value = self.node(kind, [self.value, *inputs], **attributes)
        self.end(value, scale, zero, dtype)

    def end(self, value, scale, zero=0, dtype="int8"):
        self.value = self.quantized(value, scale, zero, dtype)
        self.output = {"scale": scale, "zero_point": zero, "type": dtype}
        CASES.append(self)

    def model(self):
        nodes = [helper.make_node(node["kind"], node["inputs"], node["outputs"], name=f"n_{node['outputs'][0]}", **node["attributes"])
                 for node in self.nodes]
        constants = [helper.make_tensor(name, TYPES[one["type"]], one["shape"], one["elements"]) for name, one in self.constants.items()]
        codes = self.nodes[-1]["inputs"][0]
        graph = helper.make_graph(nodes, self.name, [helper.make_tensor_value_info("x", TensorProto.FLOAT, self.input["shape"])],
                                  [helper.make_tensor_value_info(codes, TYPES[self.output["type"]], None)], constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=10)

    def results(self):
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.log_severity_level = 3
        session = onnxruntime.InferenceSession(self.model().SerializeToString(), options, providers=["CPUExecutionProvider"])
        x = (self.input["codes"].astype(np.float32) - self.input["zero_point"]) * np.float32(self.input["scale"])
        return session.run(None, {"x": x.astype(np.float32)})[0]

    def as_json(self):
        found = self.results()
        self.output |= {"shape": list(found.shape), "codes": found.flatten().tolist()}
        return {"name": self.name, "opset": self.opset, "has_inexact_ties": self.has_inexact_ties, "input": self.input | {"codes": self.input["codes"].flatten().tolist()},
                "constants": self.constants, "nodes": self.nodes, "output": self.output}


def convolutions():
    for name, attributes in {
            "plain": {}, "pads": {"pads": [1, 0, 2, 1]}, "strides": {"strides": [2, 3]}, "dilations": {"dilations": [2, 1]},
            "same upper": {"auto_pad": "SAME_UPPER", "strides": [2, 2]}, "same lower": {"auto_pad": "SAME_LOWER", "strides": [2, 2]},
            "valid": {"auto_pad": "VALID"}, "kernel shape": {"kernel_shape": [3, 2]}}.items():
        for zero in (0, -13):
            case = Case(f"Conv, {name}, zero point {zero}", [1, 3, 7, 8], zero=zero)
            case.through("Conv", [case.weights([4, 3, 3, 2]), case.bias(4, [0.125])], scale=64.0, zero=zero, **attributes)
    scales = [0.25, 0.5, 0.03125, 1.0, 0.125, 2.0]
    for group, outputs in ((1, 6), (2, 6), (3, 6), (6, 6), (6, 12)):
        for out_scale in (32.0, 21.7):
            case = Case(f"Conv, {group} groups to {outputs}, a scale per channel, out of {out_scale}", [1, 6, 5, 5], zero=3)
            several = (scales * 2)[:outputs]
            case.through("Conv", [case.weights([outputs, 6 // group, 3, 3], several, most=31), case.bias(outputs, [0.5 * s for s in several])],
                         scale=out_scale, zero=-5, group=group, pads=[1, 1, 1, 1])
    for dtype, zero in (("int16", 0), ("int16", 77), ("uint8", 100)):
        case = Case(f"Conv of {dtype}, zero point {zero}", [1, 4, 4, 4], dtype=dtype, zero=zero)
        case.through("Conv", [case.weights([4, 2, 2, 2], [0.25, 0.5, 1.0, 2.0], most=15)], scale=2048.0 if dtype == "int16" else 32.0, group=2)
    # Ratios just below and above a power of two: ties go where float arithmetic puts them.
    below = float(np.nextafter(np.float32(0.5), np.float32(0)))
    for weight_scale in (0.5, below, float(np.nextafter(np.float32(0.5), np.float32(1)))):
        case = Case(f"Conv, weights of {weight_scale!r}", [1, 1, 16, 16], scale=1.0)
        weights = case.node("DequantizeLinear", [case.constant([[[[1]]]], "int8"), case.constant(weight_scale)])
        case.through("Conv", [weights], scale=1.0)
        case = Case(f"Conv, weights of {weight_scale!r}, steps of 0.25", [1, 1, 16, 16], scale=1.0)
        weights = case.node("DequantizeLinear", [case.constant([[[[3]]]], "int8"), case.constant(weight_scale)])
        case.through("Conv", [weights], scale=4.0, zero=1)
    for name, attributes in {
            "plain": {}, "strides": {"strides": [2, 2]}, "pads": {"pads": [1, 0, 1, 1], "strides": [2, 1]}, "groups": {"group": 2},
            "dilations": {"dilations": [2, 1]}, "output padding": {"strides": [2, 2], "output_padding": [1, 1]},
            "output shape": {"strides": [2, 2], "output_shape": [7, 8]},
            "same upper": {"strides": [2, 2], "auto_pad": "SAME_UPPER"}, "same lower": {"strides": [2, 2], "auto_pad": "SAME_LOWER"}}.items():
        group = attributes.get("group", 1)
        case = Case(f"ConvTranspose, {name}", [1, 4, 3, 4], zero=2)
        scales = [0.25, 0.5, 0.125, 1.0]
        case.through("ConvTranspose", [case.weights([4, 4 // group, 2, 3], scales[:4 // group] if group == 1 else [0.25], axis=1),
                                       case.bias(4, [0.5 * s for s in scales] if group == 1 else [0.125])], scale=32.0, **attributes)


def pools():
    for name, attributes in {
            "plain": {}, "strides": {"strides": [2, 2]}, "pads": {"pads": [1, 1, 0, 1]}, "ceil": {"strides": [2, 2], "ceil_mode": 1},
            "dilations": {"dilations": [2, 2]}, "same upper": {"auto_pad": "SAME_UPPER", "strides": [2, 2]},
            "same lower": {"auto_pad": "SAME_LOWER", "strides": [2, 2]}, "valid": {"auto_pad": "VALID"}}.items():
        for kind, more in (("MaxPool", {}), ("AveragePool", {}), ("AveragePool", {"count_include_pad": 1})):
            case = Case(f"{kind}, {name}{', padding counts' if more else ''}", [1, 2, 7, 6], zero=-4)
            case.through(kind, kernel_shape=[3, 2], scale=0.25, zero=7, **attributes, **more)
    case = Case("GlobalAveragePool", [1, 5, 3, 4])
    case.through("GlobalAveragePool", scale=0.125)
    for axes, keep in (([2, 3], 1), ([2, 3], 0), ([1], 1), ([3], 0), ([1, 2], 1), ([-1], 0)):
        for opset in (13, 21):
            case = Case(f"ReduceMean of {axes}, keepdims {keep}, opset {opset}", [1, 3, 4, 5], opset=opset, zero=9)
            inputs = [case.constant(axes, "int64")] if opset >= 18 else []
            more = {} if inputs else {"axes": axes}
            case.through("ReduceMean", inputs, scale=0.25, keepdims=keep, **more)


def resizes():
    positions = ("half_pixel", "pytorch_half_pixel", "asymmetric", "align_corners")
    for width, scale in ((6, 2.0), (6, 0.5), (9, 1.0 / 3), (6, 1.5), (8, 0.75), (5, 0.4)):
        for mode in positions:
            for nearest in ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil"):
                case = Case(f"Resize, {width} columns by {scale:.3g}, {mode}, {nearest}", [1, 2, 4, width])
                case.through("Resize", ["", case.constant([1, 1, 2.0, scale])], mode="nearest", coordinate_transformation_mode=mode,
                             nearest_mode=nearest)
    for width, scale in ((6, 2.0), (6, 0.5), (6, 1.5)):
        for mode in positions:
            for zero in (0, 5):
                case = Case(f"Resize, linear, {width} columns by {scale:.3g}, {mode}, zero point {zero}", [1, 2, 4, width], zero=zero)
                case.has_inexact_ties = scale == 1.5 or mode == "align_corners"
                case.through("Resize", ["", case.constant([1, 1, 2.0, scale])], scale=1.0, zero=zero, mode="linear",
                             coordinate_transformation_mode=mode)
    for width, scale in ((6, 2.0), (6, 0.5), (9, 1.0 / 3), (6, 1.5), (7, 0.5), (5, 0.4)):
        case = Case(f"Resize of opset 10, {width} columns by {scale:.3g}", [1, 2, 4, width], opset=10)
        case.through("Resize", [case.constant([1, 1, 1.0, scale])], mode="nearest")
    case = Case("Resize to sizes", [1, 2, 4, 6])
    case.through("Resize", ["", "", case.constant([1, 2, 6, 9], "int64")], mode="nearest")
    case = Case("Resize to sizes of two axes", [1, 2, 4, 6], opset=19)
    case.through("Resize", ["", "", case.constant([6, 9], "int64")], mode="nearest", axes=[2, 3])


def matrices():
    for transposed_a in (0, 1):
        for transposed_b in (0, 1):
            for alpha, beta in ((1.0, 1.0), (0.5, 2.0), (2.0, 0.0)):
                case = Case(f"Gemm, transA {transposed_a}, transB {transposed_b}, alpha {alpha}, beta {beta}", [4, 4], zero=-3)
                case.through("Gemm", [case.weights([4, 4]), case.bias(4, [0.125])], scale=16.0, transA=transposed_a, transB=transposed_b,
                             alpha=alpha, beta=beta)
    case = Case("Gemm, a scale per channel", [3, 8], zero=1)
    case.through("Gemm", [case.weights([6, 8], [0.25, 0.5, 1.0, 0.125, 0.0625, 2.0])], scale=21.0, transB=1)
    for shape in ([2, 8], [1, 3, 8], [2, 3, 8]):
        case = Case(f"MatMul of {shape}", shape, zero=4)
        case.through("MatMul", [case.weights([8, 5], [0.25, 0.5, 1.0, 0.125, 0.0625], axis=1)], scale=32.0)
    case = Case("MatMul of two values", [1, 4, 4], zero=4)
    other = case.quantized(case.node("Transpose", [case.value], perm=[0, 2, 1]), 0.25, -7)
    case.through("MatMul", [other], scale=64.0, zero=3)


def movement():
    for name, kind, inputs, attributes, shape in (
            ("Transpose", "Transpose", [], {"perm": [0, 3, 1, 2]}, [1, 2, 3, 4]), ("Flatten", "Flatten", [], {"axis": 2}, [1, 2, 3, 4]),
            ("Reshape", "Reshape", [([0, -1, 4], "int64")], {}, [1, 2, 3, 4]), ("Squeeze", "Squeeze", [([0], "int64")], {}, [1, 2, 3, 4]),
            ("Unsqueeze", "Unsqueeze", [([1, -1], "int64")], {}, [2, 3]),
            ("Slice", "Slice", [([1, -1], "int64"), ([3, -9], "int64"), ([2, 3], "int64"), ([1, -2], "int64")], {}, [1, 2, 4, 5]),
            ("Gather", "Gather", [([2, 0, -1], "int64")], {"axis": 2}, [1, 2, 4, 3]), ("Gather of one", "Gather", [(1, "int64")], {"axis": 1}, [1, 2, 4, 3]),
            ("DepthToSpace DCR", "DepthToSpace", [], {"blocksize": 2, "mode": "DCR"}, [1, 8, 2, 3]),
            ("DepthToSpace CRD", "DepthToSpace", [], {"blocksize": 2, "mode": "CRD"}, [1, 8, 2, 3]),
            ("SpaceToDepth", "SpaceToDepth", [], {"blocksize": 2}, [1, 2, 4, 6]),
            ("Pad constant", "Pad", [([0, 0, 1, 2, 0, 0, 3, 1], "int64"), (1.5, "float32")], {"mode": "constant"}, [1, 2, 3, 4]),
            ("Pad edge", "Pad", [([0, 0, 1, 2, 0, 0, 0, 1], "int64")], {"mode": "edge"}, [1, 2, 3, 4]),
            ("Pad reflect", "Pad", [([0, 0, 1, 2, 0, 0, 2, 1], "int64")], {"mode": "reflect"}, [1, 2, 3, 4])):
        for zero in (0, 6):
            case = Case(f"{name}, zero point {zero}", shape, zero=zero)
            case.through(kind, [case.constant(values, dtype) for values, dtype in inputs], zero=zero, **attributes)
    for zero in (0, 6):
        case = Case(f"Concat, zero point {zero}", [1, 2, 3, 4], zero=zero)
        case.through("Concat", [case.quantized(case.node("Neg", [case.value]), 0.25, 3), case.value], scale=0.75, zero=zero, axis=2)
    case = Case("Split in parts", [1, 6, 3])
    parts = case.node("Split", [case.value, case.constant([1, 3, 2], "int64")], outputs=3, axis=1)
    case.end(case.node("Concat", [parts[2], parts[0], parts[1]], axis=1), 0.5)
    case = Case("Split in three", [1, 6, 3])
    parts = case.node("Split", [case.value], outputs=3, axis=1, num_outputs=3)
    case.end(case.node("Add", [parts[2], parts[0]]), 1.0)


def elementwise():
    for kind in ("Add", "Sub", "Mul"):
        for zero in (0, 11):
            for scale in (0.5, 0.3):
                case = Case(f"{kind}, zero point {zero}, other of {scale}", [1, 3, 4, 4], zero=zero)
                case.has_inexact_ties = scale == 0.3
                other = case.quantized(case.node("Neg", [case.value]), scale, zero)
                case.through(kind, [other], scale=1.0 if kind != "Mul" else 32.0, zero=-zero)
    case = Case("Add of a constant per channel", [1, 3, 4, 4], zero=5)
    case.through("Add", [case.weights([3, 1, 1])], scale=0.75)
    case = Case("Mul by a number", [1, 3, 4, 4], zero=5)
    case.through("Mul", [case.constant(0.37)], scale=0.75)
    case = Case("Div by a number", [1, 3, 4, 4], zero=5)
    case.through("Div", [case.constant(3.0)], scale=0.25)
    for kind, attributes in (("Relu", {}), ("LeakyRelu", {"alpha": 0.3}), ("Elu", {"alpha": 0.7}), ("HardSigmoid", {"alpha": 0.3, "beta": 0.4}),
                             ("HardSwish", {}), ("Sigmoid", {}), ("Tanh", {}), ("Softplus", {}), ("Abs", {}), ("Neg", {}), ("Erf", {}),
                             ("Gelu", {"approximate": "none"}), ("Gelu", {"approximate": "tanh"}), ("Exp", {})):
        case = Case(f"{kind} {attributes.get('approximate', '')}".strip(), [1, 1, 16, 16], scale=0.0625, zero=5)
        case.through(kind, scale=0.0625, zero=-20, **attributes)
    case = Case("Clip", [1, 1, 16, 16], zero=5)
    case.through("Clip", [case.constant(-7.3), case.constant(30.2)], scale=0.25)
    case = Case("PRelu", [1, 3, 4, 4], zero=5)
    case.through("PRelu", [case.weights([3, 1, 1], [0.0078125])], scale=0.25)
    case = Case("BatchNormalization", [1, 3, 4, 4], zero=5)
    numbers = [[0.5, 2.0, -1.5], [1.0, -3.0, 0.25], [4.0, -2.0, 8.0], [1.0, 4.0, 0.25]]
    case.through("BatchNormalization", [case.constant(row) for row in numbers], scale=0.5, epsilon=0.01)
    for dtype, steps in (("uint8", 0.5), ("int16", 0.015625)):
        case = Case(f"codes of another step, to {dtype}", [1, 1, 16, 16], zero=5)
        case.through("Relu", scale=steps * 0.7, zero=3 if dtype == "uint8" else 0, dtype=dtype)
    case = Case("grid of 16 bits, then of 8", [1, 1, 16, 16], zero=5)
    case.value = case.quantized(case.node("Mul", [case.value, case.value]), 0.01, 0, "int16")
    case.through("Add", [case.value], scale=24.0, zero=2)


def main():
    for family in (convolutions, pools, resizes, matrices, movement, elementwise):
        family()
    names = [case.name for case in CASES]
    assert len(set(names)) == len(names), [name for name in names if names.count(name) > 1]
    text = ",\n".join(json.dumps(case.as_json(), separators=(",", ":")) for case in CASES)
    made_with = {"onnxruntime": onnxruntime.__version__, "onnx": onnx.__version__, "numpy": np.__version__}
    (FOLDER / "nodes.json").write_text(f'{{"made_with":{json.dumps(made_with)},"networks":[\n{text}\n]}}\n', encoding="utf-8")
    print(f"{len(CASES)} networks")


if __name__ == "__main__":
    main()
