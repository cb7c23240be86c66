#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Area and longest path of each stage of one lane of the rescale unit, the table unit and the MAC array, in the OSU 0.18 um
cell library: Yosys maps the lane, OpenSTA times it. ./dev synth calls it.

No stage may be longer than 1.5 times half of a rescale product, which is stage 1 of the rescale lane. RAMs are not in the
library: their pins become ports of the lane, with assumed times.

Exit code 0: every stage is short enough; 1: one is not; 77: a tool or the library is missing."""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
RTL = ROOT / "hw/rtl"
LIBRARIES = ("/usr/share/qflow/tech/osu018/osu018_stdcells.lib", "/usr/local/share/qflow/tech/osu018/osu018_stdcells.lib")
SKIPPED = 77
LONGEST_IN_HALF_PRODUCTS = 1.5
# What a compiled memory of this size and process takes. Assumed: the library has none.
RAM_READ_NS, RAM_SETUP_NS = 3.0, 1.0
ABC_PERIOD_PS = 6000

# Block, parameters, and for each stage the registers that end it. Address pins of RAMs end the stage of their edge.
LANES = (
    ("npu_rescale_lane", {}, ("value_q multiplier_low_q multiplier_high_q shift0_q", "product_low_q product_high_q shift1_q negative_q",
                              "sum_q shift2_q", "result_o")),
    ("npu_table_lane", {"WordBytes": 32, "RowBits": 6},
     ("read_address_i even_column_q odd_column_q fraction_q entry_is_odd_q byte_q format_q", "result_o")),
    ("npu_mac_lane", {"Operands": 32}, ("activation_q weight_q", "product_q", "group_sum_q",
                                        "sum_q write_bank_q write_row_q read_address_i", "written_q write_data_i")),
)


def run(command, scratch):
    result = subprocess.run(command, cwd=scratch, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"synthesis: {command[0]} failed:\n{result.stdout[-2000:]}{result.stderr[-2000:]}")
    return result.stdout + result.stderr


def map_to_cells(top, sources, parameters, library, scratch):
    """Area of the mapped netlist NAME.v, without memories."""
    chparam = " ".join(f"-chparam {name} {value}" for name, value in parameters.items())
    (scratch / f"{top}.ys").write_text("\n".join([
        f"read_verilog -sv {RTL}/npu_spec_pkg.sv {RTL}/npu_ram_1r1w.sv {sources}",
        f"hierarchy -top {top} {chparam}", f"rename -top {top}", "blackbox *npu_ram_1r1w*", "synth -flatten",
        "expose -evert t:*npu_ram_1r1w*", f"dfflibmap -liberty {library}", f"abc -liberty {library} -D {ABC_PERIOD_PS}",
        "splitnets -ports", "opt_clean -purge", f"tee -q -o {top}.stat stat -liberty {library} -top {top}", f"write_verilog -noattr -noexpr {top}.v"]))
    run(["yosys", "-q", f"{top}.ys"], scratch)
    return float(re.search(r"Chip area for .*: ([0-9.]+)", (scratch / f"{top}.stat").read_text()).group(1))


def endpoints(top, library, scratch):
    """(endpoint, arrival in ns) of the longest path to each endpoint: a register's net, or a port."""
    period = 100.0
    # OpenSTA of 2019 trips over dots and brackets in names.
    netlist = re.sub(r"\\(\S+) ", lambda name: re.sub(r"\W", "_", name.group(1)), (scratch / f"{top}.v").read_text())
    (scratch / f"{top}.v").write_text(netlist)
    register_of = {cell: net for cell, net in re.findall(r"DFF\w+ (\S+) \(.*?\.Q\((.*?)\)", netlist, re.DOTALL)}
    (scratch / f"{top}.tcl").write_text("\n".join([
        f"read_liberty {library}", f"read_verilog {top}.v", f"link_design {top}",
        f"create_clock -name clk -period {period} [get_ports clk_i]",
        "set_input_delay 0 -clock clk [all_inputs]", "set_output_delay 0 -clock clk [all_outputs]",
        "set_false_path -from [get_ports advance_i*]",  # enables become clock gates, with a buffered tree
        f"foreach port [get_ports *read_data_o*] {{set_input_delay {RAM_READ_NS} -clock clk $port}}",
        "report_checks -endpoint_count 1 -group_count 100000 -format end", "exit"]))
    report = run(["sta", "-exit", f"{top}.tcl"], scratch)
    if "Error" in report:
        sys.exit(f"synthesis: OpenSTA on {top}:\n{report[-2000:]}")
    found = []
    for pin, slack in re.findall(r"^(\S+) \(\w+\).*?(-?[0-9.]+) \((?:MET|VIOLATED)\)$", report, re.MULTILINE):
        cell = pin.rsplit("/", 1)[0]
        name = register_of.get(cell, pin)
        found.append((name, period - float(slack) + (RAM_SETUP_NS if cell not in register_of and "u_" in name else 0)))
    if not found:
        sys.exit(f"synthesis: OpenSTA reports no path of {top}:\n{report[-2000:]}")
    return found


def stage_times(stages, found):
    """Longest arrival of each stage, setup included."""
    times = []
    for stage in stages:
        names = stage.split()
        mine = [time for name, time in found if any(re.search(rf"(^|_){n}(_\d+_)?$", name.replace("[", "_").replace("]", "_")) for n in names)]
        times.append(max(mine, default=0.0))
    return times


def main():
    parser = argparse.ArgumentParser(prog="./dev synth", description=__doc__.splitlines()[0])
    parser.add_argument("--scratch", type=pathlib.Path, default=ROOT / "build/synth", metavar="DIR", help="build/synth")
    options = parser.parse_args()
    library = next((path for path in LIBRARIES if pathlib.Path(path).is_file()), None)
    missing = [tool for tool in ("yosys", "sta") if shutil.which(tool) is None] + ([] if library else ["osu018_stdcells.lib"])
    if missing:
        print(f"synthesis: skipped, not installed: {', '.join(missing)} (./dev synth installs them)")
        return SKIPPED
    scratch = options.scratch.absolute()
    scratch.mkdir(parents=True, exist_ok=True)
    nand2 = float(re.search(r"cell \(NAND2X1\) \{.*?area\s*:\s*([0-9.]+)", pathlib.Path(library).read_text(), re.DOTALL).group(1))
    results = []
    for top, parameters, stages in LANES:
        area = map_to_cells(top, RTL / f"{top}.sv", parameters, library, scratch)
        results.append((top, parameters, area / nand2, stage_times(stages, endpoints(top, library, scratch))))
    half = results[0][3][1]
    limit = LONGEST_IN_HALF_PRODUCTS * half
    print(f"half of a rescale product: {half:.2f} ns; limit of a stage: {limit:.2f} ns; with setup, RAM read {RAM_READ_NS} ns")
    print("| lane | NAND2 equivalents without RAM | cycles | ns of each stage (slack) |\n|---|---:|---:|---|")
    for top, parameters, area, times in results:
        cells = ", ".join(f"{time:.2f} (+{limit - time:.2f})" for time in times)
        print(f"| {' '.join([top, *(f'{k}={v}' for k, v in parameters.items())])} | {area:.0f} | {len(times)} | {cells} |")
    is_short = all(0 < time <= limit for result in results for time in result[3])
    print("every stage is short enough" if is_short else "a stage is too long, or has no path")
    return 0 if is_short else 1


if __name__ == "__main__":
    sys.exit(main())
