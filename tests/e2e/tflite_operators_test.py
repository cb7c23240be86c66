# SPDX-License-Identifier: Apache-2.0
"""Each TensorFlow Lite operator with drawn parameters: what LiteRT's reference kernels gave for it is recorded in tflite_operators.txt, and the
reference and the simulator give the same. `tests/live/tflite_operators_test.py VERNIER FOLDER --record` writes the file anew."""

import npy
import program
import tflite_draw

CONTROL_FLOW = ("IF", "WHILE")
RECORDED = program.ROOT / "tests/e2e/tflite_operators.txt"


class RecordedOperators(program.ProgramTest):
    def check(self, lines, given_options):
        for line in lines:
            name, kind, case, *expected = line.split()
            content, inputs = tflite_draw.draw(name, kind, tflite_draw.rng_of(name, kind, case))
            (self.folder / "net.tflite").write_bytes(content)
            files = []
            for i, values in enumerate(tflite_draw.values_of(name, kind, case, inputs)):
                files.append(self.folder / f"x{i}.npy")
                npy.write(files[-1], values)
            inputs = [f"x{i}={file}" for i, file in enumerate(files)]
            invocations = tflite_draw.invocations_of(name, int(case))
            options = [*given_options, "--iterations", invocations] if invocations > 1 else given_options
            outputs = self.outputs_of(inputs, options) if name in CONTROL_FLOW else self.run_model(self.folder / "net.tflite", inputs, options)[1]
            found = [tflite_draw.crc_of(outputs[f"y{i}"]) for i in range(len(outputs))]
            self.assertEqual(found, expected, f"{name} {kind} {case}")

    def outputs_of(self, inputs, options):
        """Without a look at the report, which has one part for each stream."""
        given = [argument for one in inputs for argument in ("--input", one)]
        done = self.execute("run", self.folder / "net.tflite", "-q", *given, "--output-dir", self.folder / "flow", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return {path.stem: npy.read(path) for path in (self.folder / "flow").glob("*.npy")}

    def lines(self):
        return [line for line in RECORDED.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]

    def test_every_operator_is_recorded(self):
        found = {tuple(line.split()[:2]) for line in self.lines()}
        self.assertEqual(found, {(name, kind) for name, (kinds, _) in tflite_draw.OPERATORS.items() for kind in kinds})


def _add_tests():
    """By the first letter of the operator, so that one failure does not hide others."""
    for letter in sorted({name[0] for name in tflite_draw.OPERATORS}):
        for backend, options in (("reference", ["--backend", "reference"]), ("sim", ["--check-all"])):
            setattr(RecordedOperators, f"test_{letter}_{backend}",
                    lambda self, letter=letter, options=options: self.check([line for line in self.lines() if line[0] == letter], options))


_add_tests()

if __name__ == "__main__":
    program.main()
