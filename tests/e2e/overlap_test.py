# SPDX-License-Identifier: Apache-2.0
"""With the weights outside, loads and compute overlap, and bandwidth matters until it no longer does."""

import program

BANDWIDTHS = (4, 8, 16, 32, 64, 128)
SETTLED = 0.03  # of the cycles, between the two widest


class Overlap(program.ProgramTest):
    def report(self, bytes_per_cycle, optimize="1"):
        config = self.folder / f"bw{bytes_per_cycle}.toml"
        config.write_text(f'base = "v256"\nexternal_bytes_per_cycle = {bytes_per_cycle}\nmemory_mode = "weights-external"\n')
        return self.run_model(self.model(), options=["--config", config, "--optimize", optimize])[0]

    @staticmethod
    def model():
        real = program.GOLDEN / "pretrainedResnet_quant" / "model.tosa"
        return real if real.exists() else program.DEMO

    @staticmethod
    def busy(report, unit):
        """Cycles in which the unit worked or moved data: the time that it waits for the memory is time of a load."""
        found = report["units"][unit]
        return found["busy_cycles"] + found["stall_cycles"].get("external_memory", 0)

    def test_loads_and_compute_overlap(self):
        report = self.report(8)
        together = self.busy(report, "dma") + self.busy(report, "mac_array")
        self.assertGreater(together, report["totals"]["cycles"], report["units"])
        serial = self.report(8, optimize="0")
        self.assertGreater(serial["totals"]["cycles"], 1.1 * report["totals"]["cycles"])

    def test_cycles_fall_with_bandwidth_and_then_stop(self):
        cycles = [self.report(bandwidth)["totals"]["cycles"] for bandwidth in BANDWIDTHS]
        for narrow, wide in zip(cycles, cycles[1:]):
            self.assertLessEqual(wide, narrow, cycles)
        self.assertLess(cycles[1], 0.95 * cycles[0], f"4 to 8 B a cycle changes little: {cycles}")
        self.assertGreater(cycles[-1], (1 - SETTLED) * cycles[-2], f"64 to 128 B a cycle still matters: {cycles}")

    def test_in_sram_bandwidth_does_not_matter(self):
        cycles = set()
        for bandwidth in (4, 64):
            config = self.folder / f"sram{bandwidth}.toml"
            config.write_text(f'base = "v256"\nexternal_bytes_per_cycle = {bandwidth}\nmemory_mode = "sram"\n')
            report = self.run_model(program.DEMO, options=["--config", config])[0]
            self.assertEqual(report["totals"]["external_read_bytes"] + report["totals"]["external_write_bytes"], 0)
            cycles.add(report["totals"]["cycles"])
        self.assertEqual(len(cycles), 1)


if __name__ == "__main__":
    program.main()
