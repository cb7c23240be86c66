# SPDX-License-Identifier: Apache-2.0
"""Faults put in on purpose: the first difference that the program names is where the fault went, and its wave is there."""

import re
import unittest

import program
import report_checks
import vcd

MOBILENET = program.GOLDEN / "mobilenet_v2_quantized_1x3x224x224" / "model.tosa"
WITHIN = "they are right, and it went wrong within the command"
BEFORE = "they were wrong when the command started"


class Injected(program.ProgramTest):
    model = program.DEMO

    def clean(self, *options):
        self.execute("run", self.model, "-q", "--report", "clean.json", *options)
        return program.read_json(self.folder / "clean.json")

    def inject(self, fault, *options):
        """(exit code, report or None, what it says)."""
        report = self.folder / "r.json"
        report.unlink(missing_ok=True)
        done = self.execute("run", self.model, "--inject", fault, "--report", report, *options)
        found = program.read_json(report) if report.exists() else None
        if found is not None:
            self.assertEqual(report_checks.check(found), [])
        return done.returncode, found, done.stdout + done.stderr

    def cycles_of(self, report, unit, count):
        """Cycles in the middle of some commands of the unit."""
        commands = [c for c in report["commands"] if c["unit"] == unit and c["end_cycle"] > c["start_cycle"] + 4]
        return [(c["start_cycle"] + 2 + (c["end_cycle"] - c["start_cycle"]) // 3) for c in commands[::max(len(commands) // count, 1)]]


class Faults(Injected):
    faults_a_kind = 3

    def check_wave(self, first):
        name = f"{self.model.name}.first-difference"
        [wave] = [path for path in self.folder.iterdir() if path.name.startswith(name) and path.suffix in (".fst", ".vcd")]
        self.assertGreater(wave.stat().st_size, 500)
        view = (self.folder / f"{wave.name}.gtkw").read_text()
        markers = next(line for line in view.splitlines() if re.match(r"\*-?\d", line)).split()
        self.assertEqual(int(markers[1]), first["cycle"] * 1000)

    def check_sums(self, operands, injected):
        """The sum that the machine had stands beside the one that the operands give; of a flipped sum they differ in that bit."""
        given = int(re.search(r"; accumulator (-?\d+), bias", operands)[1])
        machine = int(re.search(r"On the machine the accumulator was (-?\d+): bias", operands)[1])
        self.assertNotEqual(given, machine)
        if bit := re.match(r"bit (\d+) of sum", injected):
            self.assertEqual((given ^ machine) & (1 << 48) - 1, 1 << int(bit[1]))

    def test_sums_and_weights(self):
        """The difference is in what the command on the array wrote, and its operands give the right value."""
        clean = self.clean()
        for kind in ("accumulator:bitflip", "weight:bitflip"):
            hits = 0
            for cycle in self.cycles_of(clean, "mac_array", self.faults_a_kind):
                with self.subTest(kind=kind, cycle=cycle):
                    code, report, text = self.inject(f"{kind}@{cycle}")
                    if code == 0:
                        self.assertIn("hits nothing live", text)
                        continue
                    hits += 1
                    self.assertEqual(code, 3, text)
                    first = report["check"]["first_difference"]
                    command = int(re.search(r"command (\d+)", report["injected"])[1])
                    at = clean["commands"][command]
                    self.assertTrue(at["unit"] == "mac_array" and at["start_cycle"] <= cycle < at["end_cycle"], at)
                    self.assertEqual((first["command_idx"], first["unit"], first["layer_idx"]), (command, "mac_array", at["layer_idx"]))
                    self.assertEqual((first["start_cycle"], first["cycle"]), (at["start_cycle"], at["end_cycle"]))
                    self.assertIn(WITHIN, first["operands"])
                    self.assertIn(f"give {first['expected']}, the expected value", first["operands"])
                    self.check_sums(first["operands"], report["injected"])
                    self.check_wave(first)
            self.assertGreater(hits, 0, kind)

    def test_sram(self):
        """The difference is in what a command wrote that started later; a convolution's operands were wrong already."""
        clean = self.clean()
        for cycle in self.cycles_of(clean, "mac_array", self.faults_a_kind):
            with self.subTest(cycle=cycle):
                code, report, text = self.inject(f"sram:bitflip@{cycle}")
                self.assertIn(code, (0, 3), text)
                if code == 0:
                    self.assertIn("hits nothing live", text)
                    continue
                first = report["check"]["first_difference"]
                if first["command_idx"] < 0 or first["start_cycle"] < 0:
                    continue
                self.assertGreaterEqual(first["cycle"], cycle)
                if first["operands"]:
                    self.assertGreaterEqual(first["start_cycle"], cycle)
                    self.assertIn(BEFORE, first["operands"])

    def test_given_index_and_bit(self):
        clean = self.clean()
        [cycle, *_] = self.cycles_of(clean, "mac_array", 1)
        code, report, _ = self.inject(f"accumulator:bitflip@{cycle}:5:40")
        self.assertIn(code, (0, 3))
        if code == 3:
            self.assertIn("bit 40 of sum 5 of command", report["injected"])
        again = self.inject(f"accumulator:bitflip@{cycle}:5:40")[1]
        self.assertEqual(again["check"], report["check"])

    def test_commands_and_tokens(self):
        clean = self.clean()
        codes = set()
        for cycle in (0, clean["totals"]["cycles"] // 50, clean["totals"]["cycles"] // 10):
            code, report, text = self.inject(f"command:bitflip@{cycle}")
            codes.add(code)
            self.assertIn(code, (0, 3, 4), text)
            hit = re.search(r"of command (\d+), is flipped", text)
            self.assertTrue(hit or "hits nothing live" in text, text)
            if code == 3:
                self.assertGreaterEqual(report["check"]["first_difference"]["command_idx"], int(hit[1]))
            code, _, text = self.inject(f"token:drop@{cycle}")
            codes.add(code)
            self.assertIn(code, (0, 3, 4), text)
            self.assertTrue(re.search(r"a token that command \d+ gives does not arrive", text) or "hits nothing live" in text, text)
        self.assertTrue(codes & {3, 4}, codes)

    def test_no_rerun_leaves_no_wave_and_a_wave_that_is_asked_for_has_the_marker(self):
        clean = self.clean()
        [cycle, *_] = self.cycles_of(clean, "mac_array", 1)
        code, report, _ = self.inject(f"accumulator:bitflip@{cycle}", "--no-rerun")
        self.assertEqual((code, report["check"]["first_difference"]["operands"]), (3, ""))
        self.assertEqual([path.name for path in self.folder.iterdir() if "first-difference" in path.name], [])
        code, report, _ = self.inject(f"accumulator:bitflip@{cycle}", "--wave", "w.vcd")
        self.assertEqual(code, 3)
        self.assertEqual([path.name for path in self.folder.iterdir() if "first-difference" in path.name], [])
        self.assertEqual(vcd.Dump((self.folder / "w.vcd").read_text()).end, report["totals"]["cycles"] * 1000)
        self.assertIn(f" {report['check']['first_difference']['cycle'] * 1000} ", (self.folder / "w.vcd.gtkw").read_text())

    def test_bad_input(self):
        cases = {"": "has no value", "sram": "is not UNIT:KIND@CYCLE", "sram:bitflip@": "is not UNIT:KIND@CYCLE",
                 "sram:bitflip@-1": "is not UNIT:KIND@CYCLE", "sram:bitflip@1:2:3:4": "is not UNIT:KIND@CYCLE",
                 "srm:bitflip@5": "did you mean 'sram:bitflip'", "sram:bitflip@5:0:8": "bit 8 is not there, allowed are 0 to 7",
                 "accumulator:bitflip@100:0:48": "bit 48 is not there, allowed are 0 to 47", "token:drop@1:2:3": "is not UNIT:KIND@CYCLE",
                 "sram:bitflip@99999999": "is behind the end: the run has", "sram:bitflip@5:99999999999": "is not there, allowed are 0 to"}
        for text, message in cases.items():
            done = self.execute("run", self.model, f"--inject={text}")
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
            self.assertIn(message, done.stderr)
        for options in (["--no-check"], ["--backend", "reference"], ["--config", "v64,v256"]):
            self.assertEqual(self.execute("run", self.model, "--inject", "sram:bitflip@5", *options).returncode, 2, options)


@unittest.skipUnless(MOBILENET.exists(), f"{MOBILENET} is not there")
class MobileNet(Faults):
    model = MOBILENET


if __name__ == "__main__":
    program.main()
