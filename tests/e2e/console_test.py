# SPDX-License-Identifier: Apache-2.0
"""Where the program's text and files go: full disks, readers that leave, pipes as files, interrupts."""

import os
import signal
import subprocess

import program


class Console(program.ProgramTest):
    def test_full_disk(self):
        """What cannot be printed is an error; what a pipe's reader does not want is none."""
        package = self.compile(program.DEMO)
        for arguments in (["run", program.DEMO], ["run", program.DEMO, "-q"], ["run", program.DEMO, "--report", "-"],
                          ["compile", program.DEMO, "--dump", "stream"], ["disasm", package], ["inspect", package],
                          ["config", "list"], ["config", "show", "v64"], ["--help"], ["--version"]):
            with self.subTest(arguments=arguments), open("/dev/full", "w", encoding="ascii") as full:
                done = self.execute(*arguments, stdout=full)
                self.assertEqual(done.returncode, 2)
                self.assertRegex(done.stderr, r"(?m)^vernier: standard output: cannot be written: [^\n]+\n\Z")
                reader, writer = os.pipe()
                os.close(reader)
                done = self.execute(*arguments, stdout=writer)
                os.close(writer)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertNotIn("vernier:", done.stderr)

    def test_no_reader_does_not_cost_the_report(self):
        reader, writer = os.pipe()
        os.close(reader)
        report = self.folder / "r.json"
        self.execute("run", program.DEMO, "--report", report, stdout=writer)
        os.close(writer)
        self.assertTrue(report.exists())

    def test_interrupt_leaves_nothing(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            arguments = ["run", program.DEMO, "--iterations", "1000000", "--output-dir", self.folder / "out",
                         "--report", self.folder / "r.json"]
            with self.start(*arguments) as running:
                with self.assertRaises(subprocess.TimeoutExpired):
                    running.wait(timeout=0.5)
                running.send_signal(number)
                self.assertEqual(running.communicate(timeout=program.LONGEST_SECONDS), (b"", b""))
                self.assertEqual(running.returncode, 130)
            self.assertEqual(list(self.folder.iterdir()), [])

    def test_package_into_a_pipe(self):
        """A place that is no regular file is written to, not replaced."""
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        done = self.execute("compile", program.MADE / "clamp_int8" / "model.tosa", "-q", "-o", pipe)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(os.read(reader, 4), b"VNPU")
        os.close(reader)
        self.assertTrue(pipe.is_fifo())


if __name__ == "__main__":
    program.main()
