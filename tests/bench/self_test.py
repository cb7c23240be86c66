# SPDX-License-Identifier: Apache-2.0
"""The benchmark itself, with a program that answers at once in place of vernier: tables, options, comparison."""

import contextlib
import io
import json
import os
import pathlib
import re
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import host_rates
import reading
import run
import table

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fidelity"))
import cycles

# Answers as many cycles as the bytes of the model, plus what the variable says.
PROGRAM = """#!{python}
import json, os, sys
arguments = sys.argv[1:]
config = arguments[arguments.index("--config") + 1]
if config == "v1":
    print("vernier: v1: no preset", file=sys.stderr)
    sys.exit(2)
if os.environ.get("FAKE_EXIT"):
    print("vernier: broken", file=sys.stderr)
    sys.exit(int(os.environ["FAKE_EXIT"]))
if arguments[0] == "cosim":
    with open(arguments[arguments.index("--report") + 1], "w") as file:
        json.dump({{"rtl_cycles": 1000000}}, file)
    sys.exit(0)
cycles = os.path.getsize(arguments[1]) + int(os.environ.get("FAKE_MORE_CYCLES", "0"))
report = {{
    "totals": {{"cycles": cycles, "macs": 1000, "mac_utilization_percent": 12.34, "commands": 5}},
    "config": {{"macs_per_cycle": 256}},
    "check": {{"result": "match"}}, "run": {{"commit": "abc"}}, "layers": [{{"layer_idx": 0, "name": "first"}}],
    "commands": [{{"layer_idx": 0}}, {{"layer_idx": -1}}],
    "host_seconds": {{"compile": 0.001, "simulate": 0.002, "check": 0.003, "total": 0.01}},
}}
with open(arguments[arguments.index("--report") + 1], "w") as file:
    json.dump(report, file)
"""


