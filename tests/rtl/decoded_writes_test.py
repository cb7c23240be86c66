#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What decoded_writes.py changes stays the same: Yosys proves it on a module with writes by number, by a constant stride that is a
power of two and by one that is not. And a wrong change is noticed. Exit code 77 without Yosys."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import decoded_writes

MODULE = """
module written (input [8:0] v, input [7:0] w, input [1:0] n, input [2:0] m, input en, input [35:0] q, input [47:0] r,
                output reg [35:0] d, output reg [47:0] e);
  always @* begin
    d = q;
    e = r;
    if (en) d[9*32'(n) +: 9] = v;
    d[9*32'(m[1:0]) +: 9] = d[9*32'(n) +: 9] ^ v;
    e[8*32'(m) +: 8] = w;
  end
endmodule
"""


def yosys(commands, folder):
    return subprocess.run(["yosys", "-q", "-p", "; ".join(commands)], cwd=folder, capture_output=True, text=True, check=False)


def is_same(folder, design):
    (folder / "changed.json").write_text(json.dumps(design))
    done = yosys(["read_json plain.json", "rename written gold", "read_json changed.json", "rename written gate",
                  "miter -equiv -flatten gold gate both", "sat -verify -prove trigger 0 both"], folder)
    return done.returncode == 0


def main():
    if shutil.which("yosys") is None:
        print("skipped: yosys is not installed (./dev test installs it)")
        return 77
    with tempfile.TemporaryDirectory(prefix="vernier_decoded_") as name:
        folder = pathlib.Path(name)
        (folder / "written.sv").write_text(MODULE)
        made = yosys(["read_verilog -sv written.sv", "proc", "opt_expr -fine -full", "wreduce t:$and", "opt_expr -fine", "opt_clean",
                      "write_json plain.json"], folder)
        if made.returncode:
            sys.exit(made.stderr)
        design = json.loads((folder / "plain.json").read_text())
        replaced = decoded_writes.decode(design["modules"]["written"])
        if replaced < 4:
            sys.exit(f"{replaced} shifts decoded, at least 4 are there")
        if not is_same(folder, design):
            sys.exit("the decoded module is another one")
        numbers = [cell for cell in design["modules"]["written"]["cells"].values() if cell["type"] == "$eq" and cell["connections"]["B"][0] == "1"]
        numbers[0]["connections"]["B"] = ["0", *numbers[0]["connections"]["B"][1:]]
        if is_same(folder, design):
            sys.exit("a register decoded as another one went unnoticed")
    print(f"{replaced} shifts decoded, the module stays the same")
    return 0


if __name__ == "__main__":
    sys.exit(main())
