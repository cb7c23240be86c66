# SPDX-License-Identifier: Apache-2.0
"""`vernier run --backend rtl`: outputs, check and cycles of the simulator, with the values of RTL. Skipped where the program has no
RTL. Cases of real networks: Golden.test_NETWORK, with the official golden files."""

import json
import re
import resource

import npy
import program
import report_checks
import report_text
from vcd import Dump

NETWORKS = ("ad01_int8", "ds_cnn_kws_int16x8", "kws_ref_model", "mobilenet_v1_025_96_int16x8", "mobilenet_v1_025_96_int8",
            "mobilenet_v2_quantized_1x3x224x224", "pretrainedResnet_quant", "resnet50_int8", "str_ww_ref_model", "unet_96_int8",
            "vit_tiny_int8", "vww_96_int8")
# Of a whole run on one quiet core; a run fails at 2.5 times that, of its user CPU time, which a busy machine makes longer by less.
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
        (self.folder / "mine.toml").write_text('base = "v64"\nname = "mine"\nexternal_latency_cycles = 7\n', encoding="utf-8")
        machines = program.rtl_configs("v64", "v1024", "v256-sram48", "v256-port8")
        for options in ([], *(["--config", config] for config in machines), ["--config", "mine.toml"],
                        ["--config", "v64", "--memory", "external", "--sram-bytes", "32KiB"]):
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
        for unit, scope in (("mac_array", r"rtl\d"), ("vector_unit", r"vector_rtl\d")):
            shown = {value for path in dump.values if re.fullmatch(rf"npu\.{scope}\.command", path) for _, value in dump.values[path]}
            self.assertEqual(shown - {None}, {command["command_idx"] for command in waved["commands"] if command["unit"] == unit})
        rows = [value for path in dump.values if re.fullmatch(r"npu\.rtl\d\..*out_valid_o", path) for _, value in dump.values[path]]
        self.assertIn(1, rows)
        self.assertTrue(any(path.startswith("npu.mac_array.") for path in dump.values))

    def test_several_runs_make_a_table(self):
        self.run_rtl(program.DEMO)
        done = self.execute("run", program.DEMO, "--backend", "rtl", "--config", "v64,v256", "--report", "t.json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual([row["exit_code"] for row in program.read_json(self.folder / "t.json")["rows"]], [0, 0])


# npu_agu has 8 lanes alone in a quick build.
MEMORY_CONFIGS = ("v64", "v256") if program.rtl_configs("v1024") else ("v64",)


class Memory(RtlTest):
    """`--rtl-memory`: npu_agu and an SRAM behind the streams of each command."""

    # Of commands so short, banks and ports may cost this share of what the model says more, or less.
    MOST_MORE, MOST_LESS = 0.06, 0.08

    def run_memory(self, memory, model, options):
        report, outputs = self.run_rtl(model, options=[*options, "--rtl-memory", memory])
        rtl = report["rtl"]
        self.assertEqual((rtl["memory"], rtl["mismatches"], rtl["cycle_mismatches"], rtl["first_mismatches"]), (memory, 0, 0, []))
        self.assertEqual(rtl["memory_commands"], 0 if memory == "ideal" else rtl["commands"])
        for unit in ("model", "rtl"):
            self.assertEqual(sum(command[f"{unit}_cycles"] for command in rtl["command_cycles"]), rtl[f"{unit}_cycles"])
        return report, outputs, {command["command_idx"]: command for command in rtl["command_cycles"]}

    def check_network(self, model, config):
        """The runs' cycles on RTL: ideal memories, banks and ports, and what the model says of those."""
        options = ["--config", config, "--seed", 3]
        ideal, outputs, cycles = self.run_memory("ideal", model, options)
        unlimited, same, unlimited_cycles = self.run_memory("unlimited", model, options)
        banked, others, banked_cycles = self.run_memory("banked", model, options)
        for tensor, values in outputs.items():
            self.assert_arrays_equal(same[tensor], values, f"{tensor}, unlimited")
            self.assert_arrays_equal(others[tensor], values, f"{tensor}, banked")
        self.check_equal(ideal)
        # Every edge is that of ideal memories, and nothing else in the report is another.
        self.check_equal(unlimited)
        self.assertEqual(unlimited_cycles, cycles)
        reports = [report_checks.without_host_seconds(report) for report in (ideal, unlimited, banked)]
        for report in reports:
            report.pop("rtl")
            self.assertEqual(report, reports[0])
        self.assertEqual(banked_cycles.keys(), cycles.keys())
        for idx, command in banked_cycles.items():
            self.assertGreaterEqual(command["rtl_cycles"], cycles[idx]["rtl_cycles"], command)
            self.assertGreaterEqual(command["model_cycles"], cycles[idx]["model_cycles"], command)
        return [sum(command["rtl_cycles"] for command in run.values()) for run in (cycles, banked_cycles)] + [
            sum(command["model_cycles"] for command in banked_cycles.values())]

    def test_networks(self):
        models = [program.DEMO, *(program.MADE / name / "model.tosa" for name in
                                  ("depthwise_separable", "residual_block", "small_classifier", "softmax_rows"))]
        for model in models:
            later = 0
            for config in MEMORY_CONFIGS:
                with self.subTest(network=str(model), config=config):
                    ideal, banked, charged = self.check_network(model, config)
                    later += banked - ideal
                    self.assertLess(banked, charged * (1 + self.MOST_MORE))
                    self.assertGreater(banked, charged * (1 - self.MOST_LESS))
            # Banks and ports cost something.
            self.assertGreater(later, 0, model)

    def test_text(self):
        for memory, words in (("ideal", "RTL cycles "), ("unlimited", "RTL cycles, addresses of npu_agu "),
                              ("banked", "RTL cycles, with banks and ports ")):
            done = self.execute("run", program.DEMO, "--backend", "rtl", "--config", "v64", "--rtl-memory", memory)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn(words, done.stdout)


class Golden(RtlTest):
    def check_network(self, name):
        folder = program.GOLDEN / name
        if not folder.exists():
            self.skipTest(f"{folder} is not there")
        model = folder / "model.tosa"
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        report, outputs = self.run_rtl(model, [f"TosaInput_0={folder / 'seed0' / 'input0.npy'}"])
        cpu_seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        self.check_equal(report)
        self.assert_arrays_equal(outputs["TosaOutput_0"], npy.read(folder / "seed0" / "output_tosa.npy"), name)
        self.check_commands(report, self.compile(model))
        if name in SECONDS:
            print(f"{name}: {cpu_seconds:.1f} s of CPU time, {SECONDS[name]} s are wanted of a quiet core", flush=True)
            self.assertLess(cpu_seconds, MOST_TIMES * SECONDS[name])


for _name in NETWORKS:
    setattr(Golden, f"test_{_name}", lambda self, name=_name: self.check_network(name))

if __name__ == "__main__":
    program.main()
