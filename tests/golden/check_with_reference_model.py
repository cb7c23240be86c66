#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the official tosa_reference_model on every network in the tree and compares with the committed results.

    PATH=venv/bin:$PATH python3 check_with_reference_model.py      (venv: see make_networks.py)

Shares nothing with make_networks.py: it reads the files with the package's own flatbuffer reader and runs the
model's command-line program on the committed .npy files, at level 8K. Also checks the demo network of tests/e2e/demo:
operators, size, expected outputs of all pictures, accuracy, checksums of demo.json. Exit code 1 on any difference.
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import tosa.DType
import tosa.Op
import tosa.TosaGraph

HERE = pathlib.Path(__file__).resolve().parent
DEMO = HERE.parent / "e2e" / "demo"
OPERATORS = set("""ADD ARITHMETIC_RIGHT_SHIFT AVG_POOL2D CLAMP CLZ CONST CONST_SHAPE CONV2D CONV3D DEPTHWISE_CONV2D
    GATHER LOGICAL_LEFT_SHIFT MUL REDUCE_MAX REDUCE_SUM RESCALE RESHAPE RESIZE SCATTER SLICE SUB TABLE""".split())
MAX_DEMO_BYTES = 150_000
MAX_NETWORK_BYTES = 20_000
MAX_TOTAL_BYTES = 1_000_000


def names_of(enum):
    return {value: name for name, value in vars(enum).items() if not name.startswith("_")}


OP_NAMES, DTYPE_NAMES = names_of(tosa.Op.Op), names_of(tosa.DType.DType)


def read_graph(path):
    """(operators, inputs, outputs) of a .tosa; an input or output is [name, dtype, shape]."""
    graph = tosa.TosaGraph.TosaGraph.GetRootAs(path.read_bytes(), 0)
    block = graph.Regions(0).Blocks(0)
    tensors = {}
    for i in range(block.TensorsLength()):
        tensor = block.Tensors(i)
        shape = [tensor.Shape(d) for d in range(tensor.ShapeLength())]
        tensors[tensor.Name().decode()] = [tensor.Name().decode(), DTYPE_NAMES[tensor.Type()].lower(), shape]
    assert len(tensors) == block.TensorsLength(), f"{path}: two tensors of one name"
    operators = {OP_NAMES[block.Operators(i).Op()] for i in range(block.OperatorsLength())}
    return (operators, [tensors[block.Inputs(i).decode()] for i in range(block.InputsLength())],
            [tensors[block.Outputs(i).decode()] for i in range(block.OutputsLength())])


