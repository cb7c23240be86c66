#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""unknown_test.py PROGRAM UNIT: npu_datapath or npu_vector_unit of 8 lanes in Icarus, where everything is X until it is written, on
commands of `vernier cosim UNIT --export-vectors`. Our RTL passes; without the reset of one register the bench finds an X.

Icarus 11 runs an always_comb that reads what it has written itself again and again, in one time step, as soon as X has been in it: the
clock then stands still for ever. An always @* does the same without that, so that Icarus gets a copy of the RTL with it. And 0 times X is
X in Verilog, where a multiplier gives 0: the copy says so.

Exit code 0: yes; 1: no, with what was said; 77: Icarus is not installed, or the program has no RTL."""

import pathlib
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]
import bench_test
import elaborate

SKIPPED = 77
RESULTS = {"datapath": 250, "vector": 200}
MODULES = {"datapath": ("npu_datapath",), "vector": ("npu_vector_unit", "npu_rescale_unit", "npu_table_unit")}
# Module, what stands there once, what stands there instead, and a port that the bench names.
MUTANTS = {
    "datapath": ("npu_mac_sequencer", "      has_weights_q <= 1'b0;\n", "", "_o: expected"),
    "vector": ("npu_vector_unit", "      store0_valid_q <= 1'b0;\n", "", "_o: expected"),
}


PRODUCT = "$signed(activation_q[9*k +: 9]) * $signed(weight_q[9*k +: 9])"


def for_icarus(file, folder):
    text = file.read_text(encoding="utf-8").replace("always_comb begin", "always @* begin")
    if file.stem == "npu_mac_lane":
        if text.count(PRODUCT) != 1:
            raise SystemExit(f"{file.name} has '{PRODUCT}' {text.count(PRODUCT)} times, expected once")
        text = text.replace(PRODUCT, f"activation_q[9*k +: 9] == 9'd0 || weight_q[9*k +: 9] == 9'd0 ? 18'sd0 : {PRODUCT}")
    copy = folder / file.name
    copy.write_text(text, encoding="utf-8")
    return copy


def main():
    program, unit = sys.argv[1:]
    if shutil.which("iverilog") is None:
        print("iverilog is not installed")
        return SKIPPED
    sources = []
    for module in MODULES[unit]:
        sources += [file for file in elaborate.sources(module) if file not in sources]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        sources = [for_icarus(file, folder) for file in sources]
        vectors = folder / "vectors"
        code, text = bench_test.run([pathlib.Path(program).resolve(), "cosim", unit, "--config", "v64", "--vectors", RESULTS[unit],
                                     "--export-vectors", vectors], folder)
        if code == 2 and "built without Verilator" in text:
            print(text)
            return SKIPPED
        if code != 0:
            raise SystemExit(text)
        code, text = bench_test.simulate("iverilog", unit, sources, vectors, folder / "ours")
        if code != 0 or "every result equal" not in text:
            raise SystemExit(f"our RTL fails with code {code}:\n{text}")
        print(text.splitlines()[-1])
        print(bench_test.mutant_text("iverilog", unit, MUTANTS[unit], sources, vectors, folder).splitlines()[0])
    return 0


if __name__ == "__main__":
    sys.exit(main())
