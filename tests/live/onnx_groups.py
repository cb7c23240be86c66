# SPDX-License-Identifier: Apache-2.0
"""Which operators the tests against onnxruntime have, in groups of one exactness, and how far a group's codes may be from its: the one
home of these numbers. The networks' makers choose operators from here, the tests judge by it, docs/reference/formats.md shows it.

Of each group: its operators; then, for 8 and for 16 bits, the steps that a code may differ by and the part of the codes that may differ,
None where there are no such codes. docs/guides/onnx.md says why."""

import collections

Bound = collections.namedtuple("Bound", "steps part")
Group = collections.namedtuple("Group", "operators int8 int16")
EXACT, NEARLY, FEW, TIES, MANY_TIES = Bound(0, 0), Bound(1, 0.001), Bound(1, 0.01), Bound(1, 0.05), Bound(1, 0.15)


def group(operators, int8, int16):
    return Group(tuple(operators.split()), int8, int16)


# Networks of one operator (onnx_operators.py).
OPERATORS = {
    "softmax": group("Softmax", NEARLY, Bound(2, 0.01)),
    "layer_norm": group("LayerNormalization", NEARLY, Bound(2, 0.01)),
    "conv_transpose": group("ConvTranspose", NEARLY, FEW),
    "resize_linear": group("Resize", TIES, TIES),
    "resize_nearest": group("Resize", EXACT, EXACT),
    "movement": group("DepthToSpace Gather Identity Pad Slice SpaceToDepth Split", EXACT, EXACT),
    "batch_norm": group("BatchNormalization", NEARLY, FEW),
    "prelu": group("PRelu", NEARLY, FEW),
    "matmul": group("MatMul", NEARLY, FEW),
    "gemm": group("Gemm", FEW, FEW),
    "unary": group("Abs Div Elu Erf Exp Gelu HardSigmoid HardSwish LeakyRelu Neg Sigmoid Softplus Tanh", NEARLY, FEW),
    "code_function": group("Add Div Max Mean Min Mul Pow Sub Sum", NEARLY, FEW),
    "sum_function": group("GlobalAveragePool HardSigmoid HardSwish MaxPool Mul ReduceMean Sigmoid Softmax Tanh", FEW, Bound(5, 0.4)),
    "sums": group("Add Conv LeakyRelu MaxPool PRelu Sub", NEARLY, FEW),
    "zero_point": group("Add Conv ConvTranspose MaxPool Mul Relu", None, FEW),
    "qlinear": group("QGemm QLinearAdd QLinearAveragePool QLinearConcat QLinearConv QLinearGlobalAveragePool QLinearLeakyRelu QLinearMatMul "
                     "QLinearMul QLinearReduceMean QLinearSigmoid QLinearSoftmax", NEARLY, None),
    "integer": group("ConvInteger MatMulInteger", EXACT, None),
    "ends": group("Add BatchNormalization Clip Div Mul Relu Sub", EXACT, EXACT),
    "line": group("Conv ConvTranspose MaxPool", NEARLY, FEW),
    "line_average": group("AveragePool GlobalAveragePool", TIES, TIES),
    "average": group("AveragePool", MANY_TIES, MANY_TIES),
    "max_dilated": group("MaxPool", EXACT, EXACT),
    "mean": group("ReduceMean", TIES, TIES),
    "conv_groups": group("Conv", NEARLY, FEW),
    # onnx_choices.py
    "argmax": group("ArgMax ArgMin", EXACT, EXACT),
    "extreme": group("Max Min", NEARLY, FEW),
    "reduced": group("GlobalMaxPool ReduceMax ReduceMin ReduceProd ReduceSum", NEARLY, FEW),
    "where": group("And Cast Equal Greater GreaterOrEqual Less LessOrEqual Not Or Where Xor", NEARLY, FEW),
    "repeated": group("Expand Tile", EXACT, EXACT),
    "more_unary": group("Ceil Celu Cos Floor Log Mish Pow Reciprocal Round Selu Sign Sin Softsign Sqrt ThresholdedRelu", NEARLY, FEW),
    "quotient": group("Div", FEW, FEW),
    "norms": group("GroupNormalization InstanceNormalization LpNormalization", NEARLY, Bound(2, 0.01)),
    "log_softmax": group("LogSoftmax", NEARLY, FEW),
    "vector": group("MatMul Pad", NEARLY, FEW),
    "volume": group("Conv", NEARLY, FEW),
    "zero_points": group("Conv", NEARLY, FEW),
    # onnx_recurrent.py
    "lstm": group("LSTM", FEW, Bound(6, 0.5)),
    "gru": group("GRU", FEW, Bound(6, 0.5)),
    # onnx_host.py: what the host computes of the same codes, as near as FLOAT_BOUNDS says
    "host_moved": group("Cast Concat DepthToSpace Expand Gather Pad Resize Slice SpaceToDepth Split Tile", EXACT, EXACT),
    "host_compared": group("Add ArgMax ArgMin Div GlobalMaxPool Max MaxPool Min Mul PRelu Pow ReduceMax ReduceMin Sub Sum", EXACT, EXACT),
    "host_sums": group("AveragePool BatchNormalization Conv Gemm GlobalAveragePool InstanceNormalization LayerNormalization LogSoftmax MatMul Mean "
                       "ReduceMean ReduceProd ReduceSum Resize Softmax", EXACT, EXACT),
    "host_function": group("Abs Ceil Celu Cos Elu Erf Exp Floor Gelu HardSigmoid HardSwish LeakyRelu Log Mish Neg Reciprocal Relu Round Selu "
                           "Sigmoid Sign Sin Softplus Softsign Sqrt Tanh ThresholdedRelu", EXACT, EXACT),
}


# How far what the host computes may be from onnxruntime's, in parts of the greatest number of the result; others are equal.
FLOAT_BOUNDS = {"host_sums": 2e-6, "host_function": 1e-6}


def in_turn(rng, name):
    """An operator of the group: the one whose turn it is, so that so many cases as operators have them all."""
    operators = OPERATORS[name].operators
    return operators[rng.case % len(operators)]


# Random networks of several operators (onnx_networks.py): a part of the codes only, since what follows may amplify a step. Networks
# with averages, which meet ties, and of 16 bits are counted apart.
MOST_DIFFERING, MOST_DIFFERING_OTHERS = 1e-4, 0.05
AVERAGES = ("AveragePool", "GlobalAveragePool", "ReduceMean")
RANDOM = ("Add", "Clip", "Concat", "Conv", "Flatten", "Gemm", "MatMul", "MaxPool", "Mul", "Pad", "Relu", "Reshape", "Slice", "Squeeze", "Sub",
          "Transpose", "Unsqueeze")
QUANTIZERS = ("DequantizeLinear", "QuantizeLinear")  # of every network
# What the networks of qonnx_test.py and of aimet_test.py have; no number differs there.
QONNX = ("BipolarQuant", "IntQuant", "MultiThreshold", "Quant", "QuantAvgPool2d", "Trunc")
ENCODED = ("Conv", "Flatten", "Gemm", "Relu")
