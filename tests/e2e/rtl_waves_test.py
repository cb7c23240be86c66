# SPDX-License-Identifier: Apache-2.0
"""Waves of RTL by itself: one event has one time in message, wave, marker and replay; ports are decoded; both formats. Skipped where
Verilator is not installed."""

import re

import program
from foreign_rtl_test import FOREIGN
from replay_test import ReplayTest
from vcd import CYCLE_PS, Dump, lane, signed

MISMATCH = re.compile(r"^mismatch: (\w+), .*cycle (\d+),.*? (\w+_o) lane (\d+): expected -?\w+, actual (-?\w+)")


class RtlWaves(ReplayTest):
    def wave_of(self, name):
        return Dump((self.folder / name).read_text(encoding="ascii"))

    def value_at(self, dump, path, time):
        return [value for when, value in dump.values[path] if when <= time][-1]

    def check_place(self, file, text, bits=32):
        """The cycle of the message is that of the wave, whose signals change at rising edges, and that of the marker; the lane is in
        the view."""
        module, cycle, port, number, actual = MISMATCH.match(self.first_mismatch(text)).groups()
        dump, begin = self.wave_of(file), int(cycle) * CYCLE_PS
        found = lane(self.value_at(dump, f"{module}.{port}", begin), int(number), bits)
        self.assertEqual(found if actual.startswith("0x") else signed(found, bits), int(actual, 0))
        for path, values in dump.values.items():
            name = path.rsplit(".", 1)[-1]
            for time, value in values:
                self.assertEqual(time % CYCLE_PS, CYCLE_PS // 2 if name == "clk_i" and value == 0 else 0, path)
        rises = [time for time, value in dump.values[f"{module}.clk_i"] if value]
        self.assertEqual(rises, list(range(rises[0], rises[-1] + 1, CYCLE_PS)))
        view = (self.folder / f"{file}.gtkw").read_text(encoding="ascii")
        self.assertIn(f'[dumpfile] "{file}"\n', view)
        marker = next(line for line in view.splitlines() if line.startswith("*"))
        self.assertEqual(marker.split()[1], str(begin))
        self.assertEqual(set(re.findall(r"gen_lane\[(\d+)\]", view)), {number})
        return dump

    def test_a_mismatch_has_one_time(self):
        folder = self.mutant("a tie stays odd", "npu_rescale_unit")
        told, _ = self.cosim("rescale", folder, "--vectors", 2000, "--wave", "run.vcd", code=3)
        self.check_place("run.vcd", told)
        shown = self.replay("rescale.replay.json", "--rtl", folder, "--wave", "alone.vcd", code=3)
        self.assertEqual(self.first_mismatch(shown), self.first_mismatch(told))
        self.check_place("alone.vcd", shown)
        self.replay("rescale.replay.json", "--rtl", folder, "--wave", "alone.fst", code=3)
        self.assertEqual((self.folder / "alone.fst").read_bytes()[:1], b"\0")  # a block of type FST_BL_HDR
        self.assertIn("gen_lane[", (self.folder / "alone.fst.gtkw").read_text(encoding="ascii"))

    def test_ports_are_decoded(self):
        for unit in ("mac_array", "vector"):
            for ending in ("vcd", "fst"):
                done = self.execute("cosim", unit, "--config", "v64", "--vectors", 40, "--wave", f"{unit}.{ending}")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
        dump = self.wave_of("mac_array.vcd")
        states = ("idle", "busy", "fill", "weight_load", "rescale_contention", "input_wait", "output_wait")
        self.assertEqual([(time, states[value]) for time, value in dump.values["npu_mac_array.stall_o"]],
                         dump.values["npu_mac_array.stall_state"])
        self.assertLessEqual({value for _, value in dump.values["npu_mac_array.cmd_mode"]}, {"conv", "depthwise", "reserved"})
        # Bits of a field, by the page of ports.
        page = (program.ROOT / "docs" / "reference" / "rtl-ports.md").read_text(encoding="utf-8").split("## Fields of cmd_i\n")[1]
        high, low = map(int, re.search(r"^\| out_channels \| (\d+):(\d+) \|", page, re.MULTILINE).groups())
        for time, value in dump.values["npu_mac_array.cmd_i"]:
            self.assertEqual(self.value_at(dump, "npu_mac_array.cmd_out_channels", time), (value >> low) & ((2 << (high - low)) - 1))
        dump = self.wave_of("vector.vcd")
        self.assertIn("load", {value for _, value in dump.values["npu_vector_unit.cmd_step_0.op"]})
        self.assertIn("store", {value for step in range(24) for _, value in dump.values[f"npu_vector_unit.cmd_step_{step}.op"]})

    def test_waves_of_their_own(self):
        """$dumpvars of the RTL: its file is in the working folder, and has the cycles' times."""
        edit = ("  assign scale_valid_o", '  initial begin\n    $dumpfile("theirs.vcd");\n    $dumpvars;\n  end\n  assign scale_valid_o')
        self.cosim("rescale", self.rtl(self.skeleton(edit)), "--vectors", 20, "--wave", "ours.vcd", code=3)
        text = (self.folder / "theirs.vcd").read_text(encoding="ascii")
        self.assertIn("scale_valid_o", text)
        times = [int(line[1:]) for line in text.splitlines() if line.startswith("#")]
        self.assertEqual(times, sorted(times))
        self.assertGreater(times[-1], 20 * CYCLE_PS)

    def test_memories(self):
        for options in ([], ["--wave-memories"]):
            done = self.execute("cosim", "table", "--config", "v64", "--vectors", 30, "--wave", "t.vcd", *options)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            words = [path for path in self.wave_of("t.vcd").values if path.rsplit(".", 1)[-1] == "mem[100]"]
            self.assertEqual(len(words) > 0, bool(options))
        done = self.execute("cosim", "table", "--wave-memories")
        self.assertEqual((done.returncode, done.stderr), (2, "vernier: --wave-memories: says what is in a wave, and there is no --wave\n"))

    def test_quiet(self):
        for subject in (program.DEMO, "rescale"):
            done = self.execute("cosim", subject, "--config", "v64", "-q", *([] if subject == program.DEMO else ["--vectors", 50]))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertRegex(done.stdout, r"\A[^\n]*every result [^\n]*\n\Z")
        done = self.execute("cosim", "rescale", "--config", "v64", "-q", "--rtl", FOREIGN / "skeleton", "--vectors", 50)
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stdout, r"\A[^\n]*50 mismatches[^\n]*\nmismatch: npu_rescale_unit, [^\n]*\n\Z")


if __name__ == "__main__":
    program.main()