class Bench(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.program = self.folder / "vernier"
        self.program.write_text(PROGRAM.format(python=sys.executable))
        self.program.chmod(0o755)
        self.page = self.folder / "bench.md"
        for name in ("FAKE_EXIT", "FAKE_MORE_CYCLES"):
            os.environ.pop(name, None)

    def bench(self, *arguments, has_rates=False):
        """Exit code, standard output and standard error of the script."""
        out, err = io.StringIO(), io.StringIO()
        command = ["--vernier", str(self.program), "--table", str(self.page), "--own", "--runs", "1", *arguments]
        command += [] if has_rates else ["--no-rtl", "--no-reading"]
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                code = run.main(command)
            except (run.BadOption, table.DamagedTable) as error:
                print(error, file=sys.stderr)
                code = 2
        return code, out.getvalue(), err.getvalue()

    def refused(self, *arguments):
        code, out, err = self.bench(*arguments)
        self.assertEqual((code, out, err.count("\n")), (2, "", 1), err)
        return err

    def test_rates_of_rtl_are_cycles_by_seconds(self):
        lines = host_rates.lines(self.program)
        self.assertEqual(lines[0][: lines[0].index(" in ")], "RTL, mac_array, random commands on v256: 1,000,000 cycles")
        seconds, rate = (float(text.replace(",", "")) for text in re.search(r"in (.*) s, (.*) per second", lines[1]).groups())
        self.assertLess(abs(1e6 / rate - seconds), 0.06)
        os.environ["FAKE_EXIT"] = "2"
        self.assertEqual(host_rates.lines(self.program), ["RTL, mac_array, random commands: exit code 2: vernier: broken"])

    def test_rates_stand_on_the_page_until_others_are_measured(self):
        self.bench("--write", "--network", "demo", has_rates=True)
        self.bench("--write", "--network", "conv_1x1")
        text = self.page.read_text()
        self.assertEqual((text.count(run.RATES_HEADING), text.count("- RTL, mac_array")), (1, 1))
        self.assertEqual(len(table.parse(text, "bench.md")), 2)

    def test_a_blob_of_mlir_becomes_numbers(self):
        self.assertEqual(reading.with_numbers('%0 = "tosa.const"() <{values = dense<"0x01ff80007F02"> : tensor<3x2xi8>}> : () -> tensor<3x2xi8>'),
                         '%0 = "tosa.const"() <{values = dense<[[1, -1], [-128, 0], [127, 2]]> : tensor<3x2xi8>}> : () -> tensor<3x2xi8>')

    def test_fidelity_is_that_of_the_measurements_beside_the_page(self):
        measured = self.page.parent / "fidelity.json"

        def write(rtl_cycles):
            fields = {"network": "demo", "config": "v256", "commit": "0", "cycles": 101, "num_commands": 1, "layers": ["conv"],
                      "commands": [[0, 0, "mac_array", 101, rtl_cycles]]}
            measured.write_text(cycles.text_of([cycles.Run(fields)]))
        write(100)
        self.assertEqual(self.bench("--write", "--network", "demo")[0], 0)
        self.assertIn("| demo | v256 | 1 | 0.0 | 1.00 | 1.000 | 101 | 100 |", self.page.read_text())
        self.assertEqual(self.bench("--compare", "--network", "demo")[0], 0)
        write(101)
        code, _, err = self.bench("--compare", "--network", "demo")
        self.assertEqual(code, 1)
        self.assertIn("section Fidelity is not that of fidelity.json", err)
        self.bench("--write", "--network", "demo")
        self.assertIn("| demo | v256 | 1 | 100.0 | 0.00 | 0.000 | 101 | 101 |", self.page.read_text())

    def test_times_of_own_commands_are_those_of_the_file_beside_the_page(self):
        row = {"release": "9.8.7", "date": "2026-01-02", "demo_seconds": 241, "test_seconds": 1500, "ci_seconds": None, "machine": "two cores"}
        (self.page.parent / "own-times.json").write_text(json.dumps([row]))
        self.assertEqual(self.bench("--write", "--network", "demo")[0], 0)
        self.assertIn("| 9.8.7 | 2026-01-02 | 241 s | 25 min | not measured | two cores |", self.page.read_text())
        self.assertEqual(self.bench("--compare", "--network", "demo")[0], 0)

    def test_times_of_the_suite_are_those_of_the_file_beside_the_page(self):
        row = {"date": "2026-01-02", "tests": 3753, "reference_seconds": 17.2, "sim_seconds": 63.5, "official_seconds": 215.0, "machine": "two cores"}
        (self.page.parent / "suite-times.json").write_text(json.dumps(row))
        self.assertEqual(self.bench("--write", "--network", "demo")[0], 0)
        self.assertIn("| 2026-01-02 | 3,753 | 17 s | 64 s | 215 s | two cores |", self.page.read_text())
        self.assertEqual(self.bench("--compare", "--network", "demo")[0], 0)

    def test_writes_a_table_that_it_reads_and_compares(self):
        self.assertEqual(self.bench("--write", "--config", "v256", "--config", "v64")[0], 0)
        rows = table.parse(self.page.read_text(), "bench.md")
        self.assertEqual(len(rows), 2 * len(run.measure.own_networks()))
        self.assertEqual(rows[0]["network"], "demo")
        self.assertEqual(rows[0]["cycles"], run.measure.own_networks()[0].model.stat().st_size)
        self.assertEqual((rows[0]["least_cycles"], rows[0]["mac_utilization_percent"]), (4, 12.3))
        code, out, _ = self.bench("--compare")
        self.assertEqual((code, out.count("\n")), (0, len(rows)))

    def test_other_cycles_fail_and_say_how_many(self):
        self.bench("--write", "--network", "demo")
        os.environ["FAKE_MORE_CYCLES"] = "1"
        code, _, err = self.bench("--compare", "--network", "demo")
        self.assertEqual(code, 1)
        self.assertRegex(err, r"demo on v256: [\d,]+ cycles, the table has [\d,]+ \(\+0\.\d\d %\)")

    def test_a_network_without_a_row_fails(self):
        self.bench("--write", "--network", "demo")
        code, _, err = self.bench("--compare", "--network", "conv_1x1")
        self.assertEqual(code, 1)
        self.assertIn("conv_1x1 on v256: not in the table", err)

    def test_rows_that_are_not_measured_now_are_kept(self):
        self.bench("--write", "--config", "v64", "--network", "conv_1x*")
        self.bench("--write", "--network", "demo")
        rows = table.parse(self.page.read_text(), "bench.md")
        self.assertEqual([(row["network"], row["config"]) for row in rows], [("conv_1x1", "v64"), ("demo", "v256")])

    def test_a_failing_run_fails_and_writes_nothing(self):
        os.environ["FAKE_EXIT"] = "3"
        code, _, err = self.bench("--write", "--network", "demo")
        self.assertEqual((code, err), (1, "bench: demo on v256: vernier: broken\n"))
        self.assertFalse(self.page.exists())

    def test_json_has_the_rows(self):
        file = self.folder / "rows.json"
        self.bench("--network", "demo", "--json", str(file))
        (row,) = json.loads(file.read_text())
        self.assertGreater(row["peak_mib"], 1)
        self.assertEqual(row["commands"], 5)

    def test_bad_options_are_one_line(self):
        for arguments in (["--runs", "0"], ["--runs", "x"], ["--frobnicate"], ["more"], ["--write", "--compare"]):
            self.refused(*arguments)
        self.assertIn("no network matches", self.refused("--network", "nothing*"))
        self.assertIn("v1: no preset", self.refused("--config", "v1"))
        self.assertIn("no folder", self.refused("--json", str(self.folder / "no" / "rows.json")))
        self.program.unlink()
        self.assertIn("no program", self.refused())

    def test_damaged_tables_are_one_line(self):
        self.assertIn("cannot be read", self.refused("--compare"))
        self.bench("--write", "--network", "demo")
        good = self.page.read_text()
        row = good.splitlines()[-1]
        damages = {
            "0 lines 'Table format": good.replace("Table format", "Format"),
            "of version 2, this program reads 1": good.replace("vernier-bench/1", "vernier-bench/2"),
            "of version one": good.replace("vernier-bench/1", "vernier-bench/one"),
            "no line": good.replace("| cycles |", "| cycle |"),
            "of another version": good.replace(" commands |", " commands | energy |"),
            "cells": good.replace(row, row + " 1 |"),
            "without rows": good.replace(row + "\n", ""),
            "second row": good + row + "\n",
            "column 'cycles'": good.replace(row, row.replace("| demo | v256 | ", "| demo | v256 | x")),
            "expected": good.replace("|---|---|", "|---|"),
        }
        for expected, text in damages.items():
            self.assertNotEqual(text, good, expected)
            self.page.write_text(text)
            self.assertIn(expected, self.refused("--compare"))
            self.assertIn(expected, self.refused("--write"))
            self.assertEqual(self.page.read_text(), text)
        self.page.write_bytes(b"\xff\xfe")
        self.assertIn("not UTF-8", self.refused("--compare"))
        self.assertIn("not UTF-8", self.refused("--write"))


if __name__ == "__main__":
    unittest.main()
