# SPDX-License-Identifier: Apache-2.0
"""Streaming networks of other people: the wake words of pymicro-wakeword, whose state is in variables. Each goes through the official
converter, and 20 invocations with other inputs each time equal the official reference model's: outputs, and what every variable holds
after it. The 20 iterations of one process equal it too, with the same input. LiteRT's reference kernels are the second witness of both; where they
differ it is said by how much: the converter rounds FULLY_CONNECTED twice, LiteRT once. The .tflite itself gives LiteRT's outputs exactly.

usage: streaming_test.py VERNIER FOLDER [--seed N] [--invocations N]. Packages come from PyPI into FOLDER, once; exit code 77, with a
message, where they cannot be had."""

import json
import pathlib
import random
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
import npy
import pypi
import streaming_networks

PACKAGES = ("tosa-converter-for-tflite==2026.2.0", pypi.TOSA_TOOLS, "pymicro-wakeword==2.5.0", "ai-edge-litert==2.3.0")
LEAST_NETWORKS = 4
# LiteRT's one rounding of a FULLY_CONNECTED against two, through a sigmoid of 256 steps. No variable comes after it.
MOST_APART = 3


def execute(command, **options):
    done = subprocess.run(list(map(str, command)), capture_output=True, check=False, **options)
    if done.returncode != 0:
        raise RuntimeError(f"{pathlib.Path(command[0]).name}: exit code {done.returncode}: {(done.stdout + done.stderr)[-1500:]}")
    return done.stdout


class Streaming:
    def __init__(self, vernier, bin_folder, folder, network):
        self.vernier, self.bin, self.folder, self.network = vernier, bin_folder, folder, network
        text = execute([self.bin / "tosa-converter-for-tflite", "--text", "--", network.name], cwd=network.parent).decode()
        text, num_casts = streaming_networks.without_same_casts(text)
        self.first = {name: self.filled(value, kind) for name, (value, kind) in streaming_networks.variables_of(text).items()}
        told, self.written = streaming_networks.with_written_outputs(text)
        if not self.first or sorted(self.written) != sorted(self.first) or num_casts == 0:
            raise RuntimeError(f"{network.name}: variables {sorted(self.first)}, written are {self.written}")
        self.plain, self.told = self.serialise("plain", text), self.serialise("told", told)

    @staticmethod
    def filled(value, kind):
        *dims, element = kind.split("x")
        if element != "i8":
            raise RuntimeError(f"a variable of {kind}, expected i8")
        shape = tuple(map(int, dims))
        count = 1
        for size in shape:
            count *= size
        return npy.Array("|i1", shape, [value] * count)

    def serialise(self, name, text):
        (self.folder / f"{name}.mlir").write_text(text)
        execute([self.bin / "tosa-opt", self.folder / f"{name}.mlir", "--tosa-convert-integer-type-to-signless",
                 "--tosa-attach-target=specification_version=1.0", "--tosa-serialize", f"--tosa-flatbuffer-filename={self.folder / name}.tosa",
                 "-o", self.folder / "none.mlir"])
        return self.folder / f"{name}.tosa"

    def official(self, given, state):
        """The output, and the state after it. The serialiser numbers variables as they are declared."""
        npy.write(self.folder / "x.npy", given)
        for i, array in enumerate(state.values()):
            npy.write(self.folder / f"v{i}.npy", array)
        results = [self.folder / f"o{i}.npy" for i in range(len(self.written) + 1)]
        numbers = range(len(state))
        execute([self.bin / "tosa_reference_model", f"--tosa_file={self.told.name}", f"--flatbuffer_dir={self.folder}",
                 f"--output_dir={self.folder}", "--tosa_level=EIGHTK", "--ifm_name=TosaInput_0", "--ifm_file=x.npy",
                 "--ofm_name=" + ",".join(f"TosaOutput_{i}" for i in range(len(results))),
                 "--ofm_file=" + ",".join(file.name for file in results),
                 "--variable_name=" + ",".join(f"Variable_{i}" for i in numbers),
                 "--variable_file=" + ",".join(f"v{i}.npy" for i in numbers), "--initialize_variable_tensor_from_numpy=1"])
        output, *after = [npy.read(file) for file in results]
        return output, {name: after[self.written.index(name)] for name in state}

    def run(self, model, given, *options):
        """The outputs of `vernier run`, whose check has to be a match."""
        npy.write(self.folder / "x.npy", given)
        execute([self.vernier, "run", model, "-q", "--input", self.folder / "x.npy", "--report", self.folder / "r.json", "--output-dir",
                 self.folder / "out", *options])
        report = json.loads((self.folder / "r.json").read_text())
        if report["check"]["result"] != "match" and report["backend"] != "reference":
            raise RuntimeError(f"check: {report['check']}")
        return [npy.read(self.folder / "out" / output["file"]) for output in report["outputs"]]

    def compare(self, what, found, expected):
        difference = found.first_difference(expected)
        if difference is not None:
            raise RuntimeError(f"{self.network.name}: {what}: {difference}")

    def other_inputs(self, inputs):
        """Each invocation begins with what Vernier itself left. Of each the output, and the state after it."""
        state, mine, calls = dict(self.first), dict(self.first), []
        for number, given in enumerate(inputs):
            output, state = self.official(given, state)
            options = []
            for i, (name, array) in enumerate(mine.items()):
                npy.write(self.folder / f"m{i}.npy", array)
                options += ["--variable", f"{name}={self.folder / f'm{i}.npy'}"]
            found, *after = self.run(self.told, given, *(options if number > 0 else []))
            self.compare(f"invocation {number}, output", found, output)
            mine = {name: after[self.written.index(name)] for name in mine}
            for name, array in state.items():
                self.compare(f"invocation {number}, variable {name}", mine[name], array)
            calls.append(([value & 0xFF for value in output.values], {name: list(array.values) for name, array in state.items()}))
        return calls

    def same_input(self, given, invocations):
        state = dict(self.first)
        for number in range(invocations):
            output, state = self.official(given, state)
            for backend in ("sim", "reference"):
                [found] = self.run(self.plain, given, "--iterations", number + 1, "--backend", backend)
                self.compare(f"iteration {number} of one process on {backend}", found, output)

    def direct(self, inputs, litert):
        """The file itself, without the converter: beginning with what LiteRT's variables hold, each invocation gives LiteRT's output."""
        for number, given in enumerate(inputs):
            options = []
            for i, (name, values) in enumerate(litert[number - 1]["variables"].items() if number > 0 else ()):
                npy.write(self.folder / f"d{i}.npy", npy.Array("|i1", self.first[name].shape, values))
                options += ["--variable", f"{name}={self.folder / f'd{i}.npy'}"]
            [found] = self.run(self.network, given, *options)
            if list(found.values) != litert[number]["output"]:
                raise RuntimeError(f"{self.network.name}, invocation {number} of the file itself: {list(found.values)}, LiteRT's {litert[number]['output']}")

    def litert(self, python, inputs):
        files = []
        for given in inputs:
            files.append(self.folder / f"l{len(files)}.npy")
            npy.write(files[-1], given)
        execute([python, "-B", HERE / "litert_calls.py", self.network, self.folder / "litert.json", *files])
        return json.loads((self.folder / "litert.json").read_text())


