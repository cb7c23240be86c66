#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which faults draw.py finds in a text, that a seed gives the same ones again, and what drawn.py builds."""

import pathlib
import sys
import tempfile
import unittest
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import draw
import drawn
import drawn_page
import equivalents

TEXT = """// a + b in a comment
#include <vector>
int64_t f(int64_t a, const std::vector<int64_t>& v) {
  if (a < 3 && !v.empty()) a += 2;
  g("a - b", 'x');
  const int64_t top = std::max(a, v.front());
  return top * 0x10;
}
"""


class Draw(unittest.TestCase):
    def changes(self):
        return {(fault.line, fault.old, fault.new) for fault in draw.faults_of_file("f.cpp", TEXT)}

    def test_operators_comparisons_constants_words_and_statements(self):
        self.assertEqual(self.changes(), {
            (4, "<", "<="), (4, "<", ">"), (4, "3", "4"), (4, "&&", "||"), (4, "!", ""), (4, "+=", "-="), (4, "2", "3"),
            (5, "g(\"a - b\", 'x')", ""), (6, "std::max", "std::min"), (6, "front", "back"), (7, "*", "+"), (7, "*", "/")})

    def test_the_result_differs_in_one_place(self):
        for fault in draw.faults_of_file("f.cpp", TEXT):
            changed = fault.apply(TEXT).split("\n")
            self.assertEqual([i for i, line in enumerate(TEXT.split("\n"), 1) if line != changed[i - 1]], [fault.line], str(fault))

    def test_a_fault_of_another_text_does_not_apply(self):
        with self.assertRaises(ValueError):
            draw.Fault("f.cpp", 4, 0, "<", "<=").apply(TEXT)

    def test_a_seed_gives_the_same_order_and_a_place_one_fault(self):
        first, again, other = (list(draw.drawn({"f.cpp": TEXT}, seed)) for seed in ("1", "1", "2"))
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)
        self.assertEqual(len({(fault.line, fault.column) for fault in first}), len(first))


