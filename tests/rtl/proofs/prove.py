#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Proofs on the modules of hw/rtl with yosys-smtbmc and z3. Each is bounded: what is proved has no state that lasts longer than its
pipeline, so that the depth given with each covers every run (docs/architecture/rtl.md).

    prove.py [NAME ...]            those proofs, all without a name; NAME is a glob
    prove.py --mutants [NAME ...]  each proof on each of its mutants: it has to fail

A proof counts where its assertions hold and all of its covers are reached. What the engine does not answer within its time is not
proved. Exit code 0: all proved (or all mutants refuted); 1: not; 77: yosys-smtbmc or z3 is missing."""

import argparse
import concurrent.futures
import dataclasses
import fnmatch
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from engine import run
from held_registers import add_assertions

ROOT = pathlib.Path(__file__).resolve().parents[3]
RTL = ROOT / "hw/rtl"
HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77
RAM = "npu_ram_1r1w"
TIMEOUT_SECONDS = 120


@dataclasses.dataclass
class Proof:
    """One proof of `module`: with a specification of this folder, whose wires `cuts` are driven by anything; or, with `enables`,
    that its registers hold while those are low. Mutants are changes of the module's text."""

    name: str
    module: str
    depth: int
    mutants: tuple
    parameters: dict = dataclasses.field(default_factory=dict)
    specification: str = ""
    cuts: tuple = ()
    others: tuple = ()
    enables: tuple = ()
    exempt: tuple = ()


RESCALE_MUTANTS = (
    ("half = (65'd1 << shift1_q) >> 1", "half = (65'd1 << shift1_q)"),
    ("if (double_round_i && shift1_q[5])", "if (double_round_i && shift1_q[5:4] == 2'd3)"),
    ("{{34{negative_q}}, 1'b1, 30'd0}", "{{34{~negative_q}}, 1'b1, 30'd0}"),
    ("{product_high_q, 16'd0}", "{product_high_q, 15'd0, 1'b1}"),
    ("quotient[0] & ~is_tie", "quotient[0]"),
    ("quotient = 32'($signed(sum_q) >>> shift2_q)", "quotient = 32'(sum_q >> shift2_q)"),
    ("(sum_q[63:0] & is_rest) == 64'd0", "(sum_q[62:0] & is_rest[62:0]) == 63'd1"),
    ("if (biased < low_i) result_d = low_i", "if (biased <= low_i + 32'sd1) result_d = low_i"),
    ("if (biased > high_i)", "if (biased > high_i && !biased[31])"),
)
TABLE_MUTANTS = (
    ("{8'd0, position[7]}", "9'd0"),
    ("odd_idx = position[15:8];", "odd_idx = position[15:8] ^ {7'd0, position[0]};"),
    ("value_i[15:0] ^ 16'h8000", "value_i[15:0]"),
    ("odd_row = RowBits'(odd_idx >> ColumnBits)", "odd_row = RowBits'(even_idx >> ColumnBits)"),
    ("{odd_row, slot_i}", "{odd_row, 1'b0}"),
    ("entry = entry_is_odd_q ? odd_half : even_half", "entry = entry_is_odd_q ? even_half : odd_half"),
    ("2'd2: stored_byte = odd_half[7:0]", "2'd2: stored_byte = even_half[7:0]"),
    ("{{24{stored_byte[7]}}", "{{24{1'b0}}"),
)
INTERPOLATION_MUTANTS = (
    ("8'd128 - {1'b0, fraction_q}", "8'd127 - {1'b0, fraction_q}"),
    ("next = entry_is_odd_q ? even_half : odd_half", "next = entry_is_odd_q ? odd_half : odd_half"),
    ("logic signed [15:0] next;", "logic [15:0] next;"),
)
RAM_CUTS = ("u_lane.u_even.read_data_o", "u_lane.u_odd.read_data_o")


