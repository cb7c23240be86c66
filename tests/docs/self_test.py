# SPDX-License-Identifier: Apache-2.0
"""The checks of this folder find what is wrong."""

import pathlib
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "docs/figures")]
import draw
import links
import svg
import worked_examples

EXAMPLE = "machine: v256\nnetwork: g.input([1])\ncommands: 0\nrows: 2 * ceil(33, 16)\nload: 4\ncycles: 10\n"


class Links(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        (self.root / "docs").mkdir()
        (self.root / "docs/a.svg").write_text("<svg/>")

    def found(self, text):
        (self.root / "docs/page.md").write_text(text)
        return list(links.findings(self.root))

    def test_good(self):
        self.assertEqual(self.found("# A: Title\n![a](a.svg) [self](#a-title) [up](../docs/page.md#a-title) [w](https://x.y)"), [])

    def test_bad(self):
        for text in ("![a](a.svg) [b](b.md)", "# T\n![a](a.svg) [b](#u)", "no picture"):
            self.assertEqual(len(self.found(text)), 1, text)

    def test_guides_name_files(self):
        (self.root / "docs/guides").mkdir()
        (self.root / "docs/page.md").write_text("![a](a.svg)")
        guide = self.root / "docs/guides/guide.md"
        guide.write_text("`docs/page.md`, `docs/no such thing`, `hw/SOMETHING`")
        self.assertEqual(list(links.findings(self.root)), [])
        guide.write_text("`docs/page.md` `compiler/ir/none.cpp`")
        self.assertEqual(list(links.findings(self.root)),
                         ["docs/guides/guide.md: names compiler/ir/none.cpp, which is no file"])

    def test_code_is_no_link(self):
        self.assertEqual(self.found("![a](a.svg)\n```\n[x](y)\n```\n`[x](y)`"), [])


class WorkedExamples(unittest.TestCase):
    def check(self, text, taken=10):
        real, worked_examples.flights = worked_examples.flights, lambda *_: [(5, 5 + taken), (99, 99)]
        self.addCleanup(setattr, worked_examples, "flights", real)
        return worked_examples.check(None, None, text)

    def test_good(self):
        self.assertIsNone(self.check(EXAMPLE))

    def test_other_cycles(self):
        self.assertIn("the machine takes 11 cycles", self.check(EXAMPLE, taken=11))

    def test_terms_that_do_not_sum(self):
        self.assertIn("the terms sum to 11", self.check(EXAMPLE.replace("load: 4", "load: 5")))

    def test_damaged(self):
        for text in (EXAMPLE.replace("cycles: 10", ""), EXAMPLE.replace("load: 4", "load: open(4)"), EXAMPLE + "word\n"):
            self.assertIsNotNone(self.check(text), text)


class Pictures(unittest.TestCase):
    def test_every_call_gives_the_same_bytes(self):
        for name, picture in draw.PICTURES.items():
            self.assertEqual(picture().to_svg(), picture().to_svg(), name)

    def test_text_that_does_not_fit(self):
        picture = svg.Picture(100, "p")
        for place in ((700, 50, "much too long for what is left"), (10, 120, "below")):
            with self.assertRaises(ValueError):
                picture.text(*place)
        with self.assertRaises(ValueError):
            picture.box(10, 10, 40, 20, "wider than its box")


if __name__ == "__main__":
    unittest.main()
