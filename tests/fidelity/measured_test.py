#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The range of errors that reports state (sim/report/measured_error.hpp) against docs/results/fidelity.json: measured_test.py ROOT."""

import json
import math
import pathlib
import re
import sys

PRESETS = ("v64", "v256", "v1024")
# The networks outside of this tree: those of the tree are so short that a few cycles are percents.
ENTRY = re.compile(r'MeasuredError\{"(\w+)", (-?[\d.]+), (-?[\d.]+), (\d+)\}')


def is_real(network):
    return re.search(r"int8|int16x8|quant|ref_model", network) is not None


def measured(runs, config):
    errors = []
    for run in runs:
        if run["config"] == config and run["banked"] and is_real(run["network"]):
            model, rtl = (sum(pair[i] for pair in run["banked"].values()) for i in (0, 1))
            errors.append(100 * (rtl - model) / model)
    return math.floor(100 * min(errors)) / 100, math.ceil(100 * max(errors) - 1e-9) / 100, len(errors)


def main(root):
    runs = json.loads((root / "docs/results/fidelity.json").read_text(encoding="utf-8"))["runs"]
    header = (root / "sim/report/measured_error.hpp").read_text(encoding="utf-8")
    stated = {name: (float(least), float(greatest), int(count)) for name, least, greatest, count in ENTRY.findall(header)}
    findings = []
    for config in PRESETS:
        if stated.get(config) != measured(runs, config):
            findings.append(f"sim/report/measured_error.hpp: {config} is {stated.get(config)}, fidelity.json gives {measured(runs, config)}")
    print("\n".join(findings))
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
