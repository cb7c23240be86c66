# SPDX-License-Identifier: Apache-2.0
"""A small streaming network with variables, as a TOSA file and by hand.

Each invocation gets a frame of 8 features. The last three frames are in the variable `frames`, which a convolution over four frames reads with
the new one; of its results the last two are in `maps`, which a convolution over three reads likewise; the result has 4 scores. `frames` begins
with -128, as converters write a zero point, `maps` with zeros, of which the file says nothing."""

import pathlib
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "bench"))
import made_graph
from made_graph import MULTIPLIER, SHIFT, Graph, Tensor, number
from tosa_file import Scalar, tensor

FEATURES, CHANNELS, SCORES = 8, 16, 4
VARIABLE_READ, VARIABLE_WRITE = 74, 73  # numbers of their attributes; the operator is IDENTITY, as the official serialiser writes it
IDENTITY = 68


class StatefulGraph(Graph):
    """A graph with variables."""

    def __init__(self, seed=1):
        super().__init__(seed)
        self.weights = []

    def variable(self, name, shape, values=None, dtype="int8"):
        made = Tensor(f"Variable_{name}", shape, dtype)
        data = None if values is None else struct.pack(f"<{len(values)}{made_graph.ELEMENT[dtype]}", *values)
        slots = tensor(made.name, shape, dtype, data)
        self._tensors.append({**slots, 4: Scalar(1, "B"), 6: name})
        return made

    @property
    def input_names(self):
        return list(self._inputs)

    def constant(self, values):
        return self._const(values, "int8")

    def read(self, variable):
        made = self._tensor(variable.shape, variable.dtype)
        self._operators.append(("IDENTITY", [variable], made, {}, VARIABLE_READ))
        return made

    def assign(self, variable, value):
        self._operators.append(("IDENTITY", [value], variable, {}, VARIABLE_WRITE))

    def _weights(self, shape):
        made = super()._weights(shape)
        self.weights.append(struct.unpack(f"<{len(self._tensors[-1][3])}b", self._tensors[-1][3]))
        return made

    @staticmethod
    def _encoded(op, operands, made, attributes, layer):
        if op != "IDENTITY":
            return Graph._encoded(op, operands, made, attributes, layer)
        return {0: number(IDENTITY), 1: Scalar(layer, "B"), 2: attributes, 3: [operand.name for operand in operands], 4: [made.name]}


def streaming_graph():
    """The graph and its weights: of both convolutions and of the scores."""
    graph = StatefulGraph()
    frames = graph.variable("frames", [1, 3, 1, FEATURES], [-128] * 3 * FEATURES)
    maps = graph.variable("maps", [1, 2, 1, CHANNELS])
    window = graph.concat([graph.read(frames), graph.input([1, 1, 1, FEATURES])], 1)
    graph.assign(frames, graph.slice(window, [0, 1, 0, 0], frames.shape))
    map_window = graph.concat([graph.read(maps), graph.conv2d(window, CHANNELS, kernel=(4, 1))], 1)
    graph.assign(maps, graph.slice(map_window, [0, 1, 0, 0], maps.shape))
    graph.output(graph.conv2d(graph.conv2d(map_window, CHANNELS, kernel=(3, 1)), SCORES))
    return graph


def rescaled(value):
    """RESCALE with one rounding, to int8."""
    return max(-128, min(127, (value * MULTIPLIER + (1 << (SHIFT - 1))) >> SHIFT))


def convolved(window, weights, channels):
    """A kernel as large as the window, so that there is one place."""
    size = len(window)
    return [rescaled(sum(a * b for a, b in zip(window, weights[c * size:(c + 1) * size], strict=True))) for c in range(channels)]


class ByHand:
    """The same in Python's integers."""

    def __init__(self, weights):
        self.weights = weights
        self.frames, self.maps = [-128] * 3 * FEATURES, [0] * 2 * CHANNELS

    def scores(self, frame):
        window = self.frames + list(frame)
        self.frames = window[FEATURES:]
        map_window = self.maps + convolved(window, self.weights[0], CHANNELS)
        self.maps = map_window[CHANNELS:]
        return convolved(convolved(map_window, self.weights[1], CHANNELS), self.weights[2], SCORES)
