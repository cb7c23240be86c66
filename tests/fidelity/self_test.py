#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The scripts themselves, with a program that answers at once in place of vernier: figures, page, options, and that each check can fail."""

import contextlib
import io
import os
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

import core_totals
import cycles
import deviations
import fidelity
import page
import table_test

ROOT = cycles.ROOT
# Three commands of two layers; RTL takes FAKE_LATE cycles more for the last.
PROGRAM = """#!{python}
import json, os, sys
arguments = sys.argv[1:]
if os.environ.get("FAKE_EXIT"):
    print("vernier: " + os.environ.get("FAKE_SAYS", "broken"), file=sys.stderr)
    sys.exit(int(os.environ["FAKE_EXIT"]))
late = int(os.environ.get("FAKE_LATE", "0"))
report = {{
    "check": {{"result": os.environ.get("FAKE_CHECK", "match")}}, "run": {{"commit": os.environ.get("FAKE_COMMIT", "abc")}},
    "totals": {{"cycles": 700}}, "layers": [{{"layer_idx": 0, "name": "first"}}, {{"layer_idx": 1, "name": "second"}}],
    "commands": [{{"layer_idx": 0}}, {{"layer_idx": 1}}, {{"layer_idx": 1}}, {{"layer_idx": -1}}],
    "rtl": {{"commands": 3, "memory_commands": 3 - int(os.environ.get("FAKE_WITHOUT_MEMORY", "0")), "command_cycles": [{{"command_idx": idx, "unit": "mac_array", "model_cycles": 100, "rtl_cycles": 100 + (late if idx == 2 else 0)}}
                               for idx in range(3)],
             "core": {{"total_cycles": 710 + late, "model_total_cycles": 700, "worst_command": {{"command_idx": 1, "unit": "mac_array", "percent": 20.0}},
                       "commands": [{{"command_idx": 1, "unit": "mac_array", "start_cycle": 0, "end_cycle": 120, "model_start_cycle": 0, "model_end_cycle": 100}}]}}}},
}}
with open(arguments[arguments.index("--report") + 1], "w") as file:
    json.dump(report, file)
"""
ENTRY = {"id": "D-001", "model": "m", "hardware": "h", "state": "measured", "how": "w", "held_by": "tests/a.py", "unit": "cycles",
         "measure": "x", "size": {"demo, v64": 3}}


