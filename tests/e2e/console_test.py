# SPDX-License-Identifier: Apache-2.0
"""Where the program's text and files go: full disks, readers that leave, pipes as files, interrupts."""

import os
import pathlib
import signal
import subprocess
import time

import program


def has_ended(pid):
    """Whether the process is gone, or a zombie: one that has ended and that nobody has waited for yet."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


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
                self.assertEqual(running.returncode, 128 + number)
            self.assertEqual(list(self.folder.iterdir()), [])

    def test_interrupted_build_of_rtl_leaves_nothing(self):
        """A Verilator that sleeps, with a process of its own: both end, and the scratch folder goes."""
        tools, rtl, cache = (self.folder / name for name in ("tools", "rtl", "cache"))
        for folder in (tools, rtl, cache):
            folder.mkdir()
        (rtl / "npu_table_unit.sv").write_text("module npu_table_unit; endmodule\n", encoding="ascii")
        fake = tools / "verilator"
        fake.write_text("#!/bin/sh\ncase \"$1\" in\n--version) echo 'Verilator 5.006 2023' ;;\n--getenv) echo / ;;\n"
                        f"*) touch half_done; sleep 1234.5 & echo $! > {self.folder}/pids; echo $$ >> {self.folder}/pids; wait ;;\nesac\n",
                        encoding="ascii")
        fake.chmod(0o755)
        self.environment.update(PATH=f"{tools}:{os.environ['PATH']}", XDG_CACHE_HOME=str(cache))
        for number in (signal.SIGINT, signal.SIGTERM):
            pids = self.folder / "pids"
            pids.unlink(missing_ok=True)
            with self.start("cosim", "table", "--rtl", rtl) as running:
                deadline = time.monotonic() + program.LONGEST_SECONDS
                while not pids.exists() or len(pids.read_text(encoding="ascii").split()) < 2:
                    self.assertIsNone(running.poll(), running.poll() is not None and running.communicate())
                    self.assertLess(time.monotonic(), deadline)
                    time.sleep(0.05)
                running.send_signal(number)
                running.communicate(timeout=program.LONGEST_SECONDS)
                self.assertEqual(running.returncode, 128 + number)
            # A process that was told to end takes its time where others have the processor.
            while not all(map(has_ended, map(int, pids.read_text(encoding="ascii").split()))):
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.05)
            self.assertEqual([path for path in cache.rglob("*") if path.name == "half_done"], [])

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
