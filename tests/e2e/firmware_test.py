# SPDX-License-Identifier: Apache-2.0
"""`--firmware FILE.elf` with `--control cpu`: what is read, what is refused, and what firmware says on its console."""

import hashlib

import elf_file
import program
from elf_file import Elf, FIRMWARE, RAM, Segment


class Firmware(program.ProgramTest):
    def write(self, elf, name="firmware.elf"):
        path = self.folder / name
        path.write_bytes(bytes(elf))
        return path

    def options(self, elf):
        return ["--control", "cpu", "--firmware", self.write(elf)]

    def test_our_own_as_a_file_is_what_is_built_in(self):
        built_in, expected = self.run_model(program.DEMO, options=["--control", "cpu"])
        self.assertEqual(built_in["control"].pop("firmware"), {"file": "built in", "sha256": elf_file.own_sha256()})
        options = self.options(elf_file.own())
        given, outputs = self.run_model(program.DEMO, options=options)
        named = given["control"].pop("firmware")
        self.assertEqual(named, {"file": str(options[-1]), "sha256": hashlib.sha256(bytes(elf_file.own())).hexdigest()})
        self.assertEqual(outputs, expected)
        self.assertEqual(given["control"], built_in["control"])
        self.assertEqual(given["totals"], built_in["totals"])

    def test_another_one_runs_in_its_place(self):
        report, _ = self.run_model(program.DEMO, options=["--control", "cpu"])
        slower = self.options(elf_file.own_after([elf_file.addi(0, 0, 0)] * 50))
        other, _ = self.run_model(program.DEMO, options=slower)
        self.assertGreater(other["control"]["boot_cycles"], report["control"]["boot_cycles"] + 50)
        self.assertEqual(other["control"]["job_overhead_cycles"], report["control"]["job_overhead_cycles"])
        done = self.execute("estimate", program.DEMO, "-q", *slower, "--report", self.folder / "estimate.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(program.read_json(self.folder / "estimate.json")["control"], other["control"])

    def test_variables_may_be_loaded_into_ram(self):
        image = elf_file.own_image()
        elf = Elf([Segment(FIRMWARE, image), Segment(RAM + 0x8000, b"\1\2\3\4", memory_bytes=64), Segment(RAM, memory_bytes=0x10000)])
        self.run_model(program.DEMO, options=self.options(elf))

    def refused(self, path, said, *options):
        done = self.execute("run", program.DEMO, *(options or ("--control", "cpu")), "--firmware", path)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, f"vernier: {said}\n")

    def test_files_that_are_refused(self):
        image = elf_file.own_image()
        main = Segment(FIRMWARE, image)
        whole = bytes(elf_file.own())
        places = "allowed are the firmware memory, 0x10010000 to 0x10017fff, and the RAM of the control CPU, 0x10020000 to 0x1002ffff"
        for name, data, said in (
                ("text", b"hello", "is no ELF file, firmware is an ELF executable for 32-bit RISC-V"),
                ("empty", b"", "is no ELF file, firmware is an ELF executable for 32-bit RISC-V"),
                ("x86", Elf([main], machine=62, bits=2), "is an ELF file for machine 62 (x86-64), firmware is for 243 (RISC-V)"),
                ("arm", Elf([main], machine=40), "is an ELF file for machine 40 (Arm), firmware is for 243 (RISC-V)"),
                ("rv64", Elf([main], bits=2), "is an ELF file for 64-bit RISC-V, the control CPU has 32 bits"),
                ("big", Elf([main], endian=2), "is an ELF file for big-endian machines, firmware is for a little-endian one"),
                ("object", Elf([main], kind=1), "is an ELF file of type 1, firmware is an executable, type 2"),
                ("nothing", Elf([]), "has no segment to load"),
                ("zeros", Elf([Segment(RAM, memory_bytes=4)]), "has no segment to load"),
                ("outside", Elf([main, Segment(0x80000000, b"1234")]), f"segment 1 lies at 0x80000000, {places}"),
                ("below", Elf([Segment(FIRMWARE - 4, image)]), f"segment 0 lies at 0x1000fffc, {places}"),
                ("runs_outside", Elf([main, Segment(FIRMWARE + 0x4000, b"1234", run_address=0)]), f"segment 1 lies at 0x00000000, {places}"),
                ("large", Elf([Segment(FIRMWARE, bytes(0x8001))]), "segment 0 has 32769 bytes at 0x10010000, which is more than fit: 'firmware' is "
                 "0x10010000 to 0x10017fff"),
                ("beyond", Elf([main, Segment(RAM + 0xFFFC, memory_bytes=8)]), "segment 1 has 8 bytes at 0x1002fffc, which is more than fit: 'ram' is "
                 "0x10020000 to 0x1002ffff"),
                ("overflow", Elf([main, Segment(RAM, memory_bytes=0xFFFFFFFF)]), "segment 1 has 4294967295 bytes at 0x10020000, which is more than "
                 "fit: 'ram' is 0x10020000 to 0x1002ffff"),
                ("less", Elf([Segment(FIRMWARE, image, memory_bytes=4)]), f"segment 0 has {len(image)} bytes in the file and only 4 in memory"),
                ("entry", Elf([main], entry=FIRMWARE + 4), "starts at 0x10010004, the control CPU starts at 0x10010000"),
                ("cut_header", whole[:51], "is cut off: it has 51 bytes, its header needs 52"),
                ("cut_table", whole[:83], "is cut off: it has 83 bytes, the table of its segments needs 84"),
                ("cut", whole[:-1], f"is cut off: it has {len(whole) - 1} bytes, segment 0 needs {len(whole)}"),
                ("cut_names", bytes(Elf([main], [("f", FIRMWARE, 4)]))[:-1], None)):
            with self.subTest(name=name):
                path = self.write(data, name + ".elf")
                if said is None:
                    done = self.execute("run", program.DEMO, "--control", "cpu", "--firmware", path)
                    self.assertEqual(done.returncode, 2)
                    self.assertIn("the table of its sections needs", done.stderr)
                else:
                    self.refused(path, f"{path}: {said}")

    def test_options_that_are_refused(self):
        path = self.write(elf_file.own())
        self.refused(path, "--firmware: is for --control cpu, found control 'direct'", "-q")
        missing = self.folder / "missing.elf"
        done = self.execute("run", program.DEMO, "--control", "cpu", "--firmware", missing)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"^vernier: .*missing\.elf: [^\n]*\n$")
        path = self.write(elf_file.own(), "firmware.json")
        done = self.execute("run", program.DEMO, "--control", "cpu", "--firmware", path, "--report", path)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--firmware", done.stderr)
        self.assertEqual(path.read_bytes(), bytes(elf_file.own()))

    def test_firmware_that_does_nothing(self):
        done = self.execute("run", program.DEMO, "-q", *self.options(Elf([Segment(FIRMWARE, elf_file.code([elf_file.WFI]))])))
        self.assertEqual((done.returncode, done.stdout), (4, ""))
        self.assertIn("the firmware did not boot", done.stderr)

    def test_the_watchdog_of_the_system_ends_the_run(self):
        # Feeds it in cycle 2 with a limit of 300 cycles, and goes round in a loop.
        for register, why in ((0, "stuck, for 300 cycles no command has ended and the firmware has not fed it"),
                              (4, "slow, the firmware has not fed it for 300 cycles, in which 0 commands ended")):
            words = [elf_file.lui(1, 0x10034), elf_file.addi(2, 0, 300), elf_file.sw(0, 1, 8), elf_file.sw(2, 1, register), elf_file.jal(0, 0)]
            done = self.execute("run", program.DEMO, "-q", *self.options(Elf([Segment(FIRMWARE, elf_file.code(words))])))
            self.assertEqual((done.returncode, done.stdout), (4, ""))
            self.assertEqual(done.stderr, f"vernier: {program.DEMO}: the watchdog of the system fired in cycle 302: {why}; "
                             "the control CPU runs at 0x10010010\n")

    def test_console_lines_have_their_cycle(self):
        options = self.options(elf_file.own_after(elf_file.printing("hello\nworld\nno end")))
        line = r"console: cycle (\d+): "
        for command in (("run", program.DEMO), ("run", program.DEMO, "-q"), ("estimate", program.DEMO, "-q")):
            with self.subTest(command=command):
                done = self.execute(*command, *options)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertRegex(done.stderr, f"^{line}hello\n{line}world\n$")
                # jal, lui and addi, then the store; each character takes an addi and a store of three cycles.
                cycles = [int(one.split()[2][:-1]) for one in done.stderr.splitlines()]
                self.assertEqual(cycles, [4, 4 + 6 * 4])
        twice = self.execute("run", program.DEMO, "-q", "--iterations", "2", *options)
        self.assertEqual(twice.stderr.count("hello"), 2)
        self.assertEqual(self.execute("run", program.DEMO, "-q", "--control", "cpu").stderr, "")

    def traced(self, *options, code=0, command="run"):
        """(lines of the trace, each split at the columns; the whole text)."""
        file = self.folder / "cpu.txt"
        file.unlink(missing_ok=True)
        done = self.execute(command, program.DEMO, "-q", "--control", "cpu", "--cpu-trace", file, *options)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual([path.name for path in self.folder.iterdir() if path.name.startswith("cpu.txt")], ["cpu.txt"])
        text = file.read_text(encoding="ascii")
        rows = [(int(line[:9]), line[10:18], line[19:27].strip(), line[28:60].strip(), line[62:75].strip(), line[77:].strip())
                for line in text.splitlines() if not line.startswith("#")]
        return rows, text

    def test_trace_of_our_own(self):
        report, _ = self.run_model(program.DEMO, options=["--control", "cpu"])
        rows, text = self.traced()
        self.assertEqual(text.splitlines()[:3], ["# control CPU: cycle, address, instruction, text, change, function",
                                                 f"# firmware built in, sha256 {elf_file.own_sha256()}", "# job 1"])
        self.assertEqual(rows[0][:2], (0, "10010000"))
        self.assertTrue(rows[0][3].startswith("auipc sp, "), rows[0])
        self.assertEqual([row[0] for row in rows], sorted(row[0] for row in rows))
        image = elf_file.own_image()
        for cycle, address, word, _, change, function in rows:
            self.assertRegex(function, r"^[a-z_0-9.]+(\+0x[0-9a-f]+)?$")
            if word == "-":
                self.assertRegex(change, "^interrupt 11$")
                continue
            at = int(address, 16) - FIRMWARE
            self.assertEqual(int.from_bytes(image[at : at + len(word) // 2], "little"), int(word, 16), cycle)
        # Two interrupts for the job: the doorbell's and the NPU's. The firmware's instructions of the job are the last ones.
        self.assertEqual(sum(row[2] == "-" for row in rows), 2)
        self.assertGreater(sum(row[2] != "-" for row in rows), report["control"]["firmware_instructions"])
        self.assertGreater(rows[-1][0], report["control"]["boot_cycles"] + report["totals"]["cycles"])
        self.assertEqual(self.traced(command="estimate"), (rows, text))
        thrice, text = self.traced("--iterations", "3")
        self.assertEqual((thrice, text.count("# job ")), (rows * 3, 3))

    def test_trace_of_a_program_with_symbols(self):
        words = [elf_file.addi(5, 0, 3), elf_file.addi(5, 5, -1), elf_file.jal(0, 4), 0, elf_file.WFI]
        elf = Elf([Segment(FIRMWARE, elf_file.code(words))], [("start", FIRMWARE, 4), ("next", FIRMWARE + 4, 100)])
        rows, _ = self.traced("--firmware", self.write(elf), code=4)
        self.assertEqual(rows[:4], [(0, "10010000", "00300293", "addi t0, zero, 3", "t0=00000003", "start"),
                                    (1, "10010004", "fff28293", "addi t0, t0, -1", "t0=00000002", "next"),
                                    (2, "10010008", "0040006f", "jal zero, 0x1001000c", "", "next+0x4"),
                                    (4, "1001000c", "0000", "illegal", "trap 2", "next+0x8")])
        self.assertEqual(rows[4], (7, "00000000", "-", "", "trap 1", ""))

    def test_traces_that_are_refused(self):
        for options, said in ((("--cpu-trace", "t.txt"), "--cpu-trace: is for --control cpu, found control 'direct'"),
                              (("--control", "cpu", "--cpu-trace", "none/t.txt"),
                               "--cpu-trace: 'none/t.txt' cannot be written: folder 'none' is missing or not writable"),
                              (("--control", "cpu", "--cpu-trace", "."), "--cpu-trace: '.' is a directory, expected a file name")):
            with self.subTest(options=options):
                done = self.execute("run", program.DEMO, *options)
                self.assertEqual((done.returncode, done.stderr), (2, f"vernier: {said}\n"))
        done = self.execute("run", program.DEMO, "--control", "cpu", "--cpu-trace", "a.json", "--report", "a.json")
        self.assertEqual(done.returncode, 2)
        self.assertFalse((self.folder / "a.json").exists())


if __name__ == "__main__":
    program.main()
