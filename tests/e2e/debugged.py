# SPDX-License-Identifier: Apache-2.0
"""A run of the program whose control CPU has a debugger."""

import contextlib

import control_test
import gdb_client
import program
from elf_file import Elf, FIRMWARE, Segment, code

DETACHED = "gdb: the debugger has detached, the run goes on\n"
GONE = "gdb: the connection to the debugger is closed, the run goes on\n"


class Debugged(program.ProgramTest):
    @contextlib.contextmanager
    def debugged(self, *options, model=program.DEMO, command="run"):
        """(the process, its debugger); the report of the run is self.report()."""
        process = self.start(command, model, "-q", "--control", "cpu", "--gdb", 0, "--report", self.folder / "report.json", *options)
        try:
            debugger = gdb_client.Debugger(process)
            try:
                yield process, debugger
            finally:
                debugger.close()
        finally:
            process.kill()
            process.communicate()

    def finish(self, process, code=0):
        """What the program said on standard error after the debugger had connected."""
        out, err = process.communicate(timeout=self.longest_seconds)
        self.assertEqual(process.returncode, code, err)
        self.assertEqual(out.count(b"\n"), 1 if code == 0 else 0)
        return err.decode()

    def report(self):
        return program.read_json(self.folder / "report.json")

    def check_unchanged(self, plain):
        report = self.report()
        self.assertEqual(control_test.same_parts(report), control_test.same_parts(plain))
        self.assertEqual(report["control"], plain["control"])

    def plain_report(self, *options, model=program.DEMO):
        report, _ = self.run_model(model, options=["--control", "cpu", *options])
        # run_model() has the outputs in files.
        done = self.execute("run", model, "-q", "--control", "cpu", *options, "--report", self.folder / "plain.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return program.read_json(self.folder / "plain.json")

    def firmware(self, elf):
        path = self.folder / "firmware.elf"
        path.write_bytes(bytes(elf))
        return ["--firmware", path]

    def looping(self, words):
        return self.firmware(Elf([Segment(FIRMWARE, code(words))]))
