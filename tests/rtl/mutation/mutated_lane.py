# SPDX-License-Identifier: Apache-2.0
"""A lane of hw/rtl with many faults in it, one of which is chosen while it runs: Yosys' mutate puts each behind a comparison with an
input `mutant`; 0 is none. A wrapper of the lane's name reads the number from the file `mutant` of the folder that the run starts in."""

import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
RTL = ROOT / "hw/rtl"
SELECT_BITS = 10
# Parameters of a machine of 8 lanes (v64).
PARAMETERS = {"npu_rescale_lane": {}, "npu_table_lane": {"WordBytes": 8, "RowBits": 8}, "npu_mac_lane": {"Operands": 8}, "npu_vector_lane": {}}
# Which of the 8 lanes has the faults where one alone has them: a vector that ends early leaves it out, and it hands results on.
FAULTY_LANE = 5
HAS_ARRAY = {"npu_vector_lane"}


def yosys(commands, folder):
    (folder / "mutate.ys").write_text("\n".join(commands) + "\n")
    result = subprocess.run(["yosys", "-q", "mutate.ys"], cwd=folder, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"mutated lane: Yosys failed:\n{result.stdout[-1500:]}{result.stderr[-1500:]}")


def make(lane, number, seed, folder):
    """Writes the unit, the wrapper and the lane with `number` mutants into `folder`/rtl, and the same netlist to `folder`/lane.il
    for proofs. Returns the mutants as Yosys' commands, without what only this build has."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in ("npu_spec_pkg.sv", f"{lane}.sv"):
        shutil.copy(RTL / file, folder)
    values = " ".join(f"-chparam {name} {value}" for name, value in PARAMETERS[lane].items())
    # Memories, ALU and divider stay what they are: instances of modules that are not read. An array of registers becomes registers.
    yosys([f"read_verilog -sv npu_spec_pkg.sv {lane}.sv", f"hierarchy -top {lane} {values}", f"rename -top {lane}_mutated", "proc",
           *(["memory -nomap", "memory_map"] if lane in HAS_ARRAY else []), "opt_expr", "opt_clean", "write_rtlil lane.il",
           f"mutate -list {number} -seed {seed} -ctrl mutant {SELECT_BITS} 1 -o mutants.txt t:$*"], folder)
    mutants = (folder / "mutants.txt").read_text().splitlines()
    out = folder / "rtl"
    out.mkdir(exist_ok=True)
    # The address and the data of a register that is not written are any: those of the port, as in a netlist and in the proofs.
    without_any = ["opt_expr -mux_undef"] if lane in HAS_ARRAY else []
    yosys(["read_rtlil lane.il", *mutants, *without_any, "opt_clean", f"write_verilog -noattr rtl/{lane}_mutated.v"], folder)
    unit = RTL / f"{lane.replace('_lane', '_unit')}.sv"
    if unit.is_file():
        shutil.copy(unit, out)
    (out / f"{lane}.sv").write_text(wrapper(lane))
    return [re.sub(r" -ctrl mutant \d+ \d+| -src \S+", "", mutant) for mutant in mutants]


def netlist(lane, folder):
    """Writes the lane as a netlist of generic cells, behind a wrapper with its name and parameters, to `folder`. A memory stays an
    instance of its module."""
    for file in ("npu_spec_pkg.sv", f"{lane}.sv"):
        shutil.copy(RTL / file, folder)
    values = " ".join(f"-chparam {name} {value}" for name, value in PARAMETERS[lane].items())
    yosys([f"read_verilog -sv npu_spec_pkg.sv {lane}.sv", f"hierarchy -top {lane} {values}", f"rename -top {lane}_netlist", "proc", "opt",
           "fsm", "opt", "techmap", "opt", "clean", f"write_verilog -noattr {lane}_netlist.v"], folder)
    (folder / f"{lane}.sv").write_text(f"{head_of(lane)}\n  {lane}_netlist u_netlist ({connections_of(lane)});\nendmodule\n")
    for file in ("npu_spec_pkg.sv", "mutate.ys"):
        (folder / file).unlink()


def head_of(lane):
    text = (RTL / f"{lane}.sv").read_text(encoding="utf-8")
    return re.search(rf"^module {lane}.*?^\);", text, re.MULTILINE | re.DOTALL)[0]


def connections_of(lane):
    ports = re.findall(r"^  (?:input|output) .*?(\w+)(?:,| *//|\n)", head_of(lane), re.MULTILINE)
    return ", ".join(f".{port}({port})" for port in ports)


def wrapper(lane):
    return f"""{head_of(lane)}
  int unsigned chosen = 0;
  int file, found;
  initial begin
    file = $fopen("mutant", "r");
    if (file != 0) begin
      found = $fscanf(file, "%d", chosen);
      $fclose(file);
    end
  end
  {lane}_mutated u_mutated (.mutant({SELECT_BITS}'(chosen)), {connections_of(lane)});
endmodule
"""


def texts_with_faults(lane, unit, folder):
    """{module: text} of a unit with the wrapper around the lane with all faults, as make() wrote them: in the place of every lane, or of
    FAULTY_LANE alone where the lane is large, so that the others are as fast as ever."""
    wrapped, netlist_text = ((folder / "rtl" / name).read_text(encoding="utf-8") for name in (f"{lane}.sv", f"{lane}_mutated.v"))
    if lane not in HAS_ARRAY:
        return {lane: wrapped + netlist_text}
    faulty = f"{lane}_faulty"
    wrapped = wrapped.replace(f"module {lane} ", f"module {faulty} ")
    instance = re.compile(rf"{lane} ((?:#\([^\n]*\) )?u_lane \(.*?\);)", re.DOTALL)
    text, found = instance.subn(rf"if (i == {FAULTY_LANE}) begin : gen_faulty\n{faulty} \1\nend else begin : gen_right\n{lane} \1\nend",
                                (RTL / f"{unit}.sv").read_text(encoding="utf-8"))
    if found != 1:
        sys.exit(f"mutated lane: {unit}.sv has {found} instances of {lane} with the name u_lane, expected 1 in a loop over i")
    return {lane: (RTL / f"{lane}.sv").read_text(encoding="utf-8") + wrapped + netlist_text, unit: text}
