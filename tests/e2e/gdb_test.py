# SPDX-License-Identifier: Apache-2.0
"""`--gdb PORT`: a debugger of the control CPU, over a socket to the program. A debugger that only lets it run changes nothing; what it
stops, reads and changes is the CPU's."""

import random
import socket
import struct

import elf_file
import gdb_client
import program
from debugged import DETACHED, Debugged, GONE
from elf_file import FIRMWARE, RAM

CONSOLE, MAILBOX = 0x10032000, 0x10030000
CPU_DOORBELL, RING_ADDRESS, FIRMWARE_STATE = MAILBOX, MAILBOX + 0x10, MAILBOX + 0x14
NPU_STATUS, SRAM, EXTERNAL = 0x10000008, 0, 0x80000000


class Runs(Debugged):
    def test_a_debugger_that_lets_it_run_changes_nothing(self):
        plain = self.plain_report()
        for how in ("c", "vCont;c", "D", "close"):
            with self.subTest(how=how), self.debugged() as (process, debugger):
                self.assertEqual(debugger.ask("?"), "T05")
                self.assertEqual(debugger.pc(), FIRMWARE)
                self.assertEqual(debugger.cycle(), 0)
                if how == "close":
                    debugger.close()
                elif how == "D":
                    debugger.do(how)
                else:
                    self.assertEqual(debugger.ask(how), "W00")
                self.assertEqual(self.finish(process), {"close": GONE, "D": DETACHED}.get(how, ""))
                self.check_unchanged(plain)

    def test_estimate_is_run(self):
        with self.debugged(command="estimate") as (process, debugger):
            self.assertEqual(debugger.ask("c"), "W00")
            self.finish(process)
        self.assertEqual(self.report()["control"], self.plain_report()["control"])

    def test_a_debugger_that_stops_at_each_instruction_changes_nothing(self):
        plain = self.plain_report()
        with self.debugged() as (process, debugger):
            steps = cycle = 0
            while (reply := debugger.ask("s")) == "T05":
                steps += 1
                if steps % 50 == 0:
                    debugger.memory(EXTERNAL + 0x7FFF0000, 64)
                    debugger.memory(RAM, 64)
                    self.assertGreater(debugger.cycle(), cycle)
                    cycle = debugger.cycle()
            self.assertEqual(reply, "W00")
            self.finish(process)
        self.assertGreater(steps, plain["control"]["firmware_instructions"])
        self.check_unchanged(plain)

    def test_the_debugger_ends_the_run(self):
        for how in ("k", "vKill;1"):
            with self.subTest(how=how), self.debugged() as (process, debugger):
                debugger.ask("s")
                debugger.send(how)
                self.assertEqual(self.finish(process, 4), f"vernier: {program.DEMO}: the debugger ended the run in cycle 1, the control CPU "
                                 "runs at 0x10010004\n")
                self.assertFalse((self.folder / "report.json").exists())

    def test_the_end_of_a_run_that_fails_is_told(self):
        # Nothing wakes it.
        with self.debugged(*self.looping([elf_file.WFI])) as (process, debugger):
            self.assertEqual(debugger.ask("c"), "W04")
            self.assertIn("the firmware did not boot", self.finish(process, 4))

    def test_noise_on_the_socket_does_no_harm(self):
        plain = self.plain_report()
        for seed in range(8):
            noise = random.Random(seed)
            with self.subTest(seed=seed), self.debugged() as (process, debugger):
                for _ in range(200):
                    data = bytes(noise.choice(b"$#}+-\x03gGpPmMXZzHvcs,:;09af" if noise.random() < 0.8 else range(256)) for _ in range(40))
                    debugger.send_raw(data.replace(b"k", b"q").replace(b"D", b"q"))
                for payload in (b"m0,ffffffff", b"M10020000,ffffffff:00", b"Z9,0,0", b"", b"\xff" * 100000):
                    debugger.send_raw(gdb_client.packet(payload))
                debugger.close()
                # Writes to registers are improbable; the run ends well.
                self.finish(process)
                self.check_unchanged(plain)


