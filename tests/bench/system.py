#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the control path takes: docs/results/system.md. ./dev system calls it.

  system.py VERNIER           runs all networks and writes the page
  system.py VERNIER --check   runs the demo network alone; fails where the page has other figures

The networks of ../shared have rows where they are there. Exits 77 without the cross compiler."""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "firmware"))
import build  # noqa: E402

PAGE = ROOT / "docs/results/system.md"
DEMO = ROOT / "tests/e2e/demo/demo.tosa"
GOLDEN = ROOT.parent / "shared/golden/nets"
SKIPPED = 77
TEXT = """# What the control path takes

Written by `./dev system`: cycles of v256 in memory mode sram, beside those of the network itself. [The system](../architecture/system.md) says who does
what in a job. They are those of the model: the control CPU and its bus have no RTL (D-030, D-032).

| network | its cycles | before its start | after its end | control path | of its cycles |
|---|---:|---:|---:|---:|---:|
{rows}

The boot takes {boot} cycles, once. The control path is the same for each network, because the firmware reads and writes the same words. For the second and all further jobs
of a queue nothing but {commit} cycles lies between two streams, where a stream is longer than the control path: the NPU has the next job before the
first one ends.

## Where they go

The job of the demo network, step by step. The CPU is awake when this job comes, since it has just booted; one that comes while it sleeps
pays the interrupt's steps before the start too.

| step | before the start | after the end |
|---|---:|---:|
{steps}
| all | {before} | {after} |

The same function by function. `trap_entry` saves and restores registers around the handler, `handle_trap` asks the
interrupt controller. Names with `vernier_` and `note_end` are the driver's: registers of the NPU, and how the job ended. `main`, `tell_ends` and `end_job` are
the job server: the ring of jobs, the timer and the watchdog. The compiler has put further functions into these.

| function | before the start | after the end |
|---|---:|---:|
{functions}
| asleep, or waking | {asleep_before} | {asleep_after} |
| all | {before} | {after} |
"""


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ends with {done.returncode}: {done.stderr}")


def measure(vernier, model, folder, elf, trace=False):
    report = folder / "report.json"
    options = ["--cpu-trace", folder / "trace"] if trace else []
    run(vernier, "estimate", model, "-q", "--control", "cpu", "--firmware", elf, "--report", report, *options)
    return json.loads(report.read_text(encoding="utf-8"))


def row_of(name, report):
    cycles, control = report["totals"]["cycles"], report["control"]
    overhead = control["job_overhead_cycles"]
    return (f"| {name} | {cycles:,} | {control['submit_cycles']:,} | {control['interrupt_cycles']:,} | {overhead:,} | "
            f"{100 * overhead / cycles:.2f} % |")


def instructions_of(trace):
    """(first cycle, function) of each instruction; the function of `wfi` is empty."""
    instructions = []
    for line in trace.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            function = re.sub(r"\+0x[0-9a-f]+$", "", line[77:].strip()) if len(line) > 77 else ""
            instructions.append((int(line[:9]), "" if "wfi" in line[28:60] else function))
    return instructions


def cycles_by_function(instructions, windows):
    """Of each window (first cycle, first that is not in it): cycles in each function. An instruction has the cycles up to the next one; those of
    `wfi` are asleep."""
    sums = [{} for _ in windows]
    for (begin, function), (end, _) in zip(instructions, instructions[1:] + [(instructions[-1][0], "")]):
        for (first, last), into in zip(windows, sums):
            overlap = min(end, last) - max(begin, first)
            if overlap > 0:
                into[function] = into.get(function, 0) + overlap
    return sums


# Which step a function of the firmware belongs to; a new one needs its place here.
STEPS = {
    "waking": [""],
    "entry into the interrupt, and the return": ["trap_entry", "handle_trap"],
    "driver, in the interrupt: reads how the job ended": ["vernier_handle_interrupt", "note_end", "vernier_wake"],
    "job server: ring of jobs, timer, watchdog": ["main", "tell_ends", "take_running", "end_job"],
    "driver: writes the registers of a job": ["vernier_invoke_async", "vernier_clean_cache", "vernier_inference_begin"],
    "driver: tells the end": ["vernier_wait", "vernier_invalidate_cache", "vernier_inference_end", "vernier_lock", "vernier_unlock"],
}


def cycles_by_step(sums):
    """Of cycles_by_function(), in the order of STEPS: (step, cycles of each window)."""
    known = {name for names in STEPS.values() for name in names}
    if unknown := sorted({name for functions in sums for name in functions} - known):
        sys.exit(f"{', '.join(unknown)} is in no step of {pathlib.Path(__file__).name}")
    return [(step, [sum(functions.get(name, 0) for name in names) for functions in sums]) for step, names in STEPS.items()]


def last_store(instructions, end):
    """Cycles of the last instruction that begins before `end`: it starts the NPU, or rings the host's doorbell."""
    return end - max(cycle for cycle, _ in instructions if cycle < end)


