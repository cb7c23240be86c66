# SPDX-License-Identifier: Apache-2.0
"""Networks by LiteRT's kernels: python litert_outputs.py FOLDER. FOLDER/index.json lists networks and whose kernels they want: "reference" or
"default", which are those without a delegate, or "delegated", the default ones with XNNPACK, and how many "invocations" (else one). N.tflite with N.inputM.npy gives N.outputM.npy, or N.refused.txt where LiteRT does not take it. With
a "seed" inputs that are not there are drawn: any codes, or floats from all over the range that the network quantizes."""

import json
import pathlib
import sys

import numpy
from ai_edge_litert.interpreter import Interpreter, OpResolverType


def drawn(interpreter, tensor, rng):
    if tensor["dtype"] != numpy.float32:
        limits = numpy.iinfo(tensor["dtype"])
        return rng.integers(limits.min, limits.max + 1, tensor["shape"], tensor["dtype"])
    codes = next(op["outputs"][0] for op in interpreter._get_ops_details() if op["op_name"] == "QUANTIZE" and op["inputs"][0] == tensor["index"])
    details = next(one for one in interpreter.get_tensor_details() if one["index"] == codes)
    (scale, zero_point), limits = details["quantization"], numpy.iinfo(details["dtype"])
    return rng.uniform((limits.min - zero_point) * scale, (limits.max - zero_point) * scale, tensor["shape"]).astype(numpy.float32)


def run(folder, entry):
    number, resolver = entry["number"], RESOLVERS[entry["kernels"]]
    interpreter = Interpreter(str(folder / f"{number}.tflite"), experimental_op_resolver_type=resolver)
    interpreter.allocate_tensors()
    for i, tensor in enumerate(interpreter.get_input_details()):
        path = folder / f"{number}.input{i}.npy"
        if "seed" in entry:
            numpy.save(path, drawn(interpreter, tensor, numpy.random.default_rng(entry["seed"])))
    for _ in range(entry.get("invocations", 1)):
        for i, tensor in enumerate(interpreter.get_input_details()):
            interpreter.set_tensor(tensor["index"], numpy.load(folder / f"{number}.input{i}.npy"))
        interpreter.invoke()
    for i, tensor in enumerate(interpreter.get_output_details()):
        numpy.save(folder / f"{number}.output{i}.npy", interpreter.get_tensor(tensor["index"]))


RESOLVERS = {"reference": OpResolverType.BUILTIN_REF, "default": OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES,
             "delegated": OpResolverType.AUTO}


def main(folder):
    folder = pathlib.Path(folder)
    for entry in json.loads((folder / "index.json").read_text()):
        try:
            run(folder, entry)
        except (RuntimeError, ValueError) as error:
            (folder / f"{entry['number']}.refused.txt").write_text(" ".join(str(error).split()))


if __name__ == "__main__":
    main(*sys.argv[1:])