class Page(unittest.TestCase):
    def test_what_is_written_is_read(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "page.md"
            scores = [drawn_page.Score("sim/flow", "2", 40, 38, [("a.cpp:1: '<' becomes '<='", "0 is never met")], ["b.cpp:7: without 'f()'"]),
                      drawn_page.Score("compiler/passes", "1", 3, 3, [], [])]
            for score in scores:
                drawn_page.write(score, page)
            self.assertEqual(drawn_page.parse(page.read_text(encoding="utf-8")), {(score.room, score.seed): score for score in scores})
            self.assertIn("| sim/flow | 2 | 40 | 1 | 38 | 1 | 97.4 % |", page.read_text(encoding="utf-8"))

    def test_equivalents_are_known_by_their_line(self):
        file, line, old, new, reason = equivalents.EQUIVALENTS[0]
        self.assertEqual(equivalents.reason_of(draw.Fault(file, 9, 0, old, new), f"  {line}"), reason)
        self.assertIsNone(equivalents.reason_of(draw.Fault(file, 9, 0, old, new), "another line"))

    def test_a_token_that_stands_twice_is_known_by_its_column(self):
        file, line, old, new, reason, column = next(each for each in equivalents.EQUIVALENTS if len(each) == 6)
        self.assertEqual(line[column:column + len(old)], old)
        self.assertEqual(equivalents.reason_of(draw.Fault(file, 9, 2 + column, old, new), f"  {line}"), reason)
        other = next(place for place in (line.index(old), line.rindex(old)) if place != column)
        self.assertIsNone(equivalents.reason_of(draw.Fault(file, 9, 2 + other, old, new), f"  {line}"))

    def test_each_equivalent_is_in_the_sources(self):
        for file, line, *_ in equivalents.EQUIVALENTS:
            text = (drawn_page.ROOT / file).read_text(encoding="utf-8")
            self.assertIn(line, [each.strip() for each in text.split("\n")])


class FakeBuilder:
    """Each program, and the object of f.cpp, holds the text of a source; test_first fails on `1`, test_second on `2`. On `8` a test
    reaches its time limit each time, on `9` the first time only."""

    def __init__(self, folder):
        self.tree, self.build, self.log, self.built = folder / "tree", folder / "build", open(folder / "log", "w", encoding="utf-8"), []
        self.num_run, self.jobs = 0, 1
        self.tree.mkdir()
        (self.build / "CMakeFiles/vernier_.dir").mkdir(parents=True)
        (self.tree / "f.cpp").write_text("a = 0;\n", encoding="utf-8")

    def path_of(self, program):
        return self.build / program

    def builds(self, target):
        self.built.append(target)
        text = (self.tree / "f.cpp").read_text(encoding="utf-8")
        self.path_of(target).write_text(text, encoding="utf-8")
        return "?" not in text

    def command_of(self, program):
        return [program]

    def run(self, command, _seconds, cpu_seconds):
        self.num_run += 1
        text = self.path_of(command[0]).read_text(encoding="utf-8")
        if cpu_seconds and ("8" in text or ("9" in text and self.num_run == 1)):
            return None, "takes longer"
        return (1 if {"test_first": "1", "test_second": "2"}[command[0]] in text else 0), "-----\ntext\n"


class Room(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.builder = FakeBuilder(pathlib.Path(folder.name))
        self.addCleanup(self.builder.log.close)
        rooms = unittest.mock.patch.dict(drawn.ROOMS, {"made": ["test_first", "test_second"]})
        rooms.start()
        self.addCleanup(rooms.stop)
        library = unittest.mock.patch.object(drawn, "library_of", lambda file: "vernier_")
        library.start()
        self.addCleanup(library.stop)
        self.room = drawn.Room("made", self.builder)

    def outcome(self, new):
        """What becomes of the constant as `new`, and what is built for it."""
        self.builder.built.clear()
        self.builder.num_run = 0
        found = self.room.outcome(draw.Fault("f.cpp", 1, 4, "0", new))
        self.assertEqual((self.builder.tree / "f.cpp").read_text(encoding="utf-8"), "a = 0;\n")
        return found, [target.rsplit("/")[-1] for target in self.builder.built]

    def test_a_program_is_built_when_a_fault_reaches_it(self):
        self.assertEqual(self.builder.built, ["test_first"])
        self.assertEqual(self.outcome("1"), ("test_first: text", ["f.cpp.o", "f.cpp.o", "test_first"]))
        self.assertEqual(self.outcome("2"), ("test_second: text", ["f.cpp.o", "test_first", "test_second", "f.cpp.o", "test_second"]))
        self.assertEqual(self.outcome("3"), ("survives", ["f.cpp.o", "test_first", "test_second"]))

    def test_what_does_not_change_the_object_is_not_linked(self):
        self.assertEqual(self.outcome("0"), ("same", ["f.cpp.o", "f.cpp.o"]))
        self.assertEqual(self.outcome("?"), ("no build", ["f.cpp.o"]))

    def test_a_time_limit_counts_when_it_is_reached_twice(self):
        self.assertEqual(self.outcome("8")[0], "test_first: time limit, run twice")
        self.assertEqual(self.outcome("9")[0], "survives")

    def test_a_time_limit_of_ctest_is_seen(self):
        self.builder.run = lambda command, seconds, cpu_seconds: (8, "1/2 Test #5: e2e: dump ....***Timeout 300.00 sec\n")
        self.assertEqual(self.room.failure("ctest: ^e2e: dump", 10), "ctest: ^e2e: dump: time limit")
        self.builder.run = lambda command, seconds, cpu_seconds: (8, "1/2 Test #5: e2e: dump ....***Failed 3.00 sec\n")
        self.assertEqual(self.room.failure("ctest: ^e2e: dump", 10), "e2e: dump")


if __name__ == "__main__":
    unittest.main()
