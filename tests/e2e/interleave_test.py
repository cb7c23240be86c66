# SPDX-License-Identifier: Apache-2.0
"""`--interleave`: jobs of several networks on one machine; each has the values and the cycles that it has alone, and the figures of
the table follow from the list of jobs."""

import statistics

import program


class Interleave(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.packages = [self.folder / "quick.vnpu", self.folder / "slow.vnpu"]
        for package, optimize in zip(self.packages, "10"):
            done = self.execute("compile", program.DEMO, "-o", package, "-q", "--optimize", optimize)
            self.assertEqual(done.returncode, 0, done.stderr)

    def table(self, *options, command="run", models=None):
        file = self.folder / "jobs.json"
        done = self.execute(command, *(models or self.packages), "--interleave", *options, "--report", file)
        self.assertEqual(done.returncode, 0, done.stderr)
        table = program.read_json(file)
        self.assertEqual(table["schema"], "vernier-jobs/1")
        return table, done.stdout

    def alone(self, package):
        report, _ = self.run_model(package)
        return report["totals"]["cycles"]

    def test_each_job_is_as_alone(self):
        for control in ("direct", "cpu"):
            with self.subTest(control=control):
                table, text = self.table("--inferences", "9", "--control", control)
                self.assertEqual(table["check"], "match")
                self.assertEqual([network["stream_cycles"] for network in table["networks"]], [self.alone(p) for p in self.packages])
                for job in table["jobs"]:
                    self.assertEqual(job["outcome"], "done")
                    self.assertEqual(job["end_cycle"] - job["start_cycle"], table["networks"][job["network_idx"]]["stream_cycles"])
                self.assertIn("; check match\n", text)

    def test_figures_follow_from_the_jobs(self):
        table, text = self.table("--inferences", "7", "--arrival", "every:6000", "--control", "cpu")
        jobs = table["jobs"]
        for index, network in enumerate(table["networks"]):
            own = [job for job in jobs if job["network_idx"] == index]
            self.assertEqual((network["jobs"], network["jobs_done"]), (7, 7))
            self.assertEqual([own[i + 1]["arrival_cycle"] - own[i]["arrival_cycle"] for i in range(6)], [6000] * 6)
            latencies = sorted(job["told_cycle"] - job["arrival_cycle"] for job in own)
            self.assertEqual(network["latency_cycles"], {"median": statistics.median(latencies), "p90": latencies[6], "p99": latencies[6],
                                                         "most": latencies[6]})
            waits = sorted(job["start_cycle"] - job["arrival_cycle"] for job in own)
            self.assertEqual(network["waiting_cycles"]["median"], waits[3])
            seconds = (max(job["told_cycle"] for job in own) - own[0]["arrival_cycle"]) / table["clock_hz"]
            self.assertAlmostEqual(network["jobs_per_second"], 7 / seconds, places=3)
            self.assertIn(f"{network['latency_cycles']['median']:,}", text)
        self.assertEqual(table["busy_cycles"], sum(job["end_cycle"] - job["start_cycle"] for job in jobs))
        self.assertEqual(table["total_cycles"], max(job["told_cycle"] for job in jobs) - jobs[0]["arrival_cycle"])

    def test_streams_never_overlap_and_memory_is_shared_out(self):
        table, _ = self.table("--inferences", "20", "--control", "cpu")
        runs = sorted((job["start_cycle"], job["end_cycle"]) for job in table["jobs"])
        for (_, end), (start, _) in zip(runs, runs[1:]):
            self.assertLessEqual(end, start)
        first, second = table["networks"]
        self.assertTrue(first["sram_base"] + first["sram_bytes"] <= second["sram_base"] or second["sram_base"] + second["sram_bytes"] <= first["sram_base"])

    def test_estimate_is_run(self):
        ran, _ = self.table("--inferences", "3", "--control", "cpu")
        estimated, _ = self.table("--inferences", "3", "--control", "cpu", command="estimate")
        self.assertEqual(estimated["check"], "skipped")
        self.assertEqual(estimated["jobs"], ran["jobs"])

    def test_memory_modes(self):
        for mode in ("weights-external", "external"):
            table, _ = self.table("--inferences", "4", "--control", "cpu", "--memory", mode, models=[program.DEMO, program.DEMO])
            self.assertEqual(table["check"], "match", mode)
            self.assertEqual(table["networks"][0]["stream_cycles"], table["networks"][1]["stream_cycles"])

    def test_what_is_refused(self):
        for options, said in ((("--inferences", "2"), "--inferences: goes with --interleave; --iterations repeats a run"),
                              (("--arrival", "every:1"), "--arrival: goes with --interleave"),
                              (("--interleave", "--arrival", "1000"), "--arrival: '1000' is not every:CYCLES, with 0 to 1000000000 cycles"),
                              (("--interleave", "--arrival", "every:-1"), "--arrival: 'every:-1' is not every:CYCLES, with 0 to 1000000000 cycles"),
                              (("--interleave", "--config", "v64,v256"), "--interleave: is for one machine, found 2 configurations, memory modes or sizes"),
                              (("--interleave", "--gdb", "0", "--control", "cpu"), "--gdb: is for one run; with --interleave jobs of all models are on one machine"),
                              (("--interleave", "--output-dir", "x"), "--output-dir: is for one run; with --interleave jobs of all models are on one machine")):
            with self.subTest(options=options):
                done = self.execute("run", program.DEMO, *options)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", f"vernier: {said}\n"))

    def test_networks_that_do_not_fit_together(self):
        small = self.folder / "small.vnpu"
        self.assertEqual(self.execute("compile", program.DEMO, "-o", small, "-q", "--config", "v64").returncode, 0)
        done = self.execute("run", self.packages[0], small, "--interleave")
        self.assertEqual(done.returncode, 2)
        self.assertIn("is compiled for another machine: macs_per_cycle is 64, the machine has 256", done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)
        done = self.execute("run", program.DEMO, program.DEMO, "--interleave", "--sram-bytes", "32KiB")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"^vernier: demo\.tosa: needs [\d,]+ B of SRAM in one piece, of 32,768 B other networks have the first [\d,]+; ")


if __name__ == "__main__":
    program.main()
