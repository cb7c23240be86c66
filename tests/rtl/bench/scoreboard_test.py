#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scoreboard_test.py PROGRAM LIBRARY: docs/guides/golden-in-systemverilog.md, tried: its commands build and run hw/ref/examples in
Verilator on our RTL, which passes. Then the bench fails on each of five faults in the RTL.

Exit code 0: yes; 1: no, with what was said; 77: Verilator is not installed."""

import pathlib
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(HERE), str(ROOT / "tests/mutants"), str(ROOT / "tests/guides")]
import bench_test
import campaign
import guide

PAGE = ROOT / "docs/guides/golden-in-systemverilog.md"
UNIT, LANE, SEQUENCER, RESCALE = "npu_vector_unit.sv", "npu_vector_lane.sv", "npu_vector_sequencer.sv", "npu_rescale_lane.sv"
# Name, file, what stands there once, what stands there instead, the port that the bench names.
FAULTS = (
    ("int8 loads without sign", LANE, "{24{word[7] & ~is_unsigned}}", "24'd0", "st_data_o"),
    ("half to even rounds up", RESCALE, "half_even_i && shift2_q != 6'd0", "1'b0 && shift2_q != 6'd0", "st_data_o"),
    ("the last vector of a row of lanes is whole", SEQUENCER, "lanes_now[0] = is_one_left;", "lanes_now[0] = 1'b0;", "st_mask_o"),
    ("loads begin a cycle early", SEQUENCER, "2'(npu_spec_pkg::SramReadLatencyCycles) : 2'd0",
     "2'(npu_spec_pkg::SramReadLatencyCycles - 1) : 2'd0", "ld_ready_o"),
    ("a store that was taken comes again", UNIT, "assign st_valid_o = store1_valid_q && !is_sent_q;", "assign st_valid_o = store1_valid_q;",
     "st_valid_o"),
)


def main():
    program, library = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    if shutil.which("verilator") is None:
        print("verilator is not installed")
        return bench_test.SKIPPED
    with guide.folder_with_demo() as name:
        folder = pathlib.Path(name)
        guide.try_page(PAGE, folder, program)
        shutil.copy(library, folder / "rtl")
        build = "verilator " + PAGE.read_text(encoding="utf-8").split("\nverilator ")[1].split("\n./")[0]
        for number, (fault, file, old, new, said) in enumerate(FAULTS):
            rtl = folder / f"rtl{number}"
            shutil.copytree(ROOT / "hw/rtl", rtl)
            changed = campaign.changed_files(rtl, fault, [(file, old, new)])
            (rtl / file).write_text(changed[file], encoding="utf-8")
            guide.execute(f"rtl={rtl.name}\n{build}", folder, program)
    return 0


if __name__ == "__main__":
    sys.exit(main())
