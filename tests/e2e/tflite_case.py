# SPDX-License-Identifier: Apache-2.0
"""What the drawn TensorFlow Lite networks of one operator are built with: tensors, constants and options of a `Case`."""

import pathlib
import re

import tflite_file
from tflite_file import BOOL, INT16, INT32, INT4, INT64, INT8, UINT8
from tosa_file import Scalar

SCHEMA = pathlib.Path(__file__).resolve().parents[2] / "compiler/import/tflite/tflite.fbs"
TYPES = {"int8": INT8, "uint8": UINT8, "int16": INT16, "int32": INT32, "bool": BOOL}
LIMITS = {"int8": (-128, 127), "uint8": (0, 255), "int16": (-32768, 32767), "int32": (-1000, 1000), "bool": (0, 1)}
NONE, RELU, RELU_N1, RELU6 = range(4)


def numbers_of(begin, end):
    text = SCHEMA.read_text().split(begin)[1].split(end)[0]
    return {name: number for number, name in enumerate(re.sub(r":\s*\w+", "", text).replace("\n", " ").replace(" ", "").split(","))}


NUMBERS = numbers_of("enum BuiltinOperator: int {", "}")
OPTIONS = numbers_of("union BuiltinOptions {", "}")


def count_of(shape):
    count = 1
    for size in shape:
        count *= size
    return count


class Case:
    def __init__(self, kind, rng):
        self.kind, self.rng, self.net = kind, rng, tflite_file.Network()
        self.inputs, self.given = [], []

    def shape(self, rank=None, most=7):
        return [self.rng.randrange(1, most + 1) for _ in range(rank or self.rng.randrange(1, 5))]

    def scale(self, low=0.002, high=0.2):
        return low * (high / low) ** self.rng.random()

    def zero_point(self, kind=None):
        low, high = LIMITS[kind or self.kind]
        return self.rng.randint(low, high) if high < 256 else 0

    def format(self, **scale):
        """Keywords of a tensor of codes."""
        return {"scales": (self.scale(**scale),), "zero_point": self.zero_point()}

    def input(self, shape, kind=None, limits=None, **format):
        kind = kind or self.kind
        if kind in ("int8", "uint8", "int16") and not format:
            format = self.format()
        if not format:
            format = {"scales": ()}
        tensor = self.net.tensor(f"x{len(self.inputs)}", shape, TYPES[kind], **format)
        self.inputs.append(tensor)
        self.given.append((kind, shape, *(limits or LIMITS[kind])))
        return tensor

    def numbers(self, values, shape=None, kind=INT32):
        return self.net.tensor(f"n{len(self.net.tensors)}", [len(values)] if shape is None else shape, kind, (), 0, list(values))

    def constant(self, shape, kind=None, values=None, **format):
        kind = kind or self.kind
        format = format or {"scales": (self.scale(),), "zero_point": self.zero_point(kind)}
        values = values or [self.rng.randint(*LIMITS[kind]) for _ in range(count_of(shape))]
        return self.net.tensor(f"c{len(self.net.tensors)}", shape, TYPES[kind], values=values, **format)

    def weights(self, shape, axis, channels, kind=INT8):
        if self.kind == "uint8":  # as before 2019: any zero point, one scale
            return self.net.tensor("weights", shape, UINT8, (self.scale(0.001, 0.02),), self.rng.randrange(100, 156), [self.rng.randrange(256) for _ in range(count_of(shape))])
        scales = [self.scale(0.001, 0.02) for _ in range(channels if self.rng.random() < 0.7 else 1)]
        most = 7 if kind == INT4 else 127
        return self.net.tensor("weights", shape, kind, scales, 0, [self.rng.randint(-most, most) for _ in range(count_of(shape))], axis)

    def bias(self, x, weights, channels):
        """In steps of the products, as kernels that look at it want it."""
        kind = INT64 if self.kind == "int16" else INT32
        of_input, of_weights = (self.net.scales[tensor] for tensor in (x, weights))
        return self.net.tensor("bias", [channels], kind, [of_input[0] * scale for scale in of_weights], 0, [self.rng.randint(-3000, 3000) for _ in range(channels)])

    def result(self, name, shape, inputs, options=None, options_name=None, outputs=None, kind=None, **format):
        """The operator, of whose results each is an output of the network."""
        kind = kind or self.kind
        if kind in ("int8", "uint8", "int16") and not format:
            format = self.format()
        if not format:
            format = {"scales": ()}
        shapes = outputs or [shape]
        tensors = [self.net.tensor(f"y{i}", one, TYPES[kind], **format) for i, one in enumerate(shapes)]
        self.net.operator(NUMBERS[name], options or {}, inputs, tensors, OPTIONS[options_name] + 1 if options_name else 0)
        return self.net.to_bytes(self.inputs, tensors)

    def activation(self):
        return self.rng.choice([NONE, NONE, RELU, RELU_N1, RELU6])

    def pair(self):
        """Two shapes that broadcast, and that of the result."""
        shape = self.shape()
        a, b = list(shape), list(shape)
        for i in range(len(shape)):
            if self.rng.random() < 0.2:
                self.rng.choice([a, b])[i] = 1
        if self.rng.random() < 0.2:  # dimensions that are left out
            b = b[self.rng.randrange(len(b)):]
        return a, b, [max(x, y) for x, y in zip(a, [1] * (len(a) - len(b)) + b)]
