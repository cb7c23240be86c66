# SPDX-License-Identifier: Apache-2.0
"""The flavours of TensorFlow Lite: the rows of compiler/import/tflite/flavours.cpp, and which package and kernels are the witness of each."""

import pathlib
import re

TABLE = pathlib.Path(__file__).resolve().parents[2] / "compiler/import/tflite/flavours.cpp"
LITERT, LITERT_INT = ("ai-edge-litert==2.3.0", "numpy==2.4.6"), ("ai-edge-litert==1.0.1", "numpy==1.26.4")
# By flavour: its packages, the kernels of litert_outputs.py that they run, and where in a build tree they are installed.
WITNESSES = {"litert-ref": (LITERT, "reference", "litert"), "litert-ref-int": (LITERT_INT, "reference", "litert_int"),
             "xnnpack": (LITERT, "delegated", "litert")}
ROW = re.compile(r"^\s*FlavourRow\{BuiltinOperator::(\w+), \"([a-z0-9 ]+)\", k(\w+), k(\w+)\}", re.MULTILINE)


def rules():
    """(operator, type) -> (rule of litert-ref-int, rule of xnnpack): Same, Integer, Float32, Fixed8 or Refused."""
    found = {}
    for name, types, integer, xnnpack in ROW.findall(TABLE.read_text(encoding="utf-8")):
        for kind in types.split():
            found[name, kind] = (integer, xnnpack)
    return found


def rule_of(name, kind, flavour):
    integer, xnnpack = rules()[name, kind]
    return {"litert-ref": "Same", "litert-ref-int": integer, "xnnpack": xnnpack}[flavour]
