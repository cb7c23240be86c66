# SPDX-License-Identifier: Apache-2.0
"""Writes small ONNX files, with the standard library only: messages of onnx.proto as bytes."""

import struct

FLOAT, UINT8, INT8, UINT16, INT16, INT32, INT64, INT4 = 1, 2, 3, 4, 5, 6, 7, 22
CODES = {FLOAT: "f", UINT8: "B", INT8: "b", UINT16: "H", INT16: "h", INT32: "i", INT64: "q"}
MICROSOFT = "com.microsoft"


def _varint(value):
    value &= (1 << 64) - 1
    text = b""
    while value > 127:
        text += bytes([value & 127 | 128])
        value >>= 7
    return text + bytes([value])


def number(field, value):
    """A field that is a number."""
    return _varint(field << 3) + _varint(value)


def message(field, value):
    """A field that is bytes: a text, or another message."""
    value = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def tensor(name, dtype, dims, values):
    """An initializer (TensorProto). Two numbers of 4 bits make a byte, the first one its low half."""
    if dtype == INT4:
        nibbles = [value & 15 for value in values] + [0] * (len(values) % 2)
        raw = bytes(low | high << 4 for low, high in zip(nibbles[::2], nibbles[1::2]))
    else:
        raw = struct.pack(f"<{len(values)}{CODES[dtype]}", *values)
    return b"".join(number(1, size) for size in dims) + number(2, dtype) + message(8, name) + message(9, raw)


def _attribute(name, value):
    if isinstance(value, float):
        content = _varint(2 << 3 | 5) + struct.pack("<f", value) + number(20, 1)
    elif isinstance(value, str):
        content = message(4, value) + number(20, 3)
    elif isinstance(value, list):
        content = b"".join(number(8, item) for item in value) + number(20, 7)
    else:
        content = number(3, value) + number(20, 2)
    return message(5, message(1, name) + content)


def node(kind, inputs, outputs, domain="", called=None, **attributes):
    """A NodeProto; attributes are integers, floats, texts or lists of integers."""
    text = b"".join(message(1, name) for name in inputs) + b"".join(message(2, name) for name in outputs)
    text += message(3, called or f"n_{outputs[0]}") + message(4, kind)
    text += b"".join(_attribute(name, value) for name, value in attributes.items())
    return text + (message(7, domain) if domain else b"")


def _end(name, dtype, dims):
    shape = b"".join(message(1, b"" if size < 0 else number(1, size)) for size in dims)
    return message(1, name) + message(2, message(1, number(1, dtype) + message(2, shape)))


def model(nodes, initializers, inputs, outputs, opset=13, domains=None):
    """inputs and outputs: (name, type, dims); a dimension of -1 is open. `domains`: other domains that are imported, with their versions."""
    graph = b"".join(message(1, item) for item in nodes) + message(2, "g") + b"".join(message(5, item) for item in initializers)
    graph += b"".join(message(11, _end(*item)) for item in inputs) + b"".join(message(12, _end(*item)) for item in outputs)
    imports = {"": opset, **(domains or {})}
    return number(1, 8) + message(7, graph) + b"".join(message(8, message(1, name) + number(2, at)) for name, at in imports.items())


def quantizer(value, scale, zero):
    """Nodes that quantize a value and give it back as VALUE_d."""
    return [node("QuantizeLinear", [value, scale, zero], [f"{value}_q"]),
            node("DequantizeLinear", [f"{value}_q", scale, zero], [f"{value}_d"])]


