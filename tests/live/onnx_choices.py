# SPDX-License-Identifier: Apache-2.0
"""Networks of one operator that chooses, compares, repeats or normalizes numbers, with random attributes: kinds of onnx_operators.py."""

import numpy
import onnx
from onnx_groups import in_turn
from onnx_one_operator import Operator, image

SHAPES = ([1, 3, 5, 6], [2, 4, 7], [5, 9], [2, 3, 4, 2, 3])


def about(code_type):
    return 1 / 32 if numpy.dtype(code_type).itemsize == 1 else 1 / 8192


def ints(net, *values):
    return net.constant(numpy.array(values, numpy.int64))


def other_value(net):
    """A second computed value, of a shape that goes along, with another scale; or a constant, quantized or not."""
    rng = net.rng
    kind = rng.choice(["negative", "negative", "constant", "floats", "number"])
    if kind == "negative":
        return net.quantized(net.node("Neg", [net.value]), net.shape, net.scale(about(net.code_type)))
    shape = [] if kind == "number" else [size if rng.random() < 0.7 else 1 for size in net.shape][rng.randrange(len(net.shape)):]
    values = net.floats(shape, -1.5, 1.5)
    return net.quantized(values, shape, net.scale(about(net.code_type))) if kind == "constant" else values


def argmax(rng, code_type):
    """Of codes, of numbers, of sums (8 bits), of a function of codes (8 bits)."""
    net = Operator(rng, code_type, rng.choice(SHAPES[:3]), about(code_type))
    kind, last_codes = in_turn(rng, "argmax"), net.last_codes
    attributes = {"axis": rng.randrange(-len(net.shape), len(net.shape)), "keepdims": rng.randrange(2), "select_last_index": rng.randrange(2)}
    reads = rng.choice(["numbers", "codes", "sums", "function"])
    value = last_codes if reads == "codes" and code_type != "int16" else net.value
    if reads == "sums" and code_type != "int16":
        codes = numpy.random.default_rng(rng.randrange(1 << 30)).integers(-9, 10, [net.shape[-1], 5]).astype(numpy.int8)
        weights = net.node("DequantizeLinear", [net.constant(codes), net.constant(numpy.float32(0.25))])
        value = net.node("MatMul", [net.value, weights])
    elif reads == "function" and code_type != "int16":
        value = net.node("Abs", [net.value])
    return net.ends_with_indices(net.node(kind, [value], **attributes))


def extreme(rng, code_type):
    kind = in_turn(rng, "extreme")
    net = Operator(rng, code_type, rng.choice(SHAPES), about(code_type))
    operands = [net.value, *(other_value(net) for _ in range(rng.choice([1, 1, 2])))]
    rng.shuffle(operands)
    net.finish(net.node(kind, operands), 2)
    return net


def reduced(rng, code_type):
    kind = in_turn(rng, "reduced")
    net = Operator(rng, code_type, rng.choice(SHAPES[:2] if kind == "GlobalMaxPool" else SHAPES), about(code_type))
    if kind == "GlobalMaxPool":
        net.quantized(net.node(kind, [net.value]), None, None, net.last)
        return net
    axes = rng.sample(range(-len(net.shape), 0), rng.randrange(1, len(net.shape) + 1))
    inputs = [net.value] if rng.random() < 0.2 else [net.value, ints(net, *axes)]
    if kind == "ReduceProd":
        inputs = [net.value, ints(net, min(range(len(net.shape)), key=lambda axis: (net.shape[axis] == 1, net.shape[axis])))]
    value = net.node(kind, inputs, keepdims=rng.randrange(2))
    net.finish(value, 8 if kind.startswith("ReduceSum") else 4 if kind == "ReduceProd" else 2)
    return net