def table_parameters(lanes):
    return {"WordBytes": lanes, "RowBits": (-(-2 * 513 // lanes) - 1).bit_length()}


PROOFS = (
    Proof("rescale_after_product", "npu_rescale_lane", 3, RESCALE_MUTANTS, specification="rescale_after_product",
          cuts=("u_lane.product_low_q", "u_lane.product_high_q", "u_lane.shift1_q", "u_lane.negative_q")),
    *(Proof(f"table_index_{lanes}", "npu_table_lane", 3, TABLE_MUTANTS if lanes == 16 else TABLE_MUTANTS[:2], table_parameters(lanes),
            "table_index", RAM_CUTS, (RAM,)) for lanes in (8, 16, 32)),
    *(Proof(f"table_interpolation_{fraction}", "npu_table_lane", 3, INTERPOLATION_MUTANTS if fraction == 77 else (),
            {"Fraction": fraction, **table_parameters(16)}, "table_interpolation", ("u_lane.even_half", "u_lane.odd_half"), (RAM,)) for fraction in range(128)),
    Proof("hold_rescale_unit", "npu_rescale_unit", 1, (
        ("else if (en_i) valid_q <=", "else valid_q <="),
        ("if (advance[3]) tag3_q", "if (advance[3] || valid_q[2]) tag3_q"),
        ("if (advance[2]) begin\n      tag2_q", "if (advance[2] || valid_q[0]) begin\n      tag2_q")),
          {"Lanes": 8}, others=("npu_rescale_lane",), enables=("en_i",)),
    Proof("hold_rescale_lane", "npu_rescale_lane", 1, (("if (advance_i[2]) begin", "if (advance_i[2] || shift1_q[0]) begin"),),
          enables=("advance_i",)),
    Proof("hold_table_unit", "npu_table_unit", 1, (
        ("else if (en_i) valid_q <=", "else valid_q <="), ("if (advance[1]) tag1_q", "if (advance[1] || valid_q[0]) tag1_q")),
          {"Lanes": 8}, others=("npu_table_lane", RAM), enables=("en_i",), exempt=("format0_q", "format1_q", "RAM write_en_i")),
    Proof("hold_table_lane", "npu_table_lane", 1, (("if (advance_i[1]) result_q", "if (advance_i[1] || byte_q[0]) result_q"),),
          table_parameters(16), others=(RAM,), enables=("advance_i",), exempt=("RAM write_en_i",)),
    Proof("hold_mac_lane", "npu_mac_lane", 1, (
        ("if (drain_en_i) drained_bank_q", "if (drain_en_i || row_i[0]) drained_bank_q"),
        (".write_en_i(advance_i[4] && write_bank_q", ".write_en_i(write_bank_q")),
          {"Operands": 16}, others=(RAM,), enables=("advance_i", "drain_en_i")),
)


def read_commands(proof):
    files = ["npu_spec_pkg.sv", *(f"{other}.sv" for other in proof.others), f"{proof.module}.sv"]
    top = proof.specification or proof.module
    if proof.specification:
        files.append(f"{proof.specification}.sv")
    values = " ".join(f"-chparam {name} {value}" for name, value in proof.parameters.items())
    kept = [f"blackbox $paramod*{RAM}*"] if proof.enables and RAM in proof.others else []
    return [f"read_verilog -sv -formal {' '.join(files)}", f"hierarchy -check {values} -top {top}", f"rename -top {top}", *kept, "proc", "flatten"]


def model(proof, folder):
    """Writes proof.smt2 into `folder`, where the sources are; what went wrong, or None."""
    commands = read_commands(proof)
    if proof.specification:
        commands += [f"cutpoint {' '.join(f'w:{wire}' for wire in proof.cuts)}", "opt -full"]
        commands += ["async2sync", "dffunmap", "check -assert", "write_smt2 -wires proof.smt2", "write_smt2 -wires cover.smt2"]
        return yosys(commands, folder)
    # Reset is not what is looked at: it is high all the time.
    text = (folder / f"{proof.module}.sv").read_text(encoding="utf-8")
    reset = ["delete -input w:rst_ni", "connect -set rst_ni 1'b1", "opt_expr", "opt_clean", "opt_dff -nodffe -nosdff", "opt_expr"] if "rst_ni" in text else []
    wrong = yosys([*commands, *reset, "opt_clean", "select -assert-none t:$adff*", "dffunmap", "write_json held.json"], folder)
    if wrong:
        return wrong
    design = json.loads((folder / "held.json").read_text())
    module = design["modules"][proof.module]
    _, outputs = add_assertions(module, proof.enables, proof.exempt, RAM)
    if proof.enables == ("en_i",):
        loose = [name for name, port in module["ports"].items() if port["direction"] == "output"
                 and any(isinstance(bit, int) and bit not in outputs for bit in port["bits"])]
        if loose:
            return f"{', '.join(loose)}: no register, so that it may change while en_i is low"
    (folder / "held.json").write_text(json.dumps(design))
    read = ["read_json held.json", f"hierarchy -top {proof.module}", "setundef -undriven -anyseq"]
    low = [command for port in proof.enables
           for command in (f"delete -input w:{port}", f"connect -set {port} {len(module['ports'][port]['bits'])}'d0")]
    return (yosys([*read, "delete t:$cover", *low, "opt -full", "write_smt2 -wires proof.smt2"], folder) or
            yosys([*read, "delete t:$assert", "delete -output o:*", "opt_clean -purge", "write_smt2 -wires cover.smt2"], folder))


def yosys(commands, folder):
    (folder / "proof.ys").write_text("\n".join(commands) + "\n")
    result = subprocess.run(["yosys", "-q", "proof.ys"], cwd=folder, capture_output=True, text=True, check=False)
    return result.stdout[-1500:] + result.stderr[-1500:] if result.returncode else None


def attempt(proof, mutant=None):
    """(verdict, detail): proved, refuted, uncovered, unknown or broken; seconds of the engine as detail of what was proved."""
    with tempfile.TemporaryDirectory(prefix="vernier_proof_") as name:
        folder = pathlib.Path(name)
        for file in RTL.glob("*.sv"):
            shutil.copy(file, folder)
        if proof.specification:
            shutil.copy(HERE / f"{proof.specification}.sv", folder)
        if mutant is not None:
            source = folder / f"{proof.module}.sv"
            text = source.read_text(encoding="utf-8")
            if text.count(mutant[0]) != 1:
                return "broken", f"{text.count(mutant[0])} times in {source.name}: {mutant[0]}"
            source.write_text(text.replace(*mutant), encoding="utf-8")
        wrong = model(proof, folder)
        if wrong:
            return "broken", wrong
        begin = time.monotonic()
        engine = ["yosys-smtbmc", "-s", "z3", "--noprogress", "-t", str(proof.depth)]
        said = run([*engine, "--presat", "proof.smt2"], folder, TIMEOUT_SECONDS)
        verdict = re.search(r"Status: (\w+)", said or "")
        if verdict is None or verdict[1] not in ("PASSED", "FAILED"):
            return "unknown", "no answer in time" if said is None else said[-500:]
        if verdict[1] == "FAILED":
            return ("refuted", " ".join(re.findall(r"Assert failed in (.*)", said)[:2])) if "Assert failed" in said else ("broken", said[-1500:])
        said = run([*engine, "-c", "cover.smt2"], folder, TIMEOUT_SECONDS)
        if said is None or "Status: PASSED" not in said:
            return "uncovered", (said or "no answer in time")[-1500:]
        return "proved", f"{time.monotonic() - begin:.1f} s"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--mutants", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    missing = [tool for tool in ("yosys", "yosys-smtbmc", "z3") if shutil.which(tool) is None]
    if missing:
        print(f"prove: skipped, not installed: {', '.join(missing)} (./dev test installs them)")
        return SKIPPED
    chosen = [proof for proof in PROOFS if not options.names or any(fnmatch.fnmatch(proof.name, name) for name in options.names)]
    jobs = [(proof, mutant) for proof in chosen for mutant in (proof.mutants if options.mutants else (None,))]
    if not jobs:
        sys.exit(f"prove: no proof is named {' '.join(options.names)}; there are {', '.join(proof.name for proof in PROOFS)}")
    wanted = "refuted" if options.mutants else "proved"
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for (proof, mutant), (verdict, detail) in zip(jobs, pool.map(lambda job: attempt(*job), jobs)):
            bad += verdict != wanted
            print(f"{proof.name}{f' with {mutant[1]!r}' if mutant else ''}: {verdict} {detail}", flush=True)
    print(f"{len(jobs) - bad} of {len(jobs)} {wanted}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
