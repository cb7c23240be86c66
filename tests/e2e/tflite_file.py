# SPDX-License-Identifier: Apache-2.0
"""A small quantized network as TensorFlow Lite writes it, with the standard library only: what a test of the way from a
.tflite to a report starts from. Its numbers mean nothing; its operators are those of a keyword or picture classifier.

usage: tflite_file.py OUT.tflite [--dynamic-batch]"""

import random
import struct
import sys

from tosa_file import Scalar, Writer

FLOAT32, INT32, UINT8, INT64, BOOL, INT16, INT8, INT4 = 0, 2, 3, 4, 6, 7, 9, 17
CODES = {FLOAT32: "f", INT32: "i", UINT8: "B", INT64: "q", BOOL: "?", INT16: "h", INT8: "b"}
# Slots and numbers are those of TensorFlow's schema.fbs, version 3: operator number, number and slots of its options.
CONV, DEPTHWISE, POOL, DENSE, SOFTMAX, RESHAPE, ADD, QUANTIZE = 3, 4, 1, 9, 25, 22, 0, 114
OPTIONS = {CONV: 1, DEPTHWISE: 2, POOL: 5, DENSE: 8, SOFTMAX: 9, RESHAPE: 17, ADD: 11, QUANTIZE: 0}
SAME, RELU = 0, 1


def packed(kind, values):
    """The bytes of a constant; of int4 two numbers a byte, the first in the low half."""
    if kind == INT4:
        nibbles = [value & 15 for value in values] + [0] * (len(values) % 2)
        return bytes(low | high << 4 for low, high in zip(nibbles[::2], nibbles[1::2]))
    return struct.pack(f"<{len(values)}{CODES[kind]}", *values)


class Vector:
    """A vector of numbers that are not int32."""

    def __init__(self, code, values, align=8):
        self.count, self.content, self.align = len(values), struct.pack(f"<{len(values)}{code}", *values), align


class TfliteWriter(Writer):
    def write(self, value):
        if isinstance(value, Vector):
            return self.vector(value.content, value.count, align=value.align)
        return super().write(value)


