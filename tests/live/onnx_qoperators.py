# SPDX-License-Identifier: Apache-2.0
"""Float networks quantized to QOperator form with weights of 7 bits, and what onnxruntime makes of them with its optimisations off.

usage: onnx_qoperators.py QDQ_FOLDER FOLDER, in an environment that has onnx, onnxruntime and numpy. For each QDQ_FOLDER/NAME/float.onnx and
each type of codes: FOLDER/N.onnx, N.input.npy, N.output.npy (samples first) and FOLDER/index.json."""

import argparse
import json
import pathlib

import numpy
import onnx
from onnx_networks import session_of
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static


class Samples(CalibrationDataReader):
    def __init__(self, name, samples):
        self.rows = iter([{name: samples[i:i + 1]} for i in range(len(samples))])

    def get_next(self):
        return next(self.rows, None)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    index = []
    for source in sorted(arguments.source.glob("*/float.onnx")):
        name = onnx.load(source).graph.input[0].name
        samples = numpy.load(source.parent / "input.npy")
        for activations, per_channel in ((QuantType.QUInt8, False), (QuantType.QUInt8, True), (QuantType.QInt8, True)):
            number = len(index)
            path = arguments.folder / f"{number}.onnx"
            quantize_static(source, path, Samples(name, samples), quant_format=QuantFormat.QOperator, activation_type=activations,
                            weight_type=QuantType.QInt8, per_channel=per_channel, reduce_range=True)
            model = onnx.load(path)
            session = session_of(model)
            outputs = numpy.concatenate([session.run(None, {name: samples[i:i + 1]})[0] for i in range(len(samples))])
            scales = {item.name: onnx.numpy_helper.to_array(item) for item in model.graph.initializer}
            last = next(node for node in model.graph.node if node.output[0] == model.graph.output[0].name)
            numpy.save(arguments.folder / f"{number}.input.npy", samples)
            numpy.save(arguments.folder / f"{number}.output.npy", outputs)
            index.append({"number": number, "name": f"{source.parent.name} {activations.name}{' per channel' if per_channel else ''}",
                          "step": float(scales[last.input[1]]), "output": model.graph.output[0].name, "kinds": sorted({node.op_type for node in model.graph.node})})
    (arguments.folder / "index.json").write_text(json.dumps(index, indent=1))


if __name__ == "__main__":
    main()