def operators():
    """A network of many operators: x [1, 2, 4, 4], padding, strides, depthwise, pools, Add, Concat, movement, Gemm."""
    initializers = [tensor("s", FLOAT, [], [0.25]), tensor("z", INT8, [], [-7]), tensor("ws", FLOAT, [2], [0.5, 0.3]),
                    tensor("w1", INT8, [2, 2, 3, 3], [i % 11 - 5 for i in range(36)]), tensor("bs", FLOAT, [2], [0.125, 0.075]),
                    tensor("b1", INT32, [2], [100, -100]), tensor("w2", INT8, [2, 1, 2, 2], range(-4, 4)),
                    tensor("w3", INT8, [3, 16], [i % 7 - 3 for i in range(48)]), tensor("one", FLOAT, [], [0.0625]),
                    tensor("shape", INT64, [2], [0, -1])]
    nodes = [*quantizer("x", "s", "z"), node("DequantizeLinear", ["w1", "ws"], ["w1_d"], axis=0),
             node("DequantizeLinear", ["b1", "bs"], ["b1_d"], axis=0), node("DequantizeLinear", ["w2", "one"], ["w2_d"]),
             node("DequantizeLinear", ["w3", "one"], ["w3_d"]),
             node("Conv", ["x_d", "w1_d", "b1_d"], ["a"], pads=[1, 1, 1, 1]), node("Relu", ["a"], ["r"]), *quantizer("r", "s", "z"),
             node("Conv", ["r_d", "w2_d"], ["d"], group=2, strides=[2, 2]), *quantizer("d", "s", "z"),
             node("MaxPool", ["r_d"], ["m"], kernel_shape=[2, 2], strides=[2, 2]), *quantizer("m", "s", "z"),
             node("Add", ["d_d", "m_d"], ["e"]), *quantizer("e", "s", "z"),
             node("AveragePool", ["r_d"], ["v"], kernel_shape=[2, 2], strides=[2, 2]), *quantizer("v", "s", "z"),
             node("Concat", ["e_d", "v_d"], ["k"], axis=1), *quantizer("k", "s", "z"), node("Sigmoid", ["k_d"], ["g"]),
             *quantizer("g", "one", "z"), node("Transpose", ["g_d"], ["t"], perm=[0, 2, 3, 1]), node("Reshape", ["t", "shape"], ["f"]),
             node("Gemm", ["f", "w3_d"], ["h"], transB=1), node("QuantizeLinear", ["h", "s", "z"], ["h_q"]),
             node("DequantizeLinear", ["h_q", "s", "z"], ["y"])]
    return model(nodes, initializers, [("x", FLOAT, [1, 2, 4, 4])], [("y", FLOAT, [1, 3])])


def pools():
    """x [1, 2, 6, 6] of 4 bits by a Clip of codes, a MaxPool of elements apart, an AveragePool that counts padding and rounds up."""
    initializers = [tensor("s", FLOAT, [], [0.25]), tensor("z", INT8, [], [2]), tensor("low", INT8, [], [-8]), tensor("high", INT8, [], [7]),
                    tensor("fine", FLOAT, [], [0.0625])]
    nodes = [node("QuantizeLinear", ["x", "s", "z"], ["x_q"]), node("Clip", ["x_q", "low", "high"], ["x_l"]),
             node("DequantizeLinear", ["x_l", "s", "z"], ["x_d"]),
             node("MaxPool", ["x_d"], ["m"], kernel_shape=[2, 3], dilations=[3, 2], pads=[1, 1, 1, 1]), *quantizer("m", "s", "z"),
             node("AveragePool", ["m_d"], ["a"], kernel_shape=[3, 2], strides=[2, 2], pads=[1, 1, 0, 0], ceil_mode=1, count_include_pad=1),
             node("QuantizeLinear", ["a", "fine", "z"], ["a_q"]), node("DequantizeLinear", ["a_q", "fine", "z"], ["y"])]
    return model(nodes, initializers, [("x", FLOAT, [1, 2, 6, 6])], [("y", FLOAT, [1, 2, 3, 2])])


