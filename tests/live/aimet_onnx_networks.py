# SPDX-License-Identifier: Apache-2.0
"""Random small float networks, quantized and simulated by aimet-onnx itself.

usage: aimet_onnx_networks.py --seed N --networks N FOLDER, in an environment that has aimet-onnx. Writes FOLDER/N.onnx (the float
network), FOLDER/N.encodings (AIMET's export), FOLDER/N.input.npy, FOLDER/N.output.npy (AIMET's simulated output), and FOLDER/index.json,
which has the step of the output and its offset."""

import argparse
import json
import pathlib
import random
import shutil

import numpy
import onnx
from aimet_onnx.quantsim import QuantizationSimModel
from onnx import TensorProto, helper, numpy_helper

VERSIONS = ("0.6.1", "1.0.0", "2.0.0")


class Network:
    """Conv, depthwise Conv, Relu, pools, then Gemm; weights are drawn."""

    def __init__(self, rng, generator):
        self.rng, self.generator = rng, generator
        self.nodes, self.constants, self.count, self.value = [], [], 0, "x"
        self.shape = self.input_shape = [1, rng.choice([1, 2, 3]), rng.randrange(6, 12), rng.randrange(6, 12)]
        self.kinds = []

    def constant(self, array, what):
        name = f"{what}{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(array.astype(numpy.float32), name))
        return name

    def node(self, kind, inputs, **attributes):
        self.count += 1
        output = f"v{self.count}"
        self.nodes.append(helper.make_node(kind, inputs, [output], name=f"node{self.count}", **attributes))
        self.kinds.append(kind)
        self.value = output

    def conv(self):
        channels, kernel = self.shape[1], self.rng.choice([1, 3])
        groups = self.rng.choice([1, 1, channels])
        out = groups * self.rng.choice([1, 2]) if groups > 1 else self.rng.choice([2, 4, 6])
        weights = self.constant(self.generator.normal(0, 0.4, (out, channels // groups, kernel, kernel)), "w")
        bias = self.constant(self.generator.normal(0, 0.2, out), "b")
        self.node("Conv", [self.value, weights, bias], group=groups, kernel_shape=[kernel, kernel], pads=[kernel // 2] * 4)
        self.shape = [1, out, *self.shape[2:]]
        if self.rng.random() < 0.6:
            self.node("Relu", [self.value])

    def pool(self):
        kind, kernel = self.rng.choice([("MaxPool", 2), ("AveragePool", 3)])  # windows of odd size meet no ties
        if min(self.shape[2:]) < 2 * kernel:
            return
        self.node(kind, [self.value], kernel_shape=[kernel, kernel], strides=[kernel, kernel])
        self.shape = [1, self.shape[1], *((size - kernel) // kernel + 1 for size in self.shape[2:])]

    def gemm(self):
        columns = int(numpy.prod(self.shape))
        self.node("Flatten", [self.value])
        weights = self.constant(self.generator.normal(0, 1 / numpy.sqrt(columns), (6, columns)), "w")
        self.node("Gemm", [self.value, weights, self.constant(self.generator.normal(0, 0.2, 6), "b")], transB=1)
        self.shape = [1, 6]

    def model(self):
        for _ in range(self.rng.randrange(1, 4)):
            self.conv()
            if self.rng.random() < 0.4:
                self.pool()
        if self.rng.random() < 0.6:
            self.gemm()
        self.nodes[-1].output[0] = self.value = "y"
        ends = [[helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)] for name, shape in (("x", self.input_shape), ("y", self.shape))]
        graph = helper.make_graph(self.nodes, "g", *ends, self.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 16)], ir_version=9)


def output_grid(sim, nodes):
    """(step, offset) of the output: code + offset steps. Data movement has the quantizer of what it moves."""
    name, moved = "y", {node.output[0]: node.input[0] for node in nodes}
    while not sim.qc_quantize_op_dict[name].get_encodings():
        name = moved[name]
    encoding, = sim.qc_quantize_op_dict[name].get_encodings()
    return encoding.delta, int(encoding.offset)


def quantized(folder, number, network, rng, generator):
    """Exports a network's encodings and simulated output; what the index says of it."""
    model = network.model()
    onnx.save(model, folder / f"{number}.onnx")
    activation, parameter = rng.choice(["int8", "int8", "int16"]), rng.choice(["int8", "int8", "int4"])
    sim = QuantizationSimModel(model, param_type=parameter, activation_type=activation, providers=["CPUExecutionProvider"])
    samples = [{"x": generator.normal(0, 1, network.input_shape).astype(numpy.float32)} for _ in range(4)]
    sim.compute_encodings(samples)
    version = rng.choice(VERSIONS)
    work = folder / f"{number}.export"
    work.mkdir()
    sim.export(str(work), "model", export_model=False, encoding_version=version)
    exported, = work.glob("*.encodings")
    exported.rename(folder / f"{number}.encodings")
    shutil.rmtree(work)
    x = generator.normal(0, 1.2, network.input_shape).astype(numpy.float32)
    numpy.save(folder / f"{number}.input.npy", x)
    numpy.save(folder / f"{number}.output.npy", sim.session.run(None, {"x": x})[0].astype(numpy.float32))
    step, offset = output_grid(sim, network.nodes)
    return {"number": number, "kinds": network.kinds, "version": version, "activation": activation, "parameter": parameter, "step": step,
            "offset": offset}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--networks", type=int, default=50)
    parser.add_argument("folder", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    index = []
    for number in range(arguments.networks):
        rng, generator = random.Random(f"{arguments.seed} {number}"), numpy.random.default_rng([arguments.seed, number])
        index.append(quantized(arguments.folder, number, Network(rng, generator), rng, generator))
    (arguments.folder / "index.json").write_text(json.dumps(index, indent=1))


if __name__ == "__main__":
    main()
