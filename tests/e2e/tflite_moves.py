# SPDX-License-Identifier: Apache-2.0
"""Drawn TensorFlow Lite networks of an operator that moves codes: shapes, slices, pads, joins, rows."""

from tflite_case import NONE, NUMBERS, count_of
from tosa_file import Scalar


def moved(name, draw_numbers, options_name=None):
    """An operator that moves codes: draw_numbers(case, shape) gives the result's shape, its further inputs and its options."""
    def draw(case):
        shape, format = case.shape(4 if "_TO_" in name and name != "BROADCAST_TO" else None), case.format()
        x = case.input(shape, **format)
        result, further, options = draw_numbers(case, shape)
        case.net.versions[NUMBERS[name]] = 2 if name == "BROADCAST_TO" else 1
        return case.result(name, result, [x, *further], options, options_name, **format)
    return draw


def reshape_numbers(case, shape):
    count, result = count_of(shape), []
    for divisor in (2, 3, 5):
        if count % divisor == 0 and case.rng.random() < 0.7:
            result.append(divisor)
            count //= divisor
    result.insert(case.rng.randrange(len(result) + 1), count)
    return result, [case.numbers(result)], {}


def transpose_numbers(case, shape):
    order = case.rng.sample(range(len(shape)), len(shape))
    return [shape[i] for i in order], [case.numbers(order)], {}


def pad_numbers(case, shape):
    padding = [case.rng.choice([0, 0, 1, 2]) for _ in range(2 * len(shape))]
    return [n + padding[2 * i] + padding[2 * i + 1] for i, n in enumerate(shape)], [case.numbers(padding, [len(shape), 2])], {}


def mirror_numbers(case, shape):
    is_reflect = case.rng.random() < 0.5
    padding = [case.rng.randrange(0, n - is_reflect + 1) if n > 1 or not is_reflect else 0 for n in shape for _ in range(2)]
    return [n + padding[2 * i] + padding[2 * i + 1] for i, n in enumerate(shape)], [case.numbers(padding, [len(shape), 2])], {0: Scalar(0 if is_reflect else 1, "B")}


def slice_numbers(case, shape):
    begin = [case.rng.randrange(n) for n in shape]
    size = [case.rng.choice([-1, case.rng.randrange(1, n - b + 1)]) for n, b in zip(shape, begin)]
    return [n - b if s == -1 else s for n, b, s in zip(shape, begin, size)], [case.numbers(begin), case.numbers(size)], {}


def strided_numbers(case, shape):
    rng, begin, end, stride, result = case.rng, [], [], [], []
    masks = [0, 0, 0, 0, 0]
    for axis, size in enumerate(shape):
        entry = len(begin)
        if rng.random() < 0.15:
            begin.append(0), end.append(0), stride.append(1), result.append(1)
            masks[3] |= 1 << entry
            entry += 1
        if rng.random() < 0.2:
            index = rng.randrange(-size, size)
            begin.append(index), end.append(index + 1 if index != -1 else size), stride.append(1)
            masks[4] |= 1 << entry
            continue
        step = rng.choice([1, 1, 1, 2, 3, -1, -2])
        low, high = sorted(rng.sample(range(size + 1), 2))
        first, last = (low, high) if step > 0 else (high - 1, low - 1)
        if last == -1:
            masks[1] |= 1 << entry
        elif rng.random() < 0.2:
            masks[1] |= 1 << entry
            last = size if step > 0 else -1
        if rng.random() < 0.2:
            masks[0] |= 1 << entry
            first = 0 if step > 0 else size - 1
        begin.append(first - size if rng.random() < 0.3 else first), end.append(last if step < 0 or last == size or rng.random() < 0.7 else last - size), stride.append(step)
        result.append(len(range(first, last, step)))
    options = {i: Scalar(mask) for i, mask in enumerate(masks)}
    return result, [case.numbers(begin), case.numbers(end), case.numbers(stride)], options


def tile_numbers(case, shape):
    times = [case.rng.randrange(1, 4) for _ in shape]
    return [n * t for n, t in zip(shape, times)], [case.numbers(times)], {}


def broadcast_numbers(case, shape):
    result = [case.rng.randrange(1, 4) if n == 1 else n for n in shape]
    return result, [case.numbers(result)], {}


def reverse_numbers(case, shape):
    return shape, [case.numbers([case.rng.randrange(len(shape))])], {}


def gather(case):
    rng, shape, format = case.rng, case.shape(), case.format()
    axis = rng.randrange(len(shape))
    indices = case.shape(rng.randrange(1, 3), 4)
    x = case.input(shape, **format)
    if rng.random() < 0.5:
        at = case.numbers([rng.randrange(shape[axis]) for _ in range(count_of(indices))], indices)
    else:
        at = case.input(indices, "int32", (0, shape[axis] - 1))
    return case.result("GATHER", [*shape[:axis], *indices, *shape[axis + 1:]], [x, at], {0: Scalar(axis), 1: Scalar(0)}, "GatherOptions", **format)


def gather_nd(case):
    rng, shape, format = case.rng, case.shape(), case.format()
    depth, places = rng.randrange(1, len(shape) + 1), case.shape(rng.randrange(1, 3), 4)
    x = case.input(shape, **format)
    # Inputs have one range for all of their numbers: that of the least dimension.
    least = min(shape[:depth])
    if rng.random() < 0.5:
        at = case.numbers([rng.randrange(shape[i % depth]) for i in range(count_of(places) * depth)], [*places, depth])
    else:
        at = case.input([*places, depth], "int32", (0, least - 1))
    return case.result("GATHER_ND", [*places, *shape[depth:]], [x, at], {}, "GatherNdOptions", **format)


