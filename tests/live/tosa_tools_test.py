# SPDX-License-Identifier: Apache-2.0
"""Networks of every quantization format become .tosa files that the official tools take: tosa-opt validates each strictly, and the
reference model computes on random codes what `vernier run` does, of the .tosa file and of the network that it was made of.

usage: tosa_tools_test.py VERNIER FOLDER VECTORS [--seed N]. The tools are installed from PyPI into FOLDER, once; exit code 77, with a
message, where they cannot be had. Networks are the tests' own and, where it is there, those of VECTORS, the folder of golden vectors, and of
QONNX's model zoo beside it. Floats by --quantize become the codes of `vernier quantize` on the way."""

import argparse
import collections
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
import encodings_file
import npy
import onnx_file
import program
import pypi
import qonnx_file

PACKAGES = (pypi.TOSA_TOOLS,)
TARGET = ("--tosa-attach-target=specification_version=1.0 profiles=pro_int extensions=int16,int4,doubleround,inexactround "
          "level=8k")
SIGNATURE = re.compile(r"func\.func @main\((.*?)\) -> (.*) \{$", re.M)
END = re.compile(r'tensor<((?:\d+x)*)i(\d+)> \{tosa\.tensor_name = "([^"]*)"\}')
DESCR = {8: "|i1", 16: "<i2", 32: "<i4", 48: "<i8"}
UNSIGNED = {"uint8": ("|u1", 128), "uint16": ("<u2", 32768)}  # stored less the number
NODE_STEP = 25  # of the golden nodes of QONNX
# For 8-bit inputs by --quantize, and the same for `vernier quantize`.
RANGES = ("mode=SCALED,type=qint8,min=-2,max=1.5", "mode=SCALED,type=qint8,min=-1,max=1,narrow_range=1,round_mode=HALF_TO_EVEN",
          "mode=MIN_FIRST,type=qint8,min=-1,max=3", "mode=MIN_COMBINED,type=qint8,min=0,max=2.55")
Network = collections.namedtuple("Network", "name file options")
Tensor = collections.namedtuple("Tensor", "name descr shape bits")


class Failed(Exception):
    pass


def own_networks(folder):
    files = {"small QDQ": onnx_file.small(), "QDQ, many operators": onnx_file.operators(), "QDQ, pools": onnx_file.pools(), "QDQ of 16 bits": onnx_file.wide(),
             "QDQ, recurrent": onnx_file.recurrent(),
             "ties of QDQ": onnx_file.small(weight_scale=0.25), "QONNX": qonnx_file.small(), "QONNX, thresholds": qonnx_file.thresholds()}
    for number, (name, content) in enumerate(files.items()):
        (folder / f"{number}.onnx").write_bytes(content)
        yield Network(name, folder / f"{number}.onnx", [])
    (folder / "float.onnx").write_bytes(onnx_file.float_layer())
    for version in encodings_file.VERSIONS:
        (folder / f"{version}.json").write_text(encodings_file.of_float_layer(version))
        yield Network(f"float with encodings {version}", folder / "float.onnx", ["--encodings", folder / f"{version}.json"])


def golden_networks(vectors):
    for file in sorted([*vectors.glob("qdq/*/model.onnx"), *vectors.glob("qonnx/nets/*/model.onnx")]):
        yield Network(str(file.parent.relative_to(vectors)), file, [])
    for kind in ("quant", "bipolar", "trunc_v1", "trunc_v2", "chains"):
        cases = program.read_json(vectors / f"qonnx/nodes/{kind}.json")["cases"]
        for case in cases[::1 if len(cases) < NODE_STEP * 2 else NODE_STEP]:
            if case.get("importer") != "refuse" and "Add" not in case.get("what", ""):
                yield Network(f"qonnx/nodes/{kind} {case['id']}", vectors / "qonnx/nodes" / case["model"], [])
    for file in sorted(vectors.glob("aimet/*/0.6.1.encodings")):
        yield Network(f"aimet/{file.parent.name}", vectors / "aimet/network.onnx", ["--encodings", file])


