# SPDX-License-Identifier: Apache-2.0
"""A network of one operator between quantizers: what the makers of such networks share."""

import numpy
from onnx import TensorProto, helper
from onnx_networks import Network


class Operator(Network):
    """x of a given shape, quantized, one operator, quantized again."""

    part_limited = 0
    has_zero_point = False  # with 16 bits
    float_output = integers = None  # instead of the last codes' numbers; instead of the last codes
    code_bits = None  # of the codes that the operator reads, where it gives none
    stand_in = None  # nodes for onnxruntime where it has no kernel

    def __init__(self, rng, code_type, shape, about=1 / 32, has_zero_point=False):
        super().__init__(rng, code_type, rng.random() < 0.3)
        self.nodes, self.constants = [], []
        self.has_zero_point = has_zero_point
        self.input_shape = self.shape = list(shape)
        self.value = self.quantized("x", shape, self.scale(about))

    def floats(self, shape, low, high):
        values = numpy.random.default_rng(self.rng.randrange(1 << 30)).uniform(low, high, shape)
        return self.constant(values.astype(numpy.float32))

    def finish(self, value, about):
        """`about`: the greatest number that is likely."""
        info = numpy.iinfo(self.code_type)
        return self.quantized(value, None, self.scale(about / info.max))

    def parameters(self, scale):
        """16 bits have a zero point on demand only."""
        if not self.has_zero_point or self.code_type.itemsize == 1:
            return super().parameters(scale)
        return [self.constant(numpy.float32(scale), "scale"), self.constant(numpy.asarray(self.rng.randrange(-20000, 20000), self.code_type), "zero")]

    def weights_of_one_scale(self, shape):
        """As weights()."""
        codes = numpy.random.default_rng(self.rng.randrange(1 << 30)).integers(-127, 128, shape).astype(numpy.int8)
        scale = self.scale(1 / 256)
        return self.node("DequantizeLinear", [self.constant(codes), self.constant(scale)], "weights"), scale

    def ends_with_indices(self, value):
        """int64 in the file, as all indices; the program gives int32."""
        self.code_bits = 8 * self.code_type.itemsize
        return self.ends_with_integers(self.node("Cast", [value], to=TensorProto.INT32))

    def ends_with_integers(self, value):
        self.integers, self.code_type = value, numpy.dtype("int32")
        return self

    def model(self, output=None, code_output=False):
        """Of the last codes and their numbers, unless it ends with integers or floats of its own."""
        if code_output and self.stand_in:
            whole, self.nodes, self.stand_in = self.nodes, self.stand_in, None
            made = self.model(output, code_output)
            self.nodes = whole
            return made
        if output or not (self.integers or self.float_output):
            return super().model(output, code_output)
        outputs = [helper.make_tensor_value_info(self.float_output, TensorProto.FLOAT, None)] if self.float_output else []
        if self.integers:
            outputs = [helper.make_tensor_value_info(self.integers, TensorProto.INT32, None)] * (1 + code_output)
        elif code_output:
            outputs.append(helper.make_tensor_value_info(self.last_codes, helper.np_dtype_to_tensor_dtype(self.code_type), None))
        nodes = list(self.nodes)
        if self.integers and code_output:  # no two outputs have one name
            nodes.append(helper.make_node("Identity", [self.integers], ["again"]))
            outputs[0] = helper.make_tensor_value_info("again", TensorProto.INT32, None)
        inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, self.input_shape)]
        graph = helper.make_graph(nodes, "g", inputs, outputs, self.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)], ir_version=10)




def image(rng, code_type, channels=None):
    shape = [1, channels or rng.choice([1, 3, 8]), rng.randrange(2, 9), rng.randrange(2, 9)]
    return Operator(rng, code_type, shape, 1 / 32 if code_type in ("int8", "uint8") else 1 / 8192)