def scatter_nd(case):
    """Places that are computed differ, because there is one; constant ones may be the same, whose codes are added."""
    rng, shape, format = case.rng, case.shape(), case.format()
    depth, is_constant = rng.randrange(1, len(shape) + 1), rng.random() < 0.6
    places = case.shape(rng.randrange(1, 3), 4) if is_constant else [1]
    if is_constant:
        at = case.numbers([rng.randrange(shape[i % depth]) for i in range(count_of(places) * depth)], [*places, depth])
    else:
        at = case.input([*places, depth], "int32", (0, min(shape[:depth]) - 1))
    updates = case.input([*places, *shape[depth:]], **format)
    return case.result("SCATTER_ND", shape, [at, updates, case.numbers(shape)], {}, "ScatterNdOptions", **format)


def depth_blocks(name):
    def draw(case):
        block, format = case.rng.choice([2, 3]), case.format()
        n, h, w, c = case.shape(4, 3)
        deep, wide = [n, h, w, c * block * block], [n, h * block, w * block, c]
        source, result = (wide, deep) if name == "SPACE_TO_DEPTH" else (deep, wide)
        options = "SpaceToDepthOptions" if name == "SPACE_TO_DEPTH" else "DepthToSpaceOptions"
        return case.result(name, result, [case.input(source, **format)], {0: Scalar(block)}, options, **format)
    return draw


def batch_blocks(name):
    def draw(case):
        rng, format = case.rng, case.format()
        blocks = [rng.choice([1, 2, 3]), rng.choice([1, 2])]
        n, h, w, c = case.shape(4, 3)
        border = [rng.randrange(0, 2) for _ in range(4)]
        plain = [n, max(1, h * blocks[0] - border[0] - border[1]), max(1, w * blocks[1] - border[2] - border[3]), c]
        border[1] = 0 if h * blocks[0] - border[0] - border[1] < 1 else border[1]
        border[3] = 0 if w * blocks[1] - border[2] - border[3] < 1 else border[3]
        border[0] = h * blocks[0] - plain[1] - border[1]
        border[2] = w * blocks[1] - plain[2] - border[3]
        split = [n * blocks[0] * blocks[1], h, w, c]
        source, result = (plain, split) if name == "SPACE_TO_BATCH_ND" else (split, plain)
        inputs = [case.input(source, **format), case.numbers(blocks), case.numbers(border, [2, 2])]
        return case.result(name, result, inputs, {}, "SpaceToBatchNDOptions" if name == "SPACE_TO_BATCH_ND" else "BatchToSpaceNDOptions", **format)
    return draw


def joined(name):
    def draw(case):
        rng, shape, format = case.rng, case.shape(), case.format()
        if name == "PACK":
            axis, count = rng.randrange(len(shape) + 1), rng.randrange(1, 4)
            result = [*shape[:axis], count, *shape[axis:]]
            return case.result(name, result, [case.input(shape, **format) for _ in range(count)], {0: Scalar(count), 1: Scalar(axis)}, "PackOptions", **format)
        axis, inputs, total = rng.randrange(len(shape)), [], 0
        for _ in range(rng.randrange(1, 4)):
            part = list(shape)
            part[axis] = rng.randrange(1, 5)
            total += part[axis]
            # The kernel takes parts with a scale of their own when the type is UINT8, and only then.
            own = case.format() if case.kind == "uint8" and rng.random() < 0.6 else format
            inputs.append(case.input(part, **own))
        shape[axis] = total
        return case.result(name, shape, inputs, {0: Scalar(axis), 1: Scalar(NONE, "B")}, "ConcatenationOptions", **format)
    return draw


def split(name):
    def draw(case):
        rng, shape, format = case.rng, case.shape(), case.format()
        axis, count = rng.randrange(len(shape)), rng.randrange(1, 4)
        sizes = [rng.randrange(1, 4) for _ in range(count)] if name == "SPLIT_V" else [shape[axis]] * count
        if name == "UNPACK":
            shape[axis] = count
            outputs = [[size for i, size in enumerate(shape) if i != axis]] * count
            return case.result(name, None, [case.input(shape, **format)], {0: Scalar(count), 1: Scalar(axis)}, "UnpackOptions", outputs, **format)
        shape[axis] = sum(sizes)
        outputs = [[*shape[:axis], size, *shape[axis + 1:]] for size in sizes]
        x = case.input(shape, **format)
        inputs = [case.numbers([axis], []), x] if name == "SPLIT" else [x, case.numbers(sizes), case.numbers([axis], [])]
        return case.result(name, None, inputs, {0: Scalar(count)}, "SplitOptions" if name == "SPLIT" else "SplitVOptions", outputs, **format)
    return draw


def resized(name):
    def draw(case):
        rng, format = case.rng, case.format()
        shape = case.shape(4, 6)
        sides = [n * rng.choice([1, 2, 3, 4]) if rng.random() < 0.5 else rng.randrange(1, 14) for n in shape[1:3]]
        placing = rng.choice([(False, False), (True, False), (False, True)])
        options = {2: Scalar(placing[0], "?"), 3: Scalar(placing[1], "?")} if name == "RESIZE_BILINEAR" else {0: Scalar(placing[0], "?"), 1: Scalar(placing[1], "?")}
        kind = "ResizeBilinearOptions" if name == "RESIZE_BILINEAR" else "ResizeNearestNeighborOptions"
        case.net.versions[NUMBERS[name]] = 3
        return case.result(name, [shape[0], *sides, shape[3]], [case.input(shape, **format), case.numbers(sides)], options, kind, **format)
    return draw
