# SPDX-License-Identifier: Apache-2.0
"""TOSA operators on a tosa_writer.Network: output shapes and constant operands are made here.

Feature maps are NHWC. Every function returns the result tensor.
"""

import math

import numpy as np
from tosa_writer import DTYPES, NAN_PROPAGATE, RESIZE_BILINEAR, ROUNDING, Tensor


def window_size(size, kernel, stride, pad_before, pad_after, dilation=1):
    steps = size - 1 + pad_before + pad_after - (kernel - 1) * dilation
    assert steps >= 0 and steps % stride == 0, (size, kernel, stride, pad_before, pad_after, dilation)
    return steps // stride + 1


def same_pads(size, kernel, stride, dilation=1):
    """TFLite's SAME padding, less the rows and columns that no window reaches: (before, after)."""
    span = (kernel - 1) * dilation + 1
    total = max((math.ceil(size / stride) - 1) * stride + span - size, 0)
    return total // 2, total - total // 2


def conv2d(net, x, weight, bias, pad=(0, 0, 0, 0), stride=(1, 1), dilation=(1, 1), input_zp=0, weight_zp=0):
    """CONV2D to int32. weight: array or tensor [OC,KH,KW,C]; bias: the same [OC] or [1]; pad: top, bottom, left, right."""
    weight = net.const(weight, "int8") if isinstance(weight, np.ndarray) else weight
    channels, kernel_h, kernel_w, _ = weight.shape
    shape = (x.shape[0], window_size(x.shape[1], kernel_h, stride[0], pad[0], pad[1], dilation[0]),
             window_size(x.shape[2], kernel_w, stride[1], pad[2], pad[3], dilation[1]), channels)
    net.macs += math.prod(shape) * math.prod(weight.shape[1:])
    return net.op("CONV2D", [x, weight, _bias(net, bias), net.const([input_zp], "int8"),
                             net.const([weight_zp], "int8")], shape, "int32", pad=pad, stride=stride,
                  dilation=dilation, local_bound=False, acc_type=DTYPES["int32"])


def depthwise(net, x, weight, bias, pad=(0, 0, 0, 0), stride=(1, 1), dilation=(1, 1), input_zp=0, weight_zp=0):
    """DEPTHWISE_CONV2D to int32. weight: array or tensor [KH,KW,C,M]; bias: array [C*M] or [1]."""
    weight = net.const(weight, "int8") if isinstance(weight, np.ndarray) else weight
    kernel_h, kernel_w, channels, multiplier = weight.shape
    shape = (x.shape[0], window_size(x.shape[1], kernel_h, stride[0], pad[0], pad[1], dilation[0]),
             window_size(x.shape[2], kernel_w, stride[1], pad[2], pad[3], dilation[1]), channels * multiplier)
    net.macs += math.prod(shape) * kernel_h * kernel_w
    return net.op("DEPTHWISE_CONV2D", [x, weight, _bias(net, bias), net.const([input_zp], "int8"),
                                       net.const([weight_zp], "int8")], shape, "int32", pad=pad, stride=stride,
                  dilation=dilation, local_bound=False, acc_type=DTYPES["int32"])


def conv3d(net, x, weight, bias, pad=(0, 0, 0, 0, 0, 0), stride=(1, 1, 1), dilation=(1, 1, 1), input_zp=0):
    """CONV3D to int32. weight: array [OC,KD,KH,KW,C]; pad: two values each for planes, rows, columns."""
    sizes = [window_size(x.shape[1 + i], weight.shape[1 + i], stride[i], pad[2 * i], pad[2 * i + 1], dilation[i])
             for i in range(3)]
    shape = (x.shape[0], *sizes, weight.shape[0])
    net.macs += math.prod(shape) * math.prod(weight.shape[1:])
    return net.op("CONV3D", [x, net.const(weight, "int8"), _bias(net, bias), net.const([input_zp], "int8"),
                             net.const([0], "int8")], shape, "int32", pad=pad, stride=stride, dilation=dilation,
                  local_bound=False, acc_type=DTYPES["int32"])


def _bias(net, bias):
    return bias if isinstance(bias, Tensor) else net.const(bias, "int32")


def gather(net, values, indices):
    """values [N,K,C], indices [N,W]."""
    return net.op("GATHER", [values, indices], (*indices.shape, values.shape[2]), values.dtype)