def wide():
    """x [1, 2, 4, 6] of int16 with a zero point: functions that bend and have corners, a bias of floats, sums that are read without a
    quantizer, a product of values with zero points, means of six elements."""
    initializers = [tensor("s", FLOAT, [], [0.0003]), tensor("z", INT16, [], [-12345]), tensor("fine", FLOAT, [], [0.00003]),
                    tensor("low", INT16, [], [-32768]), tensor("w", INT8, [2, 2, 1, 1], [100, -3, 7, 90]), tensor("ws", FLOAT, [2], [0.01, 0.003]),
                    tensor("b", FLOAT, [2], [0.123, -0.321])]
    nodes = [*quantizer("x", "s", "z"), node("DequantizeLinear", ["w", "ws"], ["w_d"], axis=0), node("Conv", ["x_d", "w_d", "b"], ["c"]),
             node("Add", ["c", "x_d"], ["a"]), *quantizer("a", "s", "z"), node("Tanh", ["a_d"], ["t"]), *quantizer("t", "fine", "z"),
             node("LeakyRelu", ["a_d"], ["l"], alpha=0.1), *quantizer("l", "s", "z"), node("Mul", ["t_d", "l_d"], ["m"]), *quantizer("m", "s", "low"),
             node("AveragePool", ["m_d"], ["p"], kernel_shape=[2, 3], strides=[2, 3]), node("QuantizeLinear", ["p", "s", "low"], ["p_q"]),
             node("DequantizeLinear", ["p_q", "s", "low"], ["y"])]
    return model(nodes, initializers, [("x", FLOAT, [1, 2, 4, 6])], [("y", FLOAT, [1, 2, 2, 2])], opset=21)


def recurrent():
    """x [3, 1, 2]: an LSTM in both directions, then a GRU that reads its states without a quantizer."""

    def numbers(count, least):
        return [least + (5 * i % 11) / 10 for i in range(count)]
    initializers = [tensor("s", FLOAT, [], [0.0625]), tensor("z", INT8, [], [3]), tensor("fine", FLOAT, [], [0.0078125]), tensor("zero", INT8, [], [0]),
                    tensor("w", FLOAT, [2, 8, 2], numbers(32, -0.5)), tensor("r", FLOAT, [2, 8, 2], numbers(32, -0.6)),
                    tensor("b", FLOAT, [2, 16], numbers(32, -0.4)),
                    tensor("h", FLOAT, [2, 1, 2], [0.5, 0, -0.5, 1]), tensor("rows", INT64, [3], [3, 1, 4]), tensor("w2", FLOAT, [1, 6, 4], numbers(24, -0.7)),
                    tensor("r2", FLOAT, [1, 6, 2], numbers(12, -0.3))]
    nodes = [*quantizer("x", "s", "z"), node("LSTM", ["x_d", "w", "r", "b", "", "h", "h"], ["y1"], hidden_size=2, direction="bidirectional"),
             node("Transpose", ["y1"], ["t"], perm=[0, 2, 1, 3]), node("Reshape", ["t", "rows"], ["q"]),
             node("GRU", ["q", "w2", "r2"], ["y2"], hidden_size=2, direction="reverse", linear_before_reset=1),
             node("QuantizeLinear", ["y2", "fine", "zero"], ["y_q"]), node("DequantizeLinear", ["y_q", "fine", "zero"], ["y"])]
    return model(nodes, initializers, [("x", FLOAT, [3, 1, 2])], [("y", FLOAT, [3, 1, 1, 2])])


def small(batch=1, weight_scale=1.0):
    """x [batch, 2, 2, 2] float, uint8 codes (code - 100) / 4, through a convolution of 1x1 with weights 1 and 2, uint8 too."""
    initializers = [tensor("s", FLOAT, [], [0.25]), tensor("z", UINT8, [], [100]), tensor("w", INT8, [1, 2, 1, 1], [1, 2]),
                    tensor("ws", FLOAT, [], [weight_scale])]
    nodes = [*quantizer("x", "s", "z"), node("DequantizeLinear", ["w", "ws"], ["w_d"]), node("Conv", ["x_d", "w_d"], ["c"]),
             node("QuantizeLinear", ["c", "s", "z"], ["c_q"]), node("DequantizeLinear", ["c_q", "s", "z"], ["y"])]
    return model(nodes, initializers, [("x", FLOAT, [batch, 2, 2, 2])], [("y", FLOAT, [batch, 1, 2, 2])])


