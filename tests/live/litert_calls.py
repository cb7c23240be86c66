# SPDX-License-Identifier: Apache-2.0
"""One network by LiteRT's reference kernels, invocation after invocation: python litert_calls.py NETWORK.tflite OUT.json IN.npy ...

OUT.json gets of each the elements of its first output, and what it writes into each variable, by the variable's name. Variables stay between the
invocations, as LiteRT has them."""

import json
import sys

import numpy
from ai_edge_litert.interpreter import Interpreter, OpResolverType


def main(network, result, *inputs):
    interpreter = Interpreter(network, experimental_op_resolver_type=OpResolverType.BUILTIN_REF, experimental_preserve_all_tensors=True)
    interpreter.allocate_tensors()
    [given], [told, *_] = interpreter.get_input_details(), interpreter.get_output_details()
    names = {tensor["index"]: tensor["name"] for tensor in interpreter.get_tensor_details()}
    writes = [operator["inputs"] for operator in interpreter._get_ops_details() if operator["op_name"] == "ASSIGN_VARIABLE"]
    calls = []
    for file in inputs:
        interpreter.set_tensor(given["index"], numpy.load(file))
        interpreter.invoke()
        calls.append({"output": interpreter.get_tensor(told["index"]).flatten().tolist(),
                      "variables": {names[variable]: interpreter.get_tensor(value).flatten().tolist() for variable, value in writes}})
    with open(result, "w", encoding="utf-8") as file:
        json.dump(calls, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
