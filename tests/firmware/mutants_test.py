# SPDX-License-Identifier: Apache-2.0
"""Faults in the sources of the firmware, one at a time: each has to show in what a run of the demo network says, by the machine's
host alone. Exits 77 without the cross compiler.

usage: mutants_test.py BUILD_FOLDER VERNIER"""

import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "firmware"))
import build  # noqa: E402

DEMO = ROOT / "tests/e2e/demo/demo.tosa"
# A run that goes well, one that hangs, one with a fault.
RUNS = ((), ("--memory", "external"), ("--inject", "token:drop@0:0"), ("--inject", "command:bitflip@0:0:0"))
LIB, APP, BOOT, CPU = "lib/vernier_npu.c", "apps/job_server.c", "boot/start.S", "boot/cpu.h"
MUTANTS = (
    (LIB, "  write_register(npu, VERNIER_NPU_IRQ_STATUS, arrived);\n", ""),
    (LIB, "(arrived & IRQ_WATCHDOG) != 0", "(arrived & IRQ_FAULT) != 0"),
    (LIB, "(arrived & IRQ_FAULT) != 0", "(arrived & IRQ_DONE) != 0"),
    (LIB, "    ++npu->num_ends;\n", ""),
    (LIB, "STREAM_SPACE, stream->space)", "STREAM_SPACE, 1U - stream->space)"),
    (LIB, "STREAM_BYTES, stream->num_bytes)", "STREAM_BYTES, stream->num_bytes - 32)"),
    (LIB, "<< 32) | low", "<< 32) | (low + 1U)"),
    (LIB, "SRAM_BYTES, stream->sram.num_bytes)", "SRAM_BYTES, stream->sram.base)"),
    (LIB, "EXTERNAL_READ_ONLY_BYTES, stream->external.read_only_bytes)", "EXTERNAL_READ_ONLY_BYTES, stream->external.num_bytes)"),
    (LIB, "IRQ_ENABLE, IRQ_ALL", "IRQ_ENABLE, IRQ_DONE"),
    (LIB, "read_register(npu, VERNIER_NPU_FAULT_CODE)", "read_register(npu, VERNIER_NPU_FAULT_ADDRESS)"),
    (APP, "slot + VERNIER_JOB_FAULT_ADDRESS, end->stream_offset", "slot + VERNIER_JOB_FAULT_ADDRESS, end->stream_offset + 1"),
    (APP, "outcome = VERNIER_OUTCOME_FAULT", "outcome = VERNIER_OUTCOME_REFUSED"),
    (APP, "outcome = VERNIER_OUTCOME_WATCHDOG", "outcome = VERNIER_OUTCOME_DONE"),
    (APP, "  store_word(ring + VERNIER_RING_HEAD, head);\n", ""),
    (APP, "(number % VERNIER_NUM_JOB_SLOTS) *", "((number + 1) % VERNIER_NUM_JOB_SLOTS) *"),
    (APP, "write_mailbox(VERNIER_MAILBOX_CPU_DOORBELL, VERNIER_DOORBELL_JOBS); break", "break"),
    (APP, "  cpu_enable_interrupts(VERNIER_MIE_EXTERNAL | VERNIER_MIE_TIMER);\n", ""),
    (APP, "FIRMWARE_STATE, VERNIER_STATE_READY", "FIRMWARE_STATE, VERNIER_STATE_FAILED"),
    (APP, "watch(with_time_to_answer(load_word(slot + VERNIER_JOB_WATCHDOG_CYCLES)),", "watch(1,"),
    (BOOT, "  csrw mtvec, t0\n", ""),
    (CPU, "csrsi mstatus, 8\\n\\t", ""),
)


def elf_of(folder, mutant=None):
    """The firmware, with one change."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "firmware", folder / "firmware", ignore=shutil.ignore_patterns("__pycache__"))
    if mutant:
        file, old, new = mutant
        path = folder / "firmware" / file
        text = path.read_text(encoding="utf-8")
        if text.count(old) != 1:
            sys.exit(f"'{old}' is {text.count(old)} times in {file}")
        path.write_text(text.replace(old, new), encoding="utf-8")
    build.ROOT, build.FIRMWARE = folder, folder / "firmware"
    return build.build_elf(folder / "built")


def shown(vernier, elf):
    """What each run says."""
    texts = []
    for options in RUNS:
        run = subprocess.run([vernier, "run", DEMO, "-q", "--no-rerun", "--control", "cpu", "--firmware", elf, *options],
                             capture_output=True, text=True, check=False)
        texts.append((run.returncode, run.stdout, run.stderr))
    return texts


def main(folder, vernier):
    if not shutil.which(build.COMPILER):
        print(f"skipped: there is no {build.COMPILER}")
        return build.SKIPPED
    expected = shown(vernier, elf_of(folder))
    if [code for code, _, _ in expected] != [0, 0, 4, 4]:
        sys.exit(f"without a fault in the firmware: {expected}")
    missed = []
    for mutant in MUTANTS:
        found = shown(vernier, elf_of(folder, mutant))
        if found == expected:
            missed.append(mutant)
        print(f"{mutant[0]}: {mutant[1].strip()}: {'missed' if found == expected else next(f for f, e in zip(found, expected) if f != e)}")
    print(f"{len(MUTANTS) - len(missed)} of {len(MUTANTS)} faults are caught")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()))
