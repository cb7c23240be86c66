# SPDX-License-Identifier: Apache-2.0
"""What the tests of the package share: FILE.py VERNIER NETWORK.tflite, by a Python in which the wheel is installed."""

import html
import importlib.util
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import vernier

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Of the command line of the file that runs.
PROGRAM, NETWORK = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
DEMO = ROOT / "tests" / "e2e" / "demo" / "demo.tosa"
HAS_PANDAS = importlib.util.find_spec("pandas") is not None


def steady(report):
    """A report without what no two runs have in common: seconds of this computer, and the files of the outputs."""
    rest = {key: value for key, value in report.items() if key != "host_seconds"}
    rest["outputs"] = [{key: value for key, value in output.items() if key not in ("file", "float_file")} for output in report["outputs"]]
    rest["tool_version"] = rest["run"] = None
    return rest


def steady_page(page, report):
    """A page of a report, likewise without what it says of this run alone."""
    page = re.sub(r'("host_seconds": \{)[^}]*', r"\1", page)
    page = re.sub(r'("(?:float_)?file": )"[^"]*"', r'\1""', page)
    for text in (report["run"]["command_line"], report["run"]["commit"], report["tool_version"]):
        for written in (json.dumps(text)[1:-1], html.escape(text)):
            page = page.replace(written, "")
    return page


class PackageTest(unittest.TestCase):
    maxDiff = 4000

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def program(self, *arguments, good=True):
        """The report of the program, and its folder has report.csv, report.html and the outputs. `good`: it ends with 0."""
        files = [word for ending in ("json", "csv", "html") for word in ("--report", f"report.{ending}")]
        outputs = ["--output-dir", "out"] if arguments[0] == "run" else []
        subprocess.run([PROGRAM, *map(str, arguments), *files, *outputs], cwd=self.folder, check=good, stdout=subprocess.DEVNULL)
        return json.loads((self.folder / "report.json").read_text(encoding="utf-8"))

    def assert_mistake(self, pattern, call, *arguments, **named):
        with self.assertRaisesRegex(vernier.InputError, pattern) as caught:
            call(*arguments, **named)
        self.assertIsInstance(caught.exception, ValueError)
        return caught.exception


def main():
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
