# SPDX-License-Identifier: Apache-2.0
"""Faults in the sources of the firmware, one at a time: each has to show in what runs of the demo network and of packages with control
flow say, by the machine's host alone. Exits 77 without the cross compiler.

usage: mutants_test.py BUILD_FOLDER VERNIER FLOW_PACKAGES [STEP]: every STEP-th fault, each one without it"""

import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "firmware"))
import build  # noqa: E402

DEMO = ROOT / "tests/e2e/demo/demo.tosa"
# Runs that go well, one that hangs, one with a fault; steps that go well, reach their limit, run into a fault, and go among other jobs.
COUNTING, LIMITED, FAULTY = "counting.vnpu", "limited.vnpu", "faulty.vnpu"
RUNS = ((DEMO,), (DEMO, "--memory", "external"), (DEMO, "--inject", "token:drop@0:0"), (DEMO, "--inject", "command:bitflip@0:0:0"),
        (COUNTING, "--no-check"), (LIMITED, "--no-check"), (FAULTY, "--no-check"),
        (DEMO, COUNTING, "--no-check", "--interleave", "--inferences", "3"),
        (FAULTY, DEMO, COUNTING, "--no-check", "--interleave", "--inferences", "2"))
CODES = [0, 0, 4, 4, 0, 4, 4, 0, 4]
LIB, APP, FLOW, BOOT, CPU = "lib/vernier_npu.c", "apps/job_server.c", "apps/control_flow.c", "boot/start.S", "boot/cpu.h"
MUTANTS = (
    (LIB, "  write_register(npu, VERNIER_NPU_IRQ_STATUS, arrived);\n", ""),
    (LIB, "(arrived & IRQ_WATCHDOG) != 0", "(arrived & IRQ_FAULT) != 0"),
    (LIB, "(arrived & IRQ_FAULT) != 0", "(arrived & IRQ_DONE) != 0"),
    (LIB, "    ++npu->num_ends;\n", ""),
    (LIB, "STREAM_SPACE, stream->space)", "STREAM_SPACE, 1U - stream->space)"),
    (LIB, "STREAM_BYTES, stream->num_bytes)", "STREAM_BYTES, stream->num_bytes - 32)"),
    (LIB, "<< 32) | low", "<< 32) | (low + 1U)"),
    (LIB, "offset + 4, region->num_bytes)", "offset + 4, region->base)"),
    (LIB, "offset + 8, region->read_only_bytes)", "offset + 8, region->num_bytes)"),
    (LIB, "IRQ_ENABLE, IRQ_ALL", "IRQ_ENABLE, IRQ_DONE"),
    (LIB, "read_register(npu, VERNIER_NPU_FAULT_CODE)", "read_register(npu, VERNIER_NPU_FAULT_ADDRESS)"),
    (APP, "slot + VERNIER_JOB_FAULT_ADDRESS, end->stream_offset", "slot + VERNIER_JOB_FAULT_ADDRESS, end->stream_offset + 1"),
    (LIB, "read_register(npu, VERNIER_NPU_FAULT_ACCESS)", "read_register(npu, VERNIER_NPU_FAULT_CODE)"),
    (APP, "  if (outcome == VERNIER_OUTCOME_FAULT) {", "  if (outcome == VERNIER_OUTCOME_WATCHDOG) {"),
    (APP, "? VERNIER_OUTCOME_FAULT : VERNIER_OUTCOME_WATCHDOG", "? VERNIER_OUTCOME_REFUSED : VERNIER_OUTCOME_WATCHDOG"),
    (APP, "? VERNIER_OUTCOME_FAULT : VERNIER_OUTCOME_WATCHDOG", "? VERNIER_OUTCOME_FAULT : VERNIER_OUTCOME_DONE"),
    (APP, "  store_word(ring + VERNIER_RING_HEAD, head);\n", ""),
    (APP, "(number % VERNIER_NUM_JOB_SLOTS) *", "((number + 1) % VERNIER_NUM_JOB_SLOTS) *"),
    (APP, "write_mailbox(VERNIER_MAILBOX_CPU_DOORBELL, VERNIER_DOORBELL_JOBS); break", "break"),
    (APP, "  cpu_enable_interrupts(VERNIER_MIE_EXTERNAL | VERNIER_MIE_TIMER);\n", ""),
    (APP, "FIRMWARE_STATE, VERNIER_STATE_READY", "FIRMWARE_STATE, VERNIER_STATE_FAILED"),
    (APP, "watch(with_time_to_answer(load_word(slot + VERNIER_JOB_WATCHDOG_CYCLES)),", "watch(1,"),
    (APP, "num_with_npu < VERNIER_MOST_JOBS && !has_flow &&", "num_with_npu < VERNIER_MOST_JOBS &&"),
    (APP, "(load_word(slot + VERNIER_JOB_NUM_STEPS) | load_word(slot + VERNIER_JOB_NUM_EVENTS)) != 0",
     "load_word(slot + VERNIER_JOB_NUM_EVENTS) != 0"),
    (APP, "  has_flow = false;\n", ""),
    (APP, "VERNIER_JOB_STEP, flow.step)", "VERNIER_JOB_STEP, flow.step + 1)"),
    (APP, "tell_end(end, flow.cycles, outcome)", "tell_end(end, end->cycles, outcome)"),
    (APP, "if (outcome == VERNIER_OUTCOME_DONE) outcome =", "outcome ="),
    (FLOW, "flow->num_commands >= flow->most_commands", "flow->num_commands > flow->most_commands"),
    (FLOW, "flow->num_commands >= flow->most_commands", "false"),
    (FLOW, "== 0 ? target : flow->step + 1", "!= 0 ? target : flow->step + 1"),
    (FLOW, "== 0 ? target : flow->step + 1", "== 0 ? target : flow->step + 2"),
    (FLOW, "case VERNIER_STEP_JUMP: flow->step = target; break;", "case VERNIER_STEP_JUMP: ++flow->step; break;"),
    (FLOW, "flow->cycles += cycles;", "flow->cycles = cycles;"),
    (FLOW, "flow->num_commands += vernier_num_commands(npu);", "flow->num_commands = vernier_num_commands(npu);"),
    (FLOW, "  ++flow->step;\n", ""),
    (FLOW, "space = place >> 31;", "space = 0;"),
    (FLOW, "flow->known[step / 32] |= 1U << (step % 32);", "flow->known[step / 32] |= 3U << (step % 32);"),
    (FLOW, "  for (uint32_t i = 0; i < FLOW_KNOWN_STEPS / 32; ++i) flow->known[i] = 0;\n", ""),
    (FLOW, "flow->stream.num_bytes = num_bytes;", "flow->stream.num_bytes = num_bytes - 16;"),
    (FLOW, "region->base + offset;", "offset;"),
    (FLOW, "offset > region->num_bytes - num_bytes) return false;", "true) return false;"),
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


def shown(vernier, packages, elf):
    """What each run says, one after another."""
    for options in RUNS:
        rerun = () if "--interleave" in options else ("-q", "--no-rerun")
        run = subprocess.run([vernier, "run", *rerun, "--control", "cpu", "--firmware", elf, *options], capture_output=True, text=True,
                             check=False, cwd=packages)
        yield run.returncode, run.stdout, run.stderr


def main(folder, vernier, flow_packages, step):
    if not shutil.which(build.COMPILER):
        print(f"skipped: there is no {build.COMPILER}")
        return build.SKIPPED
    packages = folder.with_name(f"{folder.name}_packages")
    packages.mkdir(parents=True, exist_ok=True)
    subprocess.run([flow_packages, packages], check=True)
    expected = list(shown(vernier, packages, elf_of(folder)))
    if [code for code, _, _ in expected] != CODES:
        sys.exit(f"without a fault in the firmware: {expected}")
    missed = []
    chosen = MUTANTS[::step]
    for mutant in chosen:
        # The first run that says something else is enough.
        other = next((found for found, wanted in zip(shown(vernier, packages, elf_of(folder, mutant)), expected) if found != wanted), None)
        if other is None:
            missed.append(mutant)
        print(f"{mutant[0]}: {mutant[1].strip()}: {other or 'missed'}", flush=True)
    print(f"{len(chosen) - len(missed)} of {len(chosen)} faults are caught")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(*(pathlib.Path(argument).resolve() for argument in sys.argv[1:4]), int(sys.argv[4]) if len(sys.argv) > 4 else 1))
