# SPDX-License-Identifier: Apache-2.0
"""External memories that people have, given over time or per cycle: cycles, values, reports, packages."""

import unittest

import program

FLASH_BYTES_PER_SECOND = 8_000_000  # quad SPI, slowly: 1/125 byte per cycle at 1 GHz


class ExternalMemory(program.ProgramTest):
    def machine(self, name, **values):
        text = "".join(f"{key} = {value}\n" for key, value in values.items())
        (self.folder / f"{name}.toml").write_text(f'base = "v256"\nname = "same"\n{text}')
        return f"{name}.toml"

    def totals(self, config, *options):
        report, _ = self.run_model(program.DEMO, options=("--config", config, *options))
        self.assertEqual(report["check"]["result"], "match")
        return report["totals"], report["config"], report

    def test_slow_flash_bounds_the_network(self):
        config = self.machine("flash", external_bytes_per_second=FLASH_BYTES_PER_SECOND, external_latency_ns=10_000)
        for memory in ("weights-external", "external"):
            totals, values, _ = self.totals(config, "--memory", memory)
            moved = totals["external_read_bytes"] + totals["external_write_bytes"]
            self.assertGreaterEqual(totals["cycles"], 125 * moved)
            # Each command waits once for the memory, and hides little behind so slow a port.
            self.assertLess(totals["cycles"], 125 * moved + 10_000 * totals["commands"] + 20_000)
            self.assertEqual(values["external_bytes_per_cycle"], 0.008)
            self.assertEqual(values["external_bytes_per_second"], FLASH_BYTES_PER_SECOND)
            self.assertEqual((values["external_latency_ns"], values["external_latency_cycles"]), (10_000, 10_000))

    def test_two_ways_to_say_the_same(self):
        ways = (self.machine("time", clock_hz=400_000_000, external_bytes_per_second=100_000_000, external_latency_ns=61),
                self.machine("cycles", clock_hz=400_000_000, external_bytes_per_cycle='"1/4"', external_latency_cycles=25))
        for memory in ("weights-external", "external"):
            reports = [self.totals(way, "--memory", memory) for way in ways]
            self.assertEqual(reports[0][:2], reports[1][:2])
            self.assertEqual(reports[0][2]["commands"], reports[1][2]["commands"])

    def test_a_faster_clock_does_not_make_the_memory_faster(self):
        """Bound by a memory whose bytes per second stay, twice the cycles pass in the same time."""
        seconds = []
        for clock_mhz in (100, 200, 1000):
            config = self.machine(f"clock{clock_mhz}", clock_hz=clock_mhz * 1_000_000,
                                  external_bytes_per_second=FLASH_BYTES_PER_SECOND, external_latency_ns=100)
            seconds.append(self.totals(config, "--memory", "weights-external")[0]["seconds"])
        for other in seconds[1:]:
            self.assertAlmostEqual(other / seconds[0], 1, delta=0.01)

    def test_a_package_keeps_the_fraction(self):
        config = self.machine("flash", external_bytes_per_cycle='"1/125"')
        options = ("--config", config, "--memory", "external", "--sram-bytes", 16384)
        expected = self.totals(*options[1:])[0]
        report, _ = self.run_model(self.compile(program.DEMO, *options))
        self.assertEqual(report["totals"], expected)
        other = self.machine("other", external_bytes_per_cycle='"1/126"')
        done = self.execute("run", "model.vnpu", "--config", other)
        self.assertEqual(done.returncode, 2)
        self.assertIn("external_bytes_per_cycle is 1/125, the machine has 1/126", done.stderr)

    def test_values_as_people_read_them(self):
        config = self.machine("odd", clock_hz=333_000_000, external_bytes_per_second=133_000_000, external_latency_ns=50)
        shown = dict(line.split()[:2] for line in self.execute("config", "show", config).stdout.splitlines())
        self.assertEqual(shown["external_bytes_per_cycle"], "133/333")
        self.assertEqual(shown["external_bytes_per_second"], "133000000")
        self.assertEqual(shown["external_latency_cycles"], "17")  # 16.65 rounds up
        self.assertEqual(shown["external_latency_ns"], "51.051")


@unittest.skipUnless(program.GOLDEN.exists(), f"{program.GOLDEN} is not there")
class Sizes(program.ProgramTest):
    def cycles(self, network, config, sram_bytes):
        done = self.execute("estimate", "-q", program.GOLDEN / network / "model.tosa", "--config", config, "--memory",
                            "external", "--sram-bytes", sram_bytes, "--report", "r.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return program.read_json(self.folder / "r.json")["totals"]["cycles"]

    def test_a_size_between_two_rungs_costs_no_more_than_the_rung_below(self):
        """One step above a size of which every larger SRAM carries out the same plans."""
        for config, rung, step in (("v256", 13_056, 128), ("v1024", 30_720, 256)):
            self.assertLessEqual(self.cycles("kws_ref_model", config, rung + step), self.cycles("kws_ref_model", config, rung))

    def test_a_larger_sram_keeps_what_smaller_ones_found(self):
        """What was found for the smaller SRAM was planned or ordered for less room than the larger one has."""
        for config, smaller, larger in (("v256", 4_608, 4_864), ("v256", 9_216, 9_472), ("v1024", 9_216, 9_728),
                                        ("v1024", 11_520, 11_776)):
            self.assertLessEqual(100 * self.cycles("kws_ref_model", config, larger),
                                 101 * self.cycles("kws_ref_model", config, smaller))


if __name__ == "__main__":
    program.main()