def run_model(model, input_files, inputs, outputs):
    """The outputs of tosa_reference_model, one array each."""
    with tempfile.TemporaryDirectory() as folder:
        files = [os.path.join(folder, f"{i}.npy") for i in range(len(outputs))]
        done = subprocess.run(
            ["tosa_reference_model", f"--tosa_file={model}", "--flatbuffer_dir=/", "--output_dir=/",
             "--tosa_level=EIGHTK", "--ifm_name=" + ",".join(name for name, _, _ in inputs),
             "--ifm_file=" + ",".join(map(str, input_files)), "--ofm_name=" + ",".join(name for name, _, _ in outputs),
             "--ofm_file=" + ",".join(files)], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise ValueError(f"tosa_reference_model ends with {done.returncode}: {done.stderr.strip()[-300:]}")
        return [np.load(file) for file in files]


def compare(tensor, committed, got):
    name, dtype, shape = tensor
    if committed.dtype != dtype or list(committed.shape) != shape:
        return f"{name}: the file has {committed.dtype}{list(committed.shape)}, the graph {dtype}{shape}"
    if got.dtype != committed.dtype or not np.array_equal(got.reshape(shape), committed):
        return f"{name}: {np.sum(got.reshape(shape) != committed)} of {committed.size} elements differ"
    return None


def check_network(entry):
    """What is wrong with one network of index.json, or None."""
    folder = HERE / "networks" / entry["name"]
    operators, inputs, outputs = read_graph(folder / "model.tosa")
    if inputs != entry["inputs"] or outputs != entry["outputs"]:
        return "index.json and the graph differ in inputs or outputs"
    if operators - {"CONST", "CONST_SHAPE"} != set(entry["operators"]) or not operators <= OPERATORS:
        return f"operators {sorted(operators)}"
    if (folder / "model.tosa").stat().st_size > MAX_NETWORK_BYTES:
        return f"model.tosa is larger than {MAX_NETWORK_BYTES} bytes"
    expected_files = {"model.tosa"} | {f"{tensor[0]}.npy" for tensor in inputs + outputs}
    if {file.name for file in folder.iterdir()} != expected_files:
        return "files are missing, or there are more than belong to the network"
    input_files = [folder / f"{tensor[0]}.npy" for tensor in inputs]
    for tensor, file in zip(inputs, input_files):
        values = np.load(file)
        if values.dtype != tensor[1] or list(values.shape) != tensor[2]:
            return f"{file.name}: {values.dtype}{list(values.shape)}, the graph has {tensor[1:]}"
    results = run_model(folder / "model.tosa", input_files, inputs, outputs)
    differences = [compare(tensor, np.load(folder / f"{tensor[0]}.npy"), result)
                   for tensor, result in zip(outputs, results)]
    return next((difference for difference in differences if difference), None)


def check_demo():
    """What is wrong with the demo network, or None."""
    facts = json.loads((DEMO / "demo.json").read_text())
    for name, checksum in facts["sha256"].items():
        if hashlib.sha256((DEMO / name).read_bytes()).hexdigest() != checksum:
            return f"{name}: the checksum is not that of demo.json"
    operators, inputs, outputs = read_graph(DEMO / "demo.tosa")
    if not operators <= OPERATORS or (DEMO / "demo.tosa").stat().st_size > MAX_DEMO_BYTES:
        return "an operator that is not allowed, or too large"
    pictures, labels, expected = (np.load(DEMO / f"{name}.npy") for name in ("pictures", "labels", "expected"))
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor() as pool:
        files = [os.path.join(folder, f"{i}.npy") for i in range(len(pictures))]
        for file, picture in zip(files, pictures):
            np.save(file, picture[None])
        results = pool.map(lambda file: run_model(DEMO / "demo.tosa", [file], inputs, outputs)[0][0], files)
        got = np.stack(list(results))
    if not np.array_equal(got, expected):
        return f"{np.sum(got != expected)} elements differ from expected.npy"
    accuracy = 100.0 * np.mean(np.argmax(got, axis=1) == labels)
    answers = np.array([int(digit) for digit in facts["demo"]["float_answers"]])
    float_accuracy = 100.0 * np.mean(answers == labels)
    stated = (facts["demo"]["int8_accuracy_percent"], facts["demo"]["float_accuracy_percent"])
    if stated != (round(accuracy, 2), round(float_accuracy, 2)):
        return f"accuracy {accuracy} and {float_accuracy}, demo.json says {stated}"
    return None if accuracy >= max(95.0, float_accuracy - 2.0) else f"accuracy {accuracy}, float {float_accuracy}"


def guarded(check, *args):
    try:
        return check(*args)
    except (ValueError, OSError, KeyError) as error:
        return str(error)


def main():
    entries = json.loads((HERE / "networks" / "index.json").read_text())["networks"]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        results = dict(zip((entry["name"] for entry in entries),
                           pool.map(lambda entry: guarded(check_network, entry), entries)))
    results["tests/e2e/demo"] = guarded(check_demo)
    files = [file for file in (HERE / "networks").rglob("*") if file.is_file()]
    num_bytes = sum(file.stat().st_size for file in files)
    folders = {file.parent.name for file in files} - {"networks"}
    results["networks"] = (f"{num_bytes} bytes, allowed are {MAX_TOTAL_BYTES}" if num_bytes > MAX_TOTAL_BYTES else
                           "folders and index.json differ" if folders != {entry["name"] for entry in entries} else None)
    wrong = {name: result for name, result in results.items() if result}
    for name, result in wrong.items():
        print(f"{name}: {result}")
    print(f"{len(entries)} networks ({num_bytes} bytes) and the demo checked, {len(wrong)} wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
