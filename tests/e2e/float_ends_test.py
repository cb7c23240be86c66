# SPDX-License-Identifier: Apache-2.0
"""Float ends that are small graphs: several outputs, of several tensors, in every form that a network has; worked by hand."""

import json

import npy
import onnx_file
import program

VALUES = (1.0, -2.5, 0.75, 6.25)
HALVES, QUARTERS = (1.0, -2.5), (0.75, 6.25)  # as codes of 0.5 and 0.25 they are themselves
SUM = (1.75, 3.75)
# One output has the products and then the greatest sum, the other one has sums times a matrix.
JOINED = (0.75, -15.625, 3.75)
MULTIPLIED = (1.75 + 2 * 3.75, -1.75 + 0.5 * 3.75)


class FloatEnds(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.model = self.folder / "net.onnx"
        self.model.write_bytes(onnx_file.float_ends())
        self.values = self.folder / "x.npy"
        self.values.write_bytes(npy.to_bytes(npy.Array("<f4", (1, 4), VALUES)))

    def check(self, model, options=()):
        report, outputs = self.run_model(model, [self.values], options)
        self.assertEqual([one["tensor"] for one in report["outputs"]][:3], ["joined", "multiplied", "c"])
        for name, shape, numbers in (("joined", (1, 3), JOINED), ("multiplied", (1, 2), MULTIPLIED), ("c", (1, 2), SUM)):
            found = outputs[f"{name}.float"]
            self.assertEqual((found.shape, list(found.values)), (shape, list(numbers)), name)
        others = report["outputs"][3:]
        self.assertFalse([one for one in others if "float_file" in one])
        self.assertLessEqual(len(others), 2)  # what `joined` reads beside its own codes, as codes only

    def test_every_form_of_the_network_gives_the_same(self):
        self.check(self.model)
        self.check(self.model, ["--backend", "reference"])
        self.check(self.compile(self.model))
        self.execute("convert", self.model, "-o", "out.tosa", codes=(0,))
        self.check(self.folder / "out.tosa")
        self.check(self.compile(self.folder / "out.tosa"))

    def test_the_input_is_one_array_of_floats(self):
        for name in (f"x={self.values}", self.values):
            self.assertEqual(self.execute("run", self.model, "-q", "--input", name).returncode, 0)
        self.values.write_bytes(npy.to_bytes(npy.Array("|i1", (1, 2), (1, 2))))
        done = self.execute("run", self.model, "-q", "--input", self.values)
        self.assertEqual((done.returncode, done.stderr),
                         (2, f"vernier: {self.values}: holds int8, expected float32: the network quantizes input 'x' in several ways\n"))

    def test_inspect_lists_the_steps_and_what_they_read(self):
        text = " ".join(self.execute("inspect", self.model).stdout.split())
        for line in ("host before 'x': Slice of 2 along axis 1, from 0 on", "reads 'x', whose floats it takes", "host after 'multiplied': 2: MatMul (n_multiplied) of 'multiplied', 1",
                     "Concat along axis 1"):
            self.assertIn(line, text)

    def test_a_boundary_that_no_program_has_is_refused(self):
        self.execute("convert", self.model, "-o", "out.tosa", codes=(0,))
        boundary = self.folder / "out.boundary.json"
        good = json.loads(boundary.read_text())
        for place, value, said in ((("operands",), [0, 99], "it reads value 99, before it are "), (("operands",), [-1, 0], "it reads value -1, before it are "),
                                   (("operator",), "GRU", "the float operator 'GRU' is none, allowed are "), (("operands",), ["a"], "'operands' has \"a\", expected integers")):
            changed = json.loads(json.dumps(good))
            changed["outputs"][0]["float_operators"][-1][place[0]] = value
            boundary.write_text(json.dumps(changed))
            self.refused_run(said)
        changed = json.loads(json.dumps(good))
        changed["outputs"][0]["reads"] = ["nothing"] * len(good["outputs"][0]["reads"])
        boundary.write_text(json.dumps(changed))
        self.refused_run("the float operators read 'nothing', which is no output")

    def refused_run(self, said):
        done = self.execute("run", self.folder / "out.tosa", "-q")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, r"\Avernier: [^\n]+\n\Z")
        self.assertIn(said, done.stderr)


if __name__ == "__main__":
    program.main()
