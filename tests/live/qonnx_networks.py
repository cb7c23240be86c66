# SPDX-License-Identifier: Apache-2.0
"""Networks of random Quant, BipolarQuant and Trunc nodes, each between an input and an output of its own, and what qonnx makes of them.

usage: qonnx_networks.py --seed N --nodes N FOLDER, in an environment that has qonnx, onnx, onnxruntime and numpy. Writes
FOLDER/N.onnx, FOLDER/N.I.input.npy and FOLDER/N.I.output.npy (float32, of node I), and FOLDER/index.json. The last networks are
others: MultiThreshold and QuantAvgPool2d after a Quant, three layers of 2-bit codes with batch normalizations between them, and
images through TFC_2W2A with --zoo."""

import argparse
import json
import pathlib
import random

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper
from qonnx.core.modelwrapper import ModelWrapper
from qonnx.core.onnx_exec import execute_onnx
from qonnx.transformation.infer_shapes import InferShapes

onnx.IR_VERSION = 10  # qonnx stamps its models with it, and this onnxruntime takes up to 13
DOMAIN = "qonnx.custom_op.general"
MODES = ("ROUND", "HALF_EVEN", "CEIL", "FLOOR", "UP", "DOWN", "HALF_UP", "HALF_DOWN")
NODES_A_NETWORK = 20
ELEMENTS = 60


def scale_of(rng):
    return numpy.float32(2.0 ** rng.randrange(-8, 4) if rng.random() < 0.5 else rng.uniform(0.01, 5))


def quant(rng):
    """Inputs after the first one, attributes, and numbers near what the modes tell apart."""
    bits, signed, narrow = rng.choice([*range(1, 9), *range(1, 9), 12, 16]), rng.randrange(2), rng.randrange(2)
    least = -(2 ** (bits - 1)) if signed else 0
    zero = rng.choice([0, rng.randrange(least, least + 2**bits)]) if 1 < bits <= 8 else 0
    scale = scale_of(rng)
    steps = numpy.array([rng.randrange(least - 3, least + 2**bits + 3) - zero + rng.choice([0, 0.5, 0.25, rng.uniform(0, 1)])
                         for _ in range(ELEMENTS)])
    numbers = (steps * scale).astype(numpy.float32)
    numbers = numpy.nextafter(numbers, numpy.float32(rng.choice([-1, 1]) * 1e30), dtype=numpy.float32) if rng.random() < 0.3 else numbers
    inputs = [scale, numpy.float32(zero), numpy.float32(bits)]
    return rng.choice(["Quant", "IntQuant"]), inputs, {"signed": signed, "narrow": narrow, "rounding_mode": rng.choice(MODES)}, numbers


def bipolar_quant(rng):
    numbers = [rng.choice([0.0, -0.0, rng.uniform(-1, 1), 1e-30, -1e-30]) for _ in range(ELEMENTS)]
    return "BipolarQuant", [scale_of(rng)], {}, numpy.array(numbers, numpy.float32)


def trunc(rng, version):
    """Numbers are on the grid of the scale, as Trunc wants them."""
    scale, in_bits = scale_of(rng), rng.randrange(4, 16)
    shift = rng.randrange(0, min(in_bits - 2, 9))
    steps = numpy.array([rng.randrange(-(2 ** (in_bits - 1)), 2 ** (in_bits - 1)) for _ in range(ELEMENTS)])
    numbers = (steps * scale.astype(numpy.float64)).astype(numpy.float32)
    attributes = {"rounding_mode": rng.choice(MODES)}
    bits = in_bits - shift if version == 1 else rng.choice([in_bits - shift, 4, 8])
    if version == 2:
        attributes |= {"signed": rng.randrange(2), "narrow": rng.randrange(2)}
    # A zero point has to be a whole number after the shift, and one of the codes.
    half = 2 ** (bits - 1)
    least = -half if attributes.get("signed", 1) else 0
    zero = 2**shift * rng.randrange(max(least, -4), min(least + 2 * half, 5)) if bits <= 8 and rng.random() < 0.4 else 0
    inputs = [scale, numpy.float32(zero), numpy.float32(in_bits)]
    return "Trunc", [*inputs, *([numpy.float32(scale * 2.0**shift)] if version == 2 else []), numpy.float32(bits)], attributes, numbers


