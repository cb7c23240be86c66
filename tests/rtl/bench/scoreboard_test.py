#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scoreboard_test.py PROGRAM: docs/guides/golden-in-systemverilog.md, tried: its commands build and run hw/ref/examples in
Verilator on our RTL, which passes. Then the bench fails on each of five faults in the RTL.

Exit code 0: yes; 1: no, with what was said; 77: Verilator is not installed."""

import pathlib
import re
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
     "2'(npu_spec_pkg::SramReadLatencyCycles - 1) : 2'd0", "ld_ready_o, st_valid_o"),
    ("a store that was taken comes again", UNIT, "assign st_valid_o = store1_valid_q && !is_sent_q;", "assign st_valid_o = store1_valid_q;",
     "ld_ready_o, st_valid_o"),
)


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    if shutil.which("verilator") is None:
        print("verilator is not installed")
        return bench_test.SKIPPED
    with guide.folder_with_demo() as name:
        folder = pathlib.Path(name)
        guide.try_page(PAGE, folder, program)
        shutil.rmtree(folder / "rtl")
        shutil.copytree(ROOT / "hw/rtl", folder / "rtl")
        for fault, file, old, new, said in FAULTS:
            with campaign.applied(folder / "rtl", fault, [(file, old, new)]):
                guide.execute("bash -e build.sh", folder, program)
                code, text = bench_test.run(["obj/bench"], folder)
            guide.expect(code != 0 and f": {said}" in text, f"{fault}: code {code}, wanted is another one than 0 and '{said}':\n{text}")
            print(f"{fault}: found: {re.search('command [0-9]+, cycle.*', text).group()}", flush=True)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (guide.Failed, campaign.Broken) as failed:
        print(f"failed: {failed}", file=sys.stderr)
        sys.exit(1)
