#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the small networks of tests/golden: the graphs, an input each, and the results of the official model.

    python3 -m venv venv && venv/bin/pip install -r requirements.txt
    venv/bin/python make_networks.py [NAME ...]      all of them without a NAME; then the index is written too

Writes networks/<name>/model.tosa, TosaInput_N.npy, TosaOutput_N.npy and networks/index.json. The same versions give
the same bytes. check_with_reference_model.py verifies what is in the tree without this script.
"""

import importlib.metadata
import json
import os
import pathlib
import platform
import shutil
import sys
import zlib

import families.convolution  # noqa: F401  (each of these registers its networks)
import families.depthwise  # noqa: F401
import families.elementwise  # noqa: F401
import families.graphs  # noqa: F401
import families.indexed  # noqa: F401
import families.pooling  # noqa: F401
import families.scaling  # noqa: F401
import numpy as np
import tosa_reference_model
from families import NETWORKS
from tosa_writer import Network

HERE = pathlib.Path(__file__).resolve().parent
PACKAGES = ["tosa-tools", "flatbuffers", "numpy"]


def input_values(net, rng):
    for tensor, values in zip(net.inputs, net.input_values):
        if values is None:
            limits = np.iinfo(tensor.dtype)
            values = rng.integers(limits.min, limits.max, tensor.shape, endpoint=True)
        values = np.asarray(values)
        assert values.shape == tensor.shape and np.array_equal(values.astype(tensor.dtype), values), tensor.name
        yield values.astype(tensor.dtype)


def run_reference(name, model, net, inputs):
    outputs, status = tosa_reference_model.run(model, inputs, tosa_level="EIGHTK", debug_filename=os.devnull)
    if status != tosa_reference_model.GraphStatus.TOSA_VALID:
        sys.exit(f"{name}: tosa_reference_model says {status}")
    return [np.frombuffer(output.tobytes(), tensor.dtype).reshape(tensor.shape)
            for output, tensor in zip(outputs, net.outputs, strict=True)]


def warn_if_flat(name, tensor, values):
    """An output that hardly varies shows little: the author of the network should mean it."""
    distinct = len(np.unique(values))
    if distinct < min(20, values.size) / 2:
        print(f"note: {name}: {tensor.name} has only {distinct} distinct values in {values.size} elements")


def make(name):
    what, build, options = NETWORKS[name]
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    net = Network(**options)
    build(net, rng)
    inputs = list(input_values(net, rng))
    model = net.to_bytes()
    outputs = run_reference(name, model, net, inputs)
    folder = HERE / "networks" / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.tosa").write_bytes(model)
    for tensor, values in zip(net.inputs + net.outputs, inputs + outputs):
        np.save(folder / f"{tensor.name}.npy", values)
    for tensor, values in zip(net.outputs, outputs):
        warn_if_flat(name, tensor, values)
    return {"name": name, "what": what, "family": build.__module__.removeprefix("families."), "macs": net.macs,
            "operators": sorted({operator[0] for operator in net.operators} - {"CONST", "CONST_SHAPE"}),
            "inputs": [[tensor.name, tensor.dtype, list(tensor.shape)] for tensor in net.inputs],
            "outputs": [[tensor.name, tensor.dtype, list(tensor.shape)] for tensor in net.outputs]}


def write_index(entries):
    lines = ",\n".join("    " + json.dumps(entry) for entry in entries)
    versions = json.dumps({"python": platform.python_version(),
                           **{package: importlib.metadata.version(package) for package in PACKAGES}})
    (HERE / "networks" / "index.json").write_text(
        f'{{\n  "made_by": "tests/golden/make_networks.py",\n  "versions": {versions},\n'
        f'  "networks": [\n{lines}\n  ]\n}}\n')


def main():
    names = sys.argv[1:] or sorted(NETWORKS)
    unknown = [name for name in names if name not in NETWORKS]
    if unknown:
        sys.exit(f"make_networks.py: no network {unknown[0]}; known are: {' '.join(sorted(NETWORKS))}")
    if not sys.argv[1:]:
        shutil.rmtree(HERE / "networks", ignore_errors=True)
    entries = [make(name) for name in names]
    if not sys.argv[1:]:
        write_index(entries)
    print(f"{len(entries)} networks")


if __name__ == "__main__":
    main()
