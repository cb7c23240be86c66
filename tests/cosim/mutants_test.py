#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How a mutant of hw/rtl counts: a co-simulation that takes too long is an error of the campaign and finds nothing."""

import pathlib
import sys
import types
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import mutants
from campaign import Broken


class Found(unittest.TestCase):
    def find(self, *results):
        """find() with a runner whose exit codes and texts are these, one for each seed."""
        left = list(results)
        before = mutants.campaign.run
        mutants.campaign.run = lambda *arguments: left.pop(0)
        try:
            return mutants.find(types.SimpleNamespace(build=pathlib.Path(), scratch=None), mutants.ARRAY, "x.so")
        finally:
            mutants.campaign.run = before

    def test_a_mismatch_or_a_hang_finds_it(self):
        self.assertEqual(self.find((3, "vector 1: wrong\nmore")), "vector 1: wrong")
        self.assertEqual(self.find((0, ""), (4, "no handshake")), "no handshake")

    def test_it_survives_all_seeds(self):
        self.assertIsNone(self.find(*[(0, "")] * len(mutants.SEEDS)))

    def test_a_co_simulation_that_takes_too_long_finds_nothing(self):
        with self.assertRaisesRegex(Broken, "takes longer than 20 s of CPU time"):
            self.find((0, ""), (None, "takes longer than 20 s of CPU time"))

    def test_a_runner_that_fails_finds_nothing(self):
        with self.assertRaisesRegex(Broken, "exits with -11"):
            self.find((-11, ""))


if __name__ == "__main__":
    unittest.main()
