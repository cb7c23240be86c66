# SPDX-License-Identifier: Apache-2.0
"""Packages with control flow, written by tests/e2e/packages/flow_packages: `run` gives them to the firmware by itself, and what
knows no values refuses them with one line."""

import os
import subprocess

import npy
import program

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
        self.refused("is for one stream", "run", "counting.vnpu", "--no-check", "--wave", "x.vcd")
        self.refused("is for one stream", "run", "counting.vnpu", "--no-check", "--timeline", "x.json")
        self.refused("allowed with backend 'sim'", "run", "counting.vnpu", "--no-check", "--backend", "rtl")

    def test_several_runs(self):
        done = self.execute("run", "counting.vnpu", program.DEMO, "--no-check")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(SAYS_RUN, done.stdout + done.stderr)

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
