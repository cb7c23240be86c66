#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Python package compiled with sanitizers, under calls with arguments of all kinds: sanitized_test.py VERNIER FOLDER [SEED ...].

Where PyPI cannot be reached, it is skipped with a line.
"""

import os
import pathlib
import subprocess
import sys

from package_test import NUMPY, PANDAS, ROOT, execute

import pypi
import tflite_file


def library_of_compiler(name):
    return subprocess.run(["g++", f"-print-file-name={name}"], check=True, capture_output=True, text=True).stdout.strip()


def main():
    vernier, folder = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    seeds = sys.argv[3:] or ["1"]
    python = pypi.python_with(folder / "sanitized", NUMPY, PANDAS)
    made = folder / "sanitized-wheel"
    made.mkdir(parents=True, exist_ok=True)
    for old in made.glob("*.whl"):
        old.unlink()
    settings = ["build-dir=../build/python-sanitized", "cmake.build-type=RelWithDebInfo", "cmake.define.VERNIER_SANITIZE=ON", "install.strip=false"]
    environment = {**os.environ, "CMAKE_BUILD_PARALLEL_LEVEL": str(os.cpu_count())}
    execute(python, "-m", "pip", "wheel", "-q", "--disable-pip-version-check", "--no-deps", "-w", made, *(f"--config-settings={one}" for one in settings),
            ROOT / "python", env=environment)
    (built,) = made.glob("*.whl")
    execute(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps", "--force-reinstall", built)
    network = folder / "classifier.tflite"
    network.write_bytes(tflite_file.small_classifier())
    # Python itself keeps what it has until it ends.
    environment = {**os.environ, "LD_PRELOAD": f"{library_of_compiler('libasan.so')} {library_of_compiler('libstdc++.so')}",
                   "ASAN_OPTIONS": "detect_leaks=0", "UBSAN_OPTIONS": "print_stacktrace=1"}
    for seed in seeds:
        execute(python, "-B", ROOT / "tests/python/random_in_package.py", vernier, network, seed, cwd=folder, env=environment)


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as failed:
        print(f"failed: {failed}", file=sys.stderr)
        sys.exit(1)
