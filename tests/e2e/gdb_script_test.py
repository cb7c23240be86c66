# SPDX-License-Identifier: Apache-2.0
"""`--gdb PORT` and GDB itself: a script that debugs the firmware of the tree by the names in its sources. It is skipped without
gdb-multiarch or the cross compiler."""

import re
import shutil
import subprocess
import sys

import debugged
import program

sys.path.insert(0, str(program.ROOT / "firmware"))
import build  # noqa: E402

GDB = "gdb-multiarch"
LONGEST_SECONDS = 120


class Script(debugged.Debugged):
    SCRIPT = """set pagination off
set style enabled off
set sysroot /
target remote :PORT
break main
continue
info registers
print/x $misa
stepi
watch npu.num_jobs
continue
print npu.num_jobs
backtrace
delete
break handle_trap
continue
print/x cause
finish
monitor cycles
x/wx 0x10030010
delete
continue
"""

    def test_gdb_with_the_firmware_of_the_tree(self):
        if not shutil.which(GDB):
            self.skipTest(f"there is no {GDB}")
        if not shutil.which(build.COMPILER):
            self.skipTest(f"there is no {build.COMPILER}")
        elf = build.build_elf(self.folder / "firmware")
        plain = self.plain_report("--firmware", elf)
        process = self.start("run", program.DEMO, "-q", "--control", "cpu", "--firmware", elf, "--gdb", 0, "--report", self.folder / "report.json")
        (port,) = re.findall(r"remote :(\d+)", process.stderr.readline().decode())
        script = self.folder / "script.gdb"
        script.write_text(self.SCRIPT.replace("PORT", port))
        done = subprocess.run([GDB, "-nx", "-batch", "-x", script, elf], capture_output=True, text=True, check=False, timeout=LONGEST_SECONDS)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.finish(process), "")
        expected = (r"_start \(\) at .*start\.S:7\n", r"Breakpoint 1, main \(\)", r"\nra +0x1001[0-9a-f]+\t0x1001\w+ <_start\+\d+>\n", r"\nsp +0x10030000\t",
                    r"\npc +0x1001[0-9a-f]+\t0x1001\w+ <main", r"\$1 = 0x40001104\n", r"Hardware watchpoint 2: npu\.num_jobs\n\nOld value = 0\nNew value = 1\n",
                    r"(commit|vernier_invoke_async) \(", r"\$2 = 1\n", r"vernier_invoke_async \(", r"#\d  0x1001\w+ in ",
                    r"Breakpoint 3, handle_trap \(", r"\$3 = 0x8000000b\n", r"trap_entry \(\) at",
                    r"0x10030010:\t0x10036000\n", r"\[Inferior 1 \(Remote target\) exited normally\]")
        found = -1
        for pattern in expected:
            match = re.compile(pattern).search(done.stdout, found + 1)
            self.assertTrue(match, f"{pattern}\n{done.stdout}\n{done.stderr}")
            found = match.start()
        self.assertRegex(done.stdout + done.stderr, r"cycle \d+, \d+ instructions since the release of the control CPU\n")
        self.check_unchanged(plain)


if __name__ == "__main__":
    program.main()