class State(Debugged):
    def test_registers_and_steps(self):
        nop = elf_file.addi(0, 0, 0)
        words = [elf_file.addi(5, 0, 77), nop, elf_file.addi(6, 5, 1), elf_file.jal(0, 8), nop, elf_file.jal(0, 0)]
        with self.debugged(*self.looping(words)) as (_, debugger):
            everything = bytes.fromhex(debugger.ask("g"))
            self.assertEqual(struct.unpack("<33I", everything), (*[0] * 32, FIRMWARE))
            self.assertEqual(debugger.ask("s"), "T05")
            self.assertEqual((debugger.register(5), debugger.pc(), debugger.cycle()), (77, FIRMWARE + 4, 1))
            debugger.set_register(5, 0x12345678)
            debugger.set_register(0, 5)
            self.assertEqual(debugger.ask("vCont;s:1;c"), "T05")
            self.assertEqual(debugger.ask("s"), "T05")
            self.assertEqual((debugger.register(6), debugger.register(0)), (0x12345679, 0))
            self.assertEqual(debugger.ask("s"), "T05")
            self.assertEqual((debugger.pc(), debugger.cycle()), (FIRMWARE + 0x14, 5))  # a jump takes two cycles
            debugger.set_register(gdb_client.PC, FIRMWARE)
            self.assertEqual(debugger.ask("s"), "T05")
            self.assertEqual(debugger.register(5), 77)
            self.assertEqual(debugger.ask(f"s{FIRMWARE + 8:x}"), "T05")
            self.assertEqual((debugger.pc(), debugger.register(6)), (FIRMWARE + 12, 78))
            values = struct.unpack("<33I", bytes.fromhex(debugger.ask("g")))
            debugger.do("G" + struct.pack("<33I", *values[:7], 99, *values[8:]).hex())
            self.assertEqual(debugger.register(7), 99)

    def test_control_and_status_registers(self):
        with self.debugged(*self.looping([elf_file.addi(0, 0, 0)] * 3 + [elf_file.jal(0, 0)])) as (_, debugger):
            mscratch, mcycle, misa, mhartid = (gdb_client.FIRST_CSR + number for number in (0x340, 0xB00, 0x301, 0xF14))
            debugger.set_register(mscratch, 0xABCD)
            self.assertEqual(debugger.register(mscratch), 0xABCD)
            self.assertEqual(debugger.register(misa), 0x40001104)
            self.assertEqual(debugger.register(mcycle), 0)
            debugger.ask("s")
            self.assertEqual(debugger.register(mcycle), 1)
            self.assertEqual(debugger.ask(f"P{mhartid:x}=01000000"), "E16")
            self.assertEqual(debugger.ask(f"p{gdb_client.FIRST_CSR + 0x7C0:x}"), "E16")

    def test_memory_is_what_the_cpu_reaches(self):
        with self.debugged() as (process, debugger):
            image = elf_file.own_image()
            self.assertEqual(debugger.memory(FIRMWARE, 256), image[:256])
            self.assertEqual(debugger.memory(FIRMWARE + 1, 6), image[1:7])
            self.assertEqual(debugger.word(RING_ADDRESS), 0x10036000)
            self.assertEqual(debugger.memory(RING_ADDRESS + 2, 2), b"\x03\x10")
            self.assertEqual(debugger.word(FIRMWARE_STATE), 0)
            for address in (RAM + 0x4000, SRAM + 0x1000, EXTERNAL + 0x100000, FIRMWARE + 0x7FF0, EXTERNAL + 0x7FFFFFF0):
                old = debugger.memory(address, 16)
                debugger.do(f"M{address + 1:x},6:010203040506")
                self.assertEqual(debugger.memory(address, 8), old[:1] + bytes(range(1, 7)) + old[7:8], hex(address))
                debugger.send_raw(gdb_client.packet(f"X{address + 1:x},6:".encode() + old[1:7]))
                self.assertEqual(debugger.receive(), "OK")
                self.assertEqual(debugger.memory(address, 16), old)
            # It ends where the firmware memory ends, and a register is written as a word.
            self.assertEqual(len(debugger.memory(FIRMWARE + 0x7FF8, 16)), 8)
            self.assertEqual(len(debugger.memory(0xFFFFFFF8, 16)), 8)
            for payload in ("m10001000,4", "m1003f000,1", f"m{MAILBOX + 0x40:x},4", f"M{FIRMWARE_STATE:x},1:01", f"M{FIRMWARE + 0x7FFC:x},8:{'00' * 8}",
                            f"m{CONSOLE + 4:x},4"):
                self.assertEqual(debugger.ask(payload), "E0e", payload)
            debugger.set_word(FIRMWARE_STATE, 2)
            self.assertEqual(debugger.word(FIRMWARE_STATE), 2)
            debugger.set_word(CONSOLE, ord("h"))
            debugger.set_word(CONSOLE, ord("\n"))
            self.assertEqual(debugger.ask("c"), "W00")
            self.assertEqual(self.finish(process), "console: cycle 0: h\n")

    def test_a_program_that_is_changed_is_executed(self):
        with self.debugged(*self.looping([elf_file.addi(5, 5, 1), elf_file.jal(0, -4)])) as (_, debugger):
            for _ in range(4):
                debugger.ask("s")
            self.assertEqual(debugger.register(5), 2)
            debugger.set_word(FIRMWARE, elf_file.addi(5, 5, 100))
            debugger.ask("s")
            self.assertEqual(debugger.register(5), 102)


