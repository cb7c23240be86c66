# SPDX-License-Identifier: Apache-2.0
"""Drawn TensorFlow Lite networks of an operator that keeps a state in variable tensors from one invocation to the next."""

from tflite_case import NUMBERS, OPTIONS, count_of
from tflite_file import INT16, INT32, INT8
from tosa_file import Scalar

RELU, TANH = 1, 4


def drawn(case, name, shape, kind, scale, most):
    """A constant of numbers from -most to most."""
    return case.net.tensor(name, shape, kind, (scale,) if scale else (), 0, [case.rng.randint(-most, most) for _ in range(count_of(shape))])


def svdf(case):
    rng, net = case.rng, case.net
    batch, depth, rank, units, memory = rng.randrange(1, 3), rng.randrange(1, 17), rng.randrange(1, 3), rng.randrange(1, 9), rng.randrange(1, 11)
    filters = units * rank
    x = case.input([batch, depth])
    weight_scale, time_scale = case.scale(0.002, 0.02), case.scale(2e-5, 2e-4)
    state_scale = net.scales[x][0] * weight_scale * case.scale(0.2, 4)
    features = drawn(case, "features", [filters, depth], INT8, weight_scale, 127)
    times = drawn(case, "times", [filters, memory], INT16, time_scale, 2000)
    bias = drawn(case, "bias", [units], INT32, state_scale * time_scale, 300_000) if rng.random() < 0.7 else -1
    state = net.tensor("state", [batch, memory * filters], INT16, (state_scale,), variable=True)
    options = {0: Scalar(rank), 1: Scalar(RELU, "B")}
    result = {"scales": (state_scale * time_scale * case.scale(3e4, 1e6),), "zero_point": case.zero_point()}
    return case.result("SVDF", [batch, units], [x, features, times, bias, state], options, "SVDFOptions", **result)


class Lstm:
    """Its sizes and tensors; the numbers of the inputs are those of the format."""

    def __init__(self, case):
        self.case, rng = case, case.rng
        self.batch, self.steps, self.depth, self.cells = rng.randrange(1, 3), rng.randrange(1, 6), rng.randrange(1, 9), rng.randrange(1, 9)
        self.has_projection, self.has_input_gate = rng.random() < 0.4, rng.random() < 0.7
        self.outputs = rng.randrange(1, 9) if self.has_projection else self.cells
        self.has_peepholes = self.outputs == self.cells and rng.random() < 0.5
        self.inputs = [-1] * rng.choice([20, 24])
        self.state = {"scales": (case.scale(0.005, 0.01),), "zero_point": case.zero_point()}

    def weights(self, place, name, shape, low=0.003, high=0.03, kind=INT8, most=127):
        self.inputs[place] = drawn(self.case, name, shape, kind, self.case.scale(low, high), most)

    def gates(self):
        for gate, name in enumerate(("input", "forget", "cell", "output")):
            if name == "input" and not self.has_input_gate:
                continue
            self.weights(1 + gate, f"{name}/weights", [self.cells, self.depth])
            self.weights(5 + gate, f"{name}/recurrent", [self.cells, self.outputs])
            self.inputs[12 + gate] = drawn(self.case, f"{name}/bias", [self.cells], INT32, None, 3000)
            if self.has_peepholes and name != "cell":
                self.weights(9 + gate - (gate == 3), f"{name}/peephole", [self.cells], 2e-5, 2e-4, INT16, 32767)

    def projection(self):
        if self.has_projection:
            self.weights(16, "projection", [self.outputs, self.cells])
            if self.case.rng.random() < 0.5:
                self.inputs[17] = drawn(self.case, "projection/bias", [self.outputs], INT32, None, 3000)

    def intermediates(self):
        """Of the last one the kernel takes scale and zero point: it is what the cells give."""
        net, hidden = self.case.net, {"scales": (self.case.scale(0.005, 0.01),), "zero_point": self.case.rng.randint(-100, 100)}
        gates = [net.tensor(f"gate{i}", [self.batch, self.cells], INT16, (1 / 4096,)) for i in range(4)]
        return [*gates, net.tensor("hidden", [self.batch, self.cells], INT8, **(hidden if self.has_projection else self.state))]


def sequence_lstm(case):
    rng, net, lstm = case.rng, case.net, Lstm(case)
    is_time_major = rng.random() < 0.5
    rows = [lstm.steps, lstm.batch] if is_time_major else [lstm.batch, lstm.steps]
    lstm.inputs[0] = case.input([*rows, lstm.depth], scales=(case.scale(0.005, 0.05),), zero_point=case.zero_point())
    lstm.gates()
    lstm.projection()
    lstm.inputs[18] = net.tensor("output_state", [lstm.batch, lstm.outputs], INT8, **lstm.state, variable=True)
    lstm.inputs[19] = net.tensor("cell_state", [lstm.batch, lstm.cells], INT16, (2.0 ** rng.randint(-15, -9),), variable=True)
    clips = [rng.choice([0.0, 0.0, 0.3]), rng.choice([0.0, 0.0, 0.2])]
    options = {0: Scalar(TANH, "B"), 1: Scalar(clips[0], "f"), 2: Scalar(clips[1], "f"), 3: Scalar(is_time_major, "?")}
    result = net.tensor("y0", [*rows, lstm.outputs], INT8, **lstm.state)
    net.operator(NUMBERS["UNIDIRECTIONAL_SEQUENCE_LSTM"], options, lstm.inputs, result, OPTIONS["UnidirectionalSequenceLSTMOptions"] + 1,
                 intermediates=lstm.intermediates())
    return net.to_bytes(case.inputs, [result])
