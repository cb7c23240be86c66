# SPDX-License-Identifier: Apache-2.0
"""Replays: a mismatch of RTL with one fault leaves a file that shows it alone, and shows nothing on RTL without the fault.
Skipped where Verilator is not installed."""

import json
import random
import resource

import npy
import program
import tosa_file
from foreign_rtl_test import FOREIGN, RtlFolderTest

MOST_BYTES = 1_000_000


class ReplayTest(RtlFolderTest):
    def mutant(self, name, block, folder="rtl"):
        import mutants
        found = next(m for m in mutants.MUTANTS if m[1] == name and m[2] == block)
        return self.rtl({f"{module}.sv": changed for module, changed in mutants.changed_modules(found).items()}, folder)

    def first_mismatch(self, text):
        return next(line for line in text.splitlines() if line.startswith("mismatch: "))

    def values_of(self, mismatch):
        """Port, lane, expected and actual value."""
        port = mismatch[:mismatch.index(": expected ")].rsplit(": ", 1)[-1].rsplit("; ", 1)[-1]
        return port + mismatch[mismatch.index(": expected "):].split(": ")[1].split(";")[0]

    def replay(self, file, *options, code):
        done = self.execute("cosim", "--replay", file, "--report", "replayed.json", *options)
        self.assertEqual((done.returncode, done.stderr), (code, ""), done.stdout)
        report = program.read_json(self.folder / "replayed.json")
        self.assertEqual(report["result"], "mismatch" if code == 3 else "match")
        self.assertGreater(report["vectors"], 0)
        return done.stdout

    def check_file(self, name, may_be_whole=False):
        file = self.folder / name
        self.assertLess(file.stat().st_size, MOST_BYTES)
        replay = json.loads(file.read_text(encoding="utf-8"))
        self.assertEqual((replay["schema"], replay["is_reproduced"]), ("vernier-replay/1", True))
        self.assertFalse(replay["is_whole"] and not may_be_whole)
        # Each field stands in the page.
        page = (program.ROOT / "docs" / "reference" / "replay.md").read_text(encoding="utf-8")
        sequences = replay.get("sequences", [])
        fields = [*(key for key in replay if key not in ("inputs", "expected", "sequences", "tables")),
                  *(f"sequences[].{key}" for sequence in sequences for key in sequence if key != "commands"),
                  *(f"sequences[].commands[].{key}" for sequence in sequences for command in sequence["commands"] for key in command),
                  *(f"commands[].{key}" for command in replay.get("commands", []) for key in command)]
        for field in fields:
            self.assertTrue(f"`{field}`" in page or f"`{field}[]`" in page or field == "commands", field)
        return replay


class Units(ReplayTest):
    def check(self, name, block, unit, port):
        folder = self.mutant(name, block)
        told, report = self.cosim(unit, folder, "--vectors", 20000, code=3)
        file = f"{unit}.replay.json"
        self.assertEqual(report["replay"], file)
        self.assertIn(f"replay: {file} shows the first mismatch alone: vernier cosim --replay {file} --rtl DIR\n", told)
        replay = self.check_file(file)
        self.assertLess(replay["num_cycles"], 300)
        self.assertTrue(any(f"{port} lane" in line for line in [replay["mismatch"]]), replay["mismatch"])
        # The same message, vector, cycle and operands too; nothing on RTL without the fault.
        shown = self.replay(file, "--rtl", folder, "--wave", "w.vcd", "--export-vectors", "vectors", code=3)
        self.assertEqual(self.values_of(self.first_mismatch(shown)), self.values_of(self.first_mismatch(told)))
        self.assertEqual(self.first_mismatch(told), f"mismatch: {replay['mismatch']}")
        self.assertIn(port, (self.folder / "w.vcd").read_text(encoding="ascii"))
        words = (self.folder / "vectors" / f"{port}.hex").read_text(encoding="ascii").splitlines()
        self.assertEqual(len(words) - 1, replay["num_cycles"])
        self.assertIn("every result equal", self.replay(file, code=0))
        return told, shown

    def test_rescale(self):
        told, shown = self.check("a tie stays odd", "npu_rescale_unit", "rescale", "scale_result_o")
        self.assertEqual(self.first_mismatch(shown), self.first_mismatch(told))

    def test_table(self):
        self.check("bytes of a halfword", "npu_table_unit", "table", "look_result_o")

    def check_reset(self, name, block, unit, text):
        """What is left in a reset is left in the replay's. There may be no result in so few cycles."""
        folder = self.mutant(name, block, name.replace(" ", "_"))
        told, _ = self.cosim(unit, folder, "--vectors", 20000, code=3)
        self.assertRegex(self.first_mismatch(told), rf"^mismatch: {block}, {text}")
        file = f"{unit}.replay.json"
        self.assertLess(self.check_file(file, may_be_whole=True)["num_cycles"], 300)
        shown = self.execute("cosim", "--replay", file, "--rtl", folder)
        self.assertEqual((shown.returncode, self.first_mismatch(shown.stdout)), (3, self.first_mismatch(told)))
        self.assertEqual(self.execute("cosim", "--replay", file).returncode, 0)

    def test_resets(self):
        self.check_reset("valid waits for a clock with its reset", "npu_rescale_unit", "rescale", r"cycle \d+: scale_valid_o is 1 while rst_ni is low, before an edge$")
        self.check_reset("slot 0 stays full over reset", "npu_table_unit", "table", r"cycle \d+, slot_format_o: expected 0, actual ")
        self.check_reset("the slots wait for a clock with their reset", "npu_table_unit", "table", r"cycle \d+: slot_format_o is \d+ while rst_ni is low, ")

    def test_an_output_that_follows_an_input(self):
        """A run probes now and then; what was probed is what the replay shows, not that the output moves at the next edge."""
        valid = "assign scale_valid_o = valid_q[LatencyCycles-1];"
        folder = self.rtl({"npu_rescale_unit.sv": self.edited("npu_rescale_unit", (valid, valid.replace(";", " & en_i;")))})
        told, _ = self.cosim("rescale", folder, "--vectors", 20000, code=3)
        self.assertRegex(self.first_mismatch(told), "scale_valid_o follows en_i inside a cycle$")
        shown = self.replay("rescale.replay.json", "--rtl", folder, code=3)
        self.assertEqual(self.first_mismatch(shown), self.first_mismatch(told))

    def test_a_unit_of_another_depth(self):
        """Right values agree at any depth, wrong cycles do where they are asked for."""
        self.cosim("rescale", self.mutant("a tie stays odd", "npu_rescale_unit"), "--vectors", 20000, code=3)
        shown = self.replay("rescale.replay.json", "--rtl", FOREIGN / "deep_rescale", code=0)
        self.assertIn("compared: every result equal, each 6 cycles after its vector, hw/spec says 4\n", shown)
        self.replay("rescale.replay.json", "--rtl", FOREIGN / "deep_rescale", "--strict-cycles", code=3)


