# SPDX-License-Identifier: Apache-2.0
"""A larger array is never slower: cycles of v64 >= v256 >= v1024 on every network, the tree's own and the real ones. (One
output channel more than the lanes: system/channel_formula_test.cpp. SRAM and bandwidth: memory_test.py.)"""

import json

import program

CONFIGS = ("v64", "v256", "v1024")


class Trends(program.ProgramTest):
    def never_slower(self, name, model):
        cycles = []
        for config in CONFIGS:
            done = self.execute("estimate", model, "-q", "--config", config, "--report", "-")
            self.assertEqual(done.returncode, 0, done.stderr)
            cycles.append(json.loads(done.stdout)["totals"]["cycles"])
        self.assertEqual(cycles, sorted(cycles, reverse=True), name)

    def test_own_networks(self):
        self.never_slower("demo", program.DEMO)
        for entry in program.made_networks():
            with self.subTest(entry["name"]):
                self.never_slower(entry["name"], program.MADE / entry["name"] / "model.tosa")

    def test_real_networks(self):
        if not program.GOLDEN.exists():
            self.skipTest(f"{program.GOLDEN} is not there")
        for model in sorted(program.GOLDEN.glob("*/model.tosa")):
            with self.subTest(model.parent.name):
                self.never_slower(model.parent.name, model)


if __name__ == "__main__":
    program.main()
