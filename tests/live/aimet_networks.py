# SPDX-License-Identifier: Apache-2.0
"""Random small float ONNX networks with encodings of AIMET, and the codes that they give by AIMET's formulas in numpy.

usage: aimet_networks.py --seed N --networks N FOLDER, in an environment that has onnx and numpy. Writes FOLDER/N.onnx,
FOLDER/N.encodings (of a random version), FOLDER/N.input.npy, FOLDER/N.output.npy (codes less their zero point) and FOLDER/index.json.

The formulas: q = clamp(floor(float32(float32(x / scale) - offset) + 1/2)), real = (q + offset) * scale, a bias in steps of its
sums, sums rescaled by the ratio of the scales and rounded once, ties up. AIMET's own simulation computes in float32 between its
quantizers and does not round biases; by ../shared/golden/quant/README.md it agrees with these formulas but for that."""

import argparse
import json
import pathlib
import random

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

VERSIONS = ("0.4.0", "0.5.0", "0.6.1", "1.0.0", "2.0.0")


class Grid:
    """A scale and an offset, or a scale for each channel."""

    def __init__(self, bits, scale, offset, symmetric):
        self.bits, self.scale, self.offset, self.symmetric = bits, scale, offset, symmetric
        self.last = 2**bits - 1 - (1 if symmetric and offset == 1 - 2 ** (bits - 1) else 0)

    def steps(self, reals, axis=None):
        """q + offset of each number."""
        scale = numpy.asarray(self.scale, numpy.float32)
        if scale.ndim:
            scale = scale.reshape([-1 if i == axis else 1 for i in range(reals.ndim)])
        grid = (reals.astype(numpy.float32) / scale).astype(numpy.float32) - numpy.float32(self.offset)
        inside = numpy.clip(grid, 0, self.last).astype(numpy.float64)
        return numpy.floor(inside + 0.5).astype(numpy.int64) + self.offset

    def rescaled(self, sums, scale):
        """Sums in steps of that scale, an array that broadcasts, as steps of this grid."""
        steps = numpy.floor(sums * (scale / self.scale) + 0.5).astype(numpy.int64)
        return numpy.clip(steps, self.offset, self.last + self.offset)


def entry(version, name, grid, is_parameter):
    scales = [float(s) for s in numpy.atleast_1d(grid.scale)]
    is_signed = is_parameter and grid.symmetric
    if version == "2.0.0":
        made = {"name": name, "output_dtype": f"{'' if is_signed else 'u'}int{grid.bits}"}
        made["y_scale"] = scales if numpy.ndim(grid.scale) else scales[0]
        zero = -grid.offset - (2 ** (grid.bits - 1) if is_signed else 0)
        if zero:
            made["y_zero_point"] = [zero] * len(scales) if numpy.ndim(grid.scale) else zero
        return made | ({"axis": 0} if numpy.ndim(grid.scale) else {})
    if version == "1.0.0":
        return {"name": name, "bw": grid.bits, "dtype": "INT", "is_sym": grid.symmetric, "scale": scales,
                "enc_type": "PER_CHANNEL" if len(scales) > 1 else "PER_TENSOR", "offset": [float(grid.offset)] * len(scales)}
    rest = {} if version == "0.4.0" else {"dtype": "int"}
    return [{"bitwidth": grid.bits, "is_symmetric": str(grid.symmetric), "scale": s, "offset": grid.offset, "min": s * grid.offset,
             "max": s * (grid.offset + 2**grid.bits - 1), **rest} for s in scales]


def document(version, activations, parameters):
    if version == "2.0.0":
        return {"version": version, "encodings": [entry(version, n, g, False) for n, g in activations.items()] +
                [entry(version, n, g, True) for n, g in parameters.items()]}
    made = {"version": version}
    for section, grids, is_parameter in (("activation_encodings", activations, False), ("param_encodings", parameters, True)):
        entries = {name: entry(version, name, grid, is_parameter) for name, grid in grids.items()}
        made[section] = list(entries.values()) if version == "1.0.0" else entries
    return made