def write(folder, number, model, inputs):
    """The network, and what qonnx gives for the inputs."""
    onnx.save(model, folder / f"{number}.onnx")
    outputs = execute_onnx(ModelWrapper(model).transform(InferShapes()), inputs)
    for index, name in enumerate(inputs):
        numpy.save(folder / f"{number}.{index}.input.npy", inputs[name])
    for index in range(len(outputs)):
        found = numpy.ascontiguousarray(outputs[f"y{index}"], numpy.float32)  # qonnx gives transposed views for some layouts
        numpy.save(folder / f"{number}.{index}.output.npy", found)


def single_nodes(folder, number, rng, count):
    """A network of nodes that do not know each other; what the nodes are."""
    version, nodes, constants, inputs, kinds = rng.choice([1, 2]), [], [], {}, []
    for index in range(count):
        way = rng.random()
        kind, parameters, attributes, numbers = quant(rng) if way < 0.55 else bipolar_quant(rng) if way < 0.6 else trunc(rng, version)
        names = [f"c{index}_{i}" for i in range(len(parameters))]
        constants += [numpy_helper.from_array(value, name) for name, value in zip(names, parameters)]
        nodes.append(helper.make_node(kind, [f"x{index}", *names], [f"y{index}"], domain=DOMAIN, **attributes))
        inputs[f"x{index}"] = numbers
        kinds.append(f"{kind} {[float(value) for value in parameters]} {attributes}")
    ends = [[helper.make_tensor_value_info(f"{end}{i}", TensorProto.FLOAT, [ELEMENTS]) for i in range(count)] for end in "xy"]
    opsets = [helper.make_opsetid("", 16), helper.make_opsetid(DOMAIN, version)]
    write(folder, number, helper.make_model(helper.make_graph(nodes, "g", *ends, constants), opset_imports=opsets, ir_version=9), inputs)
    return kinds


def thresholds(folder, number, generator, samples=200):
    """Quant, then three times MatMul, BatchNormalization and Quant of 2 bits, all scales 1 as in TFC_2W2A of QONNX's model zoo."""
    constants, nodes, width = [], [], 48
    count = [0]

    def constant(value):
        count[0] += 1
        constants.append(numpy_helper.from_array(numpy.asarray(value, numpy.float32), f"c{count[0]}"))
        return f"c{count[0]}"

    def node(kind, inputs, output, **attributes):
        nodes.append(helper.make_node(kind, inputs, [output], domain=DOMAIN if kind == "Quant" else "", **attributes))
        return output

    def two_bits(value, output):
        return node("Quant", [value, constant(1), constant(0), constant(2)], output, signed=1, narrow=1, rounding_mode="ROUND")
    value = two_bits("x0", "q0")
    for layer in range(3):
        weights = two_bits(constant(generator.integers(-1, 2, (width, width))), f"w{layer}")
        sums = node("MatMul", [value, weights], f"s{layer}")
        lists = [generator.uniform(-3, 3, width), generator.normal(0, 1, width), generator.normal(0, 6, width), generator.uniform(5, 60, width)]
        normal = node("BatchNormalization", [sums, *map(constant, lists)], f"n{layer}", epsilon=1e-5)
        value = two_bits(normal, "y0" if layer == 2 else f"q{layer + 1}")
    ends = [[helper.make_tensor_value_info(name, TensorProto.FLOAT, [samples, width])] for name in ("x0", "y0")]
    opsets = [helper.make_opsetid("", 16), helper.make_opsetid(DOMAIN, 1)]
    model = helper.make_model(helper.make_graph(nodes, "g", *ends, constants), opset_imports=opsets, ir_version=9)
    write(folder, number, model, {"x0": generator.normal(0, 1, (samples, width)).astype(numpy.float32)})
    return ["three layers of 2 bits with batch normalizations"]


