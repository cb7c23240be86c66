# SPDX-License-Identifier: Apache-2.0
"""`vernier cosim`: the RTL of each unit matches, and what the report says. Skipped where the program has no RTL."""

import json

import program


class Cosim(program.ProgramTest):
    def cosim(self, *arguments):
        done = self.execute("cosim", *arguments)
        if done.returncode == 2 and "built without Verilator" in done.stderr:
            self.skipTest("the program has no RTL")
        return done

    def test_units_match_on_every_machine(self):
        (self.folder / "mine.toml").write_text('base = "v64"\nname = "mine"\nsram_bytes = 65536\n', encoding="utf-8")
        for unit in ("rescale", "table"):
            for config, lanes in (("v64", 8), ("v256", 16), ("v1024", 32), ("v256-sram48", 16), ("mine.toml", 8)):
                done = self.cosim(unit, "--config", config, "--vectors", 2000, "--report", "r.json")
                self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
                report = json.loads((self.folder / "r.json").read_text(encoding="utf-8"))
                self.assertEqual(report["schema"], "vernier-cosim/1")
                self.assertEqual((report["unit"], report["config"], report["lanes"]), (unit, config.removesuffix(".toml"), lanes))
                self.assertEqual((report["vectors"], report["mismatches"], report["cycle_mismatches"]), (2000, 0, 0))
                self.assertEqual((report["commands_compared"], report["commands_without_rtl"]), (0, 0))
                self.assertEqual(report["model_cycles"], report["rtl_cycles"])
                self.assertGreaterEqual(report["model_cycles"], 2000)
                self.assertEqual(sum(group["vectors"] for group in report["groups"]), 2000)
                self.assertTrue(0 < report["coverage_percent"] <= 100)
                self.assertIn("2000 vectors", done.stdout)

    def test_seeds_and_standard_output(self):
        first = self.cosim("rescale", "--vectors", 300, "--seed", 5, "--report", "-")
        self.assertEqual(json.loads(first.stdout)["seed"], 5)
        self.assertIn("300 vectors", first.stderr)
        self.assertEqual(self.cosim("rescale", "--vectors", 300, "--seed", 5, "--report", "-").stdout, first.stdout)
        self.assertNotEqual(self.cosim("rescale", "--vectors", 300, "--seed", 6, "--report", "-").stdout, first.stdout)


if __name__ == "__main__":
    program.main()
