# SPDX-License-Identifier: Apache-2.0
"""Memory mode external from the least SRAM that an error names; every network in 48 KiB; trends over machines, SRAM and
bandwidth; constants cross the port once; estimate equals run."""

import json
import re

import disassembly
import program

MADE = [path / "model.tosa" for path in sorted(program.MADE.iterdir()) if (path / "model.tosa").exists()]
REAL = [program.GOLDEN / name / "model.tosa"
        for name in ("ad01_int8", "kws_ref_model", "pretrainedResnet_quant", "mobilenet_v1_025_96_int8")]
MODELS = [program.DEMO, *(path for path in REAL if path.exists())]
OTHERS = [program.GOLDEN / name / "model.tosa"
          for name in ("str_ww_ref_model", "vww_96_int8", "ds_cnn_kws_int16x8", "mobilenet_v1_025_96_int16x8", "vit_tiny_int8")]
LARGE = [program.GOLDEN / name / "model.tosa"
         for name in ("mobilenet_v2_quantized_1x3x224x224", "unet_96_int8", "resnet50_int8")]
FEW = 3  # of MODELS: the others wait for the night
SMALL_SRAM = ["--memory", "external", "--sram-bytes", 48 << 10]
# Vela 5.2's estimate of an Ethos-U55-256 with 48 KiB and a port of 8 B a cycle, everything in its SRAM behind that port.
U55_CYCLES = {
    "kws_ref_model": 56_222, "vww_96_int8": 146_940, "pretrainedResnet_quant": 107_151, "ad01_int8": 40_929,
    "str_ww_ref_model": 18_896, "mobilenet_v2_quantized_1x3x224x224": 3_814_056, "resnet50_int8": 25_277_933,
    "mobilenet_v1_025_96_int8": 157_586, "mobilenet_v1_025_96_int16x8": 281_362, "unet_96_int8": 2_538_668,
    "vit_tiny_int8": 980_270, "ds_cnn_kws_int16x8": 119_265,
}
MODES = ("sram", "weights-external", "external")
STEP = 128  # bytes between sizes of SRAM that differ: a word in each bank of v256
EIGHTHS = [eighths << power for power in range(7, 16) for eighths in range(8, 16)]  # of powers of two, from STEP x 8 on
LADDER = ("residual_block", "conv_deep", "small_classifier", "depthwise_separable", "conv_first_c3", "depthwise_c48",
          "conv_3x3_pad")
SLACK = 1.01  # more memory or bandwidth may cost this much, never more


def inputs_of(model):
    """The inputs that lie beside a made network: random ones may overflow, which is exit code 1."""
    return [f"{path.stem}={path}" for path in sorted(model.parent.glob("TosaInput_*.npy"))]


def needs_of(refusal):
    """{memory mode: bytes of SRAM} of the line that refuses an SRAM."""
    own = re.search(r"needs (\d+) B \(.*?\) of SRAM with .* in memory mode '(.*?)', ", refusal)
    others = re.findall(r"'([a-z-]+)' needs (\d+) B", refusal[own.end():])
    return {own[2]: int(own[1]), **{mode: int(size) for mode, size in others}}


def sram_needs(test, model, *options):
    """What the refusal of 1 KiB says that each memory mode needs; {} where 1 KiB is taken."""
    done = test.execute("estimate", model, "--sram-bytes", 1024, *options)
    if done.returncode == 0:
        return {}
    test.assertEqual(done.returncode, 2, done.stderr)
    test.assertIn("--sram-bytes gives 1024 B (1 KiB)", done.stderr)
    return needs_of(done.stderr)


