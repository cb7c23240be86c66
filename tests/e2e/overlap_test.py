# SPDX-License-Identifier: Apache-2.0
"""With the weights outside, loads and compute overlap, and bandwidth matters until it no longer does."""

import program

BANDWIDTHS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
SETTLED = 0.03  # of the cycles, between the two widest
REAL = [program.GOLDEN / name / "model.tosa" for name in ("ad01_int8", "kws_ref_model", "pretrainedResnet_quant")]
MODELS = [program.DEMO, *(path for path in REAL if path.exists())]
FEW = 3  # of MODELS: the others wait for the night


class Overlap(program.ProgramTest):
    models = MODELS[:FEW]

    def report(self, model, bytes_per_cycle, optimize="1"):
        config = self.folder / f"bw{bytes_per_cycle}.toml"
        config.write_text(f'base = "v256"\nexternal_bytes_per_cycle = {bytes_per_cycle}\nmemory_mode = "weights-external"\n')
        return self.run_model(model, options=["--config", config, "--optimize", optimize])[0]

    @staticmethod
    def at_work(report, unit):
        """Cycles in which a command of the unit was in flight: it worked, or memory and neighbours slowed it."""
        found = report["units"][unit]
        waiting = ("waiting_for_token", "command_issue", "dma")
        return found["busy_cycles"] + sum(cycles for name, cycles in found["stall_cycles"].items() if name not in waiting)

    def test_loads_and_compute_overlap(self):
        """Where the one takes about as long as the other, they take less together than one after the other would."""
        for model in self.models:
            for bandwidth in (2, 4, 8, 16, 32):
                report = self.report(model, bandwidth)
                together = self.at_work(report, "dma") + self.at_work(report, "mac_array")
                if together > 1.02 * report["totals"]["cycles"]:
                    break
            else:
                self.fail(f"{model}: loads and compute do not overlap: {report['totals']} {report['units']}")
            serial = self.report(model, bandwidth, optimize="0")
            self.assertGreater(serial["totals"]["cycles"], report["totals"]["cycles"])

    def test_cycles_fall_with_bandwidth_and_then_stop(self):
        for model in self.models:
            cycles = [self.report(model, bandwidth)["totals"]["cycles"] for bandwidth in BANDWIDTHS]
            for narrow, wide in zip(cycles, cycles[1:]):
                self.assertLessEqual(wide, narrow, f"{model}: {cycles}")
            self.assertLess(cycles[1], 0.8 * cycles[0], f"{model}: 1 to 2 B a cycle changes little: {cycles}")
            self.assertGreater(cycles[-1], (1 - SETTLED) * cycles[-2], f"{model}: bandwidth still matters: {cycles}")

    def test_in_sram_bandwidth_does_not_matter(self):
        cycles = set()
        for bandwidth in (4, 64):
            config = self.folder / f"sram{bandwidth}.toml"
            config.write_text(f'base = "v256"\nexternal_bytes_per_cycle = {bandwidth}\nmemory_mode = "sram"\n')
            report = self.run_model(program.DEMO, options=["--config", config])[0]
            self.assertEqual(report["totals"]["external_read_bytes"] + report["totals"]["external_write_bytes"], 0)
            cycles.add(report["totals"]["cycles"])
        self.assertEqual(len(cycles), 1)


class Tonight(Overlap):
    models = MODELS[FEW:]
    test_in_sram_bandwidth_does_not_matter = None

    def setUp(self):
        super().setUp()
        if not self.models:
            self.skipTest(f"{program.GOLDEN} is not there")


if __name__ == "__main__":
    program.main()