def zoo_networks(models):
    """Float inputs that get their format on the command line; sums in int32 at the end."""
    for name, options in (("TFC_2W2A", []), ("qkeras_jettagging", ["--input-format", "global_in:scale=0.0625,zero_point=0,bits=8,signed=1"])):
        if (models / f"{name}.onnx").is_file():
            yield Network(name, models / f"{name}.onnx", options)


def execute(command):
    done = subprocess.run(list(map(str, command)), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = [line for line in done.stderr.splitlines() if not line.startswith("WARNING")]
        raise Failed(f"{pathlib.Path(command[0]).name} {command[1]}: exit code {done.returncode}: {' '.join(said)[:600]}")
    return done.stdout


def tensors_of(text):
    return [Tensor(name, DESCR[int(bits)], tuple(map(int, dims.split("x")[:-1])), int(bits)) for dims, bits, name in END.findall(text)]


class RoundTrip:
    def __init__(self, vernier, tools, folder, seed):
        self.vernier, self.tools, self.folder, self.rng = vernier, tools, folder, random.Random(seed)

    def random_codes(self, tensor, end):
        half = min(2 ** (tensor.bits - 1), 2**24)  # sums of Trunc may be less than int32 holds
        offset = UNSIGNED.get(end.get("codes"), (None, 0))[1]
        least, most = (int(end[name]) - offset if name in end else limit for name, limit in (("least", -half), ("most", half - 1)))
        count = 1
        for size in tensor.shape:
            count *= size
        values = [self.rng.choice((self.rng.randint(max(least, -half), min(most, half - 1)), self.rng.randint(max(least, -9), min(most, 9))))
                  for _ in range(count)]
        return npy.Array(tensor.descr, tensor.shape, values)

    def run(self, model, inputs, outputs, ends, options=()):
        """The outputs of `vernier run`, as the .tosa file has them. `ends`: what a boundary says of them."""
        arguments = []
        for tensor, array in inputs:
            descr, offset = UNSIGNED.get(ends.get(tensor.name, {}).get("codes"), (array.descr, 0))
            npy.write(self.folder / f"in{len(arguments)}.npy", npy.Array(descr, array.shape, [value + offset for value in array.values]))
            arguments += ["--input", f"{tensor.name}={self.folder / f'in{len(arguments)}.npy'}"]
        execute([self.vernier, "run", model, "-q", "--report", self.folder / "r.json", "--output-dir", self.folder / "out", *arguments, *options])
        files = {output["tensor"]: output["file"] for output in program.read_json(self.folder / "r.json")["outputs"]}
        found = []
        for tensor in outputs:
            array = npy.read(self.folder / "out" / files[tensor.name])
            offset = UNSIGNED.get(ends.get(tensor.name, {}).get("codes"), (None, 0))[1]
            found.append(npy.Array(tensor.descr, array.shape, [value - offset for value in array.values]))
        return found

    def reference(self, tosa, inputs, outputs):
        """What the official reference model gives."""
        files = [self.folder / f"ifm{i}.npy" for i in range(len(inputs))]
        for file, (_, array) in zip(files, inputs, strict=True):
            npy.write(file, array)
        results = [self.folder / f"ofm{i}.npy" for i in range(len(outputs))]
        execute([self.tools / "tosa_reference_model", f"--tosa_file={tosa}", "--flatbuffer_dir=/", "--output_dir=/", "--tosa_level=EIGHTK",
                 "--ifm_name=" + ",".join(tensor.name for tensor, _ in inputs), "--ifm_file=" + ",".join(map(str, files)),
                 "--ofm_name=" + ",".join(tensor.name for tensor in outputs), "--ofm_file=" + ",".join(map(str, results))])
        return [npy.read(file) for file in results]

    def validated(self, tosa):
        """The inputs and outputs of a file that tosa-opt finds valid."""
        text = execute([self.tools / "tosa-opt", f"--tosa-deserialize=tosa-flatbuffer-filename={tosa}", TARGET,
                        "--tosa-validate=strict-op-spec-alignment", "--mlir-elide-elementsattrs-if-larger=8"])
        return map(tensors_of, SIGNATURE.search(text).groups())

    def compare_outputs(self, what, outputs, found, expected):
        for tensor, mine, wanted in zip(outputs, found, expected, strict=True):
            difference = mine.first_difference(wanted)
            if difference:
                raise Failed(f"'{tensor.name}' of {what}: {difference} of the reference model")

    def compare(self, network):
        """How many codes the reference model and `vernier run` have in common; Failed where something is wrong."""
        tosa, boundary = self.folder / "net.tosa", self.folder / "net.boundary.json"
        execute([self.vernier, "convert", network.file, *network.options, "-q", "-o", tosa])
        inputs, outputs = self.validated(tosa)
        ends = {}
        if boundary.exists():
            document = json.loads(boundary.read_text(encoding="utf-8"))
            ends = {end["tensor"]: end for end in document["inputs"] + document["outputs"]}
            boundary.unlink()  # without it the network is one of the types that stand in the .tosa file
        inputs = [(tensor, self.random_codes(tensor, ends.get(tensor.name, {}))) for tensor in inputs]
        expected = self.reference(tosa, inputs, outputs)
        self.compare_outputs("the .tosa file", outputs, self.run(tosa, inputs, outputs, {}), expected)
        self.compare_outputs("the network itself", outputs, self.run(network.file, inputs, outputs, ends, network.options), expected)
        return sum(len(array.values) for array in expected) + self.compare_quantized(tosa, inputs, outputs)

    def compare_quantized(self, tosa, inputs, outputs):
        """The same for floats, where all inputs are of 8 bits: TensorFlow's quantization of each is the host's."""
        if any(tensor.bits != 8 for tensor, _ in inputs):
            return 0
        options, arguments, codes = [], [], []
        for index, (tensor, array) in enumerate(inputs):
            text, file, quantized = self.rng.choice(RANGES), self.folder / f"float{index}.npy", self.folder / f"codes{index}.npy"
            npy.write(file, npy.Array("<f4", array.shape, [self.rng.uniform(-2.5, 3.5) for _ in array.values]))
            flags = [f"--{key.replace('_', '-')}" + ("" if key == "narrow_range" else f"={value}")
                     for key, value in (field.split("=") for field in text.split(","))]
            execute([self.vernier, "quantize", file, *flags, "-o", quantized])
            codes.append((tensor, npy.read(quantized)))
            options += ["--quantize", f"{tensor.name}:{text}", "--input", f"{tensor.name}={file}"]
        expected = self.reference(tosa, codes, outputs)
        self.compare_outputs(f"floats by {options}", outputs, self.run(tosa, [], outputs, {}, options), expected)
        return sum(len(array.values) for array in expected)


def main():
    parser = argparse.ArgumentParser()
    for name in ("vernier", "folder", "vectors"):
        parser.add_argument(name, type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    tools = pypi.python_with(options.folder, *PACKAGES).parent
    codes, complaints = collections.Counter(), []
    with tempfile.TemporaryDirectory(prefix="vernier_live_") as name:
        folder = pathlib.Path(name)
        networks = [*own_networks(folder)]
        if options.vectors.is_dir():
            networks += [*golden_networks(options.vectors), *zoo_networks(options.vectors.parents[1] / "models" / "qonnx")]
        else:
            print(f"{options.vectors} is not there: the tests' own networks only")
        round_trip = RoundTrip(options.vernier, tools, folder, options.seed)
        for network in networks:
            try:
                codes[network.name] = round_trip.compare(network)
            except Failed as failed:
                complaints.append(f"{network.name}: {failed}")
    print(f"seed {options.seed}: {len(networks)} networks, {sum(codes.values()):,} codes are the reference model's, "
          f"{len(complaints)} complaints", *complaints, sep="\n")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
