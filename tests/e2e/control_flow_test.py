# SPDX-License-Identifier: Apache-2.0
"""Packages with control flow, written by tests/e2e/packages/flow_packages: `run` gives them to the firmware by itself, and what
knows no values refuses them with one line."""

import os
import re
import subprocess

import ftr_file
import npy
import program
import timeline_checks
import timeline_file
import vcd

SAYS_RUN = "has control flow, and its values decide what runs: it needs run"


class ControlFlow(program.ProgramTest):
    def setUp(self):
        super().setUp()
        subprocess.run([os.environ["VERNIER_FLOW_PACKAGES"], self.folder], check=True)
        npy.write(self.folder / "in.npy", npy.Array("|i1", (256,), [i - 128 for i in range(256)]))

    def refused(self, expected, *arguments, code=2):
        done = self.execute(*arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn(expected, done.stderr)

    def run_flow(self, *options):
        """Report and output of a run of counting.vnpu."""
        done = self.execute("run", "counting.vnpu", "-q", "--no-check", "--input", "in.npy", "--output-dir", "out", "--report", "r.json", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = program.read_json(self.folder / "r.json")
        return report, npy.read(self.folder / "out" / report["outputs"][0]["file"])

    def test_run_takes_the_control_cpu_by_itself(self):
        report, output = self.run_flow()
        wrapped = [(i + 12 + 128) % 256 - 128 for i in range(-128, 128)]
        self.assertEqual(list(output.values), wrapped)
        streams = report["streams"]
        self.assertEqual([run["stream"] for run in streams], [0] + 4 * [1, 2] + [3])
        self.assertEqual(sum(run["cycles"] for run in streams), report["totals"]["cycles"])
        self.assertEqual(sum(run["wait_cycles"] for run in streams), report["control"]["between_cycles"])
        control = report["control"]
        self.assertEqual(control["job_overhead_cycles"],
                         control["submit_cycles"] + control["between_cycles"] + control["interrupt_cycles"])
        self.assertEqual(sum(layer["attributed_cycles"] for layer in report["layers"]), report["totals"]["cycles"])
        self.assertEqual([command["command_idx"] for command in report["commands"]],
                         [0, 1, 2, 3] + 4 * [4, 5, 6, 7] + [8, 9])
        self.assertEqual(report["totals"]["commands"], len(report["commands"]))
        for unit in report["units"].values():
            self.assertEqual(unit["busy_cycles"] + unit["idle_cycles"] + sum(unit["stall_cycles"].values()), report["totals"]["cycles"])
        for command in report["commands"]:
            (run,) = [run for run in streams if run["start_cycle"] <= command["start_cycle"]][-1:]
            self.assertLessEqual(command["end_cycle"], run["start_cycle"] + run["cycles"])
        for layer in report["layers"]:
            times = {"add": 4, "count": 4, "bad": 0}.get(layer["name"], 1)
            self.assertEqual(layer["macs"], 16 * times, layer["name"])
        again, _ = self.run_flow("--control", "cpu")
        for part in ("control", "streams", "totals", "units", "layers", "commands"):
            self.assertEqual(again[part], report[part], part)

    def test_text(self):
        done = self.execute("run", "counting.vnpu", "--no-check", "--report", "r.html", "--report", "r.csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"control flow: 10 runs of 4 streams, [\d,]+ cycles between them")
        self.assertRegex(done.stdout, r"control CPU: [\d,]+ cycles beside those of the network \([\d,]+ before its start, [\d,]+ between")

    def test_disasm(self):
        done = self.execute("disasm", "counting.vnpu")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("# control flow: 5 streams, no stream starts after 1000 commands, table of ", done.stdout)
        for i in range(5):
            self.assertIn(f"# stream {i}: ", done.stdout)
        # What is compiled into the package: the streams and the table, since no operand is a constant.
        sizes = re.search(r"stream of (\d+) bytes at .*\n# .*, table of (\d+) bytes", done.stdout)
        report, _ = self.run_flow()
        self.assertEqual(report["totals"]["image_bytes"], int(sizes[1]) + int(sizes[2]))

    def test_timelines(self):
        """Each run of a command has its slice, in the cycles of the report; the streams stand one after the other."""
        report, _ = self.run_flow("--timeline", "t.json", "--timeline", "t.perfetto-trace")
        started = [c for c in report["commands"] if c["unit"] != "command_processor"]
        layers = {layer["layer_idx"]: layer["source_name"] for layer in report["layers"]}
        for name in ("t.json", "t.perfetto-trace"):
            checks = timeline_checks.Checks(self, timeline_file.read(self.folder / name), report)
            checks.heading()
            checks.tracks()
            checks.states()
            checks.lanes()
            found = sorted((s.start, s.end, s.args["command_idx"], s.args["layer"]) for s in checks.by_kind["command"])
            self.assertEqual(found, sorted((c["start_cycle"], c["end_cycle"], c["command_idx"], layers[c["layer_idx"]]) for c in started))
            self.assertEqual([(s.end, s.args["command_idx"]) for s in checks.by_kind["fetch"]],
                             [(c["dispatch_cycle"], c["command_idx"]) for c in report["commands"]])
            for what in timeline_checks.BYTES:
                self.assertAlmostEqual(checks.integral(f"{what}_per_cycle"), report["totals"][what], delta=1e-3)
            # The second "add" reads what the first one wrote, in another run of the stream.
            adds = [c for c in started if layers[c["layer_idx"]] == "add"]
            arrows = {(start, to) for _, start, _, to in checks.timeline.arrows}
            for before, after in zip(adds, adds[1:]):
                self.assertIn((before["end_cycle"], after["start_cycle"]), arrows)

    def test_waves(self):
        report, _ = self.run_flow("--wave", "w.vcd", "--wave", "w.fst", "--wave", "t.ftr")
        wave = vcd.Dump((self.folder / "w.vcd").read_text(encoding="utf-8"))
        shown = lambda path: [(begin // vcd.CYCLE_PS, end // vcd.CYCLE_PS, value) for begin, end, value in wave.stretches(path) if value not in ("", None)]
        vector = [c for c in report["commands"] if c["unit"] == "vector_unit"]
        layers = {layer["layer_idx"]: layer["name"] for layer in report["layers"]}
        self.assertEqual(shown("npu.vector_unit.layer"), [(c["start_cycle"], c["end_cycle"], layers[c["layer_idx"]]) for c in vector])
        self.assertEqual(shown("npu.vector_unit.command"), [(c["start_cycle"], c["end_cycle"], c["command_idx"]) for c in vector])
        found = ftr_file.read((self.folder / "t.ftr").read_bytes())
        commands = sorted((t.start, t.end, t.attributes["command_idx"]) for t in found.transactions.values() if t.path == "npu.vector_unit.command")
        self.assertEqual(commands, [(c["start_cycle"], c["end_cycle"], c["command_idx"]) for c in vector])

    def test_waves_of_one_layer(self):
        """The window reaches from its first run to its last one."""
        report, _ = self.run_flow("--wave", "w.vcd", "--wave-layer", "add", "--timeline", "t.json")
        self.assertTrue((self.folder / "w.vcd.gtkw").exists())
        (layer,) = [entry["layer_idx"] for entry in report["layers"] if entry["name"] == "add"]
        runs = [c for c in report["commands"] if c["layer_idx"] == layer]  # END belongs to it too
        wave = vcd.Dump((self.folder / "w.vcd").read_text(encoding="utf-8"))
        begin = min(values[0][0] for values in wave.values.values() if values)
        self.assertEqual((begin // vcd.CYCLE_PS, wave.end // vcd.CYCLE_PS), (min(c["start_cycle"] for c in runs), max(c["end_cycle"] for c in runs)))
        done = self.execute("run", "limited.vnpu", "--no-check", "-q", "--wave", "l.vcd", "--timeline", "l.json")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertGreater(len(timeline_file.read(self.folder / "l.json").slices), 50)

    def test_the_limit(self):
        self.refused("vernier: limited.vnpu: the firmware ended the job after 30 commands: its limit is 30", "run", "limited.vnpu",
                     "--no-check", code=4)

    def test_a_fault(self):
        self.refused("stream 4 in step 4, run 3 of the job: command 11 (layer bad) at stream offset 0x0", "run", "faulty.vnpu",
                     "--no-check", code=4)

    def test_what_is_refused(self):
        self.refused("'direct' cannot run counting.vnpu, which has control flow; allowed is 'cpu'", "run", "counting.vnpu", "--no-check",
                     "--control", "direct")
        self.refused(SAYS_RUN, "estimate", "counting.vnpu")
        self.refused(SAYS_RUN, "estimate", "counting.vnpu", "--control", "cpu")
        self.refused("allowed with backend 'sim'", "run", "counting.vnpu", "--no-check", "--backend", "rtl")

    def test_what_goes_with_the_control_cpu_goes_with_such_a_package(self):
        self.assertEqual(self.execute("run", "counting.vnpu", "--no-check", "-q", "--cpu-trace", "t.txt").returncode, 0)
        self.assertIn("flow_", (self.folder / "t.txt").read_text(encoding="ascii"))  # functions of the firmware
        self.refused("none.elf: no such file", "run", "counting.vnpu", "--no-check", "--firmware", "none.elf")
        done = self.execute("compile", program.DEMO, "-q", "-o", "demo.vnpu")
        self.assertEqual(done.returncode, 0, done.stderr)
        for options in (("--firmware", program.DEMO), ("--cpu-trace", "d.txt"), ("--gdb", "0")):
            self.assertEqual(self.execute("run", "demo.vnpu", *options).returncode, 2, options)
        self.refused("--cpu-trace: is for --control cpu, found control 'direct'", "run", "demo.vnpu", "--cpu-trace", "d.txt")
        self.refused("--inject: ram:bitflip is a fault of the control system", "run", "demo.vnpu", "--inject", "ram:bitflip@3:1")
        self.assertFalse((self.folder / "d.txt").exists())

    def test_several_runs(self):
        """A row of a table has the figures of the run by itself."""
        done = self.execute("run", "counting.vnpu", program.DEMO, "--no-check", "-q", "--report", "table.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        row = program.read_json(self.folder / "table.json")["rows"][0]
        done = self.execute("run", "counting.vnpu", "--no-check", "-q", "--report", "alone.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        alone = program.read_json(self.folder / "alone.json")
        self.assertEqual((row["cycles"], row["job_overhead_cycles"]), (alone["totals"]["cycles"], alone["control"]["job_overhead_cycles"]))
        self.assertEqual(row["exit_code"], 0)

    def test_interleave(self):
        arguments = ["run", "counting.vnpu", program.DEMO, "--no-check", "--interleave", "--inferences", "3"]
        done = self.execute(*arguments, "-q", "--report", "t.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        table = program.read_json(self.folder / "t.json")
        self.assertEqual(table["control"], "cpu")
        self.assertEqual({job["outcome"] for job in table["jobs"]}, {"done"})
        self.refused("it needs control 'cpu', found 'direct'", *arguments, "--control", "direct")
        self.refused("it needs run, with values", "estimate", "counting.vnpu", program.DEMO, "--interleave")

    def test_a_damaged_package_is_refused(self):
        good = (self.folder / "counting.vnpu").read_bytes()
        codes = set()
        for at in range(12, min(len(good), 1200), 13):
            content = bytearray(good)
            content[at] ^= 0x10
            (self.folder / "bad.vnpu").write_bytes(program.with_checksum(content))
            done = self.execute("run", "bad.vnpu", "--no-check", "-q")
            codes.add(done.returncode)
            if done.returncode == 2:
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertTrue({0, 2} <= codes, codes)


if __name__ == "__main__":
    program.main()