class Vectors(ReplayTest):
    def test_edges_that_differ(self):
        """Without --strict-cycles they are no mismatch, but they are told."""
        folder = self.deepened("npu_vector_unit", "st")
        self.cosim("vector", folder, "--vectors", 300, "--strict-cycles", code=3)
        self.replay("vector.replay.json", "--rtl", folder, "--strict-cycles", code=3)
        self.assertRegex(self.replay("vector.replay.json", "--rtl", folder, code=0),
                         r"compared: every result equal, [0-9]+ not in the cycles of hw/spec\n")

    def test_a_unit(self):
        folder = self.mutant("int8 loads without sign", "npu_vector_unit")
        told, report = self.cosim("vector", folder, "--vectors", 20000, code=3)
        self.assertEqual(report["replay"], "vector.replay.json")
        replay = self.check_file("vector.replay.json")
        self.assertEqual(len(replay["commands"]), 1)
        shown = self.replay("vector.replay.json", "--rtl", folder, "--wave", "w.vcd", "--export-vectors", "vectors", code=3)
        self.assertEqual(self.values_of(self.first_mismatch(shown)), self.values_of(self.first_mismatch(told)))
        self.assertIn("st_data_o", (self.folder / "w.vcd").read_text(encoding="ascii"))
        stores = (self.folder / "vectors" / "st_data_o.hex").read_text(encoding="ascii").splitlines()
        self.assertEqual(len(stores) - 1, len(replay["commands"][0]["stores"]))
        self.assertIn("every result equal", self.replay("vector.replay.json", code=0))

    def test_a_network(self):
        """A vector command of a network: it, with the bytes that it finds."""
        folder = self.mutant("int8 loads without sign", "npu_vector_unit")
        model = program.MADE / "softmax_rows" / "model.tosa"
        told, report = self.cosim(model, folder, code=3)
        self.assertEqual(report["replay"], "model.tosa.replay.json")
        replay = self.check_file("model.tosa.replay.json")
        self.assertEqual((replay["unit"], len(replay["commands"])), ("vector", 1))
        shown = self.replay("model.tosa.replay.json", "--rtl", folder, code=3)
        self.assertEqual(self.values_of(self.first_mismatch(shown)), self.values_of(self.first_mismatch(told)))
        self.assertTrue(self.first_mismatch(shown).startswith(self.first_mismatch(told).split(", npu_vector_unit")[0]))
        self.replay("model.tosa.replay.json", code=0)

    def test_a_large_command_of_a_network(self):
        """One of 98,304 elements is wrong, far from the first one: a vector of them is left, and it runs at once."""
        shape, fault_at = (1, 64, 48, 32), 60_000
        model = self.folder / "abs.tosa"
        model.write_bytes(tosa_file.one_operator("ABS", shape=shape))
        drawn = random.Random(5)
        values = [drawn.randrange(-(1 << 24), 1 << 24) for _ in range(64 * 48 * 32)]
        values[fault_at] = -0x1EADBEEF
        npy.write(self.folder / "x.npy", npy.Array("<i4", shape, values))
        folder = self.rtl({"npu_vector_alu.sv": self.edited("npu_vector_alu", (
            "OP_ABS: if (a[31]) result_o = -a;", "OP_ABS: if (a[31] && a != -32'sh1eadbeef) result_o = -a;"))})
        told, report = self.cosim(model, folder, "--input", "x.npy", code=3)
        self.assertEqual(report["mismatches"], 1, told)
        file = "abs.tosa.replay.json"
        [command] = self.check_file(file)["commands"]
        self.assertLess(len(command["sram"]) // 2, 4 * len(values) // 1000)
        self.assertEqual(len(command["stores"]), 1)
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        shown = self.replay(file, "--rtl", folder, code=3)
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, 1)
        self.assertEqual(self.values_of(self.first_mismatch(shown)), self.values_of(self.first_mismatch(told)))
        self.replay(file, code=0)


