# SPDX-License-Identifier: Apache-2.0
"""Writes TOSA 1.0 flatbuffers: as much of the schema as the small networks of this folder use.

A Network is built operator by operator; `to_bytes()` gives the file. The same calls give the same bytes. The layout
follows what tosa-converter-for-tflite and tosa-opt write: names TosaInput_N, layer_N, TosaOutput_N, one region and one
block called main, constants padded to 8 bytes, zero points and shapes as constant operands, the source layer's name as
the operator's location. Needs the PyPI packages flatbuffers and numpy.
"""

import flatbuffers
import numpy as np

# Numbers of the schema's enums Op and DType; the attribute union has the same numbers as Op.
OPS = {"AVG_POOL2D": 2, "CONV2D": 3, "CONV3D": 4, "DEPTHWISE_CONV2D": 5, "CLAMP": 11, "ADD": 15,
       "ARITHMETIC_RIGHT_SHIFT": 16, "LOGICAL_LEFT_SHIFT": 22, "MUL": 28, "SUB": 30, "TABLE": 31, "CLZ": 35, "REDUCE_MAX": 51, "REDUCE_SUM": 54,
       "RESHAPE": 57, "SLICE": 59, "GATHER": 62, "SCATTER": 63, "RESIZE": 64, "RESCALE": 66, "CONST": 67,
       "CONST_SHAPE": 75}
DTYPES = {"int8": 3, "int16": 4, "int32": 5, "int48": 6}
ROUNDING = {"single": 1, "double": 3}
RESIZE_BILINEAR = 2
NAN_PROPAGATE = 1

# Attribute tables: (field, kind) in slot order. Operators not named here have an empty table.
_CONV = [("pad", "ints"), ("stride", "ints"), ("dilation", "ints"), ("local_bound", "bool"), ("acc_type", "uint")]
ATTRIBUTES = {
    "AVG_POOL2D": [("kernel", "ints"), ("stride", "ints"), ("pad", "ints"), ("acc_type", "uint")],
    "CONV2D": _CONV,
    "CONV3D": _CONV,
    "DEPTHWISE_CONV2D": _CONV,
    "CLAMP": [("min_val", "bytes"), ("max_val", "bytes"), ("nan_mode", "uint")],
    "ARITHMETIC_RIGHT_SHIFT": [("round", "bool")],
    "REDUCE_MAX": [("axis", "int"), ("nan_mode", "uint")],
    "REDUCE_SUM": [("axis", "int")],
    "RESIZE": [("mode", "uint")],
    "RESCALE": [("scale32", "bool"), ("rounding_mode", "uint"), ("per_channel", "bool"), ("input_unsigned", "bool"),
                ("output_unsigned", "bool")],
}


class Tensor:
    """A tensor (dtype int8, int16, int32) or, with dtype shape, a constant shape."""

    def __init__(self, name, shape, dtype, data=b""):
        self.name, self.shape, self.dtype, self.data = name, tuple(shape), dtype, data


