# SPDX-License-Identifier: Apache-2.0
"""ADD, SUB, MUL, shifts, CLZ, CLAMP, TABLE: types and broadcasts."""

import numpy as np
from families import network
from operators import binary, clamp, mul, right_shift, table

QUARTER = 2**30  # sums and differences of values within +-QUARTER stay in int32


def int32_input(net, rng, shape, limit=QUARTER):
    return net.input(shape, "int32", values=rng.integers(-limit, limit, shape))


def register_broadcasts(name, what, operator):
    """One network with a second operand of each broadcast kind, and one where both operands broadcast."""
    @network(name, what)
    def build(net, rng):
        x = int32_input(net, rng, (2, 3, 4, 17))
        for kind, shape in (("same", (2, 3, 4, 17)), ("channel", (1, 1, 1, 17)), ("pixel", (2, 3, 4, 1)),
                            ("column", (1, 3, 1, 1)), ("scalar", (1, 1, 1, 1))):
            net.layer(kind)
            net.output(binary(net, operator, x, int32_input(net, rng, shape)))
        net.layer("constant_first")
        net.output(binary(net, operator, net.const(rng.integers(-QUARTER, QUARTER, (1, 3, 1, 17)), "int32"), x))


register_broadcasts("add_broadcast", "every broadcast kind, and a constant operand", "ADD")
register_broadcasts("sub_broadcast", "every broadcast kind, and a constant minuend", "SUB")


@network("add_both_broadcast", "each operand is broadcast along the other's axis")
def add_both_broadcast(net, rng):
    net.layer("outer")
    net.output(binary(net, "ADD", int32_input(net, rng, (5, 1, 9)), int32_input(net, rng, (1, 7, 9))),
               binary(net, "SUB", int32_input(net, rng, (6, 1)), int32_input(net, rng, (1, 20))))


@network("add_ranks", "ranks 0, 1 and 6")
def add_ranks(net, rng):
    net.layer(None)
    for shape in ((), (19,), (1, 2, 1, 3, 2, 5)):
        net.output(binary(net, "ADD", int32_input(net, rng, shape), int32_input(net, rng, shape)))


@network("add_same_operand", "one tensor is both operands: x + x, x - x")
def add_same_operand(net, rng):
    x = int32_input(net, rng, (1, 3, 20))
    net.layer("twice")
    net.output(binary(net, "ADD", x, x))
    net.layer("nothing")
    net.output(binary(net, "SUB", x, x))


@network("mul_types", "int8, int16 and int32 (shift 0: the low 32 bits) products, broadcast")
def mul_types(net, rng):
    for dtype in ("int8", "int16", "int32"):
        net.layer(dtype)
        net.output(mul(net, net.input((1, 3, 4, 9), dtype), net.input((1, 3, 1, 9), dtype)))


@network("mul_shifts", "int32 products with shifts 31, 30, 1 and 60: rounded half up")
def mul_shifts(net, rng):
    net.layer("shifts")
    large, scalar = int32_input(net, rng, (4, 18), 2**31 - 1), int32_input(net, rng, (1, 1), 2**30)
    small, row = int32_input(net, rng, (4, 18), 2**15), int32_input(net, rng, (1, 18), 2**15)
    net.output(mul(net, large, scalar, 31), mul(net, large, scalar, 30), mul(net, small, row, 1),
               mul(net, large, int32_input(net, rng, (4, 18), 2**31 - 1), 60))


@network("shift_left", "LOGICAL_LEFT_SHIFT of int8, int16, int32 by tensors and by a scalar: wraps")
def shift_left(net, rng):
    for dtype, bits in (("int8", 8), ("int16", 16), ("int32", 32)):
        net.layer(dtype)
        amounts = net.input((1, 2, 17), dtype, values=rng.integers(0, bits, (1, 2, 17)))
        net.output(binary(net, "LOGICAL_LEFT_SHIFT", net.input((3, 2, 17), dtype), amounts))
    net.layer("scalar")
    net.output(binary(net, "LOGICAL_LEFT_SHIFT", net.inputs[-1], net.const([[[9]]], "int32")))


def register_right_shift(name, what, rounded):
    @network(name, what)
    def build(net, rng):
        for dtype, bits in (("int8", 8), ("int16", 16), ("int32", 32)):
            net.layer(dtype)
            amounts = net.input((1, 2, 17), dtype, values=rng.integers(0, bits, (1, 2, 17)))
            net.output(right_shift(net, net.input((3, 2, 17), dtype), amounts, rounded))
        net.layer("scalar")
        net.output(right_shift(net, net.inputs[-1], net.const([[[12]]], "int32"), rounded))


register_right_shift("shift_right", "ARITHMETIC_RIGHT_SHIFT of int8, int16, int32", False)
register_right_shift("shift_right_round", "ARITHMETIC_RIGHT_SHIFT with round: half up", True)


@network("clz", "0, negative values, both sides of every power of two")
def clz(net, rng):
    powers = [2**bit for bit in range(31)]
    values = [0, -1, -2**31, 2**31 - 1] + powers + [power - 1 for power in powers] + [-power for power in powers]
    x = net.input((1, len(values)), "int32", values=np.array([values]))
    net.layer("clz")
    net.output(net.op("CLZ", [x], x.shape, "int32"))


@network("clamp_int8", "within, at one end, and to a single value")
def clamp_int8(net, rng):
    x = net.input((1, 4, 5, 18))
    for low, high in ((-100, 60), (-128, 0), (-3, 127), (7, 7)):
        net.layer(f"clamp_{high}")
        net.output(clamp(net, x, low, high))


@network("clamp_int16", "int16, bounds on both sides of zero")
def clamp_int16(net, rng):
    net.layer("clamp")
    net.output(clamp(net, net.input((1, 3, 5, 9), "int16"), -20000, 12345))


@network("table_int8", "a random table, all 256 inputs")
def table_int8(net, rng):
    x = net.input((1, 4, 4, 17), values=np.resize(rng.permutation(np.arange(-128, 128)), (1, 4, 4, 17)))
    net.layer("table")
    net.output(table(net, x, rng.integers(-128, 128, 256)))


@network("table_int16", "a random table with steep slopes, both ends of the input range: 23-bit results")
def table_int16(net, rng):
    values = np.concatenate([[-32768, -32767, -1, 0, 1, 127, 128, 32766, 32767], rng.integers(-32768, 32768, 151)])
    net.layer("table")
    net.output(table(net, net.input((2, 80), "int16", values=values.reshape(2, 80)),
                     rng.integers(-16384, 16384, 513)))


@network("table_int16_extremes", "slopes of -32768 and 32767, entries at both ends")
def table_int16_extremes(net, rng):
    entries = np.resize([0, 32767, 0, -32768, -1], 513)
    net.layer(None)
    net.output(table(net, net.input((1, 2, 5, 16), "int16"), entries))
