#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""vernier.golden, and npu_rescale_unit in cocotb against it: golden_test.py VERNIER FOLDER_OF_LIBRARIES FLOW_PACKAGES FOLDER.

Takes the wheel as package_test.py does. The example in python/examples/cocotb passes on our RTL and fails on each of five faults. Where
PyPI cannot be reached or Icarus is not installed, it is skipped with a line."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import package_test
from package_test import ROOT, execute

sys.path.insert(0, str(ROOT / "tests" / "mutants"))
import campaign  # noqa: E402
import guide  # noqa: E402
import pypi  # noqa: E402

EXAMPLE = ROOT / "python/examples/cocotb/test_rescale.py"
SOURCES = ("npu_spec_pkg.sv", "npu_rescale_lane.sv", "npu_rescale_unit.sv")
LANE, UNIT = SOURCES[1:]
# Name, file, what stands there once, what stands there instead, what the example says.
FAULTS = (
    ("the rounding bit is one place too low", LANE, "half = (65'd1 << shift1_q) >> 1;", "half = (65'd1 << shift1_q) >> 2;", "scale_result_o is"),
    ("a zero point is taken without sign", LANE, "48'(in_zero_point_i)", "48'({1'b0, in_zero_point_i})", "scale_result_o is"),
    ("half to even rounds up", LANE, "half_even_i && shift2_q != 6'd0", "1'b0 && shift2_q != 6'd0", "scale_result_o is"),
    ("a tag comes a stage early", UNIT, "tag1_q <= tag0_q;", "tag1_q <= scale_tag_i;", "scale_tag_o is"),
    ("en_i does not hold the valid bits", UNIT, "else if (en_i) valid_q", "else valid_q", "scale_valid_o is"),
)


def example(python, rtl, folder, environment):
    """Exit code and output of the example on the RTL of a folder."""
    done = subprocess.run([python, "-B", EXAMPLE, rtl], cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def try_example(python, environment):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        code, text = example(python, ROOT / "hw/rtl", folder, environment)
        guide.expect(code == 0 and "TESTS=1 PASS=1" in text, f"the example fails on our RTL with code {code}:\n{text[-3000:]}")
        for fault, file, old, new, said in FAULTS:
            rtl = pathlib.Path(tempfile.mkdtemp(dir=folder))
            for source in SOURCES:
                shutil.copy(ROOT / "hw/rtl" / source, rtl)
            changed = campaign.changed_files(rtl, fault, [(file, old, new)])
            (rtl / file).write_text(changed[file], encoding="utf-8")
            code, text = example(python, rtl, rtl, environment)
            found = re.search(rf"vector \d+: {said} .*", text)
            guide.expect(code == 1 and found is not None, f"{fault}: code {code}, wanted is 1 and '{said}':\n{text[-3000:]}")
            print(f"{fault}: found: {found.group()}", flush=True)


def main():
    vernier, libraries, flow_packages, folder = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    if shutil.which("iverilog") is None:
        print("skipped: iverilog is not installed")
        return pypi.SKIPPED
    if b"__asan_init" in (libraries / "libvernier.so").read_bytes():
        print("skipped: Python cannot load a library with sanitizers")
        return pypi.SKIPPED
    python = pypi.python_with(folder / "cocotb", package_test.NUMPY, package_test.COCOTB)
    execute(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps", "--force-reinstall", package_test.wheel())
    without = {name: value for name, value in os.environ.items() if name != "VERNIER_LIB"}
    execute(python, "-B", "-c", "from vernier import golden; golden.Machine().close(); golden.rescale(1, 1, 2)", env=without, cwd=folder)
    with tempfile.TemporaryDirectory() as name:
        execute(flow_packages, name)
        execute(python, "-B", ROOT / "tests/python/in_golden.py", vernier, libraries, pathlib.Path(name) / "faulty.vnpu", cwd=folder)
    try_example(python, {**os.environ, "VERNIER_LIB": str(libraries)})
    os.environ["PATH"] = f"{python.parent}:{os.environ['PATH']}"
    with guide.folder_with_demo() as name:
        guide.try_page(ROOT / "docs/guides/golden-in-cocotb.md", pathlib.Path(name), vernier)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (subprocess.CalledProcessError, guide.Failed, campaign.Broken) as failed:
        print(f"failed: {failed}", file=sys.stderr)
        sys.exit(1)
