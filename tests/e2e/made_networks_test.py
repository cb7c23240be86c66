# SPDX-License-Identifier: Apache-2.0
"""Every network of tests/golden/networks against its committed results. Named cases, so that ctest can take them apart:
MadeNetworks.test_reference, MadeNetworks.test_sim_<config>_<memory>_<part>."""

import itertools

import npy
import program

CONFIGS = ("v64", "v256", "v1024")
MEMORY = ("sram", "weights-external")
NUM_PARTS = 2


class MadeNetworks(program.ProgramTest):
    def one_run(self, entry, options):
        what = f"{entry['name']} {' '.join(options)}"
        with self.subTest(what):
            model = program.MADE / entry["name"]
            report, outputs = self.run_model(model / "model.tosa", program.made_inputs(entry), options)
            self.assertEqual(sorted(outputs), sorted(name for name, _, _ in entry["outputs"]), what)
            for tensor, found in outputs.items():
                self.assert_arrays_equal(found, npy.read(model / f"{tensor}.npy"), what)
            self.assertEqual(report["totals"]["macs"], entry["macs"], what)
            return report
        return None

    def test_reference(self):
        for entry in program.made_networks():
            self.one_run(entry, ["--backend", "reference"])

    def simulate(self, config, memory, part):
        for index, entry in enumerate(program.made_networks()):
            if index % NUM_PARTS != part:
                continue
            for optimize in ("0", "1"):
                report = self.one_run(entry, ["--config", config, "--memory", memory, "--optimize", optimize, "--check-all"])
                if report is None:
                    continue
                self.assertEqual(report["check"]["result"], "match")
                if optimize == "0":  # what is computed from constants alone is no work for the machine
                    reasons = {folded["reason"] for folded in report["check"]["folded"]}
                    self.assertLessEqual(reasons, {"constant"}, entry["name"])


def _add_case(config, memory, part):
    name = f"test_sim_{config}_{memory.replace('-', '_')}_{part}"
    setattr(MadeNetworks, name, lambda self: self.simulate(config, memory, part))


for _case in itertools.product(CONFIGS, MEMORY, range(NUM_PARTS)):
    _add_case(*_case)

if __name__ == "__main__":
    program.main()
