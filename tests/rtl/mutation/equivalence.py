# SPDX-License-Identifier: Apache-2.0
"""Whether a lane with a fault is the same lane: both side by side with the same inputs, whatever the enables do. Memories and
modules of their own are outside: both have to ask for the same. First registers are outside too: with the same contents both have to give each register the
same next ones, so that a fault before a register leaves the multiplier after it what it is. Where that is not so, registers are
inside, none of them set at first, for more cycles than a value takes through the lane."""

import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import engine

OUTSIDE = ("npu_ram_1r1w", "npu_vector_alu", "npu_vector_divider")
REGISTER = "$dff"
CYCLES = 8
# Inputs that there are, as in npu_rescale_unit: types that can be asked for, one rounding at a time, limits in their order; as in
# npu_mac_array: a product of two high bytes stands two bytes up.
ASSUMED = {
    "npu_rescale_lane": """
  logic double_q;
  always @(posedge clk_i) if (advance_i[2]) double_q <= double_round_i;
  always @* begin
    assume (in_type_i >= 3'd2 && in_type_i <= 3'd5);
    assume (!(half_even_i && double_q));
    assume (low_i <= high_i);
  end""",
    "npu_table_lane": """
  always @* assume (format_i >= 3'd2 && format_i <= 3'd4);""",
    "npu_mac_lane": """
  always @* assume (byte_shift_i <= 2'd2);""",
    "npu_vector_lane": "",
}


def evert(module, types):
    """Pins of cells of these types become ports."""
    cells = sorted((name, cell) for name, cell in module["cells"].items() if cell["type"] in types)
    for number, (name, cell) in enumerate(cells):
        for pin, bits in cell["connections"].items():
            direction = "input" if pin in ("read_data_o", "result_o", "Q") else "output"
            module["ports"][f"cell{number}_{pin}"] = {"direction": direction, "bits": bits}
            module["netnames"][f"cell{number}_{pin}"] = {"hide_name": 0, "bits": bits, "attributes": {}}
        del module["cells"][name]


def yosys(commands, folder, seconds):
    (folder / "same.ys").write_text("\n".join(commands) + "\n")
    return subprocess.run(["yosys", "-q", "same.ys"], cwd=folder, capture_output=True, text=True, check=True, timeout=seconds)


def is_equivalent(lane, mutant, folder, seconds):
    return proves(lane, mutant, folder, seconds, (*OUTSIDE, REGISTER)) or proves(lane, mutant, folder, seconds, OUTSIDE)


def proves(lane, mutant, folder, seconds, outside):
    top = f"{lane}_mutated"
    yosys(["read_rtlil lane.il", "write_json plain.json", mutant, "write_json fault.json"], folder, seconds)
    for name in ("plain", "fault"):
        design = json.loads((folder / f"{name}.json").read_text())
        module = design["modules"].pop(top)
        evert(module, outside)
        module["attributes"].pop("top", None)
        design["modules"] = {name: module}
        (folder / f"{name}.json").write_text(json.dumps(design))
        ports = {port: (body["direction"], len(body["bits"])) for port, body in module["ports"].items()}
    text = ["module same ("]
    text.append(",\n".join(f"  input logic [{width - 1}:0] {port}" for port, (direction, width) in ports.items() if direction == "input"))
    text.append(");")
    outputs = [(port, width) for port, (direction, width) in ports.items() if direction == "output"]
    for name in ("plain", "fault"):
        text += [f"  logic [{width - 1}:0] {name}_{port};" for port, width in outputs]
        pins = [f".{port}({port})" for port, (direction, _) in ports.items() if direction == "input"]
        text.append(f"  {name} u_{name} ({', '.join(pins + [f'.{port}({name}_{port})' for port, _ in outputs])});")
    signed = re.sub(r"low_i <= high_i", "$signed(low_i) <= $signed(high_i)", ASSUMED[lane])
    text += [signed, "  always @(posedge clk_i) begin", *[f"    assert (plain_{port} == fault_{port});" for port, _ in outputs], "  end", "endmodule"]
    (folder / "same.sv").write_text("\n".join(text) + "\n")
    yosys(["read_json plain.json", "read_json fault.json", "read_verilog -sv -formal same.sv", "hierarchy -top same", "proc", "flatten", "zinit -all",
           "opt -full", "opt_merge -share_all", "opt_clean", "dffunmap", "opt_merge -share_all", "opt_clean", "write_smt2 -wires same.smt2"],
          folder, seconds)
    cycles = 2 if REGISTER in outside else CYCLES  # an assertion is about the cycle before
    said = engine.run(["yosys-smtbmc", "-s", "z3", "--unroll", "--noprogress", "-t", str(cycles), "same.smt2"], folder, seconds)
    return said is not None and "Status: PASSED" in said