class Stops(Debugged):
    def wfi_addresses(self):
        image = elf_file.own_image()
        return [FIRMWARE + at for at in range(0, len(image) - 2, 2) if image[at:at + 4] == struct.pack("<I", elf_file.WFI)]

    def test_breakpoints(self):
        plain = self.plain_report()
        for kind in ("Z0", "Z1"):
            with self.subTest(kind=kind), self.debugged() as (process, debugger):
                addresses = self.wfi_addresses()
                for address in addresses:
                    debugger.do(f"{kind},{address:x},4")
                stops = cycle = 0
                while (reply := debugger.ask("c")) == "T05":
                    self.assertIn(debugger.pc(), addresses)
                    self.assertEqual(debugger.memory(debugger.pc(), 4), struct.pack("<I", elf_file.WFI))
                    self.assertGreater(debugger.cycle(), cycle)
                    cycle = debugger.cycle()
                    stops += 1
                self.assertEqual(reply, "W00")
                self.finish(process)
                self.assertGreaterEqual(stops, 2)
                self.check_unchanged(plain)

    def test_a_breakpoint_that_was_removed_stops_nothing(self):
        with self.debugged() as (process, debugger):
            for address in self.wfi_addresses():
                debugger.do(f"Z0,{address:x},4")
                debugger.do(f"z0,{address:x},4")
            self.assertEqual(debugger.ask("c"), "W00")
            self.finish(process)

    def test_watchpoints_stop_before_the_access(self):
        place = RAM + 0x4010
        store = elf_file.sw(6, 5, 0x10)
        load = 0x10 << 20 | 5 << 15 | 2 << 12 | 7 << 7 | 0x03  # lw x7, 16(x5)
        words = [elf_file.lui(5, RAM + 0x4000 >> 12), elf_file.addi(6, 0, 5), store, load, elf_file.addi(6, 0, 0)]
        firmware = self.firmware(elf_file.own_after(words))
        plain = self.plain_report(*firmware)
        begin = FIRMWARE + -(-len(elf_file.own_image()) // 4) * 4
        at_store, at_load = begin + 8, begin + 12
        for kind, name, stops in (("2", "watch", [at_store]), ("3", "rwatch", [at_load]), ("4", "awatch", [at_store, at_load])):
            for address, size in ((place, 4), (place + 3, 1), (place - 8, 16)):
                with self.subTest(kind=name, address=address), self.debugged(*firmware) as (process, debugger):
                    debugger.do(f"Z{kind},{address:x},{size:x}")
                    for pc in stops:
                        self.assertEqual(debugger.ask("c"), f"T05{name}:{address:08x};")
                        self.assertEqual(debugger.pc(), pc)
                        self.assertEqual(debugger.word(place), 0 if pc == at_store else 5)
                        self.assertEqual(debugger.register(7), 0)
                    self.assertEqual(debugger.ask("s"), "T05")
                    self.assertEqual(debugger.word(place), 5)
                    self.assertEqual(debugger.register(7), 5 if stops[-1] == at_load else 0)
                    debugger.do(f"z{kind},{address:x},{size:x}")
                    self.assertEqual(debugger.ask("c"), "W00")
                    self.finish(process)
                    self.check_unchanged(plain)
        for address, size in ((place - 4, 4), (place + 4, 4)):
            with self.debugged(*firmware) as (process, debugger):
                debugger.do(f"Z4,{address:x},{size:x}")
                self.assertEqual(debugger.ask("c"), "W00")

    def test_an_interrupt_stops_a_program_that_runs(self):
        with self.debugged(*self.looping([elf_file.addi(5, 5, 1), elf_file.jal(0, -4)])) as (process, debugger):
            for _ in range(3):
                debugger.send_raw(gdb_client.packet(b"c") + b"\x03")
                self.assertEqual(debugger.receive(), "T02")
                self.assertIn(debugger.pc(), (FIRMWARE, FIRMWARE + 4))
            self.assertEqual(debugger.ask("?"), "T02")
            count = debugger.register(5)
            self.assertGreater(count, 100)
            debugger.ask("s")
            debugger.ask("s")
            self.assertEqual(debugger.register(5), count + 1)
            debugger.send("k")
            self.assertIn("the debugger ended the run", self.finish(process, 4))

    def test_an_interrupt_stops_a_cpu_that_sleeps_while_the_npu_runs(self):
        plain = self.plain_report()
        with self.debugged() as (process, debugger):
            for address in self.wfi_addresses():
                debugger.do(f"Z0,{address:x},4")
            while True:
                self.assertEqual(debugger.ask("c"), "T05")
                if debugger.word(NPU_STATUS) & 1 and debugger.word(CPU_DOORBELL) == 0:
                    break
            sleeps_at, cycle = debugger.pc(), debugger.cycle()
            debugger.send_raw(gdb_client.packet(b"c") + b"\x03")
            self.assertEqual(debugger.receive(), "T02")
            self.assertEqual(debugger.pc(), sleeps_at + 4)
            self.assertGreater(debugger.cycle(), cycle + 3)
            self.assertEqual(debugger.word(NPU_STATUS) & 1, 1)
            # The next step is the one that wakes it: the handler's first instruction, or the one after wfi.
            asleep = debugger.cycle()
            self.assertEqual(debugger.ask("s"), "T05")
            self.assertGreater(debugger.cycle(), asleep + 100)
            self.assertEqual(debugger.word(NPU_STATUS) & 1, 0)
            self.assertEqual(debugger.ask("D"), "OK")
            self.assertEqual(self.finish(process), DETACHED)
        self.check_unchanged(plain)

    def test_the_debugger_ends_a_run_whose_npu_runs(self):
        with self.debugged() as (process, debugger):
            for address in self.wfi_addresses():
                debugger.do(f"Z0,{address:x},4")
            while debugger.word(NPU_STATUS) & 1 == 0 or debugger.word(CPU_DOORBELL) != 0:
                self.assertEqual(debugger.ask("c"), "T05")
            debugger.send_raw(gdb_client.packet(b"c") + b"\x03")
            self.assertEqual(debugger.receive(), "T02")
            debugger.send("k")
            self.assertRegex(self.finish(process, 4), r"^vernier: [^\n]*: the debugger ended the run in cycle \d+, the control CPU sleeps at 0x100[^\n]*\n$")


class Options(Debugged):
    def refused(self, said, *options):
        done = self.execute("run", program.DEMO, *options)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", f"vernier: {said}\n"))

    def test_a_port_that_is_in_use(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            self.refused(f"--gdb: port {port} is in use; 0 takes any port that is free", "--control", "cpu", "--gdb", port)

    def test_a_port_that_is_chosen(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        process = self.start("run", program.DEMO, "-q", "--control", "cpu", "--gdb", port)
        debugger = gdb_client.Debugger(process)
        self.assertEqual(debugger.port, str(port))
        # Nobody else is served, and nobody from elsewhere.
        with self.assertRaises(OSError):
            socket.create_connection(("127.0.0.1", port), timeout=5)
        self.assertEqual(debugger.ask("c"), "W00")
        self.finish(process)

    def test_what_is_refused(self):
        self.refused("--gdb: is for --control cpu, found control 'direct'", "--gdb", "0")
        self.refused("--gdb: is for one iteration, found --iterations 2", "--control", "cpu", "--gdb", "0", "--iterations", "2")
        self.refused("--gdb: is for one run: with several models, configurations, memory modes or sizes there is one table",
                     "--control", "cpu", "--gdb", "0", "--config", "v64,v256")
        for port in ("-1", "65536", "x", "1.5", "99999999999999999999"):
            done = self.execute("run", program.DEMO, "--control", "cpu", f"--gdb={port}")
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), port)
            self.assertTrue(done.stderr.startswith("vernier: --gdb: "), done.stderr)


if __name__ == "__main__":
    program.main()
