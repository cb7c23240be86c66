# SPDX-License-Identifier: Apache-2.0
"""The part that all campaigns share: what it refuses, what it leaves behind, how it counts."""

import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

import campaign


class Edits(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "a").write_text("one two two", encoding="utf-8")
        (self.folder / "b").write_text("three", encoding="utf-8")

    def texts(self):
        return [(self.folder / file).read_text(encoding="utf-8") for file in "ab"]

    def test_what_does_not_stand_there_once_is_refused(self):
        self.assertEqual(campaign.replaced("one two", "fault", "a", "two", "2"), "one 2")
        for old, new in (("two", "2"), ("six", "6"), ("one", "one")):
            with self.assertRaises(campaign.Broken):
                campaign.changed_files(self.folder, "fault", [("a", old, new)])

    def test_edits_of_one_file_follow_each_other(self):
        edits = [("a", "one", "1"), ("b", "three", "3"), ("a", "1 two", "1 2")]
        self.assertEqual(campaign.changed_files(self.folder, "fault", edits), {"a": "1 2 two", "b": "3"})
        self.assertEqual(self.texts(), ["one two two", "three"])

    def test_files_are_put_back_whatever_happens(self):
        with self.assertRaises(RuntimeError):
            with campaign.applied(self.folder, "fault", [("a", "one", "1"), ("b", "three", "3")]):
                self.assertEqual(self.texts(), ["1 two two", "3"])
                raise RuntimeError
        self.assertEqual(self.texts(), ["one two two", "three"])

    def test_names_are_told_apart(self):
        campaign.check_names(["x", "y"])
        with self.assertRaises(campaign.Broken):
            campaign.check_names(["x", "y", "x"])


class Programs(unittest.TestCase):
    def test_a_program_has_an_exit_code_and_output_or_takes_too_long(self):
        here = pathlib.Path.cwd()
        python = [sys.executable, "-c"]
        code, text = campaign.run([*python, "import sys; print('out'); sys.exit(3)"], here)
        self.assertEqual((code, text), (3, "out\n"))
        code, text = campaign.run([*python, "import time; time.sleep(60)"], here, 0.2)
        self.assertEqual((code, text), (None, "takes longer than 0.2 s"))
        code, text = campaign.run([*python, "while True: pass"], here, 600, 1)
        self.assertEqual((code, text), (None, "takes longer than 1 s of CPU time"))
        before = campaign.cpu_seconds_of_children()
        self.assertEqual(campaign.run([*python, "import time; time.sleep(1.5)"], here, 600, 1), (0, ""))
        self.assertLess(campaign.cpu_seconds_of_children() - before, 1)
        self.assertEqual(campaign.must([*python, "print(1)"], here), "1\n")
        with self.assertRaises(campaign.Broken):
            campaign.must([*python, "raise SystemExit(1)"], here)


class Campaigns(unittest.TestCase):
    def run_all(self, *found):
        def find(number):
            if isinstance(found[number], campaign.Broken):
                raise found[number]
            return found[number]

        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            code = campaign.run_all([f"fault {i}" for i in range(len(found))], find)
        return code, output.getvalue()

    def test_all_are_found(self):
        code, text = self.run_all("by a", "by b")
        self.assertEqual(code, 0)
        self.assertIn("fault 1: by b (0 s)", text)
        self.assertIn("2 faults, 0 survive\n", text)

    def test_one_survives(self):
        code, text = self.run_all("by a", None, "by c")
        self.assertEqual(code, 1)
        self.assertIn("fault 1: SURVIVES", text)
        self.assertIn("3 faults, 1 survive: fault 1\n", text)

    def test_what_does_not_build_is_no_find_and_the_others_are_tried(self):
        code, text = self.run_all(campaign.Broken("does not build"), None)
        self.assertEqual(code, 2)
        self.assertIn("fault 0: BROKEN: does not build", text)
        self.assertIn("2 faults, 1 survive: fault 1; 1 do not build: fault 0\n", text)


if __name__ == "__main__":
    unittest.main()
