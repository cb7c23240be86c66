# SPDX-License-Identifier: Apache-2.0
"""Faulty RTL and a netlist by `--rtl DIR`: 30 of the faults of tests/cosim/mutants.py, each found with a line that names unit, port and
field: a lane with what was expected there and what came, or what the port did in which cycle. Lanes as netlists of generic cells,
which are right."""

import re
import shutil
import sys

import program
from foreign_rtl_test import RtlFolderTest

sys.path[:0] = [str(program.ROOT / "tests" / folder) for folder in ("cosim", "mutants", "rtl", "rtl/mutation")]
NUM_MUTANTS = 30
# So many of each block, the first ones that change values, edges, handshakes, orders or banks.
OF_BLOCKS = {"npu_rescale_unit": 8, "npu_table_unit": 5, "npu_mac_array": 9, "npu_vector_unit": 8}
KINDS = ("value", "cycle", "handshake", "order", "bank")
PORTS = r"\b(?:scale|look|slot|tbl|cmd|wgt|act|prm|add|out|stall|ld|st)(?:_[a-z0-9_]+)?\b"
PORT = r"\b(?:scale|look|slot|tbl|cmd|wgt|act|prm|add|out|stall|ld|st)_(?:[a-z0-9_]+_)?[io]\b"
FIELD = rf"{PORT}(?: lane \d+)?(?:: expected \S+, actual \S+| \d+ cycles? (?:earlier|later) | moves | follows |: tag \d+ where |: a beat that nobody asked for|: the result is missing|: the unit moves )"
# With these the RTL never goes on: they are not among the 30. A line says who waits for which port; exit code 4, or 3 where something
# differed before.
STAND_STILL = {"parameters are free after each row tile", "a result is lost when it is not taken",
               "the drain of a command does not wait for the one before", "the unit goes on without room for a store",
               "a pair of lanes counts as two", "a bank is taken before it is drained", "a beat is taken while en_i is low",
               "an odd loop of pairs has a last vector too many", "a command is out before its last row is taken"}
# Found with other seeds than that of the runs here.
OTHER_SEEDS = {"a row is taken while parameters miss"}


def chosen():
    import mutants
    found = []
    for block, number in OF_BLOCKS.items():
        of_block = [mutant for mutant in mutants.MUTANTS if mutant[2] == block and mutant[0] in KINDS and mutant[1] not in STAND_STILL | OTHER_SEEDS]
        # One of each kind in turn.
        queues = [[mutant for mutant in of_block if mutant[0] == kind] for kind in KINDS]
        turns = [queue[turn] for turn in range(len(of_block)) for queue in queues if turn < len(queue)]
        found += turns[:number]
    return found


class Mutants(RtlFolderTest):
    def run_mutant(self, mutant, folder_name):
        """The unit's name, and the run on it."""
        import mutants
        folder = self.rtl({f"{module}.sv": text for module, text in mutants.changed_modules(mutant).items()}, folder_name)
        unit = mutant[2].removeprefix("npu_").removesuffix("_unit")
        # A pipe of another depth is no mismatch by itself.
        strict = ["--strict-cycles"] if mutant[0] == "cycle" else []
        done = self.execute("cosim", unit, "--config", "v64", "--rtl", folder, "--report", "r.json", "--vectors",
                            mutants.VECTORS[mutant[2]], *strict)
        print(f"{done.returncode}, {mutants.full_name(mutant)}: {done.stdout[:400]}{done.stderr}", flush=True)
        return unit, done

    def test_those_that_stand_still(self):
        import mutants
        found = [mutant for mutant in mutants.MUTANTS if mutant[2] in OF_BLOCKS and mutant[1] in STAND_STILL]
        self.assertEqual({mutant[1] for mutant in found}, STAND_STILL)
        for number, mutant in enumerate(found):
            with self.subTest(mutant=mutants.full_name(mutant)):
                unit, done = self.run_mutant(mutant, f"still{number}")
                if done.returncode == 3:  # something differed before
                    self.assertRegex(program.read_json(self.folder / "r.json")["first_mismatches"][-1], rf"\Ano handshake on any port .*{PORTS}")
                    continue
                self.assertEqual(done.returncode, 4, done.stdout + done.stderr)
                self.assertRegex(done.stderr, rf"\Avernier: {unit}: no handshake on any port .*{PORTS}")

    def test_thirty_of_them(self):
        import mutants
        found = chosen()
        self.assertEqual(len(found), NUM_MUTANTS)
        for number, mutant in enumerate(found):
            with self.subTest(mutant=mutants.full_name(mutant)):
                unit, done = self.run_mutant(mutant, f"rtl{number}")
                self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
                self.assertEqual(done.stderr, "", done.stdout)
                told, report = done.stdout, program.read_json(self.folder / "r.json")
                self.assertTrue(told.startswith(f"{unit} on v64: "), told)
                self.assertGreater(report["mismatches"], 0)
                self.assertRegex(report["first_mismatches"][0], rf"\A{mutant[2]}, .*{FIELD}")
                if mutant[0] == "value":
                    self.assertTrue(any(re.search(r"expected \S+, actual ", text) for text in report["first_mismatches"]), told)


class Netlists(RtlFolderTest):
    def test_lanes_of_generic_cells(self):
        import mutated_lane
        if shutil.which("yosys") is None:
            self.skipTest("Yosys is not installed")
        for unit in ("rescale", "table"):
            with self.subTest(unit=unit):
                folder = self.rtl({}, unit)
                mutated_lane.netlist(f"npu_{unit}_lane", folder)
                text, report = self.cosim(unit, folder, "--vectors", 20000, "--strict-cycles")
                self.assertEqual((report["vectors"], report["mismatches"], report["cycle_mismatches"]), (20000, 0, 0), text)
                # In a network too.
                done, _ = self.run_model(program.DEMO, options=["--backend", "rtl", "--config", "v64", "--rtl", folder])
                self.assertEqual((done["rtl"]["mismatches"], done["rtl"]["cycle_mismatches"], done["check"]["result"]), (0, 0, "match"))
                # A netlist with one inverter too many is seen.
                netlist = folder / f"npu_{unit}_lane_netlist.v"
                changed, number = re.subn(r"assign result_o\b(.*?) = ", r"assign result_o\1 = ~", netlist.read_text(), count=1)
                self.assertEqual(number, 1)
                netlist.write_text(changed)
                self.cosim(unit, folder, "--vectors", 1000, code=3)


if __name__ == "__main__":
    program.main()
