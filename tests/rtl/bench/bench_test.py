#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench_test.py PROGRAM TOOL UNIT: UNIT_bench.sv on vectors of `vernier cosim UNIT --export-vectors`, by iverilog or verilator: our
RTL passes, a lane with one fault fails with a line that names the port.

Exit code 0: yes; 1: no, with what was said; 77: the tool is not installed, or the program has no RTL."""

import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
RTL = HERE.parents[2] / "hw" / "rtl"
SKIPPED = 77
VECTORS = 600
FILES = {
    "rescale": ["npu_spec_pkg", "npu_rescale_lane", "npu_rescale_unit"],
    "table": ["npu_spec_pkg", "npu_ram_1r1w", "npu_table_lane", "npu_table_unit"],
}
# A fault in a lane: (what stands there, what stands there instead), and what the bench says of it.
MUTANTS = {
    "rescale": ("npu_rescale_lane", "half = (65'd1 << shift1_q) >> 1;", "half = (65'd1 << shift1_q) >> 2;", "scale_result_o lane"),
    "table": ("npu_table_lane", "8'd128 - {1'b0, fraction_q}", "8'd127 - {1'b0, fraction_q}", "look_result_o lane"),
}
# What a bench has beyond the lint rules of hw/rtl: delays, and a width that depends on the vectors.
VERILATOR = ["verilator", "--binary", "--timing", "-Wno-fatal", "-Wno-WIDTH", "-Wno-BLKSEQ", "-O2", "-CFLAGS", "-O1", "-j", "1"]


def run(command, folder):
    done = subprocess.run([str(word) for word in command], cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def simulate(tool, unit, sources, vectors, scratch, library=None):
    """(exit code, text) of the bench on these sources, with functions of the library by DPI-C; it runs in the folder `vectors`."""
    scratch.mkdir()
    bench = HERE / f"{unit}_bench.sv"
    linked = [library, "-LDFLAGS", f"-Wl,-rpath,{library.parent}"] if library else []
    if tool == "iverilog":
        program = scratch / "bench.vvp"
        code, text = run(["iverilog", "-g2012", "-Wall", "-Wno-timescale", "-I", vectors, "-s", f"{unit}_bench", "-o", program, *sources,
                          bench], scratch)
        command = ["vvp", "-n", program]
    else:
        program = scratch / "obj" / "bench"
        code, text = run([*VERILATOR, f"-I{vectors}", "--top-module", f"{unit}_bench", "--Mdir", scratch / "obj", "-o", "bench", *sources,
                          bench, *linked], scratch)
        command = [program]
    if code != 0:
        raise SystemExit(f"{tool} does not take {unit}_bench:\n{text}")
    return run(command, vectors)


def mutant_text(tool, bench, mutant, sources, vectors, folder, library=None):
    """What the bench says of a lane with that fault. Ends the test where it says nothing of it."""
    lane, old, new, said = mutant
    right = next(file for file in sources if file.stem == lane).read_text(encoding="utf-8")
    if right.count(old) != 1:
        raise SystemExit(f"{lane}.sv has '{old}' {right.count(old)} times: the mutant does not fit")
    wrong = folder / f"wrong_{lane}.sv"
    wrong.write_text(right.replace(old, new), encoding="utf-8")
    mutants = [wrong if file.stem == lane else file for file in sources]
    code, text = simulate(tool, bench, mutants, vectors, folder / f"mutant_{lane}", library)
    if code == 0 or said not in text or "every result equal" in text:
        raise SystemExit(f"the mutant '{new}' of {lane} ends with code {code}, wanted is another one than 0 and '{said}':\n{text}")
    return text


def main():
    program, tool, unit = sys.argv[1:]
    if shutil.which(tool) is None:
        print(f"{tool} is not installed")
        return SKIPPED
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        vectors = folder / "vectors"
        code, text = run([pathlib.Path(program).resolve(), "cosim", unit, "--config", "v64", "--vectors", VECTORS, "--export-vectors", vectors],
                         folder)
        if code == 2 and "built without Verilator" in text:
            print(text)
            return SKIPPED
        if code != 0:
            raise SystemExit(text)
        sources = [RTL / f"{file}.sv" for file in FILES[unit]]
        code, text = simulate(tool, unit, sources, vectors, folder / "ours")
        if code != 0 or f"{VECTORS} vectors in" not in text or "every result equal" not in text:
            raise SystemExit(f"our RTL fails with code {code}:\n{text}")
        text = mutant_text(tool, unit, MUTANTS[unit], sources, vectors, folder)
        print(text.splitlines()[0])
    return 0


if __name__ == "__main__":
    sys.exit(main())
