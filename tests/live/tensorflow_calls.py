# SPDX-License-Identifier: Apache-2.0
"""Random calls of QuantizeV2 and Dequantize with what TensorFlow makes of them, as JSON; floats are bit patterns.

usage: tensorflow_calls.py --seed N --calls N OUT.json, in an environment that has TensorFlow."""

import argparse
import json
import os
import random
import sys

os.environ["TF_ENABLE_ONEDNN_OPTS"] = os.environ.get("TF_ENABLE_ONEDNN_OPTS", "0")
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy
import tensorflow

TYPES = {"qint8": numpy.int8, "quint8": numpy.uint8, "qint16": numpy.int16, "quint16": numpy.uint16, "qint32": numpy.int32}
MODES = ["MIN_COMBINED", "MIN_FIRST", "SCALED"]


def bits(values):
    return numpy.asarray(values, numpy.float32).view(numpy.uint32).ravel().tolist()


def random_range(rng):
    """Two finite ends whose difference is finite; now and then on one side of zero, equal, or round numbers."""
    size = 10.0 ** rng.choice([-41, -38, -30, -3, -1, 0, 0, 1, 2, 5, 30, 36])
    low, high = -size * rng.random(), size * rng.random()
    kind = rng.random()
    if kind < 0.15:
        low = high * rng.random()
    elif kind < 0.3:
        high = low * rng.random()
    elif kind < 0.35:
        low = high
    elif kind < 0.5:
        low, high = -float(rng.choice([0, 1, 2, 8, 128, 127])), float(rng.choice([1, 2, 8, 127, 128, 255]))
    return numpy.float32(low), numpy.float32(high)


def random_values(rng, count, low, high, steps):
    """Out of range, in range, near ties between steps, zeros of both signs, subnormals, infinities."""
    values = []
    step = (float(high) - float(low)) / steps or 1.0
    for _ in range(count):
        kind = rng.random()
        if kind < 0.4:
            value = numpy.float32((rng.randrange(-3, min(steps, 70000) + 3) + 0.5) * step + float(low))
            for _ in range(rng.randrange(3)):
                value = numpy.nextafter(value, numpy.float32(rng.choice([-3e38, 3e38])))
        elif kind < 0.6:
            value = numpy.float32(rng.uniform(float(low), float(high)) * rng.choice([1, 1, 1.5]))
        elif kind < 0.7:
            value = rng.choice([low, high])
        elif kind < 0.75:
            value = numpy.float32(rng.choice([0.0, -0.0, 1e-40, -1e-40, float("inf"), float("-inf"), 3e38, -3e38]))
        else:
            value = numpy.float32(rng.gauss(0, max(abs(float(low)), abs(float(high)))))
        values.append(value)
    return numpy.array(values, numpy.float32)


def random_call(rng):
    shape = [rng.choice([1, 2, 3, 5, 8]) for _ in range(rng.randrange(5))]
    call = {"T": rng.choice(list(TYPES)), "mode": rng.choice(MODES), "round_mode": "HALF_AWAY_FROM_ZERO", "axis": -1, "shape": shape,
            "narrow_range": rng.random() < 0.3, "ensure_minimum_range": rng.choice([0.01, 0.01, 0.001, 0.5, 1e-6])}
    if call["mode"] == "SCALED" and rng.random() < 0.5 or rng.random() < 0.02:
        call["round_mode"] = "HALF_TO_EVEN"
    if shape and (call["mode"] != "MIN_FIRST" and rng.random() < 0.4 or rng.random() < 0.03):
        call["axis"] = rng.randrange(len(shape))
    num_ranges = shape[call["axis"]] if call["axis"] >= 0 else 1
    if call["axis"] >= 0 and rng.random() < 0.03:
        num_ranges += 1
    ranges = [random_range(rng) for _ in range(num_ranges)]
    if rng.random() < 0.03:
        ranges[0] = ranges[0][1] + numpy.float32(1), ranges[0][0]
    count = int(numpy.prod(shape)) if shape else 1
    values = random_values(rng, count, *rng.choice(ranges), 2 ** int(call["T"].split("int")[1]) - 1)
    return call, values.reshape(shape), ranges


def run(call, values, ranges):
    ends = [numpy.array([pair[i] for pair in ranges], numpy.float32) for i in (0, 1)]
    call.update({"in": bits(values), "min": bits(ends[0]), "max": bits(ends[1])})
    ends = [tensorflow.constant(end if call["axis"] >= 0 else end[0]) for end in ends]
    common = {"mode": call["mode"], "narrow_range": call["narrow_range"], "axis": call["axis"]}
    try:
        codes, low, high = tensorflow.raw_ops.QuantizeV2(
            input=tensorflow.constant(values), min_range=ends[0], max_range=ends[1], T=getattr(tensorflow, call["T"]),
            round_mode=call["round_mode"], ensure_minimum_range=call["ensure_minimum_range"], **common)
    except (tensorflow.errors.InvalidArgumentError, tensorflow.errors.UnimplementedError, ValueError) as error:
        call["error"] = str(error)
        return
    numbers = codes.numpy().astype(TYPES[call["T"]])
    call.update({"out": numbers.ravel().tolist(), "out_min": bits(low), "out_max": bits(high)})
    axis_ends = [end.numpy().reshape(-1 if call["axis"] >= 0 else ()) for end in (low, high)]
    back = tensorflow.raw_ops.Dequantize(input=codes, min_range=tensorflow.constant(axis_ends[0]),
                                         max_range=tensorflow.constant(axis_ends[1]), dtype=tensorflow.float32, **common)
    call["deq"] = bits(back)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--calls", type=int, required=True)
    parser.add_argument("out")
    options = parser.parse_args()
    rng, calls = random.Random(options.seed), []
    for _ in range(options.calls):
        call, values, ranges = random_call(rng)
        run(call, values, ranges)
        calls.append(call)
    with open(options.out, "w", encoding="utf-8") as file:
        json.dump({"tensorflow": tensorflow.__version__, "calls": calls}, file)


if __name__ == "__main__":
    sys.exit(main())
