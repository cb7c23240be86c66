# SPDX-License-Identifier: Apache-2.0
"""`--control cpu`: the firmware of the control CPU starts the network and tells its end. Values and cycles of the network are those
of `--control direct`; what the control path takes stands beside them."""

import re

import program

KWS = program.GOLDEN / "kws_ref_model"
MOST_OVERHEAD_CYCLES = 1500
# Parts of a report in which the two ways of control differ.
DIFFERENT = ("control", "approximations", "host_seconds", "run")


def same_parts(report):
    return {key: value for key, value in report.items() if key not in DIFFERENT}


class Control(program.ProgramTest):
    def check_network(self, model, *options):
        direct, expected = self.run_model(model, options=options)
        by_cpu, outputs = self.run_model(model, options=[*options, "--control", "cpu"])
        self.assertNotIn("control", direct)
        self.assertEqual(outputs, expected)
        self.assertEqual(same_parts(by_cpu), same_parts(direct))
        self.assertEqual(by_cpu["check"]["result"], "match")
        self.assertLess(by_cpu["control"]["job_overhead_cycles"], MOST_OVERHEAD_CYCLES)
        return by_cpu

    def test_demo(self):
        for options in ((), ("--config", "v64"), ("--config", "v1024", "--optimize", "0"), ("--config", "v256-port8"),
                        ("--memory", "weights-external")):
            with self.subTest(options=options):
                self.check_network(program.DEMO, *options)

    def test_kws(self):
        if not KWS.is_dir():
            self.skipTest("skipped: ../shared is not there")
        self.check_network(KWS / "model.tosa")

    def test_on_rtl(self):
        """The datapath's values are those of Verilator; cycles and what the control path takes are the model's."""
        if not program.rtl_configs("v64"):
            self.skipTest("skipped: the program was built without Verilator")
        by_model, expected = self.run_model(program.DEMO, options=("--config", "v64", "--control", "cpu"))
        by_rtl, outputs = self.run_model(program.DEMO, options=("--config", "v64", "--control", "cpu", "--backend", "rtl"))
        self.assertEqual(outputs, expected)
        self.assertEqual(by_rtl["control"], by_model["control"])
        self.assertEqual(by_rtl["totals"], by_model["totals"])
        self.assertEqual((by_rtl["check"]["result"], by_rtl["rtl"]["mismatches"]), ("match", 0))

    def test_iterations_and_check_all(self):
        once = self.check_network(program.DEMO)
        thrice = self.check_network(program.DEMO, "--iterations", "3", "--check-all")
        self.assertEqual(thrice["control"], once["control"])

    def test_estimate_is_run(self):
        report, _ = self.run_model(program.DEMO, options=["--control", "cpu"])
        file = self.folder / "estimate.json"
        done = self.execute("estimate", program.DEMO, "-q", "--control", "cpu", "--report", file)
        self.assertEqual(done.returncode, 0, done.stderr)
        estimate = program.read_json(file)
        for part in ("control", "totals", "units", "layers", "commands"):
            self.assertEqual(estimate[part], report[part], part)

    def test_one_line_of_text(self):
        done = self.execute("run", program.DEMO, "--control", "cpu")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [line for line in done.stdout.splitlines() if line.startswith("control CPU: ")]
        self.assertEqual(len(lines), 1)
        self.assertRegex(lines[0], r"^control CPU: [\d,]+ cycles beside those of the network \([\d,]+ before its start, [\d,]+ after its")
        self.assertNotIn("control CPU", self.execute("run", program.DEMO).stdout)

    def test_waves_are_those_of_the_network(self):
        """But for the variable of the control CPU, whose code in the file is the last."""
        texts = []
        for control in ("direct", "cpu"):
            file = self.folder / f"{control}.vcd"
            done = self.execute("run", program.DEMO, "-q", "--control", control, "--wave", file)
            self.assertEqual(done.returncode, 0, done.stderr)
            texts.append(file.read_text())
        code = re.search(r"\$var \S+ \d+ (\S+) function", texts[1])[1]
        own = [line for line in texts[1].splitlines() if line.split()[:1] == ["sfirmware"] or line.split()[:1] == ["sasleep"]]
        self.assertGreater(len(own), 1)
        self.assertTrue(all(line.split()[1] == code for line in own), own)

        def changes(text):
            """(time, code, value) of all that is drawn of the network."""
            found, time = [], 0
            for line in text.split("$enddefinitions $end", 1)[1].splitlines():
                if line.startswith("#"):
                    time = int(line[1:])
                elif line and not line.startswith("$") and not line.endswith(f" {code}"):
                    found.append((time, line))
            return found

        self.assertEqual(changes(texts[0]), changes(texts[1]))

    def test_timelines_are_those_of_the_network(self):
        """Later by the time from the doorbell to its start, and with a track of the control CPU."""
        events, reports = {}, {}
        for control in ("direct", "cpu"):
            file, report = self.folder / f"{control}.json", self.folder / f"{control}_report.json"
            done = self.execute("run", program.DEMO, "-q", "--control", control, "--timeline", file, "--report", report)
            self.assertEqual(done.returncode, 0, done.stderr)
            events[control], reports[control] = program.read_json(file), program.read_json(report)
        control = reports["cpu"]["control"]
        start = control["submit_cycles"]
        self.assertEqual(int(events["cpu"]["otherData"]["network_start_cycle"]), start)
        self.assertEqual(int(events["direct"]["otherData"]["network_start_cycle"]), 0)

        def drawn(timeline, offset):
            """Slices and counters of the network by their time from its start, in cycles."""
            return sorted((event["ph"], event["name"], round(event["ts"] * 1000) - offset, round(event.get("dur", 0) * 1000))
                          for event in timeline["traceEvents"] if event["ph"] in "XC" and event.get("cat") != "function")

        self.assertEqual(drawn(events["direct"], 0), drawn(events["cpu"], start))
        own = [event for event in events["cpu"]["traceEvents"] if event.get("cat") == "function"]
        self.assertLessEqual({"asleep", "main", "handle_trap", "vernier_wait"}, {event["name"] for event in own})
        times = [(round(event["ts"] * 1000), round(event["dur"] * 1000)) for event in own]
        self.assertEqual(times[0][0], 0)
        for (begin, length), (following, _) in zip(times, times[1:]):
            self.assertEqual(begin + length, following)
        self.assertEqual(sum(length for _, length in times), start + reports["cpu"]["totals"]["cycles"] + control["interrupt_cycles"])
        asleep = [length for event, (_, length) in zip(own, times) if event["name"] == "asleep"]
        self.assertTrue(0 <= sum(asleep) - control["firmware_sleep_cycles"] <= 4 * len(asleep), (asleep, control))  # wfi itself

    def test_faults_that_are_put_into_the_machine(self):
        for fault in ("token:drop@0:0", "sram:bitflip@100:0:3"):
            with self.subTest(fault=fault):
                direct = self.execute("run", program.DEMO, "-q", "--no-rerun", "--inject", fault)
                by_cpu = self.execute("run", program.DEMO, "-q", "--no-rerun", "--inject", fault, "--control", "cpu")
                self.assertEqual((by_cpu.returncode, by_cpu.stdout, by_cpu.stderr), (direct.returncode, direct.stdout, direct.stderr))

    def test_faults_of_the_control_system(self):
        """Each kind is said, and ends as it has to: 0 with right values, or 4 with a reason."""
        cpu = ("--control", "cpu")
        for fault, code, injected, said in (
                ("interrupt:spurious@700:2", 0, "a spurious interrupt of CPU_DOORBELL comes in cycle 700", ""),
                ("interrupt:lost@700:1", 4, "an interrupt of the NPU is lost from cycle 700 on", "the firmware did not end the job"),
                ("doorbell:lost@700:1", 4, "a doorbell of the firmware is lost", "the firmware did not end the job"),
                ("bus:error@700", 4, "an access of the control CPU gets a bus error", "it reports a failure, cause 0x"),
                ("dma:error@0", 4, "a copy after cycle 0 gets a bus error", "bus error: command 0"),
                ("register:bitflip@700:3:0", 0, "bit 0 of the NPU's register", ""),
                ("cpu:bitflip@0:31:4", 0, "bit 4 of x31 is flipped in cycle 0", ""),
                ("shared:bitflip@0:4095:1", 0, "bit 1 of byte 4095 of the shared memory", "")):
            memory = ("--memory", "external") if fault.startswith("dma") else ()
            with self.subTest(fault=fault):
                done = self.execute("run", program.DEMO, "--no-rerun", "--inject", fault, *cpu, *memory)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertIn(f"injected: {injected}", done.stdout + done.stderr)
                self.assertIn(said, done.stderr)
        for fault, said in (("interrupt:lost@5", "interrupt:lost has no INDEX, expected 1 to 3: a source of interrupts"),
                            ("interrupt:lost@5:4", "interrupt:lost has INDEX 4, expected 1 to 3"),
                            ("ram:bitflip@5:65536", "ram:bitflip has INDEX 65536, expected 0 to 65535"),
                            ("cpu:bitflip@5:0", "cpu:bitflip has INDEX 0, expected 1 to 31"),
                            ("cpu:bitflip@5:1:32", "bit 32 is not there, allowed are 0 to 31"),
                            ("bus:error@99999999", "cycle 99999999 is behind the end: the run has")):
            with self.subTest(fault=fault):
                done = self.execute("run", program.DEMO, "--inject", fault, *cpu)
                self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
                self.assertIn(said, done.stderr)
        done = self.execute("run", program.DEMO, "--inject", "bus:error@5")
        self.assertEqual((done.returncode, done.stderr),
                         (2, "vernier: --inject: bus:error is a fault of the control system, which goes with --control cpu\n"))

    def test_parity(self):
        """A wrong bit of SRAM ends in a wrong value without parity, and in a fault with it; no cycle is paid."""
        fault = ("--inject", "sram:bitflip@300", "--no-rerun")
        without = self.execute("run", program.DEMO, *fault)
        self.assertEqual(without.returncode, 3, without.stderr)
        parity = ("--set", "sram_protection=parity")
        found = self.execute("run", program.DEMO, *fault, *parity)
        self.assertEqual(found.returncode, 4, found.stdout)
        self.assertIn("parity error: command", found.stderr)
        cycles = []
        for options in ((), parity):
            report = self.folder / "parity.json"
            self.assertEqual(self.execute("run", program.DEMO, "-q", *options, "--report", report).returncode, 0)
            cycles.append(program.read_json(report)["totals"]["cycles"])
            self.assertEqual(program.read_json(report)["totals"]["sram_parity_errors"], 0)
        self.assertEqual(*cycles)

    def test_a_table_has_the_cycles_of_the_network_and_those_of_its_control_path(self):
        tables = {}
        for control in ("direct", "cpu"):
            done = self.execute("run", program.DEMO, "-q", "--config", "v64,v256", "--memory", "sram,external", "--control", control, "--report", "t.json")
            self.assertEqual(done.returncode, 0, done.stderr)
            tables[control] = program.read_json(self.folder / "t.json")["rows"]
        self.assertEqual(len(tables["cpu"]), 4)
        done = self.execute("run", program.DEMO, "--config", "v64,v256", "--control", "cpu")
        self.assertRegex(done.stdout.splitlines()[0], r"^2 runs with .*, control [1-9]\d{2}$")
        for row, other in zip(tables["direct"], tables["cpu"]):
            options = ("--config", row["config"], "--memory", row["memory_mode"], "--control", "cpu")
            report, _ = self.run_model(program.DEMO, options=options)
            self.assertIsNone(row.pop("job_overhead_cycles"))
            self.assertEqual(other.pop("job_overhead_cycles"), report["control"]["job_overhead_cycles"])
            self.assertEqual(row, other)

    def test_what_is_refused(self):
        for options, said in ((("--control", "gpu"), "--control: 'gpu' is not one of direct, cpu"),
                              (("--control", "cpu", "--backend", "reference"), "--control: 'cpu' is for backends 'sim' and 'rtl', found backend 'reference'"),
                              (("--control", "cpu", "--cpu-trace", "t", "--config", "v64,v256"), "--cpu-trace: is for one run"),
                              (("--control", "cpu", "--gdb", "0", "--config", "v64,v256"), "--gdb: is for one run")):
            with self.subTest(options=options):
                done = self.execute("run", program.DEMO, *options)
                self.assertEqual(done.returncode, 2)
                self.assertEqual(done.stdout, "")
                self.assertTrue(done.stderr.startswith(f"vernier: {said}"), done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1)


if __name__ == "__main__":
    program.main()
