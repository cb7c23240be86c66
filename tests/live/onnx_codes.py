# SPDX-License-Identifier: Apache-2.0
"""A network that onnxruntime has run, run by vernier: how far the codes are from onnxruntime's."""

import shutil
import subprocess

import npy


class Refused(Exception):
    """vernier does not take the network; the text says why."""


class Wrong(Exception):
    """vernier fails, or its output has another type or shape."""


def steps_of(vernier, folder, number, float_bound=0):
    """A list: for each code of the output the distance to the expected one. Reads NUMBER.onnx, NUMBER.input.npy,
    NUMBER.output.npy and, where there is one, NUMBER.float.npy in the folder: what the host makes of the codes,
    within `float_bound` times the greatest of these numbers."""
    shutil.rmtree(folder / "out", ignore_errors=True)
    done = subprocess.run([vernier, "run", folder / f"{number}.onnx", "-q", "--input", folder / f"{number}.input.npy",
                           "--output-dir", folder / "out"], capture_output=True, text=True, check=False)
    if done.returncode == 2:
        raise Refused(done.stderr.strip())
    if done.returncode != 0:
        raise Wrong(f"exit code {done.returncode}: {done.stderr}")
    file, = (file for file in (folder / "out").iterdir() if not file.name.endswith(".float.npy"))
    found, expected = npy.read(file), npy.read(folder / f"{number}.output.npy")
    if (found.descr, found.shape) != (expected.descr, expected.shape):
        raise Wrong(f"{found.descr} {found.shape}, expected {expected.descr} {expected.shape}")
    if (folder / f"{number}.float.npy").exists():
        numbers, wanted = npy.read(file.with_suffix(".float.npy")), npy.read(folder / f"{number}.float.npy")
        if numbers.shape != wanted.shape:
            raise Wrong(f"the host gives {numbers.shape}, expected {wanted.shape}")
        bound = float_bound * max(map(abs, wanted.values))
        off = max(abs(a - b) for a, b in zip(numbers.values, wanted.values, strict=True))
        if list(found.values) == list(expected.values) and not off <= bound:
            raise Wrong(f"what the host computes after the last quantizer is {off} off, allowed are {bound}")
    return [abs(a - b) for a, b in zip(found.values, expected.values, strict=True)]
