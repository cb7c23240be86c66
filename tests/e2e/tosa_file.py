# SPDX-License-Identifier: Apache-2.0
"""TOSA flatbuffers with the standard library only, good and bad ones: what tests of bad input need, no more.

A table is a dict {slot: value}; a value is a Scalar, a str, bytes, a list (of tables, strs or ints) or a dict. Children
stand behind their parents, so that every offset is positive, as flatbuffers wants it.
"""

import struct

DTYPES = {"bool": 1, "int4": 2, "int8": 3, "int16": 4, "int32": 5, "int48": 6, "fp32": 7, "fp16": 8, "bf16": 9}
OPS = {"CUSTOM": 69, "VARIABLE": 72, "SIN": 44, "ADD": 15, "CLZ": 35, "ABS": 32, "MUL": 28, "SUB": 30, "CAST": 65, "CONST": 67,
       "IDENTITY": 68}


class Scalar:
    def __init__(self, value, code="i"):
        self.bytes = struct.pack("<" + code, value)


class Writer:
    def __init__(self):
        self.data = bytearray()

    def align(self, size, offset=0):
        self.data += bytes(-(len(self.data) + offset) % size)

    def patch(self, position, target):
        struct.pack_into("<I", self.data, position, target - position)

    def write(self, value):
        """Appends a value that is referred to; returns where it is."""
        if isinstance(value, dict):
            return self.table(value)
        if isinstance(value, str):
            return self.vector(value.encode() + b"\0", len(value.encode()))
        if isinstance(value, bytes):
            return self.vector(value, len(value), align=8)
        if value and not isinstance(value[0], int):
            self.align(4)
            start = len(self.data)
            self.data += struct.pack("<I", len(value)) + bytes(4 * len(value))
            for index, item in enumerate(value):
                self.patch(start + 4 + 4 * index, self.write(item))
            return start
        return self.vector(struct.pack(f"<{len(value)}i", *value), len(value))

    def vector(self, content, count, align=4):
        self.align(align, 4)
        start = len(self.data)
        self.data += struct.pack("<I", count) + content
        return start

    def table(self, slots):
        num_slots = max(slots, default=-1) + 1
        self.align(4)
        vtable = len(self.data)
        is_wide = {slot: isinstance(value, Scalar) and len(value.bytes) == 8 for slot, value in slots.items()}
        places, size = {}, 4
        for slot in sorted(slots, key=lambda slot: (not is_wide[slot], slot)):  # wide ones first: they are aligned to 8 bytes
            places[slot], size = size, size + (8 if is_wide[slot] else 4)
        self.data += struct.pack("<HH", 4 + 2 * num_slots, size)
        self.data += b"".join(struct.pack("<H", places.get(slot, 0)) for slot in range(num_slots))
        if any(is_wide.values()):
            self.align(8, 4)
        else:
            self.align(4)
        start = len(self.data)
        self.data += struct.pack("<i", start - vtable) + bytes(size - 4)
        for slot, value in slots.items():
            place = start + places[slot]
            if isinstance(value, Scalar):
                self.data[place:place + len(value.bytes)] = value.bytes
            else:
                self.patch(place, self.write(value))
        return start


def tensor(name, shape, dtype="int32", data=None, unranked=False):
    slots = {0: name, 1: list(shape), 2: Scalar(DTYPES.get(dtype, dtype), "I")}
    if data is not None:
        slots[3] = data
    if unranked:
        slots[5] = Scalar(1, "B")
    return slots


def operator(op, inputs, outputs):
    number = OPS.get(op, op)
    union = number if number <= 75 else 35
    return {0: Scalar(number, "I"), 1: Scalar(union, "B"), 2: {}, 3: list(inputs), 4: list(outputs)}


def graph(tensors, operators, inputs, outputs, version=(1, 0, 0, False), identifier=b"TOSA"):
    """The bytes of a file."""
    block = {0: "main", 1: operators, 2: tensors, 3: list(inputs), 4: list(outputs), 5: []}
    root = {0: {0: Scalar(version[0]), 1: Scalar(version[1]), 2: Scalar(version[2]), 3: Scalar(int(version[3]), "B")},
            1: [{0: "main", 1: [block]}]}
    writer = Writer()
    writer.data += bytes(4) + identifier
    writer.patch(0, writer.table(root))
    return bytes(writer.data)


def one_operator(op="CLZ", shape=(2, 3), dtype="int32", **options):
    """x -> op -> y, both of that shape and type."""
    return graph([tensor("x", shape, dtype), tensor("y", shape, dtype)], [operator(op, ["x"], ["y"])], ["x"], ["y"], **options)
