# SPDX-License-Identifier: Apache-2.0
"""`vernier compare`: figures are those of the reports; what cannot be compared is refused in one line."""

import json

import program


class Compare(program.ProgramTest):
    def setUp(self):
        super().setUp()
        for name, options in (("a", ["--config", "v256"]), ("b", ["--config", "v64"]), ("c", ["--memory", "external"])):
            self.execute("estimate", program.DEMO, "-q", "--report", f"{name}.json", *options)

    def test_figures_are_those_of_the_reports(self):
        done = self.execute("compare", "a.json", "b.json", "c.json", "--report", "out.json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        found = program.read_json(self.folder / "out.json")
        self.assertEqual(found["schema"], "vernier-compare/1")
        reports = [program.read_json(self.folder / f"{name}.json") for name in "abc"]
        for report, run in zip(reports, found["runs"]):
            self.assertEqual({name: run[name] for name in run if name != "file"}, {name: report["totals"][name] for name in run if name != "file"})
            self.assertIn(f"{report['totals']['cycles']:,}", done.stdout)
        for layer in found["layers"]:
            for report, run in zip(reports, layer["runs"]):
                [there] = [entry for entry in report["layers"] if entry["name"] == layer["name"]]
                self.assertEqual(run["cycles"], there["attributed_cycles"])
                self.assertEqual({name: run[name] for name in run if name != "cycles"}, {name: there[name] for name in run if name != "cycles"})
        self.assertEqual(sum(layer["runs"][0]["cycles"] for layer in found["layers"]), reports[0]["totals"]["cycles"])
        differences = {entry["name"]: entry["values"] for entry in found["differences"]}
        self.assertEqual(differences["config.macs_per_cycle"], ["256", "64", "256"])
        self.assertEqual(differences["config.memory_mode"], ["sram", "sram", "external"])
        self.assertNotIn("config.clock_hz", differences)

    def test_forms(self):
        for columns in (80, 100, 160):
            self.environment["COLUMNS"] = str(columns)
            text = self.execute("compare", "a.json", "b.json").stdout
            self.assertLessEqual(max(map(len, text.splitlines())), columns)
        done = self.execute("compare", "a.json", "a.json", "--report", "-")
        self.assertEqual(json.loads(done.stdout)["differences"], [])
        self.assertIn("every layer takes the same cycles in all runs", done.stderr)

    def test_bad_input(self):
        (self.folder / "text.json").write_text("text")
        (self.folder / "other.json").write_text('{"schema": "vernier-cosim/1"}')
        self.execute("run", program.DEMO, "-q", "--backend", "reference", "--report", "reference.json")
        for arguments, message in ((["a.json"], "compare: 1 report is given, two or more are to be compared"),
                                   ([], "compare: REPORT.json is missing"), (["a.json", "none.json"], "none.json: "),
                                   (["a.json", "text.json"], "text.json: is no JSON"),
                                   (["a.json", "other.json"], "other.json: has schema 'vernier-cosim/1', expected vernier-report/1"),
                                   (["a.json", "reference.json"], "reference.json: has no cycles"),
                                   (["a.json", "b.json", "--report", "b.json"], "'b.json' would overwrite REPORT 'b.json'"),
                                   (["a.json", "b.json", "--report", "x.txt"], "'x.txt' is not FILE.json, FILE.html or -")):
            before = {path.name: path.read_bytes() for path in self.folder.iterdir()}
            done = self.execute("compare", *arguments)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
            self.assertIn(message, done.stderr)
            self.assertEqual({path.name: path.read_bytes() for path in self.folder.iterdir()}, before)


if __name__ == "__main__":
    program.main()