def scatter(net, values, indices, rows):
    """values [N,K,C], indices [N,W], rows [N,W,C]."""
    return net.op("SCATTER", [values, indices, rows], values.shape, values.dtype)


def resize_bilinear(net, x, scale, offset, border):
    """scale: numerator and denominator of rows, then of columns. int8 gives int32, int16 gives int48."""
    sizes = [((x.shape[1 + i] - 1) * scale[2 * i] - offset[i] + border[i]) // scale[2 * i + 1] + 1 for i in range(2)]
    return net.op("RESIZE", [x, net.const_shape(scale), net.const_shape(offset), net.const_shape(border)],
                  (x.shape[0], *sizes, x.shape[3]), "int32" if x.dtype == "int8" else "int48", mode=RESIZE_BILINEAR)


def quantize_scale(scale, scale32=True):
    """(multiplier, shift) with scale = multiplier * 2^-shift, the multiplier normalised to 31 or 15 bits."""
    bits = 31 if scale32 else 15
    fraction, exponent = math.frexp(scale)
    multiplier, shift = round(fraction * 2 ** bits), bits - exponent
    return (multiplier // 2, shift - 1) if multiplier == 2 ** bits else (multiplier, shift)


def rescale(net, x, dtype, scale, input_zp=0, output_zp=0, rounding="single", scale32=True, input_unsigned=False,
            output_unsigned=False):
    """RESCALE. scale: (multiplier, shift), or a list of them, one a channel (per_channel then is set)."""
    per_channel = isinstance(scale, list)
    multipliers, shifts = zip(*(scale if per_channel else [scale]))
    return net.op("RESCALE", [x, net.const(multipliers, "int32" if scale32 else "int16"), net.const(shifts, "int8"),
                              net.const([input_zp], x.dtype), net.const([output_zp], dtype)], x.shape, dtype,
                  scale32=scale32, rounding_mode=ROUNDING[rounding], per_channel=per_channel,
                  input_unsigned=input_unsigned, output_unsigned=output_unsigned)


def clamp(net, x, low, high):
    return net.op("CLAMP", [x], x.shape, x.dtype, min_val=np.array(low, x.dtype).tobytes(),
                  max_val=np.array(high, x.dtype).tobytes(), nan_mode=NAN_PROPAGATE)


def table(net, x, values):
    """TABLE: int8 with 256 entries gives int8, int16 with 513 gives int32."""
    return net.op("TABLE", [x, net.const(values, x.dtype)], x.shape, "int8" if x.dtype == "int8" else "int32")


def binary(net, name, x, y, dtype=None, **attributes):
    """ADD, SUB, shifts: operands of equal rank, broadcast."""
    return net.op(name, [x, y], np.broadcast_shapes(x.shape, y.shape), dtype or x.dtype, **attributes)


def mul(net, x, y, shift=0):
    return net.op("MUL", [x, y, net.const([shift], "int8")], np.broadcast_shapes(x.shape, y.shape), "int32")


def right_shift(net, x, y, rounded):
    return binary(net, "ARITHMETIC_RIGHT_SHIFT", x, y, round=rounded)


def reduce(net, name, x, axis):
    shape = [1 if i == axis else size for i, size in enumerate(x.shape)]
    attributes = {"nan_mode": NAN_PROPAGATE} if name == "REDUCE_MAX" else {}
    return net.op(name, [x], shape, x.dtype, axis=axis, **attributes)


def avg_pool(net, x, kernel, stride=None, pad=(0, 0, 0, 0), input_zp=0, output_zp=0):
    stride = stride or kernel
    shape = (x.shape[0], window_size(x.shape[1], kernel[0], stride[0], pad[0], pad[1]),
             window_size(x.shape[2], kernel[1], stride[1], pad[2], pad[3]), x.shape[3])
    return net.op("AVG_POOL2D", [x, net.const([input_zp], x.dtype), net.const([output_zp], x.dtype)], shape, x.dtype,
                  kernel=kernel, stride=stride, pad=pad, acc_type=DTYPES["int32"])


def reshape(net, x, shape):
    assert math.prod(shape) == math.prod(x.shape)
    return net.op("RESHAPE", [x, net.const_shape(shape)], shape, x.dtype)


def slice_of(net, x, start, size):
    return net.op("SLICE", [x, net.const_shape(start), net.const_shape(size)], size, x.dtype)
