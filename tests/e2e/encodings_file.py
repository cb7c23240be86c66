# SPDX-License-Identifier: Apache-2.0
"""Small encodings files of AIMET, one of each version, all saying the same of two activations, a weight and a bias."""

import json

VERSIONS = ("0.4.0", "0.5.0", "0.6.1", "1.0.0", "2.0.0")
ACTIVATIONS = {"x": (8, False, [(0.5, -10)]), "relu.out": (16, False, [(0.25, 0)])}
PARAMETERS = {"conv.weight": (8, True, [(0.5, -128), (0.25, -128), (0.125, -128)]), "conv.bias": (32, True, [(0.0625, -(2 ** 31))])}


def _object(version, bits, is_symmetric, scale, offset):
    """An encoding of the versions up to 0.6.1."""
    made = {"bitwidth": bits, "is_symmetric": str(is_symmetric), "offset": float(offset), "scale": scale,
            "min": scale * offset, "max": scale * (offset + 2 ** bits - 1)}
    return made if version == "0.4.0" else {"dtype": "int", **made}


def _list_entry(name, bits, is_symmetric, grids):
    """An encoding of 1.0.0."""
    return {"name": name, "bw": bits, "dtype": "INT", "is_sym": is_symmetric,
            "enc_type": "PER_TENSOR" if len(grids) == 1 else "PER_CHANNEL",
            "scale": [scale for scale, _ in grids], "offset": [float(offset) for _, offset in grids]}


def _onnx_entry(name, bits, is_symmetric, grids):
    """An encoding of 2.0.0; what is symmetric here is a parameter, and signed."""
    made = {"name": name, "output_dtype": f"{'' if is_symmetric else 'u'}int{bits}", "y_scale": [scale for scale, _ in grids]}
    if len(grids) == 1:
        made["y_scale"] = grids[0][0]
        if not is_symmetric and grids[0][1]:
            made["y_zero_point"] = -grids[0][1]
        return made
    return {"axis": 0, **made}


def document(version):
    """The file as data: change it, then text() makes a file of it."""
    if version == "2.0.0":
        return {"version": version, "encodings": [_onnx_entry(name, *one) for name, one in {**PARAMETERS, **ACTIVATIONS}.items()]}
    made = {"version": version}
    for section, tensors in (("activation_encodings", ACTIVATIONS), ("param_encodings", PARAMETERS)):
        if version == "1.0.0":
            made[section] = [_list_entry(name, *one) for name, one in tensors.items()]
        else:
            made[section] = {name: [_object(version, bits, is_symmetric, *grid) for grid in grids]
                             for name, (bits, is_symmetric, grids) in tensors.items()}
    return made


def text(made):
    return json.dumps(made, indent=1) + "\n"


def of_float_layer(version):
    """Text for onnx_file.float_layer(): its input, its output and its weights, by channel."""
    grids = {"conv.weight": (8, True, [(0.25, -128), (0.125, -128)]), "x": (8, False, [(0.5, -100)]), "y": (8, False, [(0.5, 0)])}
    if version == "2.0.0":
        return text({"version": version, "encodings": [_onnx_entry(name, *one) for name, one in grids.items()]})
    made = {"version": version}
    for section, names in (("activation_encodings", ("x", "y")), ("param_encodings", ("conv.weight",))):
        if version == "1.0.0":
            made[section] = [_list_entry(name, *grids[name]) for name in names]
        else:
            made[section] = {name: [_object(version, *grids[name][:2], *grid) for grid in grids[name][2]] for name in names}
    return text(made)
