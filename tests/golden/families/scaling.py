# SPDX-License-Identifier: Apache-2.0
"""RESCALE: type pairs, both multiplier widths, both roundings, per channel, unsigned ends, saturation, shifts."""

import numpy as np
from families import network
from operators import quantize_scale, rescale


def register_from(dtype, scales, scale32, zp=0):
    """One input of `dtype`, an output of each of int8, int16, int32 with the scale for that."""
    name = f"rescale_{dtype}_scale{32 if scale32 else 16}"

    @network(name, f"{dtype} to int8, int16 and int32, {32 if scale32 else 16}-bit multiplier, zero points")
    def build(net, rng):
        x = net.input((1, 3, 5, 17), dtype)
        for output, scale in zip(("int8", "int16", "int32"), scales):
            net.layer(f"to_{output}")
            net.output(rescale(net, x, output, quantize_scale(scale, scale32), input_zp=zp, scale32=scale32,
                               output_zp=-5 if output == "int8" else 0))


for scale32 in (True, False):
    # Each spreads the input over most of the output; with 32-bit multipliers |value - zp| must stay below 2^(shift-1).
    register_from("int8", (0.6, 113.3, 2.0**20 if scale32 else 5001.7), scale32, zp=17)
    register_from("int16", (0.0037, 0.83, 6553.1), scale32)
    register_from("int32", (5.1e-8, 1.37e-5, 0.43), scale32)


@network("rescale_double_round", "shifts above 31: DOUBLE_ROUND and SINGLE_ROUND of the same values, ties included")
def rescale_double_round(net, rng):
    values = np.concatenate([np.arange(-256, 256), rng.integers(-2**31, 2**31, 512)])
    x = net.input((1, 8, 8, 16), "int32", values=values.reshape(1, 8, 8, 16))
    net.layer("by_4")
    for rounding in ("double", "single"):
        net.output(rescale(net, x, "int32", (2**30, 32), rounding=rounding))
    net.layer("wide")
    for rounding in ("double", "single"):
        net.output(rescale(net, x, "int32", (1518500250, 34), rounding=rounding))


@network("rescale_double_round_short", "shifts of at most 31: DOUBLE_ROUND rounds once")
def rescale_double_round_short(net, rng):
    x = net.input((1, 4, 4, 8), "int8")
    for shift in (31, 30):
        net.layer(f"shift_{shift}")
        net.output(rescale(net, x, "int16", (1431655765, shift), input_zp=-128, rounding="double"))


@network("rescale_per_channel", "a multiplier and shift a channel, 17 channels, shifts on both sides of 31")
def rescale_per_channel(net, rng):
    x = net.input((1, 4, 3, 17), "int32", values=rng.integers(-2**14, 2**14, (1, 4, 3, 17)))
    net.layer("double")
    scales = [quantize_scale(scale) for scale in 2.0 ** rng.uniform(-11, 0.9, 17)]
    net.output(rescale(net, x, "int8", scales, rounding="double", output_zp=-20))
    net.layer("scale16")
    scales = [quantize_scale(scale, scale32=False) for scale in 2.0 ** rng.uniform(-9, 0, 17)]
    net.output(rescale(net, x, "int8", scales, scale32=False, output_zp=20))


@network("rescale_per_channel_rank_2", "per channel on a matrix, and on a vector")
def rescale_per_channel_rank_2(net, rng):
    net.layer(None)
    for shape in ((3, 20), (20,)):
        scales = [quantize_scale(scale) for scale in rng.uniform(0.1, 2.0, 20)]
        net.output(rescale(net, net.input(shape), "int8", scales, input_zp=-30, rounding="double"))


@network("rescale_from_unsigned", "uint8 and uint16 inputs (input_unsigned), as at the edge of a network")
def rescale_from_unsigned(net, rng):
    x8, x16 = net.input((1, 4, 5, 9), "int8"), net.input((1, 4, 5, 9), "int16")
    one8, one16 = (2**30, 30), (2**14, 14)
    net.layer("uint8")
    net.output(rescale(net, x8, "int8", one8, input_zp=-128, output_zp=0, input_unsigned=True),  # the byte of 128
               rescale(net, x8, "int16", quantize_scale(101.7), input_zp=20, input_unsigned=True))
    net.layer("uint16")
    net.output(rescale(net, x16, "int16", one16, input_zp=-32768, scale32=False, input_unsigned=True),
               rescale(net, x16, "int8", quantize_scale(0.0031), output_zp=-100, input_unsigned=True))


@network("rescale_to_unsigned", "uint8 and uint16 outputs (output_unsigned)")
def rescale_to_unsigned(net, rng):
    x8, x16 = net.input((1, 4, 5, 9), "int8"), net.input((1, 4, 5, 9), "int16")
    net.layer("uint8")
    net.output(rescale(net, x8, "int8", (2**30, 30), output_zp=-128, output_unsigned=True),
               rescale(net, x16, "int8", quantize_scale(0.0061), output_zp=100, output_unsigned=True))
    net.layer("uint16")
    net.output(rescale(net, x8, "int16", quantize_scale(301.5), input_zp=3, output_zp=-32768, output_unsigned=True),
               rescale(net, x16, "int16", quantize_scale(2.4), output_unsigned=True))


@network("rescale_saturate", "far beyond both ends of the output type")
def rescale_saturate(net, rng):
    x = net.input((2, 3, 11), "int32", values=rng.integers(-2**20, 2**20, (2, 3, 11)))
    net.layer("saturate")
    net.output(rescale(net, x, "int8", quantize_scale(0.0005), output_zp=127, rounding="double"),
               rescale(net, x, "int8", quantize_scale(0.0005), output_zp=-128, rounding="double"),
               rescale(net, x, "int16", quantize_scale(0.07)))


@network("rescale_shift_ends", "shifts 2 and 62, the least and the largest; a multiplier of 0")
def rescale_shift_ends(net, rng):
    small = net.input((1, 2, 2, 8), "int8", values=rng.integers(-2, 2, (1, 2, 2, 8)))
    large = net.input((1, 2, 2, 8), "int32")
    net.layer("shift_2")
    net.output(rescale(net, small, "int32", (2**31 - 1, 2)))
    net.layer("shift_62")
    net.output(rescale(net, large, "int8", (2**31 - 1, 62), rounding="double"))
    net.layer("zero")
    net.output(rescale(net, large, "int8", [(0, 62)] * 4 + [quantize_scale(3e-8)] * 4))