class Network:
    """One TOSA graph. `version` is (major, minor, patch, draft); `pad_data` pads constants to 8 bytes."""

    def __init__(self, version=(1, 0, 0, False), pad_data=True):
        self.version, self.pad_data = version, pad_data
        self.tensors, self.shapes, self.operators, self.inputs, self.outputs = [], [], [], [], []
        self.input_values = []
        self.constants = {}
        self.location = None
        self.macs = 0

    def layer(self, name, file="made.tflite"):
        """Operators from here on carry this location, as the converter writes it; None: no location at all."""
        self.location = None if name is None else f'loc("{name}"("{file}":0:0))'

    def input(self, shape, dtype="int8", values=None):
        """A graph input. `values`: what the golden run feeds it; by default uniform over the type."""
        self.inputs.append(self._tensor(f"TosaInput_{len(self.inputs)}", shape, dtype))
        self.input_values.append(values)
        return self.inputs[-1]

    def output(self, *tensors):
        for tensor in tensors:
            tensor.name = f"TosaOutput_{len(self.outputs)}"
            self.outputs.append(tensor)

    def const(self, values, dtype):
        """A constant; equal ones are shared, as the converter does."""
        values = np.asarray(values)
        if dtype == "int48":
            data = b"".join(int(value).to_bytes(6, "little", signed=True) for value in values.flat)
        else:
            assert np.array_equal(values.astype(dtype), values), (dtype, values)
            data = values.astype(np.dtype(dtype).newbyteorder("<")).tobytes()
        key = (values.shape, dtype, data)
        if key not in self.constants:
            self.constants[key] = self._tensor(self._next_name(), values.shape, dtype, self._padded(data))
            self.operators.append(("CONST", [], [self.constants[key]], {}, "loc(unknown)"))
        return self.constants[key]

    def const_shape(self, values):
        tensor = Tensor(self._next_name(), (len(values),), "shape", np.asarray(values, "<i8").tobytes())
        self.shapes.append(tensor)
        self.operators.append(("CONST_SHAPE", [], [tensor], {}, self.location))
        return tensor

    def op(self, name, inputs, shape, dtype, **attributes):
        result = self._tensor(self._next_name(), shape, dtype)
        self.operators.append((name, list(inputs), [result], attributes, self.location))
        return result

    def _tensor(self, *args):
        self.tensors.append(Tensor(*args))
        return self.tensors[-1]

    def _next_name(self):
        return f"layer_{len(self.tensors) + len(self.shapes) - len(self.inputs)}"

    def _padded(self, data):
        return data + bytes(-len(data) % 8) if self.pad_data else data

    def to_bytes(self):
        b = flatbuffers.Builder(4096)
        operators = _table_vector(b, [self._operator(b, operator) for operator in self.operators])
        tensors = _table_vector(b, [_tensor_table(b, tensor) for tensor in self.tensors])
        shapes = _table_vector(b, [_shape_table(b, shape) for shape in self.shapes])
        inputs = _strings(b, [tensor.name for tensor in self.inputs])
        outputs = _strings(b, [tensor.name for tensor in self.outputs])
        name = b.CreateString("main")
        block = _table(b, 6, [(0, "ref", name), (1, "ref", operators), (2, "ref", tensors), (3, "ref", inputs),
                              (4, "ref", outputs), (5, "ref", shapes)])
        region = _table(b, 2, [(0, "ref", b.CreateString("main")), (1, "ref", _table_vector(b, [block]))])
        regions = _table_vector(b, [region])
        b.StartObject(4)
        for slot, value in enumerate(self.version[:3]):
            b.PrependInt32Slot(slot, value, -1)
        b.PrependBoolSlot(3, self.version[3], True)
        version = b.EndObject()
        b.Finish(_table(b, 2, [(0, "ref", version), (1, "ref", regions)]), file_identifier=b"TOSA")
        return bytes(b.Output())

    def _operator(self, b, operator):
        name, inputs, outputs, attributes, location = operator
        fields = ATTRIBUTES.get(name, [])
        assert set(attributes) == {field for field, _ in fields}, (name, attributes)
        slots = []
        for slot, (field, kind) in enumerate(fields):
            value = attributes[field]
            if kind == "ints":
                kind, value = "ref", b.CreateNumpyVector(np.asarray(value, "<i4"))
            elif kind == "bytes":
                kind, value = "ref", _aligned_bytes(b, self._padded(value))
            slots.append((slot, kind, value))
        attribute = _table(b, len(fields), slots)
        input_names = _strings(b, [tensor.name for tensor in inputs])
        output_names = _strings(b, [tensor.name for tensor in outputs])
        slots = [(0, "uint", OPS[name]), (1, "byte", OPS[name]), (2, "ref", attribute), (3, "ref", input_names),
                 (4, "ref", output_names)]
        if location is not None:
            slots.append((5, "ref", _table(b, 1, [(0, "ref", b.CreateString(location))])))
        return _table(b, 6, slots)


def _table(b, num_slots, slots):
    b.StartObject(num_slots)
    for slot, kind, value in slots:
        {"ref": b.PrependUOffsetTRelativeSlot, "uint": b.PrependUint32Slot, "int": b.PrependInt32Slot,
         "byte": b.PrependUint8Slot, "bool": b.PrependBoolSlot}[kind](slot, value, 0)
    return b.EndObject()


def _table_vector(b, offsets):
    b.StartVector(4, len(offsets), 4)
    for offset in reversed(offsets):
        b.PrependUOffsetTRelative(offset)
    return b.EndVector()


def _strings(b, texts):
    return _table_vector(b, [b.CreateString(text) for text in texts])


def _aligned_bytes(b, data):
    """A [ubyte] with force_align 8."""
    b.StartVector(1, len(data), 8)
    b.head -= len(data)
    b.Bytes[b.head:b.head + len(data)] = data
    return b.EndVector()


def _tensor_table(b, tensor):
    data = _aligned_bytes(b, tensor.data)
    shape = b.CreateNumpyVector(np.asarray(tensor.shape, "<i4"))
    return _table(b, 9, [(0, "ref", b.CreateString(tensor.name)), (1, "ref", shape),
                         (2, "uint", DTYPES[tensor.dtype]), (3, "ref", data)])


def _shape_table(b, tensor):
    data = _aligned_bytes(b, tensor.data)
    return _table(b, 3, [(0, "ref", b.CreateString(tensor.name)), (1, "uint", tensor.shape[0]), (2, "ref", data)])
