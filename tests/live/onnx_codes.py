# SPDX-License-Identifier: Apache-2.0
"""A network that onnxruntime has run, run by vernier: how far the codes are from onnxruntime's."""

import subprocess

import npy


class Refused(Exception):
    """vernier does not take the network; the text says why."""


class Wrong(Exception):
    """vernier fails, or its output has another type or shape."""


def steps_of(vernier, folder, number):
    """A list: for each code of the output the distance to the expected one. Reads NUMBER.onnx, NUMBER.input.npy and
    NUMBER.output.npy in the folder."""
    done = subprocess.run([vernier, "run", folder / f"{number}.onnx", "-q", "--input", folder / f"{number}.input.npy",
                           "--output-dir", folder / "out"], capture_output=True, text=True, check=False)
    if done.returncode == 2:
        raise Refused(done.stderr.strip())
    if done.returncode != 0:
        raise Wrong(f"exit code {done.returncode}: {done.stderr}")
    found, expected = npy.read(folder / "out" / "y.npy"), npy.read(folder / f"{number}.output.npy")
    if (found.descr, found.shape) != (expected.descr, expected.shape):
        raise Wrong(f"{found.descr} {found.shape}, expected {expected.descr} {expected.shape}")
    return [abs(a - b) for a, b in zip(found.values, expected.values, strict=True)]
