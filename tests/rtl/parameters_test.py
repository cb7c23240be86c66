#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""parameters_test.py TOOL: a parameter that is not supported stops verilator, yosys or iverilog, and the message says what is.
A derived parameter is none: a localparam, which no instance sets. Exit code 77: the tool is not installed."""

import re
import shutil
import sys

from elaborate import RTL, SKIPPED, TOOLS

# Module, its parameter, values that are not supported, and what the message says.
LANES = "npu_lanes_must_be_8_16_or_32"
CASES = [(block, "Lanes", (4, 12, 64), LANES)
         for block in ("npu_rescale_unit", "npu_table_unit", "npu_vector_unit", "npu_mac_array", "npu_datapath", "npu_core", "npu_agu", "npu_core_sram")]
CASES += [(block, "TagBits", (4,), "npu_tag_bits_must_be_at_least_8") for block in ("npu_vector_unit", "npu_datapath")]
CASES += [("npu_agu", "Sets", (0, 3), "npu_sets_must_be_1_or_2"), ("npu_mac_lane", "Operands", (4, 64), "npu_operands_must_be_8_16_or_32"),
          ("npu_lane_share", "Latency", (1,), "npu_latency_must_be_at_least_2"), ("npu_ram_1r1w", "DepthWords", (65,), "npu_depth_must_fit_its_address"),
          ("npu_ram_1rw", "DepthWords", (1, 1025), "npu_depth_must_fit_its_address"),
          ("npu_core_sram", "ReadWords", (0, 5), "npu_ports_must_be_1_to_4_words")]
# Yosys takes a minute over these; the modules inside of them have the same lines.
LARGE = ("npu_datapath", "npu_core", "npu_agu", "npu_core_sram", "npu_mac_array")
# Parameters of modules that are set from outside; every other one in a head is derived.
FREE = {"Lanes", "Lane", "Operands", "TagBits", "Sets", "Latency", "PayloadBits", "IsStore", "WordBytes", "WidthBits", "DepthWords", "AddressBits",
        "OperandBits", "ResultBits", "LatencyCycles", "StoreBits", "AskBits", "NumSteps", "NumSlots", "OutBits"}


def derived_parameters():
    """Those that an instance could set and nobody means to."""
    found = []
    for file in sorted(RTL.glob("npu_*.sv")):
        for name, value in re.findall(r"^  parameter \w+ (\w+) *= ([^,\n]*)", file.read_text(encoding="utf-8"), re.MULTILINE):
            if name not in FREE and not re.fullmatch(r"\d+.*", value):
                found.append(f"{file.name}: {name} is a parameter and follows from others, expected a localparam")
    return found


def main():
    tool = sys.argv[1]
    if shutil.which(tool) is None:
        print(f"skipped: {tool} is not installed (./dev test installs it)")
        return SKIPPED
    found = derived_parameters()
    for module, parameter, values, says in CASES:
        if tool == "yosys" and module in LARGE:
            continue
        for value in values if tool != "yosys" else values[:1]:
            code, text = TOOLS[tool](module, parameter, value)
            if code == 0 or says not in text:
                found.append(f"{tool} takes {module} with {parameter} = {value}, or does not say '{says}'")
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
