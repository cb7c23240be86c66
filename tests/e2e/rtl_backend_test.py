# SPDX-License-Identifier: Apache-2.0
"""`vernier run --backend rtl`: outputs, check and cycles of the simulator, with the values of RTL. Skipped where the program has no
RTL. Cases of real networks: Golden.test_NETWORK, with the official golden files."""

import json
import re

import npy
import program
import report_checks
import report_text
from vcd import Dump

NETWORKS = ("ad01_int8", "ds_cnn_kws_int16x8", "kws_ref_model", "mobilenet_v1_025_96_int16x8", "mobilenet_v1_025_96_int8",
            "mobilenet_v2_quantized_1x3x224x224", "pretrainedResnet_quant", "resnet50_int8", "str_ww_ref_model", "unet_96_int8",
            "vit_tiny_int8", "vww_96_int8")
# On one quiet core; a run fails at 2.5 times that.
SECONDS = {"mobilenet_v2_quantized_1x3x224x224": 10, "resnet50_int8": 90}
MOST_TIMES = 2.5


class RtlTest(program.ProgramTest):
    longest_seconds = 1500

    def setUp(self):
        super().setUp()
        done = self.execute("cosim", "rescale", "--vectors", 1)
        if done.returncode == 2 and "built without Verilator" in done.stderr:
            run = self.execute("run", program.DEMO, "--backend", "rtl")
            self.assertEqual((run.returncode, run.stdout, run.stderr.count("\n")), (2, "", 1))
            self.assertIn("built without Verilator", run.stderr)
            self.skipTest("the program has no RTL")

    def run_rtl(self, model, inputs=(), options=()):
        """(report, outputs) of a run that goes well."""
        return self.run_model(model, inputs, ["--backend", "rtl", *options])

    def check_equal(self, report):
        rtl = report["rtl"]
        self.assertEqual((report["backend"], rtl["mismatches"], rtl["cycle_mismatches"], rtl["first_mismatches"]), ("rtl", 0, 0, []))
        self.assertEqual(rtl["rtl_cycles"], rtl["model_cycles"])
        self.check_cycles(report)

    def check_cycles(self, report):
        """Each command that has RTL, and all that stands elsewhere about its cycles. What hw/timing charges for a command alone is
        what RTL takes."""
        rtl, cycles = report["rtl"], {command["command_idx"]: command for command in report["rtl"]["command_cycles"]}
        units = {command["command_idx"]: command["unit"] for command in report["commands"]}
        self.assertEqual({idx: command["unit"] for idx, command in cycles.items()},
                         {idx: unit for idx, unit in units.items() if unit in ("mac_array", "vector_unit")})
        self.assertEqual(len(cycles), len(rtl["command_cycles"]))
        for command in cycles.values():
            self.assertEqual(command["model_cycles"], command["rtl_cycles"], command)
        for slow in rtl["slowest_commands"]:
            self.assertEqual(cycles[slow["command_idx"]]["rtl_cycles"], slow["cycles"])

    def check_commands(self, report, package):
        done = self.execute("disasm", package, "--report", "-")
        commands = json.loads(done.stdout)["commands"]
        with_rtl = [command for command in commands if command["unit"] in ("mac", "vec")]
        rtl = report["rtl"]
        self.assertEqual((rtl["commands"], rtl["commands_in_part"]), (len(with_rtl), 0))
        self.assertEqual(rtl["commands"] + rtl["commands_without_rtl"] + 1, len(commands))
        slowest = [command["command_idx"] for command in rtl["slowest_commands"]]
        self.assertLessEqual(set(slowest), {command["command_idx"] for command in with_rtl})
        self.assertEqual(len(slowest), min(10, len(with_rtl)))


