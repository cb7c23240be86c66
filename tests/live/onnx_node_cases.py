# SPDX-License-Identifier: Apache-2.0
"""ONNX's own node tests of quantization, as files.

usage: onnx_node_cases.py FOLDER, in an environment that has onnx and numpy. For each test of package onnx whose name speaks of
quantization: FOLDER/NAME.onnx, in which all inputs but the data are initializers, NAME.input.npy, NAME.output.npy where numpy has the
types, and FOLDER/index.json."""

import argparse
import json
import pathlib
import re
import warnings

import numpy
import onnx
from onnx import numpy_helper

NAMES = re.compile("quantize|qlinear|integer")
PLAIN = ("float32", "int8", "uint8", "int16", "uint16", "int32")


def plain(array):
    """Codes of 4 bits as bytes; None of types that numpy does not have."""
    array = numpy_helper.to_array(array) if isinstance(array, onnx.TensorProto) else numpy.asarray(array)
    if array.dtype.name in ("int4", "uint4"):
        return array.astype(array.dtype.name.replace("4", "8"))
    return array if array.dtype.name in PLAIN else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from onnx.backend.test.case.node import collect_testcases
        cases = [case for case in collect_testcases(None) if NAMES.search(case.name)]
    index = []
    for case in cases:
        inputs, outputs = case.data_sets[0]
        model = onnx.ModelProto()
        model.CopyFrom(case.model)
        graph = model.graph
        for value, array in zip(graph.input[1:], inputs[1:], strict=True):
            tensor = array if isinstance(array, onnx.TensorProto) else numpy_helper.from_array(numpy.asarray(array), value.name)
            tensor.name = value.name
            graph.initializer.append(tensor)
        del graph.input[1:]
        onnx.save(model, folder / f"{case.name}.onnx")
        data = [plain(array) for array in (inputs[0], outputs[0])]
        if all(array is not None for array in data):
            for what, array in zip(("input", "output"), data, strict=True):
                numpy.save(folder / f"{case.name}.{what}.npy", numpy.ascontiguousarray(array))
        index.append({"name": case.name, "output": graph.output[0].name, "has_data": all(array is not None for array in data)})
    (folder / "index.json").write_text(json.dumps(index, indent=1))


if __name__ == "__main__":
    main()
