# SPDX-License-Identifier: Apache-2.0
"""The same input gives the same bytes: package, printed stages, disassembly, report (host_seconds aside), outputs; from
another folder, in another environment and after other runs too."""

import json
import os
import pathlib
import shutil
import struct

import program
import report_checks

NETWORKS = ("demo", "classifier_head", "branch_two_consumers", "conv_first_c3")


def model_of(name):
    return program.DEMO if name == "demo" else program.MADE / name / "model.tosa"


class Determinism(program.ProgramTest):
    def products(self, model, options, cwd):
        """Everything that one version of the program says about a model."""
        package = pathlib.Path(cwd) / "x.vnpu"
        self.assertEqual(self.execute("compile", model, "-o", package, "-q", *options, cwd=cwd).returncode, 0)
        products = {"package": package.read_bytes(), "disasm": self.execute("disasm", package, cwd=cwd).stdout}
        for stage in ("ir", "schedule", "stream"):
            products[stage] = self.execute("compile", model, "--dump", stage, *options, cwd=cwd).stdout
            self.assertGreater(len(products[stage]), 100, stage)
        done = self.execute("run", model, "--check-all", "--report", "-", "--output-dir", "out", *options, cwd=cwd)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual(report_checks.check(report), [])
        products["report"] = json.dumps(report_checks.without_host_seconds(report))
        products["outputs"] = {path.name: path.read_bytes() for path in (pathlib.Path(cwd) / "out").iterdir()}
        return products

    def test_same_bytes(self):
        for name in NETWORKS:
            for memory, optimize in (("sram", "0"), ("sram", "1"), ("weights-external", "1")):
                options = ["--memory", memory, "--optimize", optimize]
                folders = [self.folder / f"{name}{memory}{optimize}", self.folder / "a" / "much" / "deeper" / "one"]
                results = []
                for folder in folders:
                    shutil.rmtree(folder, ignore_errors=True)
                    folder.mkdir(parents=True)
                    results.append(self.products(model_of(name), options, folder))
                    os.environ["VERNIER_TEST_PADDING"] = "x" * 1000  # moves the stack
                for key, first in results[0].items():
                    self.assertEqual(first, results[1][key], f"{name} {options}: {key}")

    def test_a_copied_model_elsewhere(self):
        """The folder of a model is no part of the package."""
        (self.folder / "b").mkdir()
        copy = self.folder / "b" / "demo.tosa"
        shutil.copy(program.DEMO, copy)
        packages = [self.compile(model, name=f"{index}.vnpu").read_bytes() for index, model in
                    enumerate([program.DEMO, copy])]
        self.assertEqual(packages[0], packages[1])

    def test_package_and_network_run_alike(self):
        package = self.compile(program.DEMO)
        reports = [self.run_model(model)[0] for model in (program.DEMO, package)]
        for report in reports:
            del report["model"]["file"], report["host_seconds"], report["run"]["command_line"]
        self.assertEqual(reports[0], reports[1])

    def test_a_package_without_its_source_graph(self):
        """Nothing of a run comes from the graph: without it, unchecked, outputs and cycles stay."""
        for memory in ("sram", "weights-external"):
            package = self.compile(program.DEMO, "--memory", memory)
            whole, source = package.read_bytes(), program.DEMO.read_bytes()
            self.assertTrue(whole.endswith(struct.pack("<Q", len(source)) + source), "the source graph stands last")
            content = whole[:-len(source) - 8] + struct.pack("<Q", 0)
            emptied = self.folder / "emptied.vnpu"
            emptied.write_bytes(program.with_checksum(content))
            first, second = (self.run_model(model, options=["--no-check"]) for model in (package, emptied))
            self.assertEqual(first[1], second[1])
            for key in ("totals", "units", "layers", "commands"):
                self.assertEqual(first[0][key], second[0][key])
            for options in ([], ["--backend", "reference"]):
                done = self.execute("run", emptied, *options)
                self.assertEqual(done.returncode, 2)
                self.assertIn("no source graph", done.stderr)

    def test_iterations_do_not_change_a_run(self):
        reports = [self.run_model(program.DEMO, options=["--check-all", "--iterations", count])[0] for count in ("1", "3")]
        self.assertEqual([report["check"].pop("iterations_compared") for report in reports], [1, 3])
        self.assertEqual(*map(report_checks.without_host_seconds, reports))

    def test_another_seed_gives_other_inputs_and_the_same_cycles(self):
        runs = [self.run_model(program.DEMO, options=["--seed", seed]) for seed in ("1", "2")]
        self.assertNotEqual(runs[0][1]["TosaOutput_0"].values, runs[1][1]["TosaOutput_0"].values)
        self.assertEqual(runs[0][0]["totals"], runs[1][0]["totals"])


if __name__ == "__main__":
    program.main()
