# SPDX-License-Identifier: Apache-2.0
"""Each TensorFlow Lite operator with drawn parameters: what LiteRT's reference kernels gave for it is recorded in tflite_operators.txt, and the
reference and the simulator give the same. `tests/live/tflite_operators_test.py VERNIER FOLDER --record` writes the file anew."""

import npy
import program
import tflite_draw
import tflite_edges

CONTROL_FLOW = ("IF", "WHILE")
RECORDED = program.ROOT / "tests/e2e/tflite_operators.txt"


def put(folder, content, arrays):
    """Writes net.tflite and its inputs; what --input takes."""
    (folder / "net.tflite").write_bytes(content)
    given = []
    for i, values in enumerate(arrays):
        npy.write(folder / f"x{i}.npy", values)
        given.append(f"x{i}={folder / f'x{i}.npy'}")
    return given


class RecordedOperators(program.ProgramTest):
    def check(self, lines, given_options):
        for line in lines:
            name, kind, case, *expected = line.split()
            content, inputs = tflite_draw.draw(name, kind, tflite_draw.rng_of(name, kind, case))
            inputs = put(self.folder, content, tflite_draw.values_of(name, kind, case, inputs))
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

class Edges(program.ProgramTest):
    def test_kernels_and_the_program_agree_at_edges(self):
        for name, kind, maker, expected in tflite_edges.EDGES:
            content, given = tflite_edges.drawn(name, kind, maker)
            inputs = put(self.folder, content, tflite_draw.values_of(name, kind, 0, given))
            _, outputs = self.run_model(self.folder / "net.tflite", inputs, ["--backend", "reference"])
            self.assertEqual(tflite_draw.crc_of(outputs["y0"]), expected, f"{name} {kind}")

    def test_numbers_that_stand_for_nothing(self):
        case = tflite_edges.Case("int8", tflite_edges.random.Random(1))
        x, weights = case.input([1, 4, 4, 2]), case.weights([3, 1, 1, 2], 0, 3)
        options = {**tflite_edges.WINDOW, 0: tflite_edges.Scalar(9, "B")}
        content = case.result("CONV_2D", [1, 4, 4, 3], [x, weights, case.bias(x, weights, 3)], options, "Conv2DOptions")
        self.check_refused(content, "operator 0 CONV_2D 'y0': padding 9, allowed are 0 (SAME) and 1 (VALID)")
        for axis, result, said in ((0, [2, 3], "the result is [2, 3], expected [1, 2, 3]"), (5, [1, 2, 3], "the axis [5], expected one from -3 to 2")):
            case = tflite_edges.Case("int8", tflite_edges.random.Random(1))
            x = case.input([2, 3], scales=(0.5,), zero_point=0)
            content = case.result("EXPAND_DIMS", result, [x, case.numbers([axis])], scales=(0.5,), zero_point=0)
            self.check_refused(content, f"operator 0 EXPAND_DIMS 'y0': {said}")

    def check_refused(self, content, said):
        (self.folder / "net.tflite").write_bytes(content)
        done = self.execute("run", self.folder / "net.tflite")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn(said, done.stderr)


if __name__ == "__main__":
    program.main()
