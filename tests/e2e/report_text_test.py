# SPDX-License-Identifier: Apache-2.0
"""The text report: it says what the JSON report says, fits its width, and has not changed unseen.

report_text/ holds it for the demo network, host seconds aside; VERNIER_UPDATE_GOLDEN=1 rewrites the files."""

import json
import os
import re
import unittest

import npy
import program
import report_text

WRITTEN = program.ROOT / "tests" / "unit" / "sim_report" / "goldens"
HELD = program.HERE / "report_text"
WIDTHS = (40, 80, 100, 160, 300)
SMALL = ("--memory", "external", "--sram-bytes", "16384")


def host_line(text):
    return text.index("\nhost: ") + 1


class Written(unittest.TestCase):
    """The goldens of tests/unit/sim_report: a report of numbers that all differ."""

    def load(self, name):
        return re.sub("\x1b\\[\\d*m", "", (WRITTEN / name).read_text(encoding="utf-8"))

    def assert_every_number_counts(self, text, report, verbose):
        """Each number of the text, changed, is found; so none of them is another one's."""
        for number in re.finditer(r"\d+", text[:host_line(text)]):
            digit = "7" if text[number.end() - 1] != "7" else "3"
            changed = text[:number.end() - 1] + digit + text[number.end():]
            self.assertTrue(report_text.findings(changed, report, verbose), text[number.start() - 20:number.end() + 20])

    def test_every_number_of_the_text_is_that_of_the_json_report(self):
        cases = [(f"text_{width}.txt", "report.json", False) for width in WIDTHS]
        for text_file, json_file, verbose in [*cases, ("mismatch_80.txt", "mismatch.json", True),
                                              ("sram_100.txt", "sram.json", False),
                                              ("reference_80.txt", "reference.json", False)]:
            with self.subTest(text=text_file):
                text, report = self.load(text_file), json.loads(self.load(json_file))
                self.assertEqual(report_text.findings(text, report, verbose), [])
                self.assert_every_number_counts(text, report, verbose)

    def test_the_line_of_a_quiet_run(self):
        totals = json.loads(self.load("report.json"))["totals"]
        expected = (f"net.tosa: {totals['cycles']:,} cycles, {report_text.seconds(totals['seconds'])}, "
                    f"{totals['frames_per_second']:,.0f} fps, utilisation "
                    f"{totals['mac_utilization_percent']:.1f}%, check match\n")
        self.assertEqual(self.load("summary.txt"), expected)


class TextTest(program.ProgramTest):
    def told(self, command, *options, width=None):
        """(text, JSON report) of one run."""
        if width is not None:
            self.environment["COLUMNS"] = str(width)
        done = self.execute(command, *options, "--report", self.folder / "r.json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout, program.read_json(self.folder / "r.json")

    def assert_agrees(self, text, report, verbose=False):
        self.assertEqual(report_text.findings(text, report, verbose), [], text)


class Runs(TextTest):
    def test_a_run_in_each_memory_mode_at_each_width(self):
        for model in [program.DEMO, *(program.MADE / name / "model.tosa" for name in ("depthwise_separable", "conv3d_padded"))]:
            for options in ((), ("--memory", "weights-external"), SMALL, ("--config", "v256-port8")):
                for width in (40, 60, 80, 120, 300):
                    with self.subTest(model=model, options=options, width=width):
                        text, report = self.told("run", model, *options, width=width)
                        self.assert_agrees(text, report)
                        self.assertLessEqual(max(map(len, text.splitlines())), width)

    def test_estimate_checked_verbose_and_reference(self):
        for command, options, verbose in (("estimate", ["--memory", "external"], False), ("run", ["-v"], True),
                                          ("run", ["--check-all"], False), ("run", ["--backend", "reference"], False),
                                          ("run", ["--no-check", "--seed", "5"], False)):
            with self.subTest(command=command, options=options):
                text, report = self.told(command, program.DEMO, *options)
                self.assert_agrees(text, report, verbose)
                self.assertLessEqual(max(map(len, text.splitlines())), 100)

    def test_the_inputs_of_a_run_are_told(self):
        _, report = self.told("run", program.DEMO, "--seed", "3", "--iterations", "2")
        self.assertEqual(report["run"]["inputs"], ["random, seed 3"])
        self.assertEqual((report["run"]["seed"], report["run"]["iterations"]), (3, 2))
        npy.write(self.folder / "x.npy", npy.zeros("int8", (1, 8, 8, 1)))
        text, report = self.told("run", program.DEMO, "--input", "x.npy")
        self.assert_agrees(text, report)
        self.assertEqual(report["run"]["inputs"], ["x.npy"])
        self.assertIn("equal the reference (inputs x.npy)", text)

    def test_the_demo_as_it_is_printed(self):
        for name, options in (("sram", ()), ("external", SMALL)):
            for width in (80, 100, 160):
                text, _ = self.told("run", program.DEMO, *options, width=width)
                shown, held = text[:host_line(text)], HELD / f"demo_{name}_{width}.txt"
                if os.environ.get("VERNIER_UPDATE_GOLDEN") == "1":
                    held.parent.mkdir(exist_ok=True)
                    held.write_text(shown, encoding="utf-8")
                with self.subTest(held=held.name):
                    self.assertEqual(shown, held.read_text(encoding="utf-8"), "VERNIER_UPDATE_GOLDEN=1 rewrites it")


class RealNetworks(TextTest):
    """Long names, many layers, all the memory modes."""

    def assert_of(self, name, *options):
        model = program.GOLDEN / name / "model.tosa"
        if not model.exists():
            self.skipTest(f"{model} is not there")
        package = self.compile(model, "-q", *options)
        for width in (40, 80, 100, 160):
            text, report = self.told("estimate", package, width=width)
            self.assert_agrees(text, report)
            self.assertLessEqual(max(map(len, text.splitlines())), width)

    def test_resnet50(self):
        self.assert_of("resnet50_int8")

    def test_mobilenet_v2(self):
        self.assert_of("mobilenet_v2_quantized_1x3x224x224", "--memory", "external", "--sram-bytes", "262144")

    def test_transformer(self):
        self.assert_of("vit_tiny_int8", "--memory", "weights-external")

    def test_unet(self):
        self.assert_of("unet_96_int8", "--memory", "external", "--sram-bytes", "262144")


class Width(program.ProgramTest):
    def widest(self, columns):
        self.environment.update({} if columns is None else {"COLUMNS": columns})
        text = self.execute("run", program.DEMO, "-v").stdout
        return max(map(len, text.splitlines()))

    def test_columns_win_and_a_pipe_has_100(self):
        self.assertLessEqual(self.widest(None), 100)
        self.assertGreater(self.widest("160"), 100)
        for columns in ("", "0", "-5", "wide", "80x", "99999999999999999999"):
            self.environment["COLUMNS"] = columns
            self.assertLessEqual(self.widest(None), 100, columns)
        self.assertLessEqual(self.widest("7"), 40)


if __name__ == "__main__":
    program.main()