def where(rng, code_type):
    """A comparison of two values, or with a number, and what is chosen by it; the condition may be constant or combined of two."""
    comparison = in_turn(rng, "where")
    net = Operator(rng, code_type, rng.choice(SHAPES), about(code_type))
    if comparison in ("Where", "Not", "And", "Or", "Xor", "Cast"):
        kinds = [rng.choice(["Greater", "Less"]) for _ in range(2)]
    else:
        kinds = [comparison]
    truths = [net.node(kind, [net.value, other_value(net)] if rng.random() < 0.6 else [other_value(net), net.value]) for kind in kinds]
    if comparison in ("And", "Or", "Xor"):
        truths = [net.node(comparison, truths)]
    elif comparison == "Not":
        truths = [net.node(comparison, truths[:1])]
    elif comparison == "Where" and rng.random() < 0.5:
        shape = [size if rng.random() < 0.7 else 1 for size in net.shape]
        truths = [net.constant(numpy.random.default_rng(rng.randrange(1 << 30)).integers(0, 2, shape).astype(bool))]
    if comparison == "Cast":  # the truth value itself
        number = net.node("Cast", truths[:1], to=onnx.TensorProto.FLOAT)
        net.finish(net.node("Mul", [net.value, net.quantized(number, None, 1 / 64)]), 2)
        return net
    operands = [net.value, other_value(net)]
    rng.shuffle(operands)
    net.finish(net.node("Where", [truths[0], *operands]), 2)
    return net


def repeated(rng, code_type):
    kind = in_turn(rng, "repeated")
    net = Operator(rng, code_type, rng.choice([[1, 3, 1, 4], [2, 1, 5], [1, 6]]), about(code_type))
    if kind == "Tile":
        value = net.node(kind, [net.value, ints(net, *(rng.choice([1, 1, 2, 3]) for _ in net.shape))])
    else:
        wanted = [size if size > 1 else rng.choice([1, 2, 4]) for size in net.shape]
        wanted = wanted[rng.randrange(len(wanted)):] if rng.random() < 0.4 else [*([2] if rng.random() < 0.4 else []), *wanted]
        value = net.node(kind, [net.value, ints(net, *wanted)])
    net.quantized(value, None, None, net.last)
    return net


def more_unary(rng, code_type):
    kind = in_turn(rng, "more_unary")
    net = Operator(rng, code_type, [1, 200], 1 / 64 if code_type != "int16" else 1 / 8192)
    value, inputs = net.value, []
    if kind in ("Sqrt", "Log", "Reciprocal"):
        value = net.quantized(net.node("Max", [value, net.floats([], 0.3, 0.6)]), net.shape, net.scale(1 / 64 if code_type != "int16" else 1 / 8192))
    attributes = {"Celu": {"alpha": rng.choice([1.0, 0.7])}, "Selu": {"gamma": rng.choice([1.1, 1.0507])},
                  "ThresholdedRelu": {"alpha": rng.choice([1.0, 0.25])}}.get(kind, {})
    if kind == "Pow":
        inputs = [net.constant(rng.choice([numpy.float32(2), numpy.float32(3), numpy.int64(2), numpy.int32(4)]))]
    net.finish(net.node(kind, [value, *inputs], **attributes), {"Sin": 1, "Cos": 1, "Softsign": 1, "Sign": 1}.get(kind, 3))
    return net


def quotient(rng, code_type):
    """Of two values, or of a number and a value."""
    net = Operator(rng, code_type, rng.choice(SHAPES[:3]), about(code_type))
    if rng.random() < 0.6:
        shape = [size if rng.random() < 0.7 else 1 for size in net.shape]
        added = net.quantized(net.floats(shape, 0.4, 2), shape, net.scale(about(code_type)))
        absolute = net.quantized(net.node("Abs", [net.value]), None, net.scale(about(code_type)))
        divisor = net.quantized(net.node("Add", [absolute, added]), None, net.scale(2 * about(code_type)))
    else:
        positive = net.node("Max", [net.value, net.floats([], 0.3, 0.6)])
        axes = ints(net, rng.randrange(len(net.shape)))
        divisor = net.quantized(net.node("ReduceMax", [net.quantized(positive, None, net.scale(about(code_type))), axes]), None,
                                net.scale(about(code_type)))
    dividend = net.value if rng.random() < 0.8 else net.floats([], 0.5, 1)
    net.finish(net.node("Div", [dividend, divisor]), 3)
    return net


