# SPDX-License-Identifier: Apache-2.0
"""Makes TOSA networks of any size with the standard library only: layers as converters write them, an int8 operator and the
RESCALE behind it. Weights are random from a fixed seed; the values mean nothing, the cycles do.

    graph = Graph()
    x = graph.input([1, 8, 8, 16])
    graph.output(graph.conv2d(x, 32, kernel=(3, 3), pad=(1, 1, 1, 1)))
    graph.write("model.tosa")"""

import math
import pathlib
import random
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from tosa_file import Scalar, Writer, tensor

OPS = {"ARGMAX": 1, "AVG_POOL2D": 2, "CONV2D": 3, "DEPTHWISE_CONV2D": 5, "MATMUL": 7, "MAX_POOL2D": 8, "TRANSPOSE_CONV2D": 10,
       "ADD": 15, "ARITHMETIC_RIGHT_SHIFT": 16, "LOGICAL_LEFT_SHIFT": 22, "MUL": 28, "SUB": 30, "TABLE": 31, "CLZ": 35,
       "REDUCE_MAX": 51, "REDUCE_SUM": 54, "CONCAT": 55, "PAD": 56, "RESHAPE": 57, "SLICE": 59, "TRANSPOSE": 61, "RESIZE": 64, "RESCALE": 66,
       "CONST": 67, "CONST_SHAPE": 75}
INT32, INT48 = 5, 6  # of the schema's DType
PROPAGATE, BILINEAR, NEAREST, SINGLE_ROUND = 1, 2, 1, 1
ELEMENT = {"int8": "b", "int16": "h", "int32": "i"}
MULTIPLIER, SHIFT = 1_518_500_250, 38  # of every RESCALE: about 1/181, no power of two
MULTIPLIER_16 = 23_170  # with 48-bit accumulators


def flag(value):
    return Scalar(int(value), "B")


def number(value):
    return Scalar(value, "I")


class Tensor:
    def __init__(self, name, shape, dtype):
        self.name, self.shape, self.dtype = name, list(shape), dtype


