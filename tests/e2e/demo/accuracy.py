#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Takes the demo's pictures apart and scores the outputs. Python standard library only.

    accuracy.py split FOLDER NUM     FOLDER/000.npy ...: the first NUM pictures, one [1,8,8,1] int8 file each
    accuracy.py score FOLDER NUM     FOLDER/000/TosaOutput_0.npy ...: accuracy, and equality with expected.npy

`score` exits 1 when an output element differs from the official reference model's, when the accuracy is below
95 %, or when it is more than 2 points below the float network's.
"""

import ast
import json
import math
import pathlib
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent
MIN_ACCURACY_PERCENT = 95.0
MAX_LOSS_POINTS = 2.0
OUTPUT_FILE = "TosaOutput_0.npy"


def read_npy(path):
    """(shape, values) of an int8 .npy of format 1.0 in C order."""
    data = pathlib.Path(path).read_bytes()
    if data[:8] != b"\x93NUMPY\x01\x00":
        sys.exit(f"accuracy.py: {path}: not a .npy file of version 1.0")
    (header_bytes,) = struct.unpack_from("<H", data, 8)
    header = ast.literal_eval(data[10:10 + header_bytes].decode("latin1"))
    body = data[10 + header_bytes:]
    if header["descr"] != "|i1" or header["fortran_order"] or len(body) != math.prod(header["shape"]):
        sys.exit(f"accuracy.py: {path}: found {header} and {len(body)} bytes, expected int8 in C order")
    return header["shape"], struct.unpack(f"{len(body)}b", body)


def write_npy(path, shape, values):
    header = f"{{'descr': '|i1', 'fortran_order': False, 'shape': {shape!r}, }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    pathlib.Path(path).write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode("latin1")
                                   + struct.pack(f"{len(values)}b", *values))


def split(folder, num_pictures):
    shape, values = read_npy(HERE / "pictures.npy")
    picture_elems = math.prod(shape[1:])
    for i in range(num_pictures):
        write_npy(folder / f"{i:03}.npy", (1, *shape[1:]), values[i * picture_elems:(i + 1) * picture_elems])


def score(folder, num_pictures):
    labels = read_npy(HERE / "labels.npy")[1]
    num_classes = read_npy(HERE / "expected.npy")[0][1]
    expected = read_npy(HERE / "expected.npy")[1]
    float_answers = json.loads((HERE / "demo.json").read_text())["demo"]["float_answers"]
    num_right = num_float_right = num_different = 0
    for i in range(num_pictures):
        shape, values = read_npy(folder / f"{i:03}" / OUTPUT_FILE)
        if shape != (1, num_classes):
            sys.exit(f"accuracy.py: {folder / f'{i:03}' / OUTPUT_FILE}: shape {shape}, expected {(1, num_classes)}")
        right_values = expected[i * num_classes:(i + 1) * num_classes]
        num_different += sum(value != right for value, right in zip(values, right_values))
        num_right += values.index(max(values)) == labels[i]
        num_float_right += int(float_answers[i]) == labels[i]
    accuracy, float_accuracy = (100.0 * right / num_pictures for right in (num_right, num_float_right))
    num_elems = num_pictures * num_classes
    print(f"accuracy on the simulated NPU (int8)  {accuracy:6.2f} %   ({num_right} of {num_pictures} pictures)")
    print(f"accuracy of the float network         {float_accuracy:6.2f} %   ({num_float_right} of {num_pictures})")
    print(f"output elements equal to the reference  {num_elems - num_different} of {num_elems}")
    good = (num_different == 0 and accuracy >= MIN_ACCURACY_PERCENT
            and accuracy >= float_accuracy - MAX_LOSS_POINTS)
    if not good:
        print(f"accuracy.py: failed: every element must be equal, and the accuracy at least {MIN_ACCURACY_PERCENT} % "
              f"and at most {MAX_LOSS_POINTS} points below float", file=sys.stderr)
    return 0 if good else 1


def main():
    commands = {"split": split, "score": score}
    if len(sys.argv) != 4 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    folder, num_pictures = pathlib.Path(sys.argv[2]), int(sys.argv[3])
    num_stored = read_npy(HERE / "labels.npy")[0][0]
    if not 1 <= num_pictures <= num_stored:
        sys.exit(f"accuracy.py: {num_pictures} pictures, allowed are 1 to {num_stored}")
    sys.exit(commands[sys.argv[1]](folder, num_pictures))


if __name__ == "__main__":
    main()
