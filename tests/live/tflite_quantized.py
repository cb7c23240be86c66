# SPDX-License-Identifier: Apache-2.0
"""Float networks of TensorFlow Lite, quantized: python tflite_quantized.py FOLDER.

FOLDER/index.json lists networks; N.float.tflite of one with a "quantizer" becomes N.tflite, or N.refused.txt with what the quantizer said.
"ai-edge-quantizer" has recipes of "int8" and "int16x8"; "ai-edge-litert" is the older quantizer that LiteRT ships, as TensorFlow's converter
calls it: it takes PRELU, LEAKY_RELU and DEPTH_TO_SPACE too, which the newer one leaves in float. Before that, weights in float16 or sparse become
float32 (their DEQUANTIZE and DENSIFY are computed once), since neither takes those. Activations are calibrated with inputs drawn from "seed":
numbers from -1 to 1."""

import json
import pathlib
import sys

import numpy
from ai_edge_litert import _pywrap_tensorflow_lite_calibration_wrapper as calibration
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter, OpResolverType
from ai_edge_litert.tools import flatbuffer_utils
from ai_edge_quantizer import quantizer, recipe

CALIBRATING_INPUTS = 4
KINDS = {"int8": ("int8", "int32"), "int16x8": ("int16", "int64")}  # of activations and of biases
RECIPES = {"int8": recipe.static_wi8_ai8, "int16x8": recipe.static_wi8_ai16}
UNPACKING = {schema.BuiltinOperator.DEQUANTIZE, schema.BuiltinOperator.DENSIFY}


def values_of(content, indices):
    """What the operators write into tensors that depend on no input."""
    interpreter = Interpreter(model_content=content, experimental_op_resolver_type=OpResolverType.BUILTIN_REF, experimental_preserve_all_tensors=True)
    interpreter.allocate_tensors()
    interpreter.invoke()
    return {index: interpreter.get_tensor(index).copy() for index in indices}


def give(model, tensor, value):
    """The tensor becomes a constant of float32."""
    buffer = schema.BufferT()
    buffer.data = numpy.frombuffer(value.astype("<f4").tobytes(), numpy.uint8)
    tensor.buffer, tensor.type, tensor.sparsity, tensor.shape = len(model.buffers), schema.TensorType.FLOAT32, None, list(value.shape)
    model.buffers.append(buffer)


def unpack_weights(model):
    """Weights as float32, without the operators that made them so. What nothing reads any more becomes one number, which calibration can read."""
    graph = model.subgraphs[0]
    constant = {i for i, tensor in enumerate(graph.tensors) if model.buffers[tensor.buffer].data is not None}
    unpacking = []
    for operator in graph.operators:
        if model.operatorCodes[operator.opcodeIndex].builtinCode in UNPACKING and set(operator.inputs) <= constant:
            unpacking.append(operator)
            constant.update(operator.outputs)
    values = values_of(bytes(flatbuffer_utils.convert_object_to_bytearray(model)), [operator.outputs[0] for operator in unpacking])
    graph.operators = [operator for operator in graph.operators if operator not in unpacking]
    for index, value in values.items():
        give(model, graph.tensors[index], value)
    read = {index for operator in graph.operators for index in operator.inputs}
    for index in {operator.inputs[0] for operator in unpacking} | values.keys() - read:
        give(model, graph.tensors[index], numpy.zeros(1))


def name_operators_anew(model):
    """Files of before 2020 have an operator's number in a field of 8 bits alone, where the quantizer does not look."""
    for code in model.operatorCodes:
        code.builtinCode = max(code.builtinCode, code.deprecatedBuiltinCode)


def drop_unused_codes(model):
    used = sorted({operator.opcodeIndex for graph in model.subgraphs for operator in graph.operators})
    for operator in (operator for graph in model.subgraphs for operator in graph.operators):
        operator.opcodeIndex = used.index(operator.opcodeIndex)
    model.operatorCodes = [model.operatorCodes[index] for index in used]


