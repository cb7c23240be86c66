#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lint_test.py ENVIRONMENT: lint.py finds nothing in hw/rtl, and finds each of a few faults that are put into a copy of it.
Exit code 77: PyPI cannot be reached."""

import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
RTL = HERE.parents[1] / "hw/rtl"
SKIPPED = 77
# File, text, text with the fault, and what the finding says.
FAULTS = [
    ("npu_mac_array.sv", "  assign command = en_i && cmd_valid_i",
     "  assign early = late;\n  logic early, late;\n  assign late = flow;\n  assign command = en_i && cmd_valid_i", "before its declaration"),
    ("npu_ram_1r1w.sv", "mem [DepthWords]", "mem [0:DepthWords-1]", "unpacked-dimensions-range-ordering"),
    ("npu_mac_lane.sv", "localparam int NumGroups", "localparam int num_groups_of_four = 1;\n  localparam int NumGroups", "parameter-name-style"),
    ("npu_core.sv", "localparam int LaneBits", "parameter int laneBits = 1,\n  localparam int LaneBits", "parameter-name-style"),
]


def lint(environment, *options):
    done = subprocess.run([sys.executable, "-B", HERE / "lint.py", environment, *options], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def main():
    environment = sys.argv[1]
    code, text = lint(environment)
    if code:
        print(text)
        return code
    failed = 0
    for file, right, wrong, says in FAULTS:
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder) / "rtl"
            shutil.copytree(RTL, copy)
            source = (copy / file).read_text(encoding="utf-8")
            assert source.count(right) == 1, f"{file}: '{right}' is there {source.count(right)} times"
            (copy / file).write_text(source.replace(right, wrong), encoding="utf-8")
            code, text = lint(environment, "--sources", copy)
        if code != 1 or says not in text:
            print(f"{file} with '{wrong}': exit code {code}, '{says}' is not in\n{text}")
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
