# SPDX-License-Identifier: Apache-2.0
"""Writes small QONNX files, with the standard library only."""

import onnx_file
from onnx_file import FLOAT

DOMAIN = "qonnx.custom_op.general"


def quantizer(kind, inputs, output, domain=DOMAIN, **attributes):
    """A node of QONNX's domain."""
    return onnx_file.node(kind, inputs, [output], domain, **attributes)


def model(nodes, initializers, inputs, outputs):
    """A ModelProto that imports version 2 of QONNX's domain too."""
    return onnx_file.model(nodes, initializers, inputs, outputs, domains={DOMAIN: 2})


def small():
    """x [1, 2, 4, 4]: 8 bits; a convolution with weights of 4 bits, Relu, 4 bits unsigned; a pool; Trunc to 2 bits; one with weights of 1 bit."""
    scalars = {"s": 0.25, "s4": 0.5, "s2": 2.0, "zero": 0.0, "two": 2.0, "four": 4.0, "eight": 8.0}
    initializers = [onnx_file.tensor(name, FLOAT, [], [value]) for name, value in scalars.items()]
    initializers += [onnx_file.tensor("w", FLOAT, [3, 2, 3, 3], [(i % 15 - 7) * 0.25 for i in range(54)]),
                     onnx_file.tensor("v", FLOAT, [4, 3, 1, 1], [i % 5 - 2.5 for i in range(12)])]
    flags = {"signed": 1, "narrow": 0, "rounding_mode": "ROUND"}
    nodes = [quantizer("Quant", ["x", "s", "zero", "eight"], "x_q", **flags),
             quantizer("Quant", ["w", "s", "zero", "four"], "w_q", **flags | {"narrow": 1}),
             onnx_file.node("Conv", ["x_q", "w_q"], ["c"], pads=[1, 1, 1, 1]), onnx_file.node("Relu", ["c"], ["r"]),
             quantizer("Quant", ["r", "s4", "zero", "four"], "r_q", **flags | {"signed": 0}),
             onnx_file.node("MaxPool", ["r_q"], ["m"], kernel_shape=[2, 2], strides=[2, 2]),
             quantizer("Trunc", ["m", "s4", "zero", "four", "s2", "two"], "t", **flags | {"signed": 0, "rounding_mode": "FLOOR"}),
             quantizer("BipolarQuant", ["v", "s4"], "v_q"), onnx_file.node("Conv", ["t", "v_q"], ["d"]),
             quantizer("Quant", ["d", "s4", "zero", "eight"], "y", **flags)]
    return model(nodes, initializers, [("x", FLOAT, [1, 2, 4, 4])], [("y", FLOAT, [1, 4, 2, 2])])


def thresholds():
    """x [2, 6] of 4 bits, sums in 5 channels, an addend for each, and how many of 3 thresholds each reaches; by 0.5, from -1 on."""
    scalars = {"s": 0.5, "zero": 0.0, "four": 4.0}
    initializers = [onnx_file.tensor(name, FLOAT, [], [value]) for name, value in scalars.items()]
    initializers += [onnx_file.tensor("w", FLOAT, [6, 5], [i % 13 / 2 - 3 for i in range(30)]), onnx_file.tensor("a", FLOAT, [5], [0.25, -1.125, 3.5, 0, -0.5]),
                     onnx_file.tensor("t", FLOAT, [5, 3], [i * 7 % 15 - 7.5 for i in range(15)])]
    flags = {"signed": 1, "narrow": 0, "rounding_mode": "ROUND"}
    nodes = [quantizer("Quant", ["x", "s", "zero", "four"], "x_q", **flags), quantizer("Quant", ["w", "s", "zero", "four"], "w_q", **flags),
             onnx_file.node("MatMul", ["x_q", "w_q"], ["c"]), onnx_file.node("Add", ["c", "a"], ["sum"]),
             quantizer("MultiThreshold", ["sum", "t"], "y", out_scale=0.5, out_bias=-1.0, out_dtype="INT4", data_layout="NC")]
    return model(nodes, initializers, [("x", FLOAT, [2, 6])], [("y", FLOAT, [2, 5])])
