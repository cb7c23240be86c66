# SPDX-License-Identifier: Apache-2.0
"""Reads and writes .npy files of integers and float32, with the standard library only."""

import array
import ast
import struct

MAGIC = b"\x93NUMPY"
CODES = {"|i1": "b", "|u1": "B", "|b1": "b", "<i2": "h", "<u2": "H", "<i4": "i", "<i8": "q", "<f4": "f", "<f8": "d"}
DTYPES = {"int8": "|i1", "int16": "<i2", "int32": "<i4", "int48": "<i8", "bool": "|b1", "uint8": "|u1",
          "uint16": "<u2"}


class Array:
    """Elements in row-major order, with their shape and numpy's spelling of their type."""

    def __init__(self, descr, shape, values):
        self.descr, self.shape, self.values = descr, tuple(shape), array.array(CODES[descr], values)

    def __eq__(self, other):
        return (self.descr, self.shape, self.values) == (other.descr, other.shape, other.values)

    def first_difference(self, other):
        """For messages: what differs between two arrays, or None."""
        if (self.descr, self.shape) != (other.descr, other.shape):
            return f"{self.descr} {self.shape} against {other.descr} {other.shape}"
        for index, (mine, theirs) in enumerate(zip(self.values, other.values)):
            if mine != theirs:
                return f"element {index} of {self.shape}: {mine} against {theirs}"
        return None


def _header(data):
    if data[:6] != MAGIC or data[6:8] != b"\x01\x00":
        raise ValueError("not a .npy file of version 1.0")
    length = struct.unpack_from("<H", data, 8)[0]
    return ast.literal_eval(data[10:10 + length].decode("latin1")), 10 + length


def read(path):
    """Only what the program promises: version 1.0, C order. ValueError otherwise."""
    with open(path, "rb") as file:
        data = file.read()
    header, start = _header(data)
    if header["fortran_order"]:
        raise ValueError("Fortran order")
    result = Array(header["descr"], header["shape"], [])
    result.values.frombytes(data[start:])
    count = 1
    for size in result.shape:
        count *= size
    if len(result.values) != count:
        raise ValueError(f"{len(result.values)} elements for shape {result.shape}")
    return result


def to_bytes(values, fortran_order=False):
    header = f"{{'descr': '{values.descr}', 'fortran_order': {fortran_order}, 'shape': {values.shape}, }}"
    header += " " * (-(11 + len(header)) % 64) + "\n"
    return MAGIC + b"\x01\x00" + struct.pack("<H", len(header)) + header.encode() + values.values.tobytes()


def write(path, values, **options):
    with open(path, "wb") as file:
        file.write(to_bytes(values, **options))


def zeros(dtype, shape):
    count = 1
    for size in shape:
        count *= size
    return Array(DTYPES.get(dtype, dtype), shape, bytes(0) if count == 0 else [0] * count)
