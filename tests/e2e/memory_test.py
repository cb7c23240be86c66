# SPDX-License-Identifier: Apache-2.0
"""Memory mode external from the least SRAM that an error names; trends over SRAM and bandwidth; estimate equals run."""

import json
import re

import program

MADE = [path / "model.tosa" for path in sorted(program.MADE.iterdir()) if (path / "model.tosa").exists()]
REAL = [program.GOLDEN / name / "model.tosa"
        for name in ("ad01_int8", "kws_ref_model", "pretrainedResnet_quant", "mobilenet_v1_025_96_int8")]
MODELS = [program.DEMO, *(path for path in REAL if path.exists())]
UNITS = {"B": 1, "KiB": 1024, "MiB": 1024 * 1024}
SLACK = 1.01  # more memory or bandwidth may cost this much, never more


def inputs_of(model):
    """The inputs that lie beside a made network: random ones may overflow, which is exit code 1."""
    return [f"{path.stem}={path}" for path in sorted(model.parent.glob("TosaInput_*.npy"))]


class Memory(program.ProgramTest):
    def least_sram(self, model, *options):
        """The size that the refusal of 1 KiB names."""
        done = self.execute("run", model, "--sram-bytes", 1024, *options)
        if done.returncode in (0, 1):  # it fits; random inputs may overflow
            return 1024
        self.assertEqual(done.returncode, 2, done.stderr)
        found = re.search(r"needs ([0-9,]+) (B|KiB|MiB) of SRAM", done.stderr)
        self.assertIsNotNone(found, done.stderr)
        return int(found[1].replace(",", "")) * UNITS[found[2]]

    def test_the_size_that_the_error_names_works(self):
        for model in MODELS + MADE[::6]:
            for memory in ("sram", "weights-external", "external"):
                for optimize in (0, 1):
                    options = ["--memory", memory, "--optimize", optimize]
                    least = self.least_sram(model, *options)
                    self.run_model(model, inputs_of(model), [*options, "--sram-bytes", least])

    def test_any_size_gives_the_same_values(self):
        for model in MODELS:
            least = self.least_sram(model, "--memory", "external")
            expected = self.run_model(model)[1]
            for factor in (1, 1.3, 1.7, 2.5, 4, 10, 100):
                size = int(least * factor) // 256 * 256 + 256
                report, found = self.run_model(model, options=["--memory", "external", "--sram-bytes", size, "--check-all"])
                self.assertLessEqual(report["totals"]["sram_peak_bytes"], size)
                for name, array in expected.items():
                    self.assert_arrays_equal(found[name], array, f"{model} {size}")

    def test_inputs_and_outputs_cross_the_port(self):
        report, _ = self.run_model(program.DEMO, options=["--memory", "external"])
        self.assertEqual(report["totals"]["external_write_bytes"], 64)  # ten bytes: a burst
        self.assertGreaterEqual(report["totals"]["external_read_bytes"], 64 + report["totals"]["weight_bytes"])


class Estimate(program.ProgramTest):
    def test_estimate_gives_what_run_gives(self):
        for model in MODELS + MADE[::9]:
            for options in (["--config", "v64"], ["--memory", "weights-external"], ["--memory", "external"], ["--optimize", "0"]):
                run, _ = self.run_model(model, inputs_of(model), options)
                done = self.execute("estimate", model, "-q", "--report", "-", *options)
                self.assertEqual(done.returncode, 0, done.stderr)
                estimate = json.loads(done.stdout)
                self.assertEqual(estimate["check"]["result"], "skipped")
                for key in ("totals", "units", "layers", "config"):
                    self.assertEqual(estimate[key], run[key], f"{model} {options} {key}")


class Trends(program.ProgramTest):
    def cycles(self, model, *options):
        done = self.execute("estimate", model, "-q", "--report", "-", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["totals"]["cycles"]

    def test_more_sram_never_costs(self):
        for model in MODELS:
            cycles = [self.cycles(model, "--memory", "external", "--sram-bytes", size)
                      for size in (48 << 10, 256 << 10, 1 << 20, 4 << 20, 64 << 20)]
            for less, more in zip(cycles, cycles[1:]):
                self.assertLessEqual(more, SLACK * less, f"{model}: {cycles}")

    def test_more_bandwidth_never_costs(self):
        for model in MODELS:
            for memory in ("weights-external", "external"):
                cycles = []
                for bandwidth in (4, 8, 16, 32):
                    config = self.folder / f"bw{bandwidth}.toml"
                    config.write_text(f'base = "v256"\nexternal_bytes_per_cycle = {bandwidth}\n')
                    cycles.append(self.cycles(model, "--config", config, "--memory", memory))
                for less, more in zip(cycles, cycles[1:]):
                    self.assertLessEqual(more, SLACK * less, f"{model}: {cycles}")


if __name__ == "__main__":
    program.main()
