# SPDX-License-Identifier: Apache-2.0
"""The checks of this folder find what is wrong."""

import pathlib
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "docs/figures")]
import draw
import kit_page
import links
import named_tests
import program_output
import svg
import worked_examples

EXAMPLE = "machine: v256\nnetwork: g.input([1])\ncommands: 0\nrows: 2 * ceil(33, 16)\nload: 4\ncycles: 10\n"


class NamedTests(unittest.TestCase):
    def test_names_that_are_not_there(self):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            for file, text in (("tests/e2e/a_test.py", "class A:\n    def test_a(self):\n        pass\n"),
                               ("tests/unit/x/x_test.cpp", 'TEST_CASE("one | two") {\n'), (named_tests.PAGE, "")):
                (root / file).parent.mkdir(parents=True, exist_ok=True)
                (root / file).write_text(text)

            def found(*cells):
                (root / named_tests.PAGE).write_text("| a | b | c | d |\n|---|---|---|---|\n" + "".join(f"| t | w | h | {cell} |\n" for cell in cells))
                return len(list(named_tests.findings(root)))
            self.assertEqual(found("e2e/a_test.py::test_a", r'"one \| two"'), 0)
            for bad in ("e2e/a_test.py::test_b", "e2e/b_test.py::test_a", '"one"', "", "x | y"):
                self.assertEqual(found(bad), 1, bad)
            self.assertEqual(found(), 1)


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

    def named(self, text, page="sim/units/README.md"):
        """What is missing of what a page names."""
        for file in ("sim/units/dma.hpp", "sim/units/dma.cpp", "tests/unit/sim_units/dma_test.cpp", "docs/page.md"):
            (self.root / file).parent.mkdir(parents=True, exist_ok=True)
            (self.root / file).write_text("![a](a.svg)")
        path = self.root / page
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        found = list(links.findings(self.root))
        path.unlink()
        self.assertTrue(all(line.startswith(f"{page}: names ") for line in found), found)
        return [line.split(" ")[2].rstrip(",") for line in found]

    def test_pages_name_what_is_there(self):
        for text in ("`sim/units`", "`sim/units/`", "`sim/units/dma.cpp`", "`sim/units/dma`", "`sim/*`", "`tests/unit/<folder>`",
                     "`./sim/units`", "`cat sim/units/dma.hpp`", "`dma.hpp`", "`sim_units`", "`units.dma`", "`../sim/gone`",
                     "`build/release/gone`", "`and/or`", "```\nsim/gone\n`sim/gone`\n```", "sim/gone", "`model.tosa`"):
            self.assertEqual(self.named(text), [], text)

    def test_pages_name_what_is_gone(self):
        for text, missing in (("`tests/unit/sim_gone`", "tests/unit/sim_gone"), ("see `sim/units/gone.cpp`.", "sim/units/gone.cpp"),
                              ("`sim/units/dm`", "sim/units/dm"), ("`hw/*`", "hw/*"), ("`sim/<folder>/gone`", "sim/<folder>/gone"),
                              ("`run sim/gone/ it`", "sim/gone/"), ("`gone.hpp`", "gone.hpp"), ("`dma_test.cpp`", "dma_test.cpp")):
            self.assertEqual(self.named(text), [missing], text)

    def test_a_page_that_is_no_readme_may_name_files_without_their_folder(self):
        self.assertEqual(self.named("`dma_test.cpp` `gone.cpp`", "docs/decisions/0001.md"), ["gone.cpp"])

    def test_the_changelog_may_name_what_there_was(self):
        self.assertEqual(self.named("`sim/gone` `gone.cpp`", "CHANGELOG.md"), [])

    def test_code_is_no_link(self):
        self.assertEqual(self.found("![a](a.svg)\n```\n[x](y)\n```\n`[x](y)`"), [])


class KitPage(unittest.TestCase):
    BENCH = "int a;\nint b;\nint c;\n"

    def difference(self, shown):
        return kit_page.difference(f"text\n\n## A bench for a new unit\n\n```cpp\n{shown}```\n", self.BENCH)

    def test_good(self):
        self.assertIsNone(self.difference("int a;\nint b;\n"))

    def test_bad(self):
        self.assertRegex(self.difference("int a;\nint d;\n"), "line 2 of the bench .*int d;")
        self.assertRegex(self.difference("int b;\nint a;\n"), "in another order")
        self.assertRegex(kit_page.difference("no block", self.BENCH), "has no block")


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


class ProgramOutput(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.program = pathlib.Path(folder.name) / "program"
        self.program.write_text("#!/bin/sh\nprintf 'a %s\\nb 1,234\\nc\\nhost: 3 ms\\n' \"$1\"\n")
        self.program.chmod(0o755)

    def page(self, what, text):
        return f"Some 1,234 cycles.\n<!-- output of: vernier {what} -->\n```\n{text}```\n"

    def fresh(self, page):
        return program_output.fresh(page, self.program.parent, self.program)

    def found(self, page):
        return list(program_output.findings("page", page, self.fresh(page)))

    def test_fresh(self):
        good = self.page("x", "a x\nb 1,234\nc\nhost: ...\n")
        self.assertEqual(self.found(good), [])
        self.assertEqual(self.fresh(self.page("x", "old\n")), good)
        self.assertEqual(self.fresh(self.page("x; from: b; to: host", "old\n")), self.page("x; from: b; to: host", "b 1,234\nc\n"))

    def test_stale(self):
        self.assertIn("'b 1,235', now 'b 1,234'", self.found(self.page("x", "a x\nb 1,235\nc\nhost: ...\n"))[0])
        good = self.page("x", "a x\nb 1,234\nc\nhost: ...\n")
        self.assertEqual(self.found(good.replace("Some 1,234", "Some 1,235")), ["page: the text says 1,235, which no block shows"])

    def test_wrong_mark(self):
        with self.assertRaises(ValueError):
            self.fresh(self.page("x; from: nowhere; to: c", ""))


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
