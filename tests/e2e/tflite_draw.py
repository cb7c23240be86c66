# SPDX-License-Identifier: Apache-2.0
"""Networks of one TensorFlow Lite operator with drawn shapes, options, scales and zero points, as flatbuffers.

OPERATORS: name -> (types, a function that draws one). A type is "int8", "uint8" or "int16", that of the codes. `draw(name, kind, rng)` gives the file's
bytes and what its inputs take, (type, shape, least, greatest) each."""

import random
import zlib

import npy
import tflite_file
from tflite_case import LIMITS, NONE, NUMBERS, OPTIONS, TYPES, Case, count_of
from tflite_file import BOOL, INT32, INT4, INT8
from tflite_moves import (batch_blocks, broadcast_numbers, depth_blocks, gather, gather_nd, joined, mirror_numbers, moved, pad_numbers,
                          reshape_numbers, resized, reverse_numbers, scatter_nd, slice_numbers, split, strided_numbers, tile_numbers, transpose_numbers)
from tflite_rows import cumulative_sum, l2_normalization, log_softmax, product_of_codes, quotient
from tflite_states import sequence_lstm, svdf
from tosa_file import Scalar


def window_result(size, kernel, stride, dilation, is_same):
    return -(-size // stride) if is_same else (size - (kernel - 1) * dilation - 1) // stride + 1


class Window:
    """A picture's sides, and a window that fits on them."""

    def __init__(self, case, dilation=True):
        rng = case.rng
        self.is_same = rng.random() < 0.5
        self.kernel = [rng.randrange(1, 5), rng.randrange(1, 5)]
        self.dilation = [rng.choice([1, 1, 2]) if dilation else 1 for _ in range(2)]
        self.stride = [1, 1] if max(self.dilation) > 1 else [rng.randrange(1, 4), rng.randrange(1, 4)]
        self.size = [rng.randrange((k - 1) * d + 1, (k - 1) * d + 8) for k, d in zip(self.kernel, self.dilation)]
        self.results = [window_result(*one, self.is_same) for one in zip(self.size, self.kernel, self.stride, self.dilation)]

    def padding(self):
        return Scalar(0 if self.is_same else 1, "B")


def conv(case, name="CONV_2D"):
    rng, window = case.rng, Window(case)
    groups = rng.choice([1, 1, 1, 2]) if case.kind == "int8" else 1
    depth, channels = rng.randrange(1, 9), rng.randrange(1, 9) * groups
    x = case.input([1, *window.size, depth * groups])
    shape = [1, *window.results, channels]
    options = {0: window.padding(), 1: Scalar(window.stride[1]), 2: Scalar(window.stride[0]), 3: Scalar(case.activation(), "B"),
               4: Scalar(window.dilation[1]), 5: Scalar(window.dilation[0])}
    kind = INT4 if rng.random() < 0.2 and case.kind == "int8" and groups == 1 else INT8
    weights = case.weights([channels, *window.kernel, depth], 0, channels, kind)
    return case.result(name, shape, [x, weights, case.bias(x, weights, channels)], options, "Conv2DOptions")


def depthwise(case):
    rng, window = case.rng, Window(case)
    if window.stride[0] != window.stride[1]:
        window.stride = [1, 1]
        window.results = [window_result(*one, window.is_same) for one in zip(window.size, window.kernel, window.stride, window.dilation)]
    depth, multiplier = rng.randrange(1, 9), rng.choice([1, 1, 2, 3])
    x = case.input([1, *window.size, depth])
    channels = depth * multiplier
    options = {0: window.padding(), 1: Scalar(window.stride[1]), 2: Scalar(window.stride[0]), 3: Scalar(multiplier), 4: Scalar(case.activation(), "B"),
               5: Scalar(window.dilation[1]), 6: Scalar(window.dilation[0])}
    weights = case.weights([1, *window.kernel, channels], 3, channels)
    return case.result("DEPTHWISE_CONV_2D", [1, *window.results, channels], [x, weights, case.bias(x, weights, channels)], options,
                       "DepthwiseConv2DOptions")


def fully_connected(case):
    rows, depth, channels = case.rng.randrange(1, 5), case.rng.randrange(1, 60), case.rng.randrange(1, 20)
    x = case.input([rows, depth])
    kind = INT4 if case.rng.random() < 0.2 and case.kind == "int8" else INT8
    weights = case.weights([channels, depth], 0, channels, kind)
    inputs = [x, weights, case.bias(x, weights, channels) if case.rng.random() < 0.8 else -1]
    return case.result("FULLY_CONNECTED", [rows, channels], inputs, {0: Scalar(case.activation(), "B")}, "FullyConnectedOptions")


def transpose_conv(case):
    rng = case.rng
    is_same = rng.random() < 0.5
    kernel, stride = [rng.randrange(1, 5), rng.randrange(1, 5)], [rng.randrange(1, 4), rng.randrange(1, 4)]
    size = [rng.randrange(1, 6), rng.randrange(1, 6)]
    results = [n * s if is_same else (n - 1) * s + k for n, s, k in zip(size, stride, kernel)]
    depth, channels = rng.randrange(1, 9), rng.randrange(1, 9)
    shape = [1, *results, channels]
    weights = case.weights([channels, *kernel, depth], 0, channels)
    x = case.input([1, *size, depth])
    inputs = [case.numbers(shape), weights, x] + ([case.bias(x, weights, channels)] if rng.random() < 0.6 else [])
    case.net.versions[NUMBERS["TRANSPOSE_CONV"]] = 3
    return case.result("TRANSPOSE_CONV", shape, inputs, {0: Scalar(0 if is_same else 1, "B"), 1: Scalar(stride[1]), 2: Scalar(stride[0])}, "TransposeConvOptions")


def batch_matmul(case):
    rng = case.rng
    rows, depth, columns = (rng.randrange(1, 9) for _ in range(3))
    batch = [rng.randrange(1, 4) for _ in range(rng.randrange(0, 3))]
    turn_a, turn_b = rng.random() < 0.3, rng.random() < 0.3
    a = case.input([*batch, depth, rows] if turn_a else [*batch, rows, depth])
    b = case.input([*batch, columns, depth] if turn_b else [*batch, depth, columns])
    # Products of int16 that are far beyond the result's range leave int32 in the kernel.
    scale = case.scale(0.5, 20) if case.kind == "int16" else case.scale(0.01, 0.5)
    return case.result("BATCH_MATMUL", [*batch, rows, columns], [a, b], {0: Scalar(turn_a, "?"), 1: Scalar(turn_b, "?")}, "BatchMatMulOptions",
                       scales=(scale,), zero_point=case.zero_point())


def sum_of(name):
    def draw(case):
        a, b, shape = case.pair()
        x, y = case.input(a), case.constant(b) if case.rng.random() < 0.3 else case.input(b)
        return case.result(name, shape, [x, y], {0: Scalar(case.activation(), "B"), 1: Scalar(False, "?")}, f"{name.title()}Options")
    return draw


def mul(case):
    a, b, shape = case.pair()
    # Products of int16 that are far beyond the result's range leave int32 in the kernel.
    scale = case.scale(1, 50) if case.kind == "int16" else case.scale(0.005, 0.5)
    return case.result("MUL", shape, [case.input(a), case.input(b)], {0: Scalar(case.activation(), "B")}, "MulOptions", scales=(scale,), zero_point=case.zero_point())


def squared_difference(case):
    a, b, shape = case.pair()
    return case.result("SQUARED_DIFFERENCE", shape, [case.input(a), case.input(b)], {}, "SquaredDifferenceOptions", scales=(case.scale(0.02, 1),), zero_point=case.zero_point())


def cast(case):
    kinds = ("bool", "int8", "uint8", "int16", "int32")
    of, to = (case.kind, case.rng.choice(kinds)) if case.rng.random() < 0.6 else (case.rng.choice(kinds), case.kind)
    shape = case.shape()
    x = case.input(shape, of, limits=(-100000, 100000) if of == "int32" else None, scales=())
    return case.result("CAST", shape, [x], {0: Scalar(TYPES[of], "B"), 1: Scalar(TYPES[to], "B")}, "CastOptions", kind=to, scales=())


def extreme(name):
    def draw(case):
        a, b, shape = case.pair()
        format = case.format()
        return case.result(name, shape, [case.input(a, **format), case.input(b, **format)], {}, "MaximumMinimumOptions", **format)
    return draw


def compared(name):
    def draw(case):
        a, b, shape = case.pair()
        options = "".join(part.title() for part in name.split("_")) + "Options"
        return case.result(name, shape, [case.input(a), case.input(b)], {}, options, kind="bool")
    return draw


def logical(name):
    def draw(case):
        a, b, shape = case.pair()
        options = "".join(part.title() for part in name.split("_")) + "Options"
        if name == "LOGICAL_NOT":
            return case.result(name, a, [case.input(a, "bool")], {}, options, kind="bool")
        return case.result(name, shape, [case.input(a, "bool"), case.input(b, "bool")], {}, options, kind="bool")
    return draw


def select(case):
    a, b, shape = case.pair()
    format = case.format()
    return case.result("SELECT_V2", shape, [case.input(shape, "bool"), case.input(a, **format), case.input(b, **format)], {}, "SelectV2Options", **format)


FUNCTION_OPTIONS = {"EXP": "ExpOptions", "ABS": "AbsOptions", "NEG": "NegOptions", "HARD_SWISH": "HardSwishOptions"}


def function(name):
    def draw(case):
        rng = case.rng
        shape, kind = case.shape(), case.kind
        format, output = case.format(), case.format()
        limits, options, kind_of_options = None, {}, FUNCTION_OPTIONS.get(name)
        if name in ("LOGISTIC", "TANH"):
            format["scales"] = (case.scale(0.01, 0.2),) if kind != "int16" else (rng.choice([2.0 ** -12, 2.0 ** -11 if name == "TANH" else 2.0 ** -12, case.scale(1e-5, 1e-3)]),)
            output = {"scales": (1 / (32768 if kind == "int16" else 256),), "zero_point": -128 if kind == "int8" else 0}
            if name == "TANH":
                output = {"scales": (1 / (32768 if kind == "int16" else 128),), "zero_point": 128 if kind == "uint8" else 0}
        if kind == "int16" and name not in ("LOGISTIC", "TANH"):
            format["scales"], output["scales"] = (case.scale(1e-5, 2e-4),), (case.scale(5e-5, 2e-3),)
        if name == "LEAKY_RELU":
            options, kind_of_options = {0: Scalar(rng.choice([0.1, 0.2, 0.01, rng.random(), rng.random() if kind == "int16" else -rng.random()]), "f")}, "LeakyReluOptions"
        if name == "GELU":
            options, kind_of_options = {0: Scalar(rng.random() < 0.5, "?")}, "GeluOptions"
        if name in ("RSQRT", "LOG", "SQRT") and kind == "int8":
            limits = (format["zero_point"], 127)
            output["scales"] = (case.scale(0.02, 0.5),)
        if name == "SQRT" and kind == "int16":
            limits = (0, 32767)
        if name == "NEG":
            output = format
        if name in ("RSQRT", "LOG") and kind == "int16":
            limits, output["scales"] = (200, 32767), (case.scale(1e-3, 2e-2),)
        if name == "HARD_SWISH" and format["scales"][0] / output["scales"][0] > 127:
            output["scales"] = format["scales"]
        return case.result(name, shape, [case.input(shape, limits=limits, **format)], options, kind_of_options, **output)
    return draw


def prelu(case):
    shape = case.shape(4)
    return case.result("PRELU", shape, [case.input(shape), case.constant([1, 1, shape[3]], "int8" if case.kind == "int16" else None)])


def quantize(case):
    shape = case.shape()
    to = "int8" if case.kind == "uint8" else case.rng.choice(["int8", "int16"])
    output = {"scales": (case.scale(),), "zero_point": case.zero_point(to)}
    return case.result("QUANTIZE", shape, [case.input(shape)], {}, "QuantizeOptions", kind=to, **output)


def pool(name):
    def draw(case):
        window = Window(case, dilation=False)
        depth, format = case.rng.randrange(1, 9), case.format()
        options = {0: window.padding(), 1: Scalar(window.stride[1]), 2: Scalar(window.stride[0]), 3: Scalar(window.kernel[1]), 4: Scalar(window.kernel[0]),
                   5: Scalar(case.activation(), "B")}
        return case.result(name, [1, *window.results, depth], [case.input([1, *window.size, depth], **format)], options, "Pool2DOptions", **format)
    return draw


def reduced(name):
    def draw(case):
        shape = case.shape()
        axes = case.rng.sample(range(len(shape)), case.rng.randrange(1, len(shape) + 1))
        keep = case.rng.random() < 0.5
        result = [1 if i in axes else size for i, size in enumerate(shape) if keep or i not in axes]
        is_truth, format = name in ("REDUCE_ANY", "REDUCE_ALL"), case.format()
        output = case.format() if name in ("MEAN", "SUM") else format
        x = case.input(shape, "bool") if is_truth else case.input(shape, **format)
        axes = [axis - len(shape) if case.rng.random() < 0.3 else axis for axis in axes]
        return case.result(name, result, [x, case.numbers(axes)], {0: Scalar(keep, "?")}, "ReducerOptions", kind="bool" if is_truth else None, **({} if is_truth else output))
    return draw


def arg_extreme(name):
    def draw(case):
        shape = case.shape()
        axis = case.rng.randrange(len(shape))
        options = {0: Scalar(INT32, "B")}
        return case.result(name, [size for i, size in enumerate(shape) if i != axis], [case.input(shape), case.numbers([axis], [])], options, f"{name.title().replace('_', '')}Options", kind="int32")
    return draw


def softmax(case):
    shape = case.shape()
    is_8 = case.kind != "int16"
    x = case.input(shape, scales=(case.scale(0.01, 0.5) if is_8 else case.scale(5e-5, 2e-3),), zero_point=case.zero_point())
    return case.result("SOFTMAX", shape, [x], {0: Scalar(1.0, "f")}, "SoftmaxOptions", scales=(1 / 256 if is_8 else 1 / 32768,), zero_point=-128 if case.kind == "int8" else 0)


class Part:
    """A further subgraph, on the same codes as the network."""

    def __init__(self, case):
        self.net = tflite_file.Network(beside=case.net)
        self.counter = 0

    def number(self, value):
        self.counter += 1
        return self.net.tensor(f"one{self.counter}", [1], INT32, (), 0, [value])


def sum_in(part, case, a, b, shape, format):
    result = part.net.tensor("sum", shape, TYPES[case.kind], **format)
    return part.net.operator(NUMBERS["ADD"], {0: Scalar(NONE, "B"), 1: Scalar(False, "?")}, [a, b], result, OPTIONS["AddOptions"] + 1)


def branches(case):
    """Two ways to add, one of which runs."""
    shape, format = case.shape(), case.format()
    condition, x = case.input([1], "bool"), case.input(shape, **format)
    for twice in (False, True):
        part = Part(case)
        inner = part.net.tensor("x", shape, TYPES[case.kind], **format)
        other = inner if twice else part.net.tensor("c", [1], TYPES[case.kind], values=[case.rng.randint(*LIMITS[case.kind])], **format)
        case.net.further.append((part.net, [inner], [sum_in(part, case, inner, other, shape, format)]))
    return case.result("IF", shape, [condition, x], {0: Scalar(1), 1: Scalar(2)}, "IfOptions", **format)


def loop(case):
    """Adds a constant again and again, so many times as an input says."""
    shape, format = case.shape(), case.format()
    count, x = case.input([1], "int32", (0, 5)), case.input(shape, **format)
    start = case.numbers([0])
    condition, body = Part(case), Part(case)
    at, most, _ = (condition.net.tensor(name, [1], INT32, ()) for name in ("at", "most", "unused"))
    codes = condition.net.tensor("codes", shape, TYPES[case.kind], **format)
    less = condition.net.operator(NUMBERS["LESS"], {}, [at, most], condition.net.tensor("less", [1], BOOL, ()), OPTIONS["LessOptions"] + 1)
    case.net.further.append((condition.net, [at, most, codes], [less]))
    at, most = (body.net.tensor(name, [1], INT32, ()) for name in ("at", "most"))
    codes = body.net.tensor("codes", shape, TYPES[case.kind], **format)
    following = body.net.operator(NUMBERS["ADD"], {0: Scalar(NONE, "B")}, [at, body.number(1)], body.net.tensor("next", [1], INT32, ()), OPTIONS["AddOptions"] + 1)
    constant = body.net.tensor("c", [1], TYPES[case.kind], values=[case.rng.randint(*LIMITS[case.kind])], **format)
    case.net.further.append((body.net, [at, most, codes], [following, most, sum_in(body, case, codes, constant, shape, format)]))
    results = [case.net.tensor("y0", [1], INT32, ()), case.net.tensor("y1", [1], INT32, ()), case.net.tensor("y2", shape, TYPES[case.kind], **format)]
    case.net.operator(NUMBERS["WHILE"], {0: Scalar(1), 1: Scalar(2)}, [start, count, x], results, OPTIONS["WhileOptions"] + 1)
    return case.net.to_bytes(case.inputs, results)


BOTH, ONLY_8, ALL, BYTES = ("int8", "int16"), ("int8",), ("int8", "uint8", "int16"), ("int8", "uint8")
OPERATORS = {
    "CONV_2D": (ALL, conv), "DEPTHWISE_CONV_2D": (ALL, depthwise), "FULLY_CONNECTED": (ALL, fully_connected),
    "TRANSPOSE_CONV": (ALL, transpose_conv), "BATCH_MATMUL": (BOTH, batch_matmul),
    "ADD": (ALL, sum_of("ADD")), "SUB": (ALL, sum_of("SUB")), "MUL": (ALL, mul), "SQUARED_DIFFERENCE": (ONLY_8, squared_difference),
    **{name: (ALL, extreme(name)) for name in ("MAXIMUM", "MINIMUM")},
    **{name: (ALL, compared(name)) for name in ("EQUAL", "NOT_EQUAL", "GREATER", "GREATER_EQUAL", "LESS", "LESS_EQUAL")},
    **{name: (ONLY_8, logical(name)) for name in ("LOGICAL_AND", "LOGICAL_OR", "LOGICAL_NOT")},
    "SELECT_V2": (BOTH, select), "CAST": (ALL, cast),
    **{name: (ALL, function(name)) for name in ("LOGISTIC", "TANH", "LEAKY_RELU", "RELU", "RELU6")},
    **{name: (BOTH, function(name)) for name in ("ABS", "EXP", "LOG", "RSQRT", "SQRT", "NEG", "GELU")},
    **{name: (BYTES, function(name)) for name in ("HARD_SWISH", "RELU_N1_TO_1", "RELU_0_TO_1")}, "ELU": (ONLY_8, function("ELU")),
    "IF": (ONLY_8, branches), "WHILE": (ONLY_8, loop),
    "PRELU": (BOTH, prelu), "QUANTIZE": (ALL, quantize),
    "AVERAGE_POOL_2D": (ALL, pool("AVERAGE_POOL_2D")), "MAX_POOL_2D": (ALL, pool("MAX_POOL_2D")),
    **{name: (ALL, reduced(name)) for name in ("MEAN", "SUM")}, **{name: (ALL, reduced(name)) for name in ("REDUCE_MAX", "REDUCE_MIN")},
    **{name: (ONLY_8, reduced(name)) for name in ("REDUCE_ANY", "REDUCE_ALL")},
    **{name: (BYTES, arg_extreme(name)) for name in ("ARG_MAX", "ARG_MIN")},
    "SOFTMAX": (ALL, softmax), "LOG_SOFTMAX": (BYTES, log_softmax), "L2_NORMALIZATION": (BYTES, l2_normalization),
    "REDUCE_PROD": (BOTH, product_of_codes), "CUMSUM": (ONLY_8, cumulative_sum), "DIV": (ALL, quotient),
    "SVDF": (ONLY_8, svdf), "UNIDIRECTIONAL_SEQUENCE_LSTM": (ONLY_8, sequence_lstm),
    "GATHER_ND": (BOTH, gather_nd), "SCATTER_ND": (ONLY_8, scatter_nd),
    "RESHAPE": (ALL, moved("RESHAPE", reshape_numbers, "ReshapeOptions")), "TRANSPOSE": (ALL, moved("TRANSPOSE", transpose_numbers, "TransposeOptions")),
    "PAD": (ALL, moved("PAD", pad_numbers, "PadOptions")), "MIRROR_PAD": (ALL, moved("MIRROR_PAD", mirror_numbers, "MirrorPadOptions")),
    "SLICE": (ALL, moved("SLICE", slice_numbers, "SliceOptions")), "STRIDED_SLICE": (ALL, moved("STRIDED_SLICE", strided_numbers, "StridedSliceOptions")),
    "TILE": (ALL, moved("TILE", tile_numbers, "TileOptions")), "BROADCAST_TO": (BOTH, moved("BROADCAST_TO", broadcast_numbers, "BroadcastToOptions")),
    "REVERSE_V2": (ALL, moved("REVERSE_V2", reverse_numbers, "ReverseV2Options")), "GATHER": (ALL, gather),
    "SPACE_TO_DEPTH": (BYTES, depth_blocks("SPACE_TO_DEPTH")), "DEPTH_TO_SPACE": (BYTES, depth_blocks("DEPTH_TO_SPACE")),
    "SPACE_TO_BATCH_ND": (BOTH, batch_blocks("SPACE_TO_BATCH_ND")), "BATCH_TO_SPACE_ND": (BOTH, batch_blocks("BATCH_TO_SPACE_ND")),
    "CONCATENATION": (ALL, joined("CONCATENATION")), "PACK": (ALL, joined("PACK")),
    **{name: (ALL, split(name)) for name in ("SPLIT", "SPLIT_V", "UNPACK")},
    "RESIZE_BILINEAR": (ALL, resized("RESIZE_BILINEAR")), "RESIZE_NEAREST_NEIGHBOR": (ALL, resized("RESIZE_NEAREST_NEIGHBOR")),
}


# The reference kernels of ai-edge-litert 2.3.0 have no ELU, and their SUM of signed codes gives 0 or -1 whatever the codes are: the default
# kernels are the witness of both. That of SUM computes in float32: a code may be one step off. So does
# the reference's RESIZE_BILINEAR of uint8, whose halves go either way where float32 does not hold the position.
DEFAULT_KERNELS = (("ELU", "int8"), ("SUM", "int8"), ("SUM", "int16"))
BOUNDS = {("SUM", "int8"): 1, ("SUM", "int16"): 1, ("RESIZE_BILINEAR", "uint8"): 1}
# How often a network with a state runs before its result is looked at.
INVOCATIONS = {"SVDF": (1, 2, 5, 12), "UNIDIRECTIONAL_SEQUENCE_LSTM": (1, 2, 3, 4)}
DESCRS = {"int8": "|i1", "uint8": "|u1", "int16": "<i2", "int32": "<i4", "bool": "|b1"}


def rng_of(name, kind, case, seed=1):
    return random.Random(f"{seed} {name} {kind} {case}")


def draw(name, kind, rng):
    case = Case(kind, rng)
    return OPERATORS[name][1](case), case.given


def invocations_of(name, case):
    counts = INVOCATIONS.get(name, (1,))
    return counts[case % len(counts)]


def values_of(name, kind, case, inputs, seed=1):
    """Arrays for the inputs of a network."""
    rng = rng_of(name, kind, f"{case} inputs", seed)
    return [npy.Array(DESCRS[of], shape, [rng.randint(low, high) for _ in range(count_of(shape))]) for of, shape, low, high in inputs]


def crc_of(array):
    """Of the elements as int32, whatever their type."""
    return f"{zlib.crc32(repr((list(array.shape), [int(value) for value in array.values])).encode()):08x}"
