#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the notebooks of python/examples from beginning to end, and looks at what they show: notebooks_in_package.py.

For a Python that has the package, pandas, matplotlib, nbclient and ipykernel. Runs in copies: the notebooks stay without outputs."""

import pathlib
import shutil
import sys
import tempfile

import nbclient
import nbformat

ROOT = pathlib.Path(__file__).resolve().parents[2]
# What each of them is to show somewhere: a text, or "image/png" for a picture.
WANTED = {"from_a_network_to_a_machine": ("frames per second", "bound_by", "image/png", "KiB of SRAM", "'result': 'match'"),
          "why_is_this_layer_slow": ("bound_by", "external", "Queue(running=", "layer.fst", "run.perfetto-trace")}


def shown(notebook):
    """Texts and kinds of all outputs."""
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            yield output.get("text", "")
            for kind, content in output.get("data", {}).items():
                yield kind
                yield str(content) if kind.startswith("text/") else ""


def complaints_of(file, folder):
    notebook = nbformat.read(file, as_version=4)
    nbformat.validate(notebook)
    if any(cell.get("outputs") or cell.get("execution_count") for cell in notebook.cells):
        yield f"{file.name}: it has outputs, which a run makes anew"
    # From a folder as deep as its own, so that it finds the demo network and leaves its files there.
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": folder}}).execute()
    text = "\n".join(shown(notebook))
    for wanted in WANTED[file.stem]:
        if wanted not in text:
            yield f"{file.name}: nothing shows '{wanted}'"


def main():
    files = sorted((ROOT / "python/examples").glob("*.ipynb"))
    complaints = [f"there is no notebook {name}" for name in set(WANTED) - {file.stem for file in files}]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / "python" / "examples"
        folder.mkdir(parents=True)
        demo = pathlib.Path(name) / "tests/e2e/demo"
        demo.mkdir(parents=True)
        shutil.copy(ROOT / "tests/e2e/demo/demo.tosa", demo)
        for file in files:
            complaints += complaints_of(file, folder)
            print(f"{file.name}: executed", flush=True)
    print("\n".join(complaints))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
