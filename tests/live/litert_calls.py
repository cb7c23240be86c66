# SPDX-License-Identifier: Apache-2.0
"""One network by LiteRT's reference kernels, invocation after invocation: python litert_calls.py NETWORK.tflite OUT.json IN.npy ...

OUT.json gets the elements of the first output of each. Variables stay between the invocations, as LiteRT has them."""

import json
import sys

import numpy
from ai_edge_litert.interpreter import Interpreter, OpResolverType


def main(network, result, *inputs):
    interpreter = Interpreter(network, experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
    interpreter.allocate_tensors()
    [given], [told, *_] = interpreter.get_input_details(), interpreter.get_output_details()
    outputs = []
    for file in inputs:
        interpreter.set_tensor(given["index"], numpy.load(file))
        interpreter.invoke()
        outputs.append(interpreter.get_tensor(told["index"]).flatten().tolist())
    with open(result, "w", encoding="utf-8") as file:
        json.dump(outputs, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
