# SPDX-License-Identifier: Apache-2.0
"""No command of any network beats its bound (disassembly.py), and some come near it, so that the bounds say something."""

import disassembly
import program

NEAR = 1.5  # cycles of a command over its bound: some long command of a compute-bound network is within that


class Bounds(program.ProgramTest):
    def commands(self, model, options):
        """(command, cycles that it was in flight, its bounds) of a run."""
        package = self.compile(model, "-q", *options)
        parsed = disassembly.parse(self.execute("disasm", package).stdout)
        report, _ = self.run_model(package, options=["--no-check"])
        self.assertEqual([command.index for command in parsed], [entry["command_idx"] for entry in report["commands"]])
        self.assertEqual(len(parsed), report["totals"]["commands"])
        self.assertEqual(parsed[-1].kind, "end")
        machine = disassembly.Machine(report["config"])
        return [(command, entry["end_cycle"] - entry["start_cycle"], machine.bounds(command))
                for command, entry in zip(parsed, report["commands"]) if command.kind != "end"]

    def check_network(self, name, model, options):
        """Returns how near the nearest long command comes to its bound."""
        nearest = float("inf")
        for command, cycles, bounds in self.commands(model, options):
            what = f"{name} {options}: command {command.index} takes {cycles} cycles: {command.kind} {command.text}"
            for bound, least in bounds.items():
                self.assertGreaterEqual(cycles, least, f"{bound}: {what}")
            greatest = max(bounds.values())
            if greatest > 100:
                nearest = min(nearest, cycles / greatest)
        return nearest

    def test_demo(self):
        for config in ("v64", "v256", "v1024", "v256-sram48"):
            for memory in ("sram", "weights-external"):
                for optimize in ("0", "1"):
                    nearest = self.check_network("demo", program.DEMO, ["--config", config, "--memory", memory,
                                                                        "--optimize", optimize])
                    self.assertLess(nearest, NEAR, f"{config} {memory} {optimize}")

    def test_made_networks(self):
        for index, entry in enumerate(program.made_networks()):
            options = ["--memory", ("sram", "weights-external")[index % 2], "--optimize", str(index // 2 % 2)]
            self.check_network(entry["name"], program.MADE / entry["name"] / "model.tosa", options)

    def test_real_networks(self):
        if not program.GOLDEN.exists():
            self.skipTest(f"{program.GOLDEN} is not there")
        for name in ("ad01_int8", "kws_ref_model", "pretrainedResnet_quant", "mobilenet_v1_025_96_int8"):
            for memory, optimize in (("sram", "1"), ("weights-external", "0"), ("weights-external", "1")):
                options = ["--memory", memory, "--optimize", optimize]
                nearest = self.check_network(name, program.GOLDEN / name / "model.tosa", options)
                self.assertLess(nearest, NEAR, f"{name} {options}")


if __name__ == "__main__":
    program.main()