def random_inputs(rng, invocations):
    """Runs of alike features between jumps, as sounds have them."""
    inputs, base = [], [0] * 120
    for number in range(invocations):
        if number % 5 == 0:
            base = [rng.randint(-128, 127) for _ in range(120)]
        inputs.append(npy.Array("|i1", (1, 3, 40), [max(-128, min(127, value + rng.randint(-20, 20))) for value in base]))
    return inputs


def main():
    options = pypi.parse_options("--invocations", 20)
    python = pypi.python_with(options.folder, *PACKAGES)
    where = execute([python, "-c", "import pathlib, pymicro_wakeword; print(pathlib.Path(pymicro_wakeword.__file__).parent)"]).decode().strip()
    networks = sorted(pathlib.Path(where).rglob("*.tflite"))
    if len(networks) < LEAST_NETWORKS:
        raise RuntimeError(f"{where} has {len(networks)} networks, expected {LEAST_NETWORKS} or more")
    for number, network in enumerate(networks):
        rng = random.Random(options.seed * 1000 + number)
        with tempfile.TemporaryDirectory() as folder:
            streaming = Streaming(options.vernier, python.parent, pathlib.Path(folder), network)
            inputs = random_inputs(rng, options.invocations)
            calls = streaming.other_inputs(inputs)
            streaming.same_input(inputs[0], options.invocations)
            litert = streaming.litert(python, inputs)
            streaming.direct(inputs, litert)
        apart = [abs(output[0] - theirs["output"][0]) for (output, _), theirs in zip(calls, litert, strict=True)]
        pairs = [pair for (_, state), theirs in zip(calls, litert, strict=True) for name, values in state.items()
                 for pair in zip(values, theirs["variables"][name], strict=True)]
        num_different = sum(mine != theirs for mine, theirs in pairs)
        print(f"{network.name}: {len(streaming.first)} variables, {options.invocations} invocations equal the official model's; of LiteRT's outputs "
              f"{sum(value > 0 for value in apart)} differ, by up to {max(apart)}, of {len(pairs)} elements of its variables {num_different}", flush=True)
        if max(apart) > MOST_APART or num_different > 0 or len(set(pairs)) < 100:
            raise RuntimeError(f"{network.name}: {num_different} elements of variables differ, outputs are {[output for output, _ in calls]}, "
                               f"LiteRT's {[theirs['output'] for theirs in litert]}")


if __name__ == "__main__":
    main()
