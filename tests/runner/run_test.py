#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What run.py makes of ctest's output."""

import pathlib
import re
import tempfile
import unittest
from unittest import mock

import run

LOG = """1/3 Testing: first
1/3 Test: first
skipped: ../shared/golden/nets is not there
----------------------------------------------------------

2/3 Testing: second
test_x (a.B) ... skipped '/elsewhere/shared/models/x.onnx is not there'
----------------------------------------------------------

3/3 Testing: third
skipped: this program was built without npu_core of 32 lanes
----------------------------------------------------------

"""


class Run(unittest.TestCase):
    def test_lines_of_results(self):
        passed = run.RESULT.match(" 12/345 Test   #56: e2e: a name, with  words ......   Passed    1.23 sec")
        self.assertEqual(passed.groups(), ("56", "e2e: a name, with  words", "Passed", "1.23"))
        skipped = run.RESULT.match("1/2 Test #1: cosim:x ........***Skipped   0.10 sec")
        self.assertEqual(skipped.groups(), ("1", "cosim:x", "***Skipped", "0.10"))
        self.assertIsNone(run.RESULT.match("      Start 56: e2e: a name"))

    def test_a_reason_is_said_once(self):
        reasons = run.skip_reasons(["first", "second", "third", "fourth"], LOG)
        self.assertEqual(reasons["files outside of the project (../shared) are not there"], 2)
        self.assertEqual(reasons["this program was built without npu_core of 32 lanes"], 1)
        self.assertEqual(reasons["it says no reason"], 1)
        self.assertEqual(sum(reasons.values()), 4)

    def test_the_page_is_read_as_it_was_written(self):
        rows = {"b": ["rtl", "0123", "2026-11-27", "5"], "a: x": ["system", "4567", "2026-11-26", "70"]}
        self.assertEqual(run.read_page(run.page_of(rows)), rows)
        self.assertLess(run.page_of(rows).index("a: x"), run.page_of(rows).index("| b |"))

    def test_what_passed_before_a_run_was_stopped_is_recorded(self):
        def stopped(arguments, seen):
            seen("first", "Passed", 2.4)
            seen("second", "***Failed", 1.0)
            raise KeyboardInterrupt

        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "page.md").write_text(run.page_of({"another": ["rtl", "0123", "2026-11-27", "5"]}), encoding="utf-8")
            with mock.patch.multiple(run, BUILD=folder, PAGE=folder / "page.md", commit=lambda: "4567", run_ctest=stopped,
                                     selected_tests=lambda arguments: ["first", "second", "third"]):
                with self.assertRaises(KeyboardInterrupt):
                    run.nightly("system", ["--record"])
            rows = run.read_page((folder / "page.md").read_text(encoding="utf-8"))
        self.assertEqual(rows.keys(), {"another", "first"})
        self.assertEqual((rows["first"][:2], rows["first"][3]), (["system", "4567"], "2"))

    def test_a_pattern_matches_its_names_alone(self):
        names = ["e2e: order, large networks", "sim_soc: 1,000,000 streams (a.b)", "c++ [x] $ ^ | \\d*?"]
        pattern = re.compile(run.pattern_of(names))
        for name in names:
            self.assertTrue(pattern.search(name), name)
            self.assertFalse(pattern.search(name + " "), name)
        self.assertFalse(pattern.search("sim_soc: 1,000,000 streams (aXb)"))

    def test_times_for_people(self):
        self.assertEqual((run.minutes(30), run.minutes(600)), ("30 s", "10 minutes"))


if __name__ == "__main__":
    unittest.main()