def add_signature(model):
    if model.signatureDefs:
        return
    graph, signature = model.subgraphs[0], schema.SignatureDefT()
    signature.signatureKey, signature.subgraphIndex = b"serving_default", 0
    for kind in ("inputs", "outputs"):
        entries = []
        for number, index in enumerate(getattr(graph, kind)):
            entry = schema.TensorMapT()
            entry.name, entry.tensorIndex = f"{kind[:-1]}_{number}".encode(), index
            entries.append(entry)
        setattr(signature, kind, entries)
    model.signatureDefs = [signature]


def name_apart(model):
    """The quantizer knows tensors by name alone, over all graphs."""
    for i, graph in enumerate(model.subgraphs[1:], 1):
        for j, tensor in enumerate(graph.tensors):
            tensor.name = f"graph{i}/{j}/".encode() + (tensor.name or b"")


def with_known_versions(content):
    """DEPTH_TO_SPACE has the one version that LiteRT's kernels have, where LiteRT's quantizer writes the next."""
    model = flatbuffer_utils.read_model_from_bytearray(bytearray(content))
    for code in model.operatorCodes:
        code.version = 1 if code.builtinCode == schema.BuiltinOperator.DEPTH_TO_SPACE else code.version
    return bytes(flatbuffer_utils.convert_object_to_bytearray(model))


def by_quantizer(model, entry):
    add_signature(model)
    name_apart(model)
    content = bytes(flatbuffer_utils.convert_object_to_bytearray(model))
    interpreter = Interpreter(model_content=content, experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
    [name] = interpreter.get_signature_list()
    inputs, rng = interpreter.get_signature_runner(name).get_input_details(), numpy.random.default_rng(entry["seed"])
    drawn = [{key: rng.uniform(-1, 1, one["shape"]).astype(one["dtype"]) for key, one in inputs.items()} for _ in range(CALIBRATING_INPUTS)]
    worker = quantizer.Quantizer(content, RECIPES[entry["recipe"]]())
    found = worker.calibrate({name: drawn}, num_threads=1)
    return worker.quantize(found, enable_progress_report=False).quantized_model


def by_litert(model, entry):
    """As TensorFlow's converter calls it, where floats may remain: of two recipes this is the one that says which."""
    content, kinds = bytes(flatbuffer_utils.convert_object_to_bytearray(model)), KINDS[entry["recipe"]]
    shapes = [one["shape"] for one in Interpreter(model_content=content).get_input_details()]
    worker, rng = calibration.CalibrationWrapper(content, [], []), numpy.random.default_rng(entry["seed"])
    worker.Prepare()
    for _ in range(CALIBRATING_INPUTS):
        worker.FeedTensor([rng.uniform(-1, 1, shape).astype(numpy.float32) for shape in shapes])
    is_whole_tensor = False  # of weights: else a scale per channel
    floats = numpy.dtype(numpy.float32).num
    return worker.QuantizeModel(floats, floats, True, *(numpy.dtype(kind).num for kind in kinds), is_whole_tensor, is_whole_tensor)


def quantized(content, entry):
    model = flatbuffer_utils.convert_bytearray_to_object(bytearray(content))
    name_operators_anew(model)
    unpack_weights(model)
    drop_unused_codes(model)
    return by_quantizer(model, entry) if entry["quantizer"] == "ai-edge-quantizer" else with_known_versions(by_litert(model, entry))


def main(folder):
    folder = pathlib.Path(folder)
    for entry in json.loads((folder / "index.json").read_text()):
        if "quantizer" not in entry:
            continue
        number = entry["number"]
        try:
            content = quantized((folder / f"{number}.float.tflite").read_bytes(), entry)
            (folder / f"{number}.tflite").write_bytes(content)
        except Exception as error:  # whatever the quantizer raises is the row's reason
            (folder / f"{number}.refused.txt").write_text(f"{type(error).__name__}: {' '.join(str(error).split())}")


if __name__ == "__main__":
    main(*sys.argv[1:])
