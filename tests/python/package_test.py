#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Python package from its wheel, in environments without pandas, with it, and with Dask: package_test.py VERNIER FOLDER.

Builds the wheel with `./dev wheel`, or takes the one that VERNIER_WHEEL names. Where PyPI cannot be reached, it is skipped with a line.
"""

import json
import os
import pathlib
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
for sibling in ("live", "guides", "e2e"):
    sys.path.insert(0, str(ROOT / "tests" / sibling))

import guide  # noqa: E402
import pypi  # noqa: E402
import tflite_file  # noqa: E402

NUMPY, PANDAS = "numpy==2.4.6", "pandas==3.1.1"
STUDIES = ("distributed==2026.8.0", "dask==2026.8.0", "pyarrow==26.0.1", "matplotlib==3.11.2")
NOTEBOOKS = ("nbclient==0.11.0", "nbformat==5.11.1", "ipykernel==7.4.0")
COCOTB = "cocotb==2.1.0"  # takes no Verilator older than 5.036, so that Debian's simulator for it is Icarus
LINTERS = ("mypy==2.4.1", "ruff==0.17.6", "pandas-stubs==3.1.0.261029", COCOTB)


def nanobind():
    """The name and version with which the wheel is built."""
    with open(ROOT / "python" / "pyproject.toml", "rb") as file:
        (named,) = (one for one in tomllib.load(file)["build-system"]["requires"] if one.startswith("nanobind"))
    return named


def wheel():
    if "VERNIER_WHEEL" in os.environ:
        return pathlib.Path(os.environ["VERNIER_WHEEL"])
    subprocess.run([ROOT / "dev", "wheel"], check=True)
    (built,) = (ROOT / "build" / "wheel").glob("vernier-*.whl")
    return built


def code_of_notebooks(folder):
    """A file with the code of each notebook of python/examples."""
    for notebook in sorted((ROOT / "python" / "examples").glob("*.ipynb")):
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        file = folder / f"{notebook.stem}.py"
        file.write_text("\n".join("".join(cell["source"]) + "\n" for cell in cells if cell["cell_type"] == "code"), encoding="utf-8")
        yield file


def execute(*command, **options):
    print(" ".join(map(str, command)), flush=True)
    subprocess.run(command, check=True, **options)


def main():
    vernier, folder = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    pythons = [pypi.python_with(folder / "plain", NUMPY, nanobind()), pypi.python_with(folder / "frames", NUMPY, PANDAS)]
    studies = pypi.python_with(folder / "studies", NUMPY, PANDAS, *STUDIES, *NOTEBOOKS)
    linters = pypi.python_with(folder / "linters", NUMPY, *LINTERS)
    built = wheel()
    (folder / "classifier.tflite").write_bytes(tflite_file.small_classifier())
    for python in (*pythons, studies):
        execute(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps", "--force-reinstall", built)
    execute(pythons[0], "-B", ROOT / "tests/python/stub.py")
    for python in pythons:
        execute(python, "-B", ROOT / "tests/python/in_package.py", vernier, folder / "classifier.tflite", cwd=folder)
    execute(pythons[0], "-B", ROOT / "tests/python/inside_in_package.py", vernier, folder / "classifier.tflite", cwd=folder)
    execute(pythons[1], "-B", ROOT / "tests/python/random_in_package.py", vernier, folder / "classifier.tflite", cwd=folder)
    execute(studies, "-B", ROOT / "tests/python/notebooks_in_package.py", cwd=folder)
    execute(studies, "-B", ROOT / "tests/python/study_in_package.py", vernier, cwd=folder)
    execute(studies, "-B", ROOT / "tests/python/study_at_large.py", vernier, folder, cwd=folder)
    with guide.folder_with_demo() as name:
        (pathlib.Path(name) / "kws.tflite").write_bytes(tflite_file.small_classifier())
        path = os.environ["PATH"]
        for page, python in (("python.md", pythons[1]), ("studies.md", studies)):
            os.environ["PATH"] = f"{python.parent}:{path}"
            guide.try_page(ROOT / "docs/guides" / page, pathlib.Path(name), vernier)
    execute(linters, "-m", "ruff", "check", "--no-cache", ROOT / "python")
    mypy = (linters, "-m", "mypy", "--strict", "--cache-dir", folder / "mypy")
    execute(*mypy, "-p", "vernier", cwd=ROOT / "python")
    for example in [ROOT / "python/examples/cocotb/test_rescale.py", *code_of_notebooks(folder)]:
        execute(*mypy, example, cwd=ROOT / "python")


if __name__ == "__main__":
    try:
        main()
    except (subprocess.CalledProcessError, guide.Failed) as failed:
        print(f"failed: {failed}", file=sys.stderr)
        sys.exit(1)
