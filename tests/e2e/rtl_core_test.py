# SPDX-License-Identifier: Apache-2.0
"""`vernier run --backend rtl --rtl-scope core`: a whole network on the core with its memory. Outputs are those of the simulator and of the
golden files; the total and the edges of commands are near the model's. Skipped where the program has no RTL."""

import npy
import program
import report_text
from rtl_backend_test import NETWORKS, RtlTest

MODES = ("sram", "weights-external", "external")
# Per cent that a total may differ from the model's; those of short networks are cycles.
MOST_PERCENT = {"sram": 1, "weights-external": 2, "external": 2}
MOST_CYCLES = 32
MOST_COMMAND_PERCENT = 10
# (network, preset): the deviation whose size the table has, and per cent.
DEVIATIONS = {("vit_tiny_int8", "v64"): ("D-034", 4), ("vit_tiny_int8", "v256"): ("D-034", 3), ("kws_ref_model", "v1024"): ("D-034", 1.5)}
# Networks with commands of the array or of the vector unit that are further off than MOST_COMMAND_PERCENT: they meet others in banks (D-034).
FAR_COMMANDS = {("unet_96_int8", config) for config in ("v64", "v256", "v1024")} | {
    (name, "v1024") for name in ("mobilenet_v1_025_96_int16x8", "mobilenet_v2_quantized_1x3x224x224", "vit_tiny_int8")}


class CoreTest(RtlTest):
    def run_core(self, model, options, inputs=()):
        report, outputs = self.run_rtl(model, inputs, ["--rtl-scope", "core", *options])
        core = report["rtl"]["core"]
        self.assertEqual((report["check"]["result"], report["rtl"]["mismatches"], core["wrong_bytes"]), ("match", 0, 0))
        self.assertGreater(core["compared_bytes"], 0)
        for command in core["commands"]:
            self.assertGreaterEqual(command["start_cycle"], command["model_start_cycle"], command)
        return report, outputs

    def check_total(self, report, most_percent):
        core = report["rtl"]["core"]
        total, model = core["total_cycles"], core["model_total_cycles"]
        print(f"{report['model']['file']}, {report['config']['name']}, {report['config']['memory_mode']}: RTL {total}, model {model}, "
              f"{100 * (total - model) / model:+.3f} %, worst command {core['worst_command']}", flush=True)
        self.assertLessEqual(abs(total - model), max(MOST_CYCLES, model * most_percent / 100))


class Small(CoreTest):
    def test_networks_have_the_simulators_outputs_and_nearly_its_cycles(self):
        models = [program.DEMO, *(program.MADE / name / "model.tosa" for name in ("depthwise_separable", "residual_block", "softmax_rows"))]
        for model in models:
            for mode in MODES:
                with self.subTest(network=str(model), memory=mode):
                    options = ["--config", "v64", "--memory", mode, "--seed", 3]
                    report, outputs = self.run_core(model, options)
                    _, others = self.run_model(model, (), options)
                    for tensor, values in others.items():
                        self.assert_arrays_equal(outputs[tensor], values, tensor)
                    self.check_total(report, 5 if model == program.DEMO else 3)

    def test_iterations_are_jobs(self):
        model = program.MADE / "small_classifier" / "model.tosa"
        once, _ = self.run_core(model, ["--config", "v64"])
        twice, _ = self.run_core(model, ["--config", "v64", "--iterations", 2])
        self.assertEqual(twice["check"]["iterations_compared"], 2)
        self.assertEqual(once["rtl"]["core"], twice["rtl"]["core"])

    def test_text(self):
        report = self.folder / "r.json"
        done = self.execute("run", program.DEMO, "--backend", "rtl", "--rtl-scope", "core", "--config", "v64", "--report", report)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("RTL: equal, in every one of ", done.stdout)
        self.assertIn("cycles on the core, model ", done.stdout)
        self.assertEqual(list(report_text.findings(done.stdout, program.read_json(report))), [])


class Golden(CoreTest):
    def check_network(self, name, config, modes):
        folder = program.GOLDEN / name
        if not folder.exists():
            self.skipTest(f"{folder} is not there")
        for mode in modes:
            with self.subTest(network=name, config=config, memory=mode):
                options = ["--config", config, "--memory", mode] + ([] if mode == "sram" else ["--sram-bytes", "256KiB"])
                report, outputs = self.run_core(folder / "model.tosa", options, [f"TosaInput_0={folder / 'seed0' / 'input0.npy'}"])
                self.assert_arrays_equal(outputs["TosaOutput_0"], npy.read(folder / "seed0" / "output_tosa.npy"), name)
                _, most_percent = DEVIATIONS.get((name, config), (None, MOST_PERCENT[mode]))
                self.check_total(report, most_percent)
                if (name, config) not in DEVIATIONS.keys() | FAR_COMMANDS:
                    self.assertLessEqual(abs(report["rtl"]["core"]["worst_command"]["percent"]), MOST_COMMAND_PERCENT)


for _name in NETWORKS:
    for _config in ("v64", "v256", "v1024"):
        setattr(Golden, f"test_{_name}_{_config}", lambda self, name=_name, config=_config: self.check_network(name, config, ("sram",)))
    setattr(Golden, f"test_{_name}_outside", lambda self, name=_name: self.check_network(name, "v256", MODES[1:]))

if __name__ == "__main__":
    program.main()
