# SPDX-License-Identifier: Apache-2.0
"""Node data for the real adapters of Google's Model Explorer: every key is a node of the graph that they make of the same file, every
layer with cycles has one, and figures add up to the totals.

usage: model_explorer_test.py VERNIER FOLDER VECTORS. Model Explorer and its adapters are installed from PyPI into FOLDER, once; exit
code 77, with a message, where they cannot be had. Networks are the tests' own and, where they are there, those of VECTORS, the folder
of golden networks."""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
import onnx_file
import program
import pypi
import qonnx_file

PACKAGES = ("ai-edge-model-explorer==0.1.34", "tosa-adapter-model-explorer==0.1.0", "model-explorer-onnx==0.4.2")
OPTIONS = (["--memory", "sram"], ["--memory", "external", "--config", "v64"], ["--optimize", "0"])
# In the adapters' Python: a line {graph: [keys]} for each file that is named.
ADAPTER = """
import json, sys
from model_explorer_onnx.main import ONNXAdapter
from tosa_adapter_model_explorer.main import TosaFlatbufferAdapter
adapters = {"onnx": ONNXAdapter(), "tosa": TosaFlatbufferAdapter()}
for file in sys.argv[1:]:
    graphs = adapters[file.rsplit(".", 1)[1]].convert(file, {})["graphs"]
    print(json.dumps({graph.id: [node.id for node in graph.nodes] for graph in graphs}))
"""


class Failed(Exception):
    pass


def networks(folder, vectors):
    yield program.DEMO
    for name in ("depthwise_separable", "softmax_rows", "residual_shortcut"):
        yield program.MADE / name / "model.tosa"
    for name, content in (("small", onnx_file.small()), ("operators", onnx_file.operators()), ("qonnx", qonnx_file.small())):
        (folder / f"{name}.onnx").write_bytes(content)
        yield folder / f"{name}.onnx"
    yield from sorted(vectors.glob("nets/*/model.tosa"))
    yield from sorted([*vectors.glob("quant/qdq/*/model.onnx"), *vectors.glob("quant/qonnx/nets/*/model.onnx")])


def data_of(folder, infix, graphs):
    """{key: value}; every key is in the graph."""
    [(graph, data)] = json.loads((folder / f"n{infix}.mx.json").read_text()).items()
    if graph not in graphs:
        raise Failed(f"graph '{graph}' is not there, there are {sorted(graphs)}")
    unknown = sorted(set(data["results"]) - set(graphs[graph]))
    if unknown:
        raise Failed(f"n{infix}.mx.json: {len(unknown)} keys are no nodes: {unknown[:3]}")
    return {key: result["value"] for key, result in data["results"].items()}


def check(vernier, folder, model, options, graphs):
    done = subprocess.run([vernier, "estimate", model, "-q", "--report", folder / "r.json", "--report", folder / "n.mx.json", *options],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failed(done.stderr.strip())
    report = json.loads((folder / "r.json").read_text())
    totals = report["totals"]
    sums = {"": totals["cycles"], ".sram_bytes": totals["sram_read_bytes"] + totals["sram_write_bytes"],
            ".external_bytes": totals["external_read_bytes"] + totals["external_write_bytes"]}
    for infix, total in sums.items():
        values = data_of(folder, infix, graphs)
        if sum(values.values()) != total:
            raise Failed(f"n{infix}.mx.json: {sum(values.values())} in all, the report has {total}: {report['notes']}")
        if len(values) != len(report["layers"]):
            raise Failed(f"n{infix}.mx.json: {len(values)} nodes, {len(report['layers'])} layers")
    for infix in (".share", ".bound"):
        data_of(folder, infix, graphs)
    return len(report["layers"])


def main():
    parser = argparse.ArgumentParser()
    for name in ("vernier", "folder", "vectors"):
        parser.add_argument(name, type=lambda text: pathlib.Path(text).resolve())
    options = parser.parse_args()
    python = pypi.python_with(options.folder, *PACKAGES)
    with tempfile.TemporaryDirectory(prefix="vernier_explorer_") as name:
        folder = pathlib.Path(name)
        models = list(networks(folder, options.vectors))
        done = subprocess.run([python, "-c", ADAPTER, *models], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Failed(done.stderr[-2000:])
        for model, line in zip(models, done.stdout.splitlines(), strict=True):
            for variant in OPTIONS:
                try:
                    layers = check(options.vernier, folder, model, variant, json.loads(line))
                except Failed as failed:
                    raise Failed(f"{model} {' '.join(variant)}: {failed}") from failed
            print(f"{model.parent.name}/{model.name}: {layers} layers", flush=True)
    print(f"{len(models)} networks, {len(OPTIONS)} machines each")


if __name__ == "__main__":
    try:
        main()
    except Failed as failed:
        print(f"failed: {failed}", file=sys.stderr)
        sys.exit(1)
