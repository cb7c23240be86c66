# SPDX-License-Identifier: Apache-2.0
"""Transactions of runs (FTR), read back by a decoder of our own: commands, bursts, tokens and relations are what the report of the
same run says."""

import resource

import ftr_checks
import ftr_file
import program

FILE = "t.ftr"
RUNS = [(program.DEMO, ["--memory", "sram"]), (program.DEMO, ["--memory", "external", "--config", "v64"]),
        (program.MADE / "classifier_head" / "model.tosa", ["--memory", "weights-external"])]


class Transactions(program.ProgramTest):
    def transactions(self, *options, command="run", model=program.DEMO):
        done = self.execute(command, model, "-q", "--report", "r.json", "--wave", FILE, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return program.read_json(self.folder / "r.json"), ftr_file.read((self.folder / FILE).read_bytes())


class Runs(Transactions):
    def test_transactions_say_what_the_report_says(self):
        for model, options in RUNS:
            with self.subTest(model=model, options=options):
                report, transactions = self.transactions(*options, model=model)
                ftr_checks.check(self, transactions, report)

    def test_no_view_stands_beside_the_file_and_the_same_run_gives_the_same_bytes(self):
        self.transactions("--memory", "external")
        first = (self.folder / FILE).read_bytes()
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["r.json", FILE])
        self.transactions("--memory", "external", command="estimate")
        self.assertEqual(first, (self.folder / FILE).read_bytes())

    def test_a_window_keeps_what_lies_in_it_and_a_scope_what_it_names(self):
        report, whole = self.transactions()
        _, part = self.transactions("--wave-window", "100:700")
        kept = {n: t for n, t in whole.transactions.items() if t.start < 700 and t.end > 100}
        self.assertEqual(part.transactions, kept)
        self.assertEqual(part.relations, [r for r in whole.relations if r.source in kept and r.sink in kept])
        _, scoped = self.transactions("--wave-scope", "npu.mac_array.*")
        array = {n: t for n, t in whole.transactions.items() if t.path == "npu.mac_array.command"}
        self.assertEqual(scoped.transactions, array)
        self.assertEqual(scoped.relations, [r for r in whole.relations if r.source in array and r.sink in array])
        _, layer = self.transactions("--wave-layer", "1")
        for c in report["commands"]:
            if c["layer_idx"] == 1 and c["unit"] != "command_processor":
                self.assertIn(c["command_idx"], {t.attributes.get("command_idx") for t in layer.transactions.values()})

    def test_waves_and_transactions_of_one_run(self):
        done = self.execute("run", program.DEMO, "-q", "--wave", FILE, "--wave", "w.vcd", "--wave-scope", "npu.*")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), [FILE, "w.vcd", "w.vcd.gtkw"])

    def test_a_machine_that_stops_leaves_what_it_did(self):
        done = self.execute("run", program.DEMO, "-q", "--inject", "token:drop@300", "--wave", FILE)
        self.assertEqual(done.returncode, 4, done.stderr)
        found = ftr_file.read((self.folder / FILE).read_bytes())
        self.assertTrue(any(t.path == "npu.mac_array.command" for t in found.transactions.values()))


class BadInput(Transactions):
    def refused(self, *options, message):
        (self.folder / "old.ftr").write_text("old\n")
        done = self.execute("run", program.DEMO, "-q", "--wave", "old.ftr", *options)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertRegex(done.stderr, rf"\Avernier: {message}\n\Z")
        self.assertEqual({path.name: path.read_text() for path in self.folder.iterdir()}, {"old.ftr": "old\n"})

    def test_windows_and_scopes(self):
        self.refused("--wave-window", "0:1000000", message=r"--wave-window: 0:1000000 reaches beyond the end: the run has \d+ cycles")
        self.refused("--wave-scope", "nothing*",
                     message=r"--wave-scope: 'nothing\*' matches no transaction, there are npu.dma.channel0.command, .*")
        self.refused("--wave", "./old.ftr",
                     message="--wave: './old.ftr' would overwrite --wave 'old.ftr' of the same run, expected another file")

    def test_a_full_disk(self):
        for limit in (0, 100, 4096):
            with self.subTest(limit=limit):
                (self.folder / "old.ftr").write_text("old\n")
                done = self.execute("run", program.DEMO, "-q", "--wave", "old.ftr",
                                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertRegex(done.stderr, r"\Avernier: old.ftr: cannot be written: File too large\n\Z")
                self.assertEqual({path.name: path.read_text() for path in self.folder.iterdir()}, {"old.ftr": "old\n"})


if __name__ == "__main__":
    program.main()
