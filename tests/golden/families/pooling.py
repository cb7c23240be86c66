# SPDX-License-Identifier: Apache-2.0
"""AVG_POOL2D, reductions, SLICE, RESHAPE."""

from families import network
from operators import avg_pool, quantize_scale, reduce, rescale, reshape, slice_of


def register_pool(name, what, shape, kernel, dtype="int8", located=True, **options):
    @network(name, what)
    def build(net, rng):
        net.layer("pool/AvgPool" if located else None)
        net.output(avg_pool(net, net.input(shape, dtype), kernel, **options))


register_pool("avg_pool_2x2", "2x2, stride 2", (1, 6, 8, 16), (2, 2))
register_pool("avg_pool_3x3_pad", "padding is not counted; zero points differ", (1, 6, 5, 17), (3, 3), stride=(1, 1),
              pad=(1, 1, 1, 1), input_zp=-128, output_zp=12)
register_pool("avg_pool_pads_asymmetric", "three different pads, stride 2x1", (1, 6, 6, 8), (3, 4), stride=(2, 1),
              pad=(0, 1, 2, 1), input_zp=9, output_zp=9, located=False)
register_pool("avg_pool_global", "the whole map", (1, 5, 5, 32), (5, 5))
register_pool("avg_pool_25x5", "the whole map, as in keyword spotting", (1, 25, 5, 8), (25, 5))
register_pool("avg_pool_1x3_c3", "three channels, a row kernel, overlapping windows", (2, 3, 9, 3), (1, 3),
              stride=(1, 2), located=False)
register_pool("avg_pool_1x1", "one element a window", (1, 3, 3, 20), (1, 1), input_zp=4, output_zp=-4)
register_pool("avg_pool_int16", "int16", (1, 4, 6, 9), (2, 3), dtype="int16", stride=(2, 1), pad=(0, 0, 1, 1))


def register_reduce(name, what, operator, dtype, limit=None):
    """A network with an output a axis of the same input."""
    @network(name, what)
    def build(net, rng):
        shape = (3, 4, 5, 18)
        x = net.input(shape, dtype, values=None if limit is None else rng.integers(-limit, limit, shape))
        for axis in range(4):
            net.layer(f"axis_{axis}")
            net.output(reduce(net, operator, x, axis))


register_reduce("reduce_max_int8", "each axis of a rank-4 tensor", "REDUCE_MAX", "int8")
register_reduce("reduce_max_int16", "each axis, int16", "REDUCE_MAX", "int16")
register_reduce("reduce_max_int32", "each axis, int32", "REDUCE_MAX", "int32")
register_reduce("reduce_sum_int32", "each axis", "REDUCE_SUM", "int32", limit=2**26)


@network("reduce_rows", "long rows of a matrix to one element each; all values negative")
def reduce_rows(net, rng):
    net.layer("rows")
    x = net.input((5, 100), "int32", values=rng.integers(-2**24, 0, (5, 100)))
    net.output(reduce(net, "REDUCE_MAX", x, 1), reduce(net, "REDUCE_SUM", x, 1))


@network("mean", "global mean as the converter writes it: RESCALE, REDUCE_SUM along H and W, RESCALE")
def mean(net, rng):
    net.layer("global_pool/Mean")
    wide = rescale(net, net.input((1, 4, 6, 20)), "int32", (2**30, 30), input_zp=-128, rounding="double")
    total = reduce(net, "REDUCE_SUM", reduce(net, "REDUCE_SUM", wide, 1), 2)
    net.output(rescale(net, total, "int8", quantize_scale(1.4 / 24), output_zp=-128, rounding="double"))


@network("slice_types", "int8, int16 and int32, a box inside on every axis")
def slice_types(net, rng):
    for dtype in ("int8", "int16", "int32"):
        net.layer(f"slice_{dtype}")
        net.output(slice_of(net, net.input((2, 5, 6, 20), dtype), (1, 1, 2, 3), (1, 3, 4, 9)))


@network("slice_channels", "channel ranges: a whole block, and one that starts inside a vector")
def slice_channels(net, rng):
    x = net.input((1, 3, 4, 40))
    net.layer("halves")
    net.output(slice_of(net, x, (0, 0, 0, 16), (1, 3, 4, 16)), slice_of(net, x, (0, 0, 0, 29), (1, 3, 4, 11)))


@network("slice_ranks", "a vector, a matrix, and a slice that takes everything")
def slice_ranks(net, rng):
    net.layer(None)
    net.output(slice_of(net, net.input((50,)), (7,), (30,)), slice_of(net, net.input((6, 10)), (2, 9), (3, 1)),
               slice_of(net, net.input((2, 3, 4)), (0, 0, 0), (2, 3, 4)))


@network("reshape_types", "NHWC to a matrix, to a vector and back, to rank 6")
def reshape_types(net, rng):
    net.layer("flatten")
    net.output(reshape(net, net.input((1, 4, 3, 10)), (1, 120)),
               reshape(net, net.input((2, 3, 7), "int16"), (42,)),
               reshape(net, net.input((24,), "int32"), (2, 1, 3, 4)),
               reshape(net, net.input((8, 15)), (2, 2, 2, 3, 1, 5)))


@network("reshape_between", "a RESHAPE between two computing operators: the layout inside must not show")
def reshape_between(net, rng):
    x = net.input((1, 4, 3, 20))
    net.layer("scale")
    y = rescale(net, x, "int8", quantize_scale(0.7), input_zp=5)
    net.layer("flatten")
    y = reshape(net, y, (1, 2, 6, 20))
    net.layer("pool/AvgPool")
    y = avg_pool(net, y, (2, 2))
    net.layer("rows")
    net.output(reduce(net, "REDUCE_MAX", reshape(net, y, (3, 20)), 1))