class Arrays(ReplayTest):
    # Of command 4 of the demo on v64: a channel of it; weights of 3 x 3 x 32 x 32, 4 x 4 x 32 elements, parameters of 32 channels.
    MULTIPLIER, OPERAND_BYTES = 1216034821, 9216 + 512 + 320

    def test_a_unit(self):
        folder = self.mutant("a sum is not forwarded", "npu_mac_array")
        told, _ = self.cosim("mac_array", folder, "--vectors", 5000, code=3)
        self.check_file("mac_array.replay.json", may_be_whole=True)  # sums that are forwarded are those of a row after itself
        shown = self.replay("mac_array.replay.json", "--rtl", folder, "--wave", "w.vcd", code=3)
        self.assertEqual(self.values_of(self.first_mismatch(shown)), self.values_of(self.first_mismatch(told)))
        self.assertIn("out_value_o", (self.folder / "w.vcd").read_text(encoding="ascii"))
        self.replay("mac_array.replay.json", "--export-vectors", "vectors", code=0)
        rows = (self.folder / "vectors" / "out_value_o.hex").read_text(encoding="ascii").splitlines()
        self.assertGreater(len(rows), 1)

    def test_a_network(self):
        """The channel that has this multiplier is wrong, in the command with the most operands."""
        lane = self.rtl({"npu_rescale_lane.sv": self.edited("npu_rescale_lane", (
            "value_q <= value_d;", f"value_q <= multiplier_i == 32'd{self.MULTIPLIER} ? value_d ^ 48'h1000 : value_d;"))})
        told, report = self.cosim(program.DEMO, lane, code=3)
        file = "demo.tosa.replay.json"
        self.assertEqual(report["replay"], file)
        replay = self.check_file(file)
        self.assertRegex(self.first_mismatch(told), r"; accumulator (-?\d+), .*; the RTL's accumulator is \1 too$")
        [command] = replay["sequences"][0]["commands"]
        self.assertLess(len(command["sram"]) // 2, 0.4 * self.OPERAND_BYTES)
        shown = self.replay(file, "--rtl", lane, code=3)
        self.assertEqual(self.values_of(self.first_mismatch(shown)), self.values_of(self.first_mismatch(told)))
        self.assertTrue(self.first_mismatch(shown).startswith(self.first_mismatch(told).split(", vector ")[0]))
        self.replay(file, code=0)
        (self.folder / file).unlink()
        run = self.execute("run", program.DEMO, "--backend", "rtl", "--config", "v64", "--rtl", lane, "-q", "--report", "run.json")
        self.assertEqual((run.returncode, run.stderr), (3, ""))
        notes = " ".join(program.read_json(self.folder / "run.json")["notes"])
        self.assertIn(f"replay: {file} shows the first mismatch alone", notes)
        self.check_file(file)
        self.replay(file, "--rtl", lane, code=3)


class Stops(ReplayTest):
    """RTL that stops itself: exit code 4 and a line, behind what the RTL prints itself."""

    def check(self, statement, text, printed=()):
        edit = ("assign scale_valid_o = valid_q[Stages-1];",
                "assign scale_valid_o = valid_q[Stages-1];\n  integer count = 0;\n  always @(posedge clk_i) begin\n"
                f"    count <= count + 1;\n    if (count == 40) {statement};\n  end")
        folder = self.rtl(self.skeleton(edit), statement.strip("$").split("(")[0])
        done = self.execute("cosim", "rescale", "--config", "v64", "--rtl", folder)
        *of_rtl, line = done.stderr.splitlines()
        self.assertEqual((done.returncode, len(of_rtl)), (4, len(printed)), done.stderr)
        for told, wanted in zip(of_rtl, printed):
            self.assertIn(wanted, told)
        self.assertRegex(line, r"^vernier: rescale: npu_rescale_unit, cycle \d+: the RTL stopped itself at .*npu_rescale_unit.sv:\d+, by ")
        self.assertIn(text, line)

    def test_finish(self):
        self.check("$finish", "$finish")

    def test_stop(self):
        self.check("$stop", "$stop")

    def test_fatal(self):
        self.check('$fatal(1, "wrong")', "$fatal", printed=["wrong"])


if __name__ == "__main__":
    program.main()
