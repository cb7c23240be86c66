# SPDX-License-Identifier: Apache-2.0
"""What tests of the HTML pages in a browser share: a page of a run, opened, beside the JSON report of the same run."""

import re
import unittest

import browser
import program

PORTS = ("sram_read", "sram_write", "external_read", "external_write")


def numbers_of(text):
    return [float(found.replace(",", "")) for found in re.findall(r"-?\d[\d,]*(?:\.\d+)?", text)]


@unittest.skipIf(browser.find() is None, "chromium or chromedriver is not installed")
class InBrowser(program.ProgramTest):
    """A page of a run, opened; self.report is the JSON report of the same run."""

    @classmethod
    def setUpClass(cls):
        cls.window = browser.Browser()
        cls.addClassCleanup(cls.window.close)

    def open_run(self, *arguments, exit_code=0):
        done = self.execute(*arguments, "-q", "--report", "r.html", "--report", "r.json")
        self.assertEqual(done.returncode, exit_code, done.stderr)
        self.open("r.html")
        self.report = program.read_json(self.folder / "r.json")

    def open(self, name):
        self.window.log()
        self.window.open(self.folder / name)
        self.window.wait_for("performance.getEntriesByName('vernier-complete').length > 0")
        self.assert_silent()

    def assert_silent(self):
        self.assertEqual(self.window.log(), [])

    def rows(self, table):
        return [[cell.strip() for cell in row] for row in self.window.run(
            "return [...document.querySelectorAll(arguments[0] + ' tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent))", table)]

    def column(self, table, heading):
        headings = [text.strip() for text in self.window.texts(f"{table} thead th")]
        return [row[headings.index(heading)] for row in self.rows(table)]