class Network:
    def __init__(self, seed=1, dynamic_batch=False, beside=None):
        """`beside`: another subgraph of the same file."""
        self.random, self.dynamic_batch = random.Random(seed), dynamic_batch
        self.tensors, self.buffers, self.operators, self.codes = [], [{}], [], []
        self.versions, self.scales = {}, []  # of operators; of tensors
        self.further = []  # subgraphs behind this one: (network, inputs, outputs)
        self.signatures = []  # (name, subgraph, inputs, outputs), the latter as {name: tensor}
        if beside:
            self.buffers, self.codes, self.versions = beside.buffers, beside.codes, beside.versions

    def tensor(self, name, shape, kind=INT8, scales=(0.05,), zero_point=0, values=None, axis=0, variable=False):
        buffer = 0
        if values is not None:
            self.buffers.append({0: packed(kind, values)})
            buffer = len(self.buffers) - 1
        slots = {0: list(shape), 1: Scalar(kind, "B"), 2: Scalar(buffer, "I"), 3: name}
        if scales:
            slots[4] = {2: Vector("f", list(scales)), 3: Vector("q", [zero_point] * len(scales)), 6: Scalar(axis)}
        if variable:
            slots[5] = Scalar(True, "?")
        if self.dynamic_batch and values is None:
            slots[7] = [-1, *shape[1:]]
        self.tensors.append(slots)
        self.scales.append(list(scales))
        return len(self.tensors) - 1

    def constant(self, name, shape, scale, axis, kind=INT8, channels=None):
        count = 1
        for size in shape:
            count *= size
        low, high = (-127, 127) if kind == INT8 else (-500, 500)
        scales = [scale * (1 + 0.1 * (i % 5)) for i in range(channels or 1)]
        values = [self.random.randint(low, high) for _ in range(count)]
        if kind == INT32:
            values[0] = -1  # as an open dimension is written
        return self.tensor(name, shape, kind, scales, 0, values, axis)

    def operator(self, number, options, inputs, output, kind_of_options=None, intermediates=None):
        """`output` is one tensor or a list of them; without options the operator has none in the file."""
        if number not in self.codes:
            self.codes.append(number)
        slots = {0: Scalar(self.codes.index(number), "I"), 1: inputs, 2: output if isinstance(output, list) else [output]}
        kind_of_options = OPTIONS[number] if kind_of_options is None else kind_of_options
        if kind_of_options:
            slots.update({3: Scalar(kind_of_options, "B"), 4: options})
        if intermediates:
            slots[8] = intermediates
        self.operators.append(slots)
        return output

    def conv(self, name, source, shape, kernel, stride=1, depthwise=False):
        """A convolution of `source` = (tensor, channels) to `shape` with a ReLU."""
        tensor, in_channels = source
        channels = shape[-1]
        weight_shape = (1, kernel, kernel, channels) if depthwise else (channels, kernel, kernel, in_channels)
        weights = self.constant(f"{name}/weights", weight_shape, 0.004, 3 if depthwise else 0, channels=channels)
        bias = self.constant(f"{name}/bias", (channels,), 0.0002, 0, INT32, channels)
        window = {0: Scalar(SAME, "B"), 1: Scalar(stride), 2: Scalar(stride)}
        options = ({**window, 3: Scalar(1), 4: Scalar(RELU, "B"), 5: Scalar(1), 6: Scalar(1)} if depthwise
                   else {**window, 3: Scalar(RELU, "B"), 4: Scalar(1), 5: Scalar(1)})
        output = self.tensor(f"{name}/Relu", shape, zero_point=-128)
        return self.operator(DEPTHWISE if depthwise else CONV, options, [tensor, weights, bias], output), channels

    def to_bytes(self, inputs, outputs):
        codes = [{0: Scalar(min(number, 127), "B"), 2: Scalar(self.versions.get(number, 1)), 3: Scalar(number)} for number in self.codes]
        subgraphs = [{0: net.tensors, 1: net_inputs, 2: net_outputs, 3: net.operators, 4: f"graph{index}"}
                     for index, (net, net_inputs, net_outputs) in enumerate([(self, inputs, outputs), *self.further])]
        writer = TfliteWriter()
        writer.data += bytes(4) + b"TFL3"
        model = {0: Scalar(3, "I"), 1: codes, 2: subgraphs, 3: "made by tflite_file.py", 4: self.buffers}
        if self.signatures:
            ends = lambda names: [{0: name, 1: Scalar(tensor, "I")} for name, tensor in names.items()]
            model[7] = [{0: ends(given), 1: ends(told), 2: name, 4: Scalar(subgraph, "I")} for name, subgraph, given, told in self.signatures]
        writer.patch(0, writer.table(model))
        return bytes(writer.data)


    def to_bytes_with_data_after(self, inputs, outputs):
        """The same network, whose constants lie after the flatbuffer, as newer tools and files of 2 GB have them."""
        contents = [buffer.get(0, b"") for buffer in self.buffers]

        def at(begin):
            place = begin
            for buffer, content in zip(self.buffers, contents):
                buffer.clear()
                if content:
                    buffer.update({1: Scalar(place, "Q"), 2: Scalar(len(content), "Q")})
                    place += -(-len(content) // 16) * 16
            return self.to_bytes(inputs, outputs)
        begin = -(-len(at(16)) // 16) * 16
        return at(begin).ljust(begin, b"\0") + b"".join(content.ljust(-(-len(content) // 16) * 16, b"\0") for content in contents)


def small_classifier(dynamic_batch=False):
    net = Network(dynamic_batch=dynamic_batch)
    picture = net.tensor("picture", (1, 12, 12, 1), zero_point=-128)
    first = net.conv("first", (picture, 1), (1, 12, 12, 16), 3)
    wide = net.conv("depthwise", first, (1, 12, 12, 16), 3, depthwise=True)
    point = net.conv("pointwise", wide, (1, 12, 12, 16), 1)
    total = net.tensor("residual/add", (1, 12, 12, 16), zero_point=-128)
    net.operator(ADD, {0: Scalar(RELU, "B")}, [first[0], point[0]], total)
    small, channels = net.conv("smaller", (total, 16), (1, 6, 6, 32), 3, stride=2)
    pooled = net.tensor("pool", (1, 1, 1, channels), zero_point=-128)
    net.operator(POOL, {0: Scalar(1, "B"), 1: Scalar(1), 2: Scalar(1), 3: Scalar(6), 4: Scalar(6)}, [small], pooled)
    flat = net.tensor("flat", (1, channels), zero_point=-128)
    shape = net.tensor("flat/shape", (2,), INT32, scales=(), values=[-1 if dynamic_batch else 1, channels])
    net.operator(RESHAPE, {0: [-1 if dynamic_batch else 1, channels]}, [pooled, shape], flat)
    weights = net.constant("classes/weights", (10, channels), 0.004, 0)
    bias = net.constant("classes/bias", (10,), 0.0002, 0, INT32)
    logits = net.operator(DENSE, {0: Scalar(0, "B")}, [flat, weights, bias], net.tensor("classes/BiasAdd", (1, 10)))
    answer = net.tensor("probabilities", (1, 10), scales=(1 / 256,), zero_point=-128)
    net.operator(SOFTMAX, {0: Scalar(1.0, "f")}, [logits], answer)
    return net.to_bytes([picture], [answer])


def uint8_input():
    net = Network()
    picture = net.tensor("picture", (1, 6, 6, 1), UINT8)
    signed = net.operator(QUANTIZE, {}, [picture], net.tensor("signed", (1, 6, 6, 1), zero_point=-128))
    return net.to_bytes([picture], [net.conv("first", (signed, 1), (1, 6, 6, 8), 3)[0]])


def float_input():
    """Nothing is quantized."""
    net = Network()
    x = net.tensor("picture", (1, 4), FLOAT32, ())
    return net.to_bytes([x], [net.operator(RESHAPE, {}, [x], net.tensor("flat", (4,), FLOAT32, ()))])


if __name__ == "__main__":
    with open(sys.argv[1], "wb") as out:
        out.write(small_classifier("--dynamic-batch" in sys.argv[2:]))
