# SPDX-License-Identifier: Apache-2.0
"""`--control cpu`: the firmware of the control CPU starts the network and tells its end. Values and cycles of the network are those
of `--control direct`; what the control path takes stands beside them."""

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

    def test_waves_and_timelines_are_those_of_the_network(self):
        for name in ("a.vcd", "a.json"):
            option = "--wave" if name.endswith("vcd") else "--timeline"
            texts = []
            for control in ("direct", "cpu"):
                file = self.folder / f"{control}_{name}"
                done = self.execute("run", program.DEMO, "-q", "--control", control, option, file)
                self.assertEqual(done.returncode, 0, done.stderr)
                texts.append(file.read_text().replace(f"{control}_{name}", name).splitlines())
            self.assertEqual(*(list(filter(lambda line: "control" not in line, text)) for text in texts))

    def test_faults_that_are_put_into_the_machine(self):
        for fault in ("token:drop@0:0", "sram:bitflip@100:0:3"):
            with self.subTest(fault=fault):
                direct = self.execute("run", program.DEMO, "-q", "--no-rerun", "--inject", fault)
                by_cpu = self.execute("run", program.DEMO, "-q", "--no-rerun", "--inject", fault, "--control", "cpu")
                self.assertEqual((by_cpu.returncode, by_cpu.stdout, by_cpu.stderr), (direct.returncode, direct.stdout, direct.stderr))

    def test_what_is_refused(self):
        for options, said in ((("--control", "gpu"), "--control: 'gpu' is not one of direct, cpu"),
                              (("--control", "cpu", "--backend", "rtl"), "--control: 'cpu' is for backend 'sim', found backend 'rtl'"),
                              (("--control", "cpu", "--backend", "reference"), "--control: 'cpu' is for backend 'sim', found backend 'reference'"),
                              (("--control", "cpu", "--config", "v64,v256"), "--control cpu: is for one run")):
            with self.subTest(options=options):
                done = self.execute("run", program.DEMO, *options)
                self.assertEqual(done.returncode, 2)
                self.assertEqual(done.stdout, "")
                self.assertTrue(done.stderr.startswith(f"vernier: {said}"), done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1)


if __name__ == "__main__":
    program.main()
