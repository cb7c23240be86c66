# SPDX-License-Identifier: Apache-2.0
"""How long the largest real network takes to be read, as each format that it is there in, by bench_import."""

import pathlib
import re
import subprocess
import tempfile

import measure

NETWORK = measure.ROOT.parent / "shared/golden/nets/resnet50_int8"
HEADING = "## Reading networks"
TEXT = """Printed by the same command: the least of ten times from the bytes of a file to a verified graph. The text of MLIR is what `vernier convert`
prints, with its blobs of hexadecimal digits, and the same with a decimal number for each element.

"""


def with_numbers(text):
    """MLIR text whose blobs of int8 are lists of numbers."""
    names = [str(byte - 256 if byte > 127 else byte) for byte in range(256)]

    def listed(match):
        numbers = [names[byte] for byte in bytes.fromhex(match[1])]
        for size in reversed([int(size) for size in match[2].split("x")]):
            numbers = ["[" + ", ".join(numbers[i:i + size]) + "]" for i in range(0, len(numbers), size)]
        return f"dense<{numbers[0]}> : tensor<{match[2]}xi8>"
    return re.sub(r'dense<"0x([0-9A-Fa-f]*)"> : tensor<([0-9x]+)xi8>', listed, text)


def lines(vernier, network=NETWORK):
    """[] where the network or the program is missing."""
    program = pathlib.Path(vernier).parent / "tests/bench/bench_import"
    if not program.exists() or not network.exists():
        return []
    with tempfile.TemporaryDirectory(prefix="vernier_bench_") as folder:
        hexadecimal, numbers = pathlib.Path(folder, "blobs.mlir"), pathlib.Path(folder, "numbers.mlir")
        subprocess.run([str(vernier), "convert", str(network / "model.tosa"), "-o", str(hexadecimal)], check=True, capture_output=True)
        numbers.write_text(with_numbers(hexadecimal.read_text(encoding="utf-8")), encoding="utf-8")
        result = []
        for what, file in ((".tosa", network / "model.tosa"), (".tflite", network / "model.tflite"), (".mlir, blobs", hexadecimal), (".mlir, numbers", numbers)):
            done = subprocess.run([str(program), str(file)], capture_output=True, text=True, check=False)
            said = done.stdout.strip() if done.returncode == 0 else f"exit code {done.returncode}: {done.stderr.strip()}"
            result.append(f"reading, {network.name} as {what}: {said}")
    return result
