# SPDX-License-Identifier: Apache-2.0
"""The official converter of TensorFlow Lite and what follows it, as `./dev tosa` runs them, from PyPI."""

import pathlib
import subprocess
import sys

import pypi

PACKAGES = ("tosa-converter-for-tflite==2026.2.0", pypi.TOSA_TOOLS)
CASTS = pathlib.Path(__file__).resolve().parent / "streaming_networks.py"


class Converter:
    """Where the packages cannot be had, `reason` says so and every result is None."""

    def __init__(self, folder):
        python, self.reason = pypi.install(folder, *PACKAGES)
        self.bin = python and python.parent

    def __call__(self, network):
        """A .tosa next to the .tflite, or None where the tools refuse the network."""
        if self.bin is None:
            return None
        done = subprocess.run([self.bin / "tosa-converter-for-tflite", "--text", "--emit-debug-info", "--", network.name], cwd=network.parent,
                              capture_output=True, check=False)
        text = subprocess.run([sys.executable, "-B", CASTS], input=done.stdout, capture_output=True, check=True).stdout
        result = network.with_suffix(".tosa")
        for option in ((), ("--tosa-convert-integer-type-to-signless",)):  # the second where codes are unsigned
            done = subprocess.run([self.bin / "tosa-opt", *option, "--tosa-attach-target=specification_version=1.0", "--tosa-serialize",
                                   f"--tosa-flatbuffer-filename={result}", "-o", "/dev/null"], input=text, capture_output=True, check=False)
            if done.returncode == 0 and result.exists():
                return result
        return None
