# SPDX-License-Identifier: Apache-2.0
"""Vernier as a system under test of the official conformance runner (PyPI's tosa-tools, tosa_verif_run_tests):

    PYTHONPATH=tests/conformance tosa_verif_run_tests -t SUITE -r -b -s vernier_sut --sut-module-args vernier_sut:build/release/vernier
        [vernier_sut:--backend=reference]

The arguments are the program and its further options. `vernier verify` writes the outputs beside desc.json, where the runner looks for
them, and its exit codes are those of the official reference model."""

import subprocess

from runner.tosa_test_runner import TosaTestRunner

Result = TosaTestRunner.TosaGraphResult
RESULTS = {0: Result.TOSA_VALID, 1: Result.TOSA_UNPREDICTABLE, 2: Result.TOSA_ERROR}


class TosaSUTRunner(TosaTestRunner):
    """The class that the runner looks for in a module."""

    def runTestGraph(self):
        """One test; what the runner asks for is the kind of result and a message."""
        program, *options = self.runnerArgs
        command = [program, "verify", "--desc", self.descFile, *options]
        if self.args.tosa_level.lower() == "none":
            command += ["--level", "none"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return RESULTS.get(done.returncode, Result.OTHER_ERROR), done.stderr
