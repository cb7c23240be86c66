#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which faults draw.py finds in a text, and that a seed gives the same ones again."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import draw

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


if __name__ == "__main__":
    unittest.main()