class Memory(program.ProgramTest):
    def test_the_size_that_the_error_names_works(self):
        """It is taken, a step less is not; and the refusals of the other memory modes name the same."""
        num_refused = 0
        for model in MODELS[:FEW] + MADE[::6]:
            for optimize in (0, 1):
                named = {}
                for memory in MODES:
                    options = ["--memory", memory, "--optimize", optimize]
                    needs = sram_needs(self, model, *options)
                    least = named.setdefault(memory, needs.get(memory, 1024))
                    for other, size in needs.items():
                        self.assertEqual(named.setdefault(other, size), size, f"{model} {options}: {other}")
                    self.run_model(model, inputs_of(model), [*options, "--sram-bytes", least])
                    if least > 1024:
                        self.assertEqual(sorted(needs), sorted(MODES), f"{model} {options}")
                        below = self.execute("estimate", model, *options, "--sram-bytes", least - STEP, codes=(2,))
                        self.assertEqual(needs_of(below.stderr), needs, f"{model} {options}")
                        num_refused += 1
        self.assertGreater(num_refused, 30)

    def test_a_mode_that_has_room_is_taken_and_said(self):
        """Where no option names the mode: the first one that has room, with the figures of a run in it; the other files and pages alike."""
        needs = sram_needs(self, program.DEMO, "--memory", "sram")
        note = r"note: the network finds no room in [\d.,]+ \w+ of SRAM in memory mode 'sram':\s+'{}'\s+is taken"
        for mode in ("weights-external", "external"):
            size = needs[mode] + STEP
            named, _ = self.run_model(program.DEMO, options=["--memory", mode, "--sram-bytes", size])
            chosen, _ = self.run_model(program.DEMO, options=["--sram-bytes", size])
            self.assertEqual(chosen["config"]["memory_mode"], mode)
            self.assertEqual(chosen["totals"], named["totals"])
            self.assertTrue(any(f"'{mode}' is taken" in text for text in chosen["notes"]), chosen["notes"])
            self.assertFalse(any("is taken" in text for text in named["notes"]), named["notes"])
            for command in (("run",), ("estimate",), ("inspect",), ("compile", "-o", self.folder / f"{mode}.vnpu")):
                done = self.execute(*command, program.DEMO, "--sram-bytes", size)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertRegex(done.stdout + done.stderr, note.format(mode))
            done = self.execute("explain", program.DEMO, "--layer", "pointwise", "--sram-bytes", size)
            self.assertEqual(done.returncode, 0, done.stderr)
            package, _ = self.run_model(self.folder / f"{mode}.vnpu")
            self.assertEqual(package["totals"], named["totals"])
        for options in (["--memory", "sram"], ["--set", "memory_mode=sram"]):
            self.execute("estimate", program.DEMO, "--sram-bytes", needs["external"], *options, codes=(2,))
        table = self.execute("estimate", program.DEMO, "--sram-bytes", f"{needs['external']},{needs['sram']}")
        self.assertRegex(table.stdout, r"(?s)external.*\bsram\b")

    def test_any_size_gives_the_same_values(self):
        self.values_of_sizes(MODELS[:FEW])

    def test_any_size_gives_the_same_values_other_networks(self):
        if not MODELS[FEW:]:
            self.skipTest(f"{program.GOLDEN} is not there")
        self.values_of_sizes(MODELS[FEW:])

    def values_of_sizes(self, models):
        for model in models:
            least = sram_needs(self, model, "--memory", "external").get("external", 1024)
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


class ConstantsOnce(program.ProgramTest):
    def test_no_byte_of_a_weight_is_loaded_twice(self):
        for model in MODELS:
            package = self.folder / "model.vnpu"
            done = self.execute("compile", model, "--memory", "weights-external", "-o", package)
            self.assertEqual(done.returncode, 0, done.stderr)
            loads = []
            for command in disassembly.parse(self.execute("disasm", package).stdout):
                if command.kind == "dma" and command.fields.get("src", "").startswith("ext:"):
                    begin = int(command.fields["src"].removeprefix("ext:"), 16)
                    loads.append((begin, begin + int(command.fields["run_bytes"])))
            self.assertTrue(loads, model)
            loads.sort()
            for before, after in zip(loads, loads[1:]):
                self.assertLessEqual(before[1], after[0], f"{model}: {before} and {after}")
            report, _ = self.run_model(model, options=["--memory", "weights-external"])
            loaded = sum(end - begin for begin, end in loads)
            self.assertGreaterEqual(loaded, report["totals"]["weight_bytes"])
            self.assertGreaterEqual(report["totals"]["external_read_bytes"], loaded)


class SmallSram(program.ProgramTest):
    """48 KiB: every element of every tensor, on each machine; and beside another machine of that size."""

    def network(self, model):
        if not model.exists():
            self.skipTest(f"{model} is not there")
        cycles = 0
        for config in ("v256-port8", "v64", "v1024"):
            options = ["--config", config, *SMALL_SRAM, "--check-all"]
            report, _ = self.run_model(model, [f"TosaInput_0={model.parent / 'seed0' / 'input0.npy'}"], options)
            self.assertEqual(report["check"]["result"], "match")
            cycles = cycles or report["totals"]["cycles"]
        self.assertLess(cycles, U55_CYCLES[model.parent.name])


for _model in (*REAL, *OTHERS, *LARGE):
    setattr(SmallSram, f"test_{_model.parent.name}", lambda self, model=_model: self.network(model))