def convolution(x, weights, stride, groups):
    """NCHW without padding, in integers."""
    filters, channels, rows, columns = weights.shape
    height, width = (x.shape[2] - rows) // stride + 1, (x.shape[3] - columns) // stride + 1
    result = numpy.zeros((1, filters, height, width), numpy.int64)
    for f in range(filters):
        first = f // (filters // groups) * channels
        for r in range(height):
            for c in range(width):
                window = x[0, first:first + channels, r * stride:r * stride + rows, c * stride:c * stride + columns]
                result[0, f, r, c] = (window * weights[f]).sum()
    return result


class Network:
    """Grows layer by layer; `steps` are the codes less their zero point of the value at its end."""

    def __init__(self, rng, generator):
        self.rng, self.generator = rng, generator
        self.bits = rng.choice([8, 8, 8, 4, 6])
        self.weight_bits = rng.choice([8, 8, 4, 5])
        self.activations, self.parameters, self.nodes, self.constants, self.kinds = {}, {}, [], [], []
        self.value, shape = "x", [1, rng.choice([1, 3, 4]), rng.randrange(6, 10), rng.randrange(6, 10)]
        self.x = generator.normal(0, 1, shape).astype(numpy.float32)
        self.grid = self.activation("x", float(numpy.abs(self.x).max()) * rng.uniform(0.6, 1.2))
        self.steps = self.grid.steps(self.x)

    def activation(self, name, most, is_positive=False):
        kind = self.rng.choice(["asymmetric", "symmetric", "strict", "unsigned" if is_positive else "asymmetric"])
        half = 2 ** (self.bits - 1)
        offset = {"asymmetric": 0 if is_positive else -self.rng.randrange(half // 2, half + half // 2), "symmetric": -half,
                  "strict": 1 - half, "unsigned": 0}[kind]
        scale = most / (2**self.bits if offset == 0 else half)
        if self.rng.random() < 0.3:
            scale = 2.0 ** numpy.round(numpy.log2(scale))
        grid = Grid(self.bits, float(numpy.float32(scale)), offset, kind != "asymmetric")
        self.activations[name] = grid
        return grid

    def layer(self):
        if self.steps.ndim == 4 and min(self.steps.shape[2:]) >= 3 and self.rng.random() < 0.75:
            return self.convolution()
        if self.steps.ndim == 4:
            flat = f"f{len(self.nodes)}"
            self.nodes.append(helper.make_node("Flatten", [self.value], [flat], name=f"node_{flat}"))
            self.value, self.steps = flat, self.steps.reshape(1, -1)
            self.kinds.append("Flatten")
        return self.gemm()

    def weights(self, shape):
        name = f"w{len(self.nodes)}"
        reals = self.generator.normal(0, 0.3, shape).astype(numpy.float32)
        half, is_per_channel = 2 ** (self.weight_bits - 1), self.rng.random() < 0.6
        most = numpy.abs(reals.reshape(shape[0], -1)).max(axis=1) if is_per_channel else numpy.abs(reals).max()
        is_strict = self.rng.random() < 0.3 and self.weight_bits == 8
        grid = Grid(self.weight_bits, (most / (half - 1)).astype(numpy.float32).astype(numpy.float64),
                    1 - half if is_strict else -half, True)
        self.constants.append(numpy_helper.from_array(reals, name))
        self.parameters[name] = grid
        return name, grid, grid.steps(reals, axis=0)

    def bias(self, count, scale):
        name = f"b{len(self.nodes)}"
        reals = self.generator.normal(0, 0.5, count).astype(numpy.float32)
        self.constants.append(numpy_helper.from_array(reals, name))
        return name, numpy.floor(reals.astype(numpy.float64) / scale + 0.5).astype(numpy.int64)

    def finish(self, kind, inputs, sums, scale, **attributes):
        """A layer, a Relu perhaps, and the quantizer."""
        output, is_relu = f"v{len(self.nodes)}", self.rng.random() < 0.5
        self.nodes.append(helper.make_node(kind, inputs, [output], name=f"node_{output}", **attributes))
        self.kinds.append(kind)
        if is_relu:
            self.nodes.append(helper.make_node("Relu", [output], [f"r{output}"], name=f"node_r{output}"))
            output = f"r{output}"
            self.kinds.append("Relu")
        reals = numpy.maximum(sums * scale, 0) if is_relu else sums * scale
        self.grid = self.activation(output, float(numpy.abs(reals).max()) * self.rng.uniform(0.7, 1.2) + 0.01, is_relu)
        self.steps = self.grid.rescaled(sums, scale)
        if is_relu:
            self.steps = numpy.maximum(self.steps, 0)
        self.value = output

    def convolution(self):
        channels = self.steps.shape[1]
        groups = self.rng.choice([1, 1, channels])
        filters = groups * self.rng.choice([1, 2]) if groups > 1 else self.rng.choice([2, 5, 8])
        kernel, stride = self.rng.choice([1, 3]), self.rng.choice([1, 1, 2])
        x_scale = self.grid.scale
        name, grid, weights = self.weights((filters, channels // groups, kernel, kernel))
        scale = numpy.broadcast_to(x_scale * numpy.asarray(grid.scale), (filters,))
        bias_name, bias = self.bias(filters, scale)
        sums = convolution(self.steps, weights, stride, groups) + bias.reshape(1, -1, 1, 1)
        self.finish("Conv", [self.value, name, bias_name], sums, scale.reshape(1, -1, 1, 1), group=groups, strides=[stride, stride])

    def gemm(self):
        out = self.rng.choice([3, 8, 10])
        x_scale = self.grid.scale
        name, grid, weights = self.weights((out, self.steps.shape[1]))
        scale = numpy.broadcast_to(x_scale * numpy.asarray(grid.scale), (out,))
        bias_name, bias = self.bias(out, scale)
        self.finish("Gemm", [self.value, name, bias_name], self.steps @ weights.T + bias, scale.reshape(1, -1), transB=1)

    def model(self):
        ends = [[helper.make_tensor_value_info(name, TensorProto.FLOAT, list(shape))]
                for name, shape in (("x", self.x.shape), (self.value, self.steps.shape))]
        graph = helper.make_graph(self.nodes, "g", *ends, self.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 16)], ir_version=9)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--networks", type=int, default=50)
    parser.add_argument("folder", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    index = []
    for number in range(arguments.networks):
        rng = random.Random(arguments.seed * 100003 + number)
        network = Network(rng, numpy.random.default_rng(number + arguments.seed * 7919))
        for _ in range(rng.randrange(1, 5)):
            network.layer()
        version = rng.choice(VERSIONS[:4] if network.bits not in (4, 8) or network.weight_bits not in (4, 8) or
                             any(grid.symmetric and grid.last == 2**grid.bits - 2
                                 for grid in (*network.activations.values(), *network.parameters.values())) else VERSIONS)
        onnx.save(network.model(), arguments.folder / f"{number}.onnx")
        text = json.dumps(document(version, network.activations, network.parameters), indent=1)
        (arguments.folder / f"{number}.encodings").write_text(text)
        numpy.save(arguments.folder / f"{number}.input.npy", network.x)
        numpy.save(arguments.folder / f"{number}.output.npy", network.steps.astype(numpy.int32))
        index.append({"number": number, "kinds": network.kinds, "version": version, "output": network.value,
                      "bits": network.bits, "weight_bits": network.weight_bits, "offset": network.grid.offset})
    (arguments.folder / "index.json").write_text(json.dumps(index, indent=1))


if __name__ == "__main__":
    main()
