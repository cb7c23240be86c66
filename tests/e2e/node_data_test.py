# SPDX-License-Identifier: Apache-2.0
"""`--report FILE.mx.json`: node data of Model Explorer add up to the report of the same run. That the keys are those of the real
adapters is tests/live/model_explorer_test.py's."""

import re

import onnx_file
import program
import tosa_file

FIGURES = {"": "cycles", ".share": "share of cycles (%)", ".sram_bytes": "SRAM bytes", ".external_bytes": "external bytes", ".bound": "bound by"}


class NodeData(program.ProgramTest):
    def node_data(self, model, *options, command="run"):
        """(report, name of the graph, {figure: {key: value}})."""
        done = self.execute(command, model, "-q", "--report", "r.json", "--report", "n.mx.json", *options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        report, figures, graphs = program.read_json(self.folder / "r.json"), {}, set()
        for infix, name in FIGURES.items():
            [(graph, data)] = program.read_json(self.folder / f"n{infix}.mx.json").items()
            graphs.add(graph)
            self.assertEqual(data["name"], name)
            figures[infix] = {key: result["value"] for key, result in data["results"].items()}
        [graph] = graphs
        return report, graph, figures

    def check(self, report, figures):
        totals = report["totals"]
        self.assertEqual(sum(figures[""].values()), totals["cycles"])
        self.assertEqual(sum(figures[".sram_bytes"].values()), totals["sram_read_bytes"] + totals["sram_write_bytes"])
        self.assertEqual(sum(figures[".external_bytes"].values()), totals["external_read_bytes"] + totals["external_write_bytes"])
        self.assertAlmostEqual(sum(figures[".share"].values()), 100, delta=0.005 * len(report["layers"]) + 1e-6)
        for infix in ("", ".share", ".sram_bytes", ".external_bytes"):
            self.assertEqual(len(figures[infix]), len(report["layers"]))
        self.assertEqual(list(figures[""].values()), [layer["attributed_cycles"] for layer in report["layers"]])
        bounds = [figures[".bound"][key] for key in figures[""]]
        self.assertEqual(bounds, [layer["bound_by"] for layer in report["layers"]])

    def test_a_tosa_file(self):
        for options in ([], ["--memory", "external", "--config", "v64"], ["--optimize", "0"]):
            report, graph, figures = self.node_data(program.DEMO, *options)
            self.check(report, figures)
            self.assertTrue(all(re.fullmatch(graph + r"/op\d+", key) for key in figures[".bound"]), figures[".bound"])
            # What bounds a layer stands at all of its nodes, its figures at one.
            self.assertGreater(len(figures[".bound"]), len(figures[""]))
        estimated = self.node_data(program.DEMO, command="estimate")
        self.assertEqual(estimated[2], self.node_data(program.DEMO)[2])

    def test_operators_are_numbered_with_the_constants(self):
        shape, constant = (2, 3), tosa_file.operator("CONST", [], ["c"])
        constant[2] = {}
        content = tosa_file.graph(
            [tosa_file.tensor("x", shape), tosa_file.tensor("c", shape, data=bytes(24)), tosa_file.tensor("y", shape),
             tosa_file.tensor("z", shape)],
            [constant, tosa_file.operator("ADD", ["x", "c"], ["y"]), tosa_file.operator("ABS", ["y"], ["z"])], ["x"], ["z"])
        (self.folder / "m.tosa").write_bytes(content)
        report, graph, figures = self.node_data(self.folder / "m.tosa", "--optimize", "0")
        self.check(report, figures)
        self.assertEqual((graph, sorted(figures[""])), ("main", ["main/op1", "main/op2"]))
        package = self.compile(self.folder / "m.tosa", "--optimize", "0")
        self.assertEqual(self.node_data(package)[1:], (graph, figures))

    def test_an_onnx_file(self):
        (self.folder / "m.onnx").write_bytes(onnx_file.operators())
        report, graph, figures = self.node_data(self.folder / "m.onnx")
        self.check(report, figures)
        self.assertEqual(graph, "g")
        self.assertEqual([layer["name"] for layer in report["layers"]], [key.removeprefix("[value] ") for key in figures[""]])
        self.assertIn("[value] x", figures[""])  # the transpose of the input

    def test_refused(self):
        (self.folder / "n.bound.mx.json").write_text("old\n")
        for options, message in (
                (["--report", "missing/n.mx.json"], "--report: 'missing/n.mx.json' cannot be written: folder 'missing' is missing or not writable"),
                (["--report", "n.mx.json", "--report", "n.bound.mx.json"],
                 "--report: 'n.bound.mx.json' would overwrite --report 'n.bound.mx.json' of the same run, expected another file"),
                (["--report", "n.mx.json", "--backend", "reference"],
                 "--report: node data (.mx.json) show cycles, and backend 'reference' has none"),
                (["--report", "n.mx.json", "--config", "v64,v256"], "--report: 'n.mx.json' is not FILE.json, FILE.csv or -")):
            done = self.execute("run", program.DEMO, "-q", *options)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", f"vernier: {message}\n"))
        done = self.execute("explain", program.DEMO, "--layer", "0", "--report", "n.mx.json")
        self.assertEqual((done.returncode, done.stderr), (2, "vernier: --report: 'n.mx.json' is not FILE.json or -\n"))
        self.assertEqual([path.name for path in self.folder.iterdir()], ["n.bound.mx.json"])


if __name__ == "__main__":
    program.main()