class Graph:
    def __init__(self, seed=1, weight_type="int8"):
        """`weight_type` is that of weights to come: int8, or int4 in -7 to 7."""
        self._random = random.Random(seed)
        self.weight_type = weight_type
        self._tensors, self._shapes, self._operators, self._inputs, self._outputs = [], [], [], [], []
        self._layer = None
        self.macs = 0

    def layer(self, name):
        """Operators from here on belong to it."""
        self._layer = name

    def input(self, shape, dtype="int8"):
        made = self._tensor(shape, dtype)
        self._inputs.append(made.name)
        return made

    def output(self, made):
        self._outputs.append(made.name)

    def conv2d(self, x, channels, kernel=(1, 1), stride=(1, 1), pad=(0, 0, 0, 0), dilation=(1, 1)):
        size = self._conv_size(x, kernel, stride, pad, dilation)
        self.macs += math.prod(size) * channels * math.prod(kernel) * x.shape[3]
        weights = self._weights([channels, *kernel, x.shape[3]])
        return self._convolution("CONV2D", x, weights, size, channels, {0: list(pad), 1: list(stride), 2: list(dilation)}, 4)

    def depthwise(self, x, kernel=(3, 3), stride=(1, 1), pad=(1, 1, 1, 1), dilation=(1, 1)):
        size = self._conv_size(x, kernel, stride, pad, dilation)
        self.macs += math.prod(size) * x.shape[3] * math.prod(kernel)
        weights = self._weights([*kernel, x.shape[3], 1])
        attributes = {0: list(pad), 1: list(stride), 2: list(dilation)}
        return self._convolution("DEPTHWISE_CONV2D", x, weights, size, x.shape[3], attributes, 4)

    def transpose_conv2d(self, x, channels, kernel, stride):
        size = [x.shape[0], *((x.shape[1 + i] - 1) * stride[i] + kernel[i] for i in range(2))]
        self.macs += math.prod(x.shape) * math.prod(kernel) * channels
        weights = self._weights([channels, *kernel, x.shape[3]])
        return self._convolution("TRANSPOSE_CONV2D", x, weights, size, channels, {0: [0, 0, 0, 0], 1: list(stride)}, 3)

    def matmul(self, a, b):
        self.macs += math.prod(a.shape) * b.shape[2]
        zero_points = [self._const([0], a.dtype), self._const([0], b.dtype)]
        sums = self._op("MATMUL", [a, b, *zero_points], [*a.shape[:2], b.shape[2]], "int32")
        return self.rescale(sums, a.dtype)

    def rescale(self, x, dtype, multiplier=MULTIPLIER, shift=SHIFT):
        is_48 = x.dtype == "int48"
        scale = self._const([MULTIPLIER_16 if is_48 else multiplier], "int16" if is_48 else "int32")
        operands = [x, scale, self._const([SHIFT - 16 if is_48 else shift], "int8"), self._const([0], x.dtype),
                    self._const([0], dtype)]
        attributes = {0: flag(not is_48), 1: number(SINGLE_ROUND), 2: flag(0), 3: flag(0), 4: flag(0)}
        return self._op("RESCALE", operands, x.shape, dtype, attributes)

    def pool(self, x, kernel, stride, op="AVG_POOL2D"):
        size = self._conv_size(x, kernel, stride, (0, 0, 0, 0), (1, 1))
        attributes = {0: list(kernel), 1: list(stride), 2: [0, 0, 0, 0], 3: number(INT32 if op == "AVG_POOL2D" else PROPAGATE)}
        operands = [x] + ([self._const([0], x.dtype), self._const([0], x.dtype)] if op == "AVG_POOL2D" else [])
        return self._op(op, operands, [*size, x.shape[3]], x.dtype, attributes)

    def add(self, a, b):
        """Of int8: rescaled to int32, added, rescaled back, as converters write it."""
        wide = [self.rescale(operand, "int32") for operand in (a, b)]
        return self.rescale(self._op("ADD", wide, a.shape, "int32"), a.dtype)

    def reduce_max(self, x):
        """Along the last dimension, as the two that follow."""
        return self._op("REDUCE_MAX", [x], [*x.shape[:-1], 1], x.dtype, {0: Scalar(len(x.shape) - 1, "i"), 1: number(PROPAGATE)})

    def reduce_sum(self, x):
        return self._op("REDUCE_SUM", [x], [*x.shape[:-1], 1], x.dtype, {0: Scalar(len(x.shape) - 1, "i")})

    def table(self, x):
        """Of int8: an activation that no clamp can be, as hard swish."""
        return self._op("TABLE", [x, self._const([max(-128, min(127, (i - 128) * i // 128)) for i in range(256)], "int8")], x.shape, "int8")

    def swish(self, x):
        """The product of a value and its table."""
        wide = [self.rescale(operand, "int32") for operand in (x, self.table(x))]
        return self.rescale(self._op("MUL", [*wide, self._const([0], "int8")], x.shape, "int32"), "int8")

    def argmax(self, x):
        return self._op("ARGMAX", [x], x.shape[:-1], "int32", {0: Scalar(len(x.shape) - 1, "i"), 1: number(PROPAGATE)})

    def softmax(self, x):
        """Of int8, along the last dimension, as converters write it: maximum, difference, exponential by tables of its bytes,
        sum, reciprocal by three of Newton's steps, product."""
        wide = self.rescale(x, "int32", 1 << 30, 30)
        index = self.rescale(self._binary("SUB", wide, self.reduce_max(wide)), "int16", 1 << 30, 23)
        parts = []
        for byte in (24, 16, 8, 0):
            values = [min(int(2 ** 31 * math.exp((i - 256) / 16)), 2 ** 31 - 1) >> byte & 0xFF for i in range(513)]
            parts.append(self._op("TABLE", [index, self._const(values, "int16")], x.shape, "int32"))
        exponential = self._binary("ARITHMETIC_RIGHT_SHIFT", parts.pop(), self._scalar(7, x))
        for part, shift in zip(parts, (17, 9, 1)):
            part = self._binary("LOGICAL_LEFT_SHIFT", part, self._scalar(shift, x))
            exponential = self._binary("ADD", exponential, part)
        total = self.reduce_sum(self._binary("ARITHMETIC_RIGHT_SHIFT", exponential, self._scalar(12, x)))
        headroom = self._op("CLZ", [total], total.shape, "int32")
        half = self._binary("LOGICAL_LEFT_SHIFT", total, self._binary("SUB", headroom, self._scalar(1, x)))
        guess = self._binary("ADD", self._binary("MUL", half, self._scalar(-1010580540, x), 31), self._scalar(1515870810, x))
        for _ in range(3):
            error = self._binary("SUB", self._scalar(2 ** 29, x), self._binary("MUL", guess, half, 31))
            step = self._binary("MUL", self._binary("MUL", guess, error, 31), self._scalar(4, x), 0)
            guess = self._binary("ADD", guess, step)
        shifted = self._binary("ARITHMETIC_RIGHT_SHIFT", self._binary("MUL", exponential, guess, 30),
                               self._binary("SUB", self._scalar(35, x), headroom))
        return self.rescale(shifted, "int8", 1 << 30, 30)

    def transpose(self, x, perms):
        return self._op("TRANSPOSE", [x], [x.shape[i] for i in perms], x.dtype, {0: list(perms)})

    def slice(self, x, begin, size):
        return self._op("SLICE", [x, self._shape(begin), self._shape(size)], size, x.dtype)

    def grouped_conv2d(self, x, channels, groups, **window):
        """A convolution for each group, rescaled, side by side in the result."""
        size = [*x.shape[:3], x.shape[3] // groups]
        slices = [self.slice(x, [0, 0, 0, i * size[3]], size) for i in range(groups)]
        return self.concat([self.conv2d(part, channels // groups, **window) for part in slices], 3)

    def concat(self, parts, axis):
        shape = list(parts[0].shape)
        shape[axis] = sum(part.shape[axis] for part in parts)
        return self._op("CONCAT", parts, shape, parts[0].dtype, {0: Scalar(axis, "i")})

    def resize(self, x, scale, is_bilinear=True):
        """Upwards by a whole number, half-pixel centres: numerator 2 x scale, offset 1 - scale."""
        size = [extent * scale for extent in x.shape[1:3]]
        operands = [self._shape([2 * scale, 2, 2 * scale, 2]), self._shape([1 - scale] * 2), self._shape([scale - 1] * 2)]
        shape = [x.shape[0], *size, x.shape[3]]
        if not is_bilinear:
            return self._op("RESIZE", [x, *operands], shape, x.dtype, {0: number(NEAREST)})
        return self.rescale(self._op("RESIZE", [x, *operands], shape, "int32", {0: number(BILINEAR)}), x.dtype)

    def write(self, file):
        operators = [self._encoded(*operator) for operator in self._operators]
        block = {0: "main", 1: operators, 2: self._tensors, 3: self._inputs, 4: self._outputs, 5: self._shapes}
        root = {0: {0: Scalar(1), 1: Scalar(0), 2: Scalar(0), 3: flag(0)}, 1: [{0: "main", 1: [block]}]}
        writer = Writer()
        writer.data += bytes(4) + b"TOSA"
        writer.patch(0, writer.table(root))
        pathlib.Path(file).write_bytes(writer.data)

    def _convolution(self, op, x, weights, size, channels, attributes, acc_slot):
        is_wide = x.dtype == "int16"
        accumulator = "int48" if is_wide else "int32"
        attributes[acc_slot] = number(INT48 if is_wide else INT32)
        bias = self._raw_const([channels], accumulator, bytes(channels * (6 if is_wide else 4)))
        operands = [x, weights, bias, self._const([0], x.dtype), self._weight_zero_point()]
        return self.rescale(self._op(op, operands, [*size, channels], accumulator, attributes), x.dtype)

    @staticmethod
    def _conv_size(x, kernel, stride, pad, dilation):
        extents = [x.shape[1 + i] + pad[2 * i] + pad[2 * i + 1] - dilation[i] * (kernel[i] - 1) for i in range(2)]
        return [x.shape[0], *((extents[i] - 1) // stride[i] + 1 for i in range(2))]

    def _weights(self, shape):
        if self.weight_type == "int8":
            return self._raw_const(shape, "int8", bytes(self._random.randbytes(math.prod(shape))))
        halves = [self._random.randint(-7, 7) & 15 for _ in range(math.prod(shape))]
        halves += [0] * (len(halves) % 2)
        return self._raw_const(shape, "int4", bytes(low | high << 4 for low, high in zip(halves[::2], halves[1::2])))

    def _weight_zero_point(self):
        return self._const([0], "int8") if self.weight_type == "int8" else self._raw_const([1], "int4", bytes(1))

    def _tensor(self, shape, dtype, data=None):
        made = Tensor(f"t{len(self._tensors) + len(self._shapes)}", shape, dtype)
        self._tensors.append(tensor(made.name, shape, dtype, data))
        return made

    def _raw_const(self, shape, dtype, data):
        made = self._tensor(shape, dtype, data + bytes(-len(data) % 8))
        self._operators.append(("CONST", [], made, {}, None))
        return made

    def _const(self, values, dtype):
        if dtype == "int48":
            return self._raw_const([len(values)], dtype, b"".join(value.to_bytes(6, "little", signed=True) for value in values))
        return self._raw_const([len(values)], dtype, struct.pack(f"<{len(values)}{ELEMENT[dtype]}", *values))

    def _scalar(self, value, x):
        """One element of the rank of x."""
        return self._raw_const([1] * len(x.shape), "int32", struct.pack("<i", value))

    def _binary(self, op, a, b, shift=None):
        """Of int32, one of the two as large as the result; `shift` is MUL's."""
        shape = [max(pair) for pair in zip(a.shape, b.shape)]
        operands = [a, b] + ([self._const([shift], "int8")] if op == "MUL" else [])
        return self._op(op, operands, shape, "int32", {0: flag(0)} if op == "ARITHMETIC_RIGHT_SHIFT" else None)

    def _shape(self, values):
        made = Tensor(f"t{len(self._tensors) + len(self._shapes)}", [len(values)], "shape")
        self._shapes.append({0: made.name, 1: number(len(values)), 2: struct.pack(f"<{len(values)}q", *values)})
        self._operators.append(("CONST_SHAPE", [], made, {}, None))
        return made

    def _op(self, op, operands, shape, dtype, attributes=None):
        made = self._tensor(shape, dtype)
        self._operators.append((op, operands, made, attributes or {}, self._layer))
        return made

    @staticmethod
    def _encoded(op, operands, made, attributes, layer):
        table = {0: number(OPS[op]), 1: Scalar(OPS[op], "B"), 2: attributes, 3: [operand.name for operand in operands],
                 4: [made.name]}
        if layer is not None:
            table[5] = {0: f'loc("{layer}"("made.tflite":0:0))'}
        return table