def after_quant(folder, number, rng):
    """x0, integers of a few bits by a Quant, MultiThreshold or QuantAvgPool2d, y0."""
    generator = numpy.random.default_rng(rng.randrange(1 << 30))
    bits, signed, kind = rng.randrange(2, 9), rng.randrange(2), rng.choice(["MultiThreshold", "QuantAvgPool2d"])
    shape = [1, rng.choice([1, 3, 5]), rng.randrange(4, 9), rng.randrange(4, 9)]
    least, most = (-(2 ** (bits - 1)), 2 ** (bits - 1)) if signed else (0, 2**bits)
    constants = [numpy_helper.from_array(numpy.float32(value), name) for name, value in (("scale", 1), ("zero", 0), ("bits", bits))]
    nodes = [helper.make_node("Quant", ["x0", "scale", "zero", "bits"], ["q"], domain=DOMAIN, signed=signed, narrow=0, rounding_mode="ROUND")]
    if kind == "QuantAvgPool2d":
        layout = rng.choice(["NCHW", "NHWC"])
        attributes = {"kernel": rng.randrange(1, 5), "stride": rng.randrange(1, 4), "ibits": bits, "obits": rng.randrange(2, 9), "signed": signed,
                      "data_layout": layout}
        shape = [shape[i] for i in (0, 2, 3, 1)] if layout == "NHWC" else shape
        nodes.append(helper.make_node(kind, ["q"], ["y0"], domain=DOMAIN, **attributes))
    else:
        channels, levels = rng.choice([1, shape[1]]), rng.choice([1, 3, 15])
        thresholds = numpy.sort(generator.integers(least, most, (channels, levels)) + generator.choice([0, 0.5], (channels, levels)), axis=1)
        constants.append(numpy_helper.from_array(thresholds.astype(numpy.float32), "thresholds"))
        attributes = rng.choice([{}, {"out_scale": 0.5}, {"out_scale": 2.0, "out_bias": -1.0}, {"out_scale": 1.0, "out_bias": -4.0}])
        nodes.append(helper.make_node(kind, ["q", "thresholds"], ["y0"], domain=DOMAIN, out_dtype="INT8", **attributes))
    ends = [[helper.make_tensor_value_info("x0", TensorProto.FLOAT, shape)], [helper.make_tensor_value_info("y0", TensorProto.FLOAT, None)]]
    opsets = [helper.make_opsetid("", 16), helper.make_opsetid(DOMAIN, 1)]
    codes = helper.make_tensor_value_info("q", TensorProto.FLOAT, shape)  # qonnx does not infer it
    graph = helper.make_graph(nodes, "g", *ends, constants, value_info=[codes])
    model = helper.make_model(graph, opset_imports=opsets, ir_version=9)
    write(folder, number, model, {"x0": generator.uniform(least - 2, most + 2, shape).astype(numpy.float32)})
    return [f"{kind} {attributes}"]


def zoo(folder, number, path, generator):
    """An image through TFC_2W2A, from end to end."""
    model = onnx.load(path)
    ends = {model.graph.input[0].name: "x0", model.graph.output[0].name: "y0"}
    for end in (model.graph.input[0], model.graph.output[0]):
        end.name = ends[end.name]
    for node in model.graph.node:
        for names in (node.input, node.output):
            names[:] = [ends.get(name, name) for name in names]
    write(folder, number, model, {"x0": generator.uniform(0, 1, (1, 1, 28, 28)).astype(numpy.float32)})
    return ["TFC_2W2A from end to end"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--nodes", type=int, default=2000)
    parser.add_argument("--zoo", type=pathlib.Path, help="TFC_2W2A.onnx of QONNX's model zoo")
    parser.add_argument("folder", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    index = []
    while sum(len(kinds) for kinds in index) < arguments.nodes:
        rng = random.Random(arguments.seed * 100003 + len(index))
        count = min(NODES_A_NETWORK, arguments.nodes - sum(len(kinds) for kinds in index))
        index.append(single_nodes(arguments.folder, len(index), rng, count))
    for case in range(arguments.nodes // 20):
        index.append(after_quant(arguments.folder, len(index), random.Random(f"{arguments.seed} after {case}")))
    index.append(thresholds(arguments.folder, len(index), numpy.random.default_rng(arguments.seed)))
    if arguments.zoo:
        for image in range(10):
            index.append(zoo(arguments.folder, len(index), arguments.zoo, numpy.random.default_rng(arguments.seed * 100 + image)))
    (arguments.folder / "index.json").write_text(json.dumps(index, indent=1))


if __name__ == "__main__":
    main()
