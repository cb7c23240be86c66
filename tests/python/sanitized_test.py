#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random calls of the Python package under the address and undefined-behaviour sanitizers: sanitized_test.py VERNIER FOLDER.

Compiles the module and the libraries with sanitizers in FOLDER/build, which takes a quarter of an hour, and lays the package over them.
The sanitizers look at each call of random_in_package.py, and at the random calls of in_golden.py. Where PyPI cannot be reached, it is
skipped with a line.
"""

import os
import pathlib
import shutil
import subprocess
import sys

import package_test
from package_test import ROOT, execute

sys.path.insert(0, str(ROOT / "tests" / "e2e"))
import pypi  # noqa: E402
import tflite_file  # noqa: E402

OPTIONS = {"CMAKE_BUILD_TYPE": "RelWithDebInfo", "VERNIER_SANITIZE": "ON", "VERNIER_PYTHON": "ON", "VERNIER_TESTS": "OFF", "VERNIER_RTL": "OFF"}
# An array of 2**70 bytes is a mistake that the package names, and Python itself keeps what it allocates until it ends.
WITH_SANITIZERS = {"ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1", "UBSAN_OPTIONS": "print_stacktrace=1"}


def preloaded():
    """The sanitizers come before all else in the process, and the library of C++ with them, whose exceptions they watch."""
    names = ("libasan.so", "libubsan.so", "libstdc++.so")
    return ":".join(subprocess.run(["g++", f"-print-file-name={name}"], capture_output=True, text=True, check=True).stdout.strip() for name in names)


def package(python, folder):
    """A folder with the package, whose compiled parts have the sanitizers in them."""
    nanobind = subprocess.run([python, "-m", "nanobind", "--cmake_dir"], capture_output=True, text=True, check=True).stdout.strip()
    build = folder / "build"
    options = {**OPTIONS, "nanobind_DIR": nanobind, "Python_EXECUTABLE": python}
    execute("cmake", "-G", "Ninja", "-S", ROOT, "-B", build, *(f"-D{name}={value}" for name, value in options.items()), stdout=subprocess.DEVNULL)
    execute("cmake", "--build", build, "--parallel", str(os.cpu_count()), "--target", "_vernier", "vernier_host", "vernier_ref")
    laid = folder / "sanitized"
    shutil.rmtree(laid, ignore_errors=True)
    shutil.copytree(ROOT / "python" / "vernier", laid / "vernier", ignore=shutil.ignore_patterns("__pycache__", "README.md"))
    compiled = [*build.rglob("_vernier*.so"), *build.rglob("libvernier.so*"), *build.rglob("libvernier_ref.so*")]
    for library in compiled:
        shutil.copy(library, laid / "vernier", follow_symlinks=True)
        if b"__asan_init" not in library.read_bytes():
            raise SystemExit(f"failed: {library} has no sanitizer in it")
    return laid


def unwatched(vernier, folder):
    """The program, which has no sanitizers, as a command that keeps those of its caller away."""
    script = folder / "vernier_unwatched"
    script.write_text(f'#!/bin/sh\nunset LD_PRELOAD\nexec "{vernier}" "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    return script


def main():
    vernier, folder = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    python = pypi.python_with(folder / "sanitizing", package_test.NUMPY, package_test.nanobind())
    laid, program = package(python, folder), unwatched(vernier, folder)
    network = folder / "sanitized_classifier.tflite"
    network.write_bytes(tflite_file.small_classifier())
    environment = {**os.environ, **WITH_SANITIZERS, "PYTHONPATH": str(laid)}
    environment.pop("VERNIER_LIB", None)
    with_sanitizers = ("env", f"LD_PRELOAD={preloaded()}", python, "-B")
    execute(*with_sanitizers, ROOT / "tests/python/random_in_package.py", program, network, cwd=folder, env=environment)
    execute(*with_sanitizers, ROOT / "tests/python/in_golden.py", program, laid / "vernier", network, "Mistakes.test_random_calls_end_in_results_or_mistakes",
            cwd=folder, env=environment)


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as failed:
        print(f"failed: {failed}", file=sys.stderr)
        sys.exit(1)
