# SPDX-License-Identifier: Apache-2.0
"""report_checks bites: any count of a report that is off by one, and any key that is missing or new, is found."""

import copy

import program
import report_checks

# What a sum holds: all counts of the units, and these of layers and totals.
LAYER = ["attributed_cycles", "macs", *report_checks.TRAFFIC]
TOTALS = ["cycles", "macs", *report_checks.TRAFFIC]


class ReportChecks(program.ProgramTest):
    def assert_found(self, report, change, what):
        changed = copy.deepcopy(report)
        change(changed)
        self.assertNotEqual(report_checks.check(changed), [], what)

    def bump(self, report, path):
        def change(changed):
            for key in path[:-1]:
                changed = changed[key]
            changed[path[-1]] += 1
        self.assert_found(report, change, path)

    def test_counts(self):
        for memory in ("sram", "weights-external"):
            report, _ = self.run_model(program.DEMO, options=["--memory", memory])
            for name, unit in report["units"].items():
                for key in ("busy_cycles", "idle_cycles"):
                    self.bump(report, ["units", name, key])
                for stall in unit["stall_cycles"]:
                    self.bump(report, ["units", name, "stall_cycles", stall])
            for index in range(len(report["layers"])):
                for key in LAYER:
                    self.bump(report, ["layers", index, key])
                for name in report["layers"][index]["spent_cycles"]:
                    self.bump(report, ["layers", index, "spent_cycles", name])
            for key in TOTALS:
                self.bump(report, ["totals", key])
            highest = max(range(len(report["sram_blocks"])), key=lambda i: report["sram_blocks"][i]["end_byte"])
            self.bump(report, ["sram_blocks", highest, "end_byte"])
            for index in range(len(report["sram_blocks"])):
                self.bump(report, ["sram_blocks", index, "end_cycle"])

    def test_keys(self):
        report, _ = self.run_model(program.DEMO)
        for place in ([], ["totals"], ["check"], ["host_seconds"], ["model"], ["layers", 0], ["units", "dma"], ["outputs", 0]):
            def at(changed, place=place):
                for key in place:
                    changed = changed[key]
                return changed
            self.assert_found(report, lambda changed: at(changed).update(surprise=1), place)
            grown = {key for keys in report_checks.GROWN.values() for key in keys}
            for key in [key for key in at(report) if key not in grown]:
                self.assert_found(report, lambda changed, key=key: at(changed).pop(key), [*place, key])

    def test_host_phases(self):
        report, _ = self.run_model(program.DEMO)
        self.assert_found(report, lambda changed: changed["host_seconds"].update(total=1.0, simulate=0.5), "host phases")


if __name__ == "__main__":
    program.main()
