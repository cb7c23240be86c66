#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""elaborate.py TOOL MODULE LANES: whether verilator (lint), yosys or iverilog takes MODULE of hw/rtl for LANES lanes.

Exit code 0: yes; 1: no, with what the tool says; 77: the tool is not installed."""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
RTL = ROOT / "hw/rtl"
SKIPPED = 77
# The parameter that says how many lanes there are.
LANES_PARAMETER = {"npu_table_lane": "WordBytes", "npu_mac_lane": "Operands", "npu_rescale_lane": None}


def sources(module):
    """The packages that it sees, then the files of the modules that `module` instantiates, itself last."""
    text = (RTL / f"{module}.sv").read_text(encoding="utf-8")
    found = []
    for name in re.findall(r"^\s*(npu_\w+) (?:#\(|u_)", text, re.MULTILINE):
        if (RTL / f"{name}.sv").is_file():
            found += [file for file in sources(name) if file not in found]
    package = [RTL / "npu_spec_pkg.sv"] + ([RTL / "npu_agu_pkg.sv"] if "npu_agu_pkg::" in text else [])
    return package + [file for file in found if file not in package] + [RTL / f"{module}.sv"]


def checks_of(modules):
    """The files that bind assertions into these modules, after the files of what they bind."""
    checks = [RTL / f"{module}_checks.sv" for module in modules if (RTL / f"{module}_checks.sv").is_file()]
    bound = [name for file in checks for name in re.findall(r"^bind \w+ (\w+)", file.read_text(encoding="utf-8"), re.MULTILINE)]
    return [RTL / f"{name}.sv" for name in dict.fromkeys(bound)] + checks


def run(command):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    return result.returncode, result.stdout + result.stderr


def documented_ports(module, lanes):
    """{port: (direction, bits)} of the page, {} for a module that it does not list."""
    page = (ROOT / "docs/reference/rtl-ports.md").read_text(encoding="utf-8")
    section = re.search(rf"^## {module}\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    if not section:
        return {}
    rows = [[cell.strip(" `") for cell in line.split("|")[1:-1]] for line in section.group(1).splitlines() if line.startswith("|")]
    column = rows[0].index(f"Bits, N = {lanes}")
    return {row[0]: (row[1], int(row[column])) for row in rows[2:]}


def check_ports(module, lanes, file):
    design = json.loads(pathlib.Path(file).read_text(encoding="utf-8"))
    top = next(m for m in design["modules"].values() if int(m["attributes"].get("top", "0"), 2))
    ports = {name: (port["direction"].removesuffix("put"), len(port["bits"])) for name, port in top["ports"].items()}
    documented = documented_ports(module, lanes)
    if not documented or ports == documented:
        return 0
    for name in sorted(ports.keys() | documented.keys()):
        if ports.get(name) != documented.get(name):
            print(f"{module}: {name} is {ports.get(name)}, docs/reference/rtl-ports.md says {documented.get(name)}")
    return 1


def with_verilator(module, parameter, lanes):
    width = [f"-G{parameter}={lanes}"] if parameter else []
    return run(["verilator", "--lint-only", "-Wall", *width, "--top-module", module, ROOT / "hw/lint/waivers.vlt", *sources(module)])


def with_iverilog(module, parameter, lanes):
    width = [f"-P{module}.{parameter}={lanes}"] if parameter else []
    return run(["iverilog", "-g2012", *width, "-s", module, "-o", "/dev/null", *sources(module)])


def with_yosys(module, parameter, lanes):
    width = f"-chparam {parameter} {lanes}" if parameter else ""
    with tempfile.TemporaryDirectory() as folder:
        script = [f"read_verilog -sv {' '.join(map(str, sources(module)))}", f"hierarchy -check {width} -top {module}", "proc",
                  "check -assert", "select -assert-none t:$dlatch", f"write_json {folder}/ports.json"]
        code, text = run(["yosys", "-q", "-p", " ; ".join(script)])
        return (code, text) if code else (check_ports(module, lanes, f"{folder}/ports.json"), text)


TOOLS = {"verilator": with_verilator, "iverilog": with_iverilog, "yosys": with_yosys}


def main():
    tool, module, lanes = sys.argv[1], sys.argv[2], int(sys.argv[3])
    if shutil.which(tool) is None:
        print(f"skipped: {tool} is not installed (./dev test installs it)")
        return SKIPPED
    parameter = LANES_PARAMETER.get(module, "Lanes")
    code, text = TOOLS[tool](module, parameter, lanes)
    if code:
        print(text)
    return 1 if code else 0


if __name__ == "__main__":
    sys.exit(main())