def norms(rng, code_type):
    kind = in_turn(rng, "norms")
    net = Operator(rng, code_type, rng.choice([[1, 6, 5, 4], [2, 4, 9], [2, 6, 3, 3]]), about(code_type))
    channels = net.shape[1]
    if kind == "LpNormalization":
        value = net.node(kind, [net.value], axis=rng.randrange(-len(net.shape), len(net.shape)), p=2)
        net.finish(value, 1)
        return net
    attributes = {"num_groups": rng.choice([1, 2, channels])} if kind == "GroupNormalization" else {}
    if rng.random() < 0.5:
        attributes["epsilon"] = 1e-3
    net.finish(net.node(kind, [net.value, net.floats([channels], -1.5, 1.5), net.floats([channels], -1, 1)], **attributes), 4)
    return net


def log_softmax(rng, code_type):
    net = Operator(rng, code_type, rng.choice([[1, 10], [1, 7, 33], [2, 3, 4, 5], [3, 128]]), rng.choice([1 / 8, 1 / 32]) if code_type != "int16"
                   else rng.choice([1 / 1024, 1 / 4096]))
    net.finish(net.node("LogSoftmax", [net.value], axis=rng.randrange(-len(net.shape), len(net.shape))), 12)
    return net


def vector(rng, code_type):
    """MatMul by a constant vector, or of one; Pad that takes numbers away."""
    kind = in_turn(rng, "vector")
    if kind == "Pad":
        net = Operator(rng, code_type, rng.choice([[2, 5, 6], [1, 3, 5, 4]]), about(code_type))
        pads = [rng.choice([-1, 0, 0, 1]) for _ in range(2 * len(net.shape))]
        pads[0] = pads[len(net.shape)] = 0
        net.quantized(net.node(kind, [net.value, ints(net, *pads)], mode=rng.choice(["constant", "edge"])), None, None, net.last)
        return net
    net = Operator(rng, code_type, rng.choice([[7], [3, 7], [2, 3, 7]]), about(code_type))
    is_row = len(net.shape) == 1
    shape = [7, 4] if is_row and rng.random() < 0.7 else [7]
    weights, _ = net.weights(shape, 1, 4) if len(shape) == 2 else net.weights_of_one_scale(shape)
    net.finish(net.node(kind, [net.value, weights]), 4)
    return net


def volume(rng, code_type):
    net = Operator(rng, code_type, [rng.choice([1, 2]), 4, 3, rng.randrange(3, 6), rng.randrange(3, 6)], about(code_type))
    groups = rng.choice([1, 1, 2]) if code_type != "int16" else 1
    weights, scale = net.weights([4, 4 // groups, 2, rng.choice([1, 3]), 2], 0, 4)
    attributes = {"group": groups, "strides": [1, rng.choice([1, 2]), 1]}
    if rng.random() < 0.5:
        attributes["pads"] = [rng.randrange(2) for _ in range(6)]
    elif rng.random() < 0.5:
        attributes["auto_pad"] = rng.choice(["SAME_UPPER", "SAME_LOWER"])
    net.finish(net.node("Conv", [net.value, weights, *net.bias(4, scale)], **attributes), 4)
    return net


def zero_points(rng, code_type):
    """Weights with a zero point of their own for each channel, which less it have 9 bits; some reshaped after DequantizeLinear."""
    net = image(rng, code_type)
    channels, rng_np = net.shape[1], numpy.random.default_rng(rng.randrange(1 << 30))
    is_depthwise = rng.random() < 0.4 and code_type != "int16"
    shape = [channels, 1, 2, 2] if is_depthwise else [5, channels, 2, 2]
    codes = rng_np.integers(0, 256, shape).astype(numpy.uint8)
    zeros = rng_np.integers(0, 200, shape[0]).astype(numpy.uint8)
    scales = numpy.array([net.scale(1 / 256) for _ in range(shape[0])], numpy.float32)
    is_flat = rng.random() < 0.4
    stored = codes.reshape(shape[0], -1) if is_flat else codes
    weights = net.node("DequantizeLinear", [net.constant(stored), net.constant(scales), net.constant(zeros)], axis=0)
    if is_flat:
        weights = net.node("Reshape", [weights, ints(net, *shape)])
    net.finish(net.node("Conv", [net.value, weights], pads=[1, 1, 1, 1], group=channels if is_depthwise else 1), 4)
    return net


CHOICES = (argmax, extreme, reduced, where, repeated, more_unary, quotient, norms, log_softmax, vector, volume, zero_points)