class Backend(RtlTest):
    def test_demo_network_on_every_machine(self):
        (self.folder / "mine.toml").write_text('base = "v1024"\nname = "mine"\nexternal_latency_cycles = 7\n', encoding="utf-8")
        for options in (["--config", "v64"], [], ["--config", "v1024"], ["--config", "v256-sram48"], ["--config", "v256-port8"],
                        ["--config", "mine.toml"], ["--config", "v64", "--memory", "external", "--sram-bytes", "32KiB"]):
            with self.subTest(options=options):
                report, outputs = self.run_rtl(program.DEMO, options=[*options, "--seed", 5, "--check-all"])
                self.check_equal(report)
                sim, expected = self.run_model(program.DEMO, options=[*options, "--seed", 5, "--check-all"])
                for tensor, values in expected.items():
                    self.assert_arrays_equal(outputs[tensor], values, tensor)
                # All that the simulator reports, and the RTL's part.
                found = report_checks.without_host_seconds(report)
                found.pop("rtl")
                self.assertEqual({**found, "backend": "sim"}, report_checks.without_host_seconds(sim))
                self.check_commands(report, self.compile(program.DEMO, *options))

    def test_made_networks(self):
        """Kinds of commands that the demo has not: tables, rescales in every form, 48 bits, depthwise, residuals."""
        entries = [entry for entry in program.made_networks()
                   if entry["name"].startswith(("rescale_", "table_", "softmax_", "residual_", "depthwise_t", "conv_clamp"))]
        self.assertGreater(len(entries), 20)
        vectors = 0
        for entry in entries:
            with self.subTest(network=entry["name"]):
                model = program.MADE / entry["name"] / "model.tosa"
                report, _ = self.run_rtl(model, program.made_inputs(entry), ["--config", "v64"])
                self.check_equal(report)
                self.check_commands(report, self.compile(model, "--config", "v64"))
                vectors += sum(command["unit"] == "vector_unit" for command in report["rtl"]["slowest_commands"])
        self.assertGreater(vectors, 20)

    def test_text(self):
        for quiet in ([], ["-q"]):
            done = self.execute("run", program.DEMO, "--backend", "rtl", "--report", "r.json", *quiet)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            if quiet:
                self.assertRegex(done.stdout, r"check match, RTL equal\n$")
            else:
                self.assertEqual(report_text.findings(done.stdout, program.read_json(self.folder / "r.json")), [], done.stdout)

    def test_waves_of_machine_and_rtl_change_nothing(self):
        plain, _ = self.run_rtl(program.DEMO, options=["--config", "v64"])
        waved, _ = self.run_model(program.DEMO, options=["--backend", "rtl", "--config", "v64", "--wave", "w.vcd"])
        self.assertEqual(waved["rtl"], plain["rtl"])
        dump = Dump((self.folder / "w.vcd").read_text(encoding="ascii"))
        shown = {value for path in dump.values if re.fullmatch(r"npu\.rtl\d\.command", path) for _, value in dump.values[path]}
        arrays = {command["command_idx"] for command in waved["commands"] if command["unit"] == "mac_array"}
        self.assertEqual(shown - {None}, arrays)
        rows = [value for path in dump.values if re.fullmatch(r"npu\.rtl\d\..*out_valid_o", path) for _, value in dump.values[path]]
        self.assertIn(1, rows)
        self.assertTrue(any(path.startswith("npu.mac_array.") for path in dump.values))

    def test_several_runs_make_a_table(self):
        self.run_rtl(program.DEMO)
        done = self.execute("run", program.DEMO, "--backend", "rtl", "--config", "v64,v256", "--report", "t.json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual([row["exit_code"] for row in program.read_json(self.folder / "t.json")["rows"]], [0, 0])


class Golden(RtlTest):
    def check_network(self, name):
        folder = program.GOLDEN / name
        if not folder.exists():
            self.skipTest(f"{folder} is not there")
        model = folder / "model.tosa"
        report, outputs = self.run_rtl(model, [f"TosaInput_0={folder / 'seed0' / 'input0.npy'}"])
        self.check_equal(report)
        self.assert_arrays_equal(outputs["TosaOutput_0"], npy.read(folder / "seed0" / "output_tosa.npy"), name)
        self.check_commands(report, self.compile(model))
        if name in SECONDS:
            self.assertLess(report["host_seconds"]["simulate"], MOST_TIMES * SECONDS[name])


for _name in NETWORKS:
    setattr(Golden, f"test_{_name}", lambda self, name=_name: self.check_network(name))

if __name__ == "__main__":
    program.main()