def float_layer():
    """x [1, 2, 2, 2] through a convolution of 1x1 to 2 channels and a Relu, in float32: nothing is quantized."""
    initializers = [tensor("conv.weight", FLOAT, [2, 2, 1, 1], [1, 2, -0.5, 0.25]), tensor("conv.bias", FLOAT, [2], [0.3, -0.3])]
    nodes = [node("Conv", ["x", "conv.weight", "conv.bias"], ["conv.out"]), node("Relu", ["conv.out"], ["y"])]
    return model(nodes, initializers, [("x", FLOAT, [1, 2, 2, 2])], [("y", FLOAT, [1, 2, 2, 2])])


def float_ends():
    """x [1, 4] is cut, and each half is quantized in its own way; two outputs read what comes of it, and one is codes."""
    def integers(name, *numbers):
        return tensor(name, INT64, [len(numbers)], numbers)
    constants = [integers("at0", 0), integers("at2", 2), integers("at4", 4), integers("axis", 1),
                 tensor("half", FLOAT, [], [0.5]), tensor("quarter", FLOAT, [], [0.25]), tensor("zero", INT8, [], [0]),
                 tensor("matrix", FLOAT, [2, 2], [1.0, -1.0, 2.0, 0.5])]
    nodes = [node("Slice", ["x", "at0", "at2", "axis"], ["x_a"]), node("Slice", ["x", "at2", "at4", "axis"], ["x_b"])]
    for name, scale in (("a", "half"), ("b", "quarter"), ("c", "quarter")):
        if name == "c":
            nodes.append(node("Add", ["a", "b"], ["x_c"]))
        nodes += [node("QuantizeLinear", [f"x_{name}", scale, "zero"], [f"{name}_codes"]),
                  node("DequantizeLinear", [f"{name}_codes", scale, "zero"], [name])]
    nodes += [node("Mul", ["a", "b"], ["product"]), node("ReduceMax", ["c"], ["greatest"], axes=[1]),
              node("Concat", ["product", "greatest"], ["joined"], axis=1), node("MatMul", ["c", "matrix"], ["multiplied"])]
    return model(nodes, constants, [("x", FLOAT, [1, 4])],
                 [("joined", FLOAT, [1, 3]), ("multiplied", FLOAT, [1, 2]), ("c", FLOAT, [1, 2])])


def _read_varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 128:
            return value, at


def fields(data):
    """(field, content) of a message: bytes, or a number."""
    at = 0
    while at < len(data):
        key, at = _read_varint(data, at)
        if key & 7 == 0:
            value, at = _read_varint(data, at)
        else:
            size, at = _read_varint(data, at) if key & 7 == 2 else ({1: 8, 5: 4}[key & 7], at)
            value, at = data[at:at + size], at + size
        yield key >> 3, value


def varints(data):
    """Numbers that are packed one after the other."""
    found, at = [], 0
    while at < len(data):
        value, at = _read_varint(data, at)
        found.append(value)
    return found


def float_initializers(model):
    """The float32 initializers of a ModelProto, flat, by name."""
    found = {}
    graph = next(content for field, content in fields(model) if field == 7)
    for initializer in (content for field, content in fields(graph) if field == 5):
        name = dtype = None
        raw = b""
        for field, content in fields(initializer):
            name = content.decode() if field == 8 else name
            dtype = content if field == 2 else dtype
            raw += content if field in (4, 9) else b""
        if dtype == FLOAT:
            found[name] = struct.unpack(f"<{len(raw) // 4}f", raw)
    return found