def parts_of(vernier, folder, elf):
    """The page's pieces that the demo network gives."""
    report = measure(vernier, DEMO, folder, elf, trace=True)
    control, cycles = report["control"], report["totals"]["cycles"]
    start = control["boot_cycles"] + control["submit_cycles"]
    end = start + cycles
    instructions = instructions_of(folder / "trace")
    before, after = cycles_by_function(instructions, ((control["boot_cycles"], start), (end, end + control["interrupt_cycles"])))
    steps = cycles_by_step((before, after))
    stores = [last_store(instructions, cycle) for cycle in (start, end + control["interrupt_cycles"])]
    for name, window in (("driver: writes the registers of a job", 0), ("job server: ring of jobs, timer, watchdog", 1)):
        dict(steps)[name][window] -= stores[window]
    steps += [("start: the store to the NPU's CONTROL", [stores[0], 0]), ("doorbell: the store to the host's", [0, stores[1]])]
    asleep = before.pop("", 0), after.pop("", 0)
    names = sorted(set(before) | set(after), key=lambda name: (-before.get(name, 0) - after.get(name, 0), name))
    return {
        "rows": row_of("the demo's", report),
        "boot": f"{control['boot_cycles']:,}",
        "functions": "\n".join(f"| `{name}` | {before.get(name, 0):,} | {after.get(name, 0):,} |" for name in names),
        "steps": "\n".join(f"| {step} | {first:,} | {second:,} |" for step, (first, second) in steps),
        "asleep_before": f"{asleep[0]:,}", "asleep_after": f"{asleep[1]:,}",
        "before": f"{control['submit_cycles']:,}", "after": f"{control['interrupt_cycles']:,}",
        "commit": re.search(r"kCommitCycles = (\d+)", (ROOT / "hw/spec/registers.hpp").read_text(encoding="utf-8"))[1],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vernier", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if not shutil.which(build.COMPILER):
        print(f"skipped: there is no {build.COMPILER}")
        return SKIPPED
    vernier = options.vernier.resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        elf = build.build_elf(folder / "firmware")
        parts = parts_of(vernier, folder, elf)
        if not options.check:
            for model in sorted(GOLDEN.glob("*/model.tosa")):
                parts["rows"] += "\n" + row_of(model.parent.name, measure(vernier, model, folder, elf))
            PAGE.write_text(TEXT.format(**parts), encoding="utf-8")
            return 0
    # Of the page, what needs nothing but the tree.
    page = PAGE.read_text(encoding="utf-8")
    golden_rows = "".join(f"\n{line}" for line in page.splitlines() if re.match(r"\| [a-zA-Z0-9_]+ (\| [\d,]+ ){4}", line))
    parts["rows"] += golden_rows
    if page != TEXT.format(**parts):
        print(f"{PAGE.relative_to(ROOT)} has other figures than a run; ./dev system writes it anew", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