class WeightsOutside(program.ProgramTest):
    """Loads hide behind compute: the longer of the two, the first layer's load, and a tenth."""

    def test_loads_hide(self):
        for model in LARGE[::2]:
            if not model.exists():
                self.skipTest(f"{model} is not there")
            cycles = {}
            for memory in ("sram", "weights-external"):
                done = self.execute("estimate", model, "-q", "--report", "-", "--memory", memory)
                self.assertEqual(done.returncode, 0, done.stderr)
                report = json.loads(done.stdout)
                cycles[memory] = report["totals"]["cycles"]
            least = max(cycles["sram"], report["totals"]["external_read_bytes"] / 16)
            first = report["layers"][0]["external_read_bytes"] / 16
            self.assertLessEqual(cycles["weights-external"], 1.1 * least + first, f"{model}: {cycles}")


class LittleRoom(program.ProgramTest):
    """The note that maps leave no room for weights."""

    def estimate(self, sram_bytes):
        done = self.execute("estimate", program.DEMO, "-q", "--report", "-", "--config", "v64", "--memory", "weights-external",
                            "--sram-bytes", sram_bytes)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        return report["totals"]["cycles"], [note for note in report["notes"] if "leave no room for weights" in note]

    def test_it_names_the_least_size_and_ends_at_four_times_that(self):
        least = sram_needs(self, program.DEMO, "--config", "v64", "--memory", "sram")["weights-external"]
        enough_cycles, _ = self.estimate(1 << 20)
        for sram_bytes in (least, 2 * least, 4 * least - STEP):
            _, notes = self.estimate(sram_bytes)
            self.assertEqual(len(notes), 1, sram_bytes)
            self.assertIn(f"the network needs {least:,} B at least; with 4 times that, weights come ahead in time", notes[0])
        cycles, notes = self.estimate(4 * least)
        self.assertEqual(notes, [])
        self.assertLessEqual(cycles, 1.01 * enough_cycles, "weights do not come in time")


class Estimate(program.ProgramTest):
    def test_estimate_gives_what_run_gives(self):
        self.compare(MODELS[:FEW] + MADE[::9])

    def test_estimate_gives_what_run_gives_other_networks(self):
        if not MODELS[FEW:]:
            self.skipTest(f"{program.GOLDEN} is not there")
        self.compare(MODELS[FEW:])

    def compare(self, models):
        for model in models:
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

    def sram(self, model):
        for memory, first in (("external", 48 << 10), ("weights-external", 4 << 20 if model in LARGE else 256 << 10)):
            cycles = [self.cycles(model, "--memory", memory, "--sram-bytes", size)
                      for size in (48 << 10, 256 << 10, 1 << 20, 4 << 20, 64 << 20) if size >= first]
            for less, more in zip(cycles, cycles[1:]):
                self.assertLessEqual(more, SLACK * less, f"{model} {memory}: {cycles}")

    def test_more_sram_never_costs(self):
        for model in MODELS[:FEW]:
            self.sram(model)

    def test_more_sram_never_costs_other_networks(self):
        for model in (*MODELS[FEW:], *(path for path in OTHERS if path.exists())):
            self.sram(model)

    def test_a_little_more_sram_never_costs(self):
        """Sizes from the least that works, an eighth apart: where steps differ most in what they can do with it."""
        for model in (program.DEMO, *(program.MADE / name / "model.tosa" for name in LADDER)):
            least = sram_needs(self, model, "--memory", "external").get("external", 1024)
            sizes = [least, *(size for size in EIGHTHS if least < size <= 6 * least)]
            cycles = [self.cycles(model, "--memory", "external", "--sram-bytes", size) for size in sizes]
            for i, more in enumerate(cycles):
                self.assertLessEqual(more, SLACK * min(cycles[:i + 1]), f"{model} {sizes[i]} B of {sizes}: {cycles}")

    def bandwidth(self, model):
        for memory in ("weights-external", "external"):
            cycles = []
            for bandwidth in (4, 8, 16, 32):
                config = self.folder / f"bw{bandwidth}.toml"
                config.write_text(f'base = "v256"\nexternal_bytes_per_cycle = {bandwidth}\n')
                cycles.append(self.cycles(model, "--config", config, "--memory", memory))
            for less, more in zip(cycles, cycles[1:]):
                self.assertLessEqual(more, SLACK * less, f"{model}: {cycles}")

    def test_more_bandwidth_never_costs(self):
        for model in (*MODELS, *(path for path in OTHERS if path.exists())):
            self.bandwidth(model)

    def large(self, model):
        if not model.exists():
            self.skipTest(f"{model} is not there")
        self.sram(model)
        self.bandwidth(model)


for _model in LARGE:
    setattr(Trends, f"test_{_model.parent.name}", lambda self, model=_model: self.large(model))


if __name__ == "__main__":
    program.main()