class Fidelity(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.program = self.folder / "vernier"
        self.program.write_text(PROGRAM.format(python=sys.executable))
        self.program.chmod(0o755)
        for name in [name for name in os.environ if name.startswith("FAKE_")]:
            os.environ.pop(name)

    def fidelity(self, *arguments):
        """Exit code, standard output and standard error of the script."""
        out, err = io.StringIO(), io.StringIO()
        command = ["--vernier", str(self.program), "--results", str(self.folder), *arguments]
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                code = fidelity.main(command)
            except (fidelity.BadOption, cycles.Damaged) as error:
                print(error, file=sys.stderr)
                code = 2
        return code, out.getvalue(), err.getvalue()

    def test_figures(self):
        os.environ["FAKE_LATE"] = "25"
        run = cycles.measured(self.program, cycles.measure.own_networks()[0], "v64")
        commands, layers = cycles.Figures(run.commands()), cycles.Figures(run.of_layers())
        self.assertEqual((commands.count, commands.model_cycles, commands.rtl_cycles), (3, 300, 325))
        self.assertAlmostEqual(commands.exact_percent, 200 / 3)
        self.assertAlmostEqual(commands.largest_percent, 20)
        self.assertAlmostEqual(commands.mean_percent, 20 / 3)
        self.assertEqual((layers.count, layers.exact_percent), (2, 50))
        self.assertAlmostEqual(layers.largest_percent, 100 * 25 / 225)

    def test_the_worst_command_with_banks(self):
        os.environ["FAKE_LATE"] = "25"
        run = cycles.measured(self.program, cycles.measure.own_networks()[0], "v64")
        self.assertEqual(page.banked_cells_of(run)[-2:], ["#2 +25.0", "1"])
        older = cycles.Run({**vars(run), "commands": [row[:5] for row in run.rows]})
        self.assertEqual(page.banked_cells_of(older)[-3:], ["-", "-", "-"])
        self.assertTrue(older.has_cycles_of(run))
        older.rows[2][4] += 1
        self.assertFalse(older.has_cycles_of(run))

    def test_page_is_written_and_held(self):
        code, out, err = self.fidelity("--own", "--network", "demo", "--write")
        self.assertEqual((code, err), (0, ""))
        self.assertIn("| demo | v64 | 3 | 3 | 100.0 | 0.00 | 0.000 | 300 | 300 | 2 | 100.0 | 0.00 | 0.000 | abc |", out)
        text = (self.folder / "fidelity.md").read_text()
        self.assertIn("| demo | v1024 | 3 |", text)
        self.assertIn("| demo | v64 | 300 | 300 | 0 | 0 | 300 | 300 | +0.00 | first +0.0 | #0 +0.0 | 0 |", text)
        self.assertEqual(self.fidelity("--own", "--network", "demo", "--check")[0], 0)
        os.environ["FAKE_COMMIT"] = "def"
        self.assertEqual(self.fidelity("--own", "--network", "demo", "--check")[0], 0)
        code, _, err = self.fidelity("--own", "--network", "conv_1x1", "--check")
        self.assertEqual((code, "conv_1x1 on v64 is not in" in err), (1, True))
        os.environ["FAKE_LATE"] = "1"
        code, _, err = self.fidelity("--own", "--network", "demo", "--check")
        self.assertEqual((code, "demo on v64 has other cycles" in err), (1, True))

    def test_a_page_that_somebody_changed_is_stale(self):
        self.fidelity("--own", "--network", "demo", "--write")
        for name in ("fidelity.md", "fidelity.svg"):
            file = self.folder / name
            text = file.read_text()
            file.write_text(text + "\n")
            code, _, err = self.fidelity("--own", "--network", "demo", "--check")
            self.assertEqual((code, f"{name} is not what is made" in err), (1, True))
            file.write_text(text)

    def test_a_command_with_banks_that_is_off_has_an_entry(self):
        def found(size, rtl):
            run = cycles.Run({"network": "real", "config": "v64", "commit": "", "cycles": 1, "num_commands": 2, "banked": {},
                              "layers": ["a"], "commands": [[7, 0, "mac_array", 100, 100, 100, rtl]]})
            entry = deviations.Deviation({**ENTRY, "measure": "banked_command_percent", "unit": "%", "size": size})
            return list(table_test.of_commands([run], [entry]))

        self.assertEqual(found({}, 115), [])
        self.assertEqual(found({"real, v64, command #7": 16.0}, 116), [])
        for size, rtl in (({}, 116), ({}, 84), ({"real, v64, command #7": 16.0}, 117), ({"real, v64, command #8": 16.0}, 100)):
            self.assertEqual(len(found(size, rtl)), 1, (size, rtl))

    def test_a_sum_with_banks_that_is_off_has_an_entry(self):
        def found(size, model, rtl):
            run = cycles.Run({"network": "real", "config": "v64", "commit": "", "cycles": 1, "num_commands": 1,
                              "banked": {"mac_array": [model, rtl]}, "layers": [], "commands": []})
            entry = deviations.Deviation({**ENTRY, "measure": "banked_percent", "unit": "%", "size": size})
            return list(table_test.of_banked([run], [entry]))

        self.assertEqual(found({"real, v64": 2.0}, 100, 102), [])
        self.assertEqual(found({}, 1000, 1010), [])
        for size, rtl in (({}, 102), ({"real, v64": 1.5}, 102), ({"real, v64": 2.0}, 100), ({"real, v64": 2.0, "other, v64": 3.0}, 102)):
            self.assertEqual(len(found(size, 100, rtl)), 1, (size, rtl))

    def test_a_total_of_the_core_that_is_off_has_an_entry(self):
        def found(size, rtl, memory="sram"):
            total = core_totals.CoreTotal({"network": "real", "config": "v64", "memory": memory, "commit": "", "rtl_cycles": rtl, "model_cycles": 1000,
                                           "worst": None, "num_over": 0})
            entry = deviations.Deviation({**ENTRY, "measure": "core_percent", "unit": "%", "size": size})
            return list(table_test.of_cores([total], [entry]))

        self.assertEqual(found({}, 1010), [])
        self.assertEqual(found({}, 1020, "external"), [])
        self.assertEqual(found({"real, v64, sram": 3.0}, 1030), [])
        for size, rtl in (({}, 1011), ({"real, v64, sram": 2.0}, 1030), ({"real, v64, sram": 0.5}, 1005), ({"other, v64, sram": 2.0}, 1000)):
            self.assertEqual(len(found(size, rtl)), 1, (size, rtl))

    def test_totals_of_the_core_are_written_and_held(self):
        core = ["--own", "--network", "demo", "--scope", "core", "--config", "v64"]
        self.fidelity("--own", "--network", "demo", "--config", "v64", "--write")
        code, out, err = self.fidelity(*core, "--memory", "sram", "--memory", "external", "--write")
        self.assertEqual((code, err), (0, ""))
        text = (self.folder / "fidelity.md").read_text()
        self.assertIn("| demo | v64 | external | 710 | 700 | +1.43 | #1 +20.0 | 1 | abc |", text)
        self.assertLess(text.index("## Whole networks"), text.index("## Commands alone"))
        self.assertEqual(self.fidelity(*core, "--check")[0], 0)
        self.assertEqual(self.fidelity("--own", "--network", "demo", "--config", "v64", "--check")[0], 0)
        os.environ["FAKE_LATE"] = "1"
        code, _, err = self.fidelity(*core, "--check")
        self.assertEqual((code, "demo on v64, sram has other cycles" in err), (1, True))
        self.assertEqual(self.fidelity("--own", "--memory", "sram")[0], 2)

    def test_no_path_is_longer_than_a_stage(self):
        def found(ns, mark="", left_out=""):
            rows = [f"| `{module}` | 1 | 1 | 1 | 0 | 1 | 1 | 9.99 | `rows_q` to `row_q` |" for module in table_test.TIMED if module != left_out]
            return list(table_test.of_silicon("\n".join([
                "and no stage may take more than 1.5 times that: 10.00 ns", *rows, "| `npu_look` | 1 | 1 | 0 | 0 | 1 | 1 | - | no register |",
                f"| `npu_agu_vector_side.u_loads` | 1 | 1 | 1 | 0 | 2 | 2 | {ns:.2f}{mark} | `tile_q` to `beat_q` |"])))

        self.assertEqual(found(10.0), [])
        self.assertEqual(len(found(10.01)), 1)
        self.assertEqual(len(found(10.0, " **too long**")), 1)
        for module in table_test.TIMED:
            self.assertEqual(len(found(9.0, left_out=module)), 1)

    def test_rows_that_are_not_measured_now_are_kept(self):
        self.fidelity("--own", "--network", "demo", "--config", "v64", "--write")
        self.fidelity("--own", "--network", "conv_1x1", "--config", "v256", "--write")
        self.assertEqual(set(cycles.read(self.folder / "fidelity.json")), {("demo", "v64"), ("conv_1x1", "v256")})

    def test_html_names_each_point(self):
        file = self.folder / "page.html"
        self.fidelity("--own", "--network", "demo", "--config", "v64", "--html", str(file))
        text = file.read_text()
        self.assertEqual(len(re.findall("<title>demo on v64, ", text)), 2 * 3 + 2 * 2)
        self.assertIn("command 2, second, mac_array: model 100, RTL 100", text)

    def test_failing_runs(self):
        os.environ["FAKE_CHECK"] = "mismatch"
        code, _, err = self.fidelity("--own", "--network", "demo", "--config", "v64", "--write")
        self.assertEqual((code, "values differ" in err, (self.folder / "fidelity.md").exists()), (1, True, False))
        os.environ.update(FAKE_CHECK="match", FAKE_WITHOUT_MEMORY="1")
        code, _, err = self.fidelity("--own", "--network", "demo", "--config", "v64")
        self.assertEqual((code, err), (1, "fidelity: demo on v64, memory unlimited: 2 of 3 commands had it\n"))
        os.environ.update(FAKE_EXIT="4")
        code, _, err = self.fidelity("--own", "--network", "demo", "--config", "v64")
        self.assertEqual((code, err), (1, "fidelity: demo on v64, memory ideal: vernier: broken\n"))
        os.environ.update(FAKE_EXIT="2", FAKE_SAYS="built without Verilator")
        with self.assertRaises(cycles.NoRtl):
            self.fidelity("--own", "--network", "demo", "--config", "v64")

    def test_bad_options_and_files_are_one_line(self):
        for arguments in (["--frobnicate"], ["--write", "--check"], ["--network", "nothing*"], ["--model", "a.tosa", "--write"],
                          ["--html", str(self.folder / "no" / "page.html")]):
            code, out, err = self.fidelity(*arguments)
            self.assertEqual((code, out, err.count("\n")), (2, "", 1), err)
        for text in ("{", "[]", '{"schema": "vernier-fidelity/2", "runs": []}', '{"schema": "vernier-fidelity/1", "runs": [{}]}'):
            (self.folder / "fidelity.json").write_text(text)
            code, _, err = self.fidelity("--own", "--check", "--network", "demo")
            self.assertEqual((code, err.count("\n")), (2, 1), err)

    def test_a_network_by_its_file(self):
        model = ROOT / "tests/golden/networks/conv_1x1/model.tosa"
        code, out, _ = self.fidelity("--model", str(model), "--config", "v64")
        self.assertEqual((code, out.count("| conv_1x1 | v64 |")), (0, 1))


class Deviations(unittest.TestCase):
    def test_sizes(self):
        entry = deviations.Deviation(ENTRY)
        self.assertIsNone(deviations.judged(entry, "demo, v64", 3))
        self.assertIsNone(deviations.judged(entry, "demo, v64", 1))
        self.assertIn("it has grown", deviations.judged(entry, "demo, v64", 4))
        self.assertIn("the entry is stale", deviations.judged(entry, "demo, v64", 0))

    def test_entries(self):
        self.assertIsNone(deviations.wrong_with(ENTRY, "D-001"))
        for change, expected in (({"id": "D-002"}, "the next one is"), ({"state": "right"}, "state is"), ({"how": ""}, "no text for how"),
                                 ({"size": {}}, "above 0"), ({"size": {"a": 0}}, "above 0"), ({"state": "no RTL yet"}, "belong to each"),
                                 ({"more": 1}, "unknown key more"), ({"changed": {}}, "changed belongs to"), ({"measure": "changed_machine"}, "changed belongs to"), ({"model": "a | b"}, "without '|'")):
            self.assertIn(expected, deviations.wrong_with({**ENTRY, **change}, "D-001"))
        without = {name: value for name, value in ENTRY.items() if name != "size"}
        self.assertIn("belong to each", deviations.wrong_with(without, "D-001"))

    def test_table_against_a_tree(self):
        """The tree's own files, each with one thing wrong."""
        files = [deviations.FILE, ROOT / table_test.RECORD, ROOT / table_test.LISTER, ROOT / table_test.SILICON, ROOT / "docs/results/fidelity.json"]
        entries = deviations.read()
        files += [ROOT / path for entry in entries for path in [*entry.where, *entry.held_by.split(", ")]]
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            for file in set(files):
                target = root / file.relative_to(ROOT)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, target)
            self.assertEqual(list(table_test.findings(root)), [])
            for path, old, new, expected in (
                    ("sim/mem/memory.hpp", "(D-013)", "", "D-013: sim/mem/memory.hpp does not name it"),
                    ("sim/mem/memory.hpp", "(D-013)", "(D-913)", "names D-913, which"),
                    ("sim/units/dma_channel.hpp", " (D-014)", "", "names no deviation"),
                    (table_test.RECORD, "| D-010. ", "| ", "has id '', "),
                    (table_test.RECORD, "| `starting a job takes no time` | D-016.", "| `it starts` | D-016.", "has no row"),
                    (table_test.LISTER, "starting a job takes no time", "a job starts", "does not list"),
                    ("docs/architecture/sram.md", "D-004", "D-904", "names D-904")):
                text = (root / path).read_text()
                self.assertIn(old, text)
                (root / path).write_text(text.replace(old, new))
                self.assertIn(expected, "\n".join(table_test.findings(root)))
                (root / path).write_text(text)
            (root / "tests/unit/hw_timing/dma_timing_test.cpp").unlink()
            self.assertIn("which is no file of tests", "\n".join(table_test.findings(root)))

    def test_a_row_of_the_page(self):
        text = page.deviation_table([deviations.Deviation(ENTRY)])
        self.assertIn("| D-001 | m | h | **measured** | demo, v64: 3 cycles | w | tests/a.py |", text)


if __name__ == "__main__":
    unittest.main()
