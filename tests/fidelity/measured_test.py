#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The ranges of errors that reports (sim/report/measured_error.hpp) and the guide of sizing state, against docs/results/fidelity.json:
measured_test.py ROOT.

Every preset and memory mode of the whole networks has its row, and every preset of the commands alone; there are no others."""

import json
import math
import pathlib
import re
import sys

PRESETS = ("v64", "v256", "v1024")
MODES = {"sram": "Sram", "weights-external": "WeightsExternal", "external": "External"}
# The networks outside of this tree: those of the tree are so short that a few cycles are percents.
ENTRY = re.compile(r'MeasuredError\{MeasuredScope::(\w+), "(\w+)", spec::MemoryMode::(\w+), (-?[\d.]+), (-?[\d.]+), (\d+)\}')


def is_real(network):
    return re.search(r"int8|int16x8|quant|ref_model", network) is not None


def range_of(percents):
    """Rounded outwards to two decimals."""
    return math.floor(100 * min(percents) + 1e-9) / 100, math.ceil(100 * max(percents) - 1e-9) / 100, len(percents)


def measured(results):
    """{(scope, preset, memory mode): (least, greatest, networks)} of what fidelity.json has."""
    percents = {}
    for row in results["cores"]:
        if is_real(row["network"]):
            key = ("Core", row["config"], MODES[row["memory"]])
            percents.setdefault(key, []).append(100 * (row["rtl_cycles"] - row["model_cycles"]) / row["model_cycles"])
    for run in results["runs"]:
        if run["banked"] and is_real(run["network"]):
            model, rtl = (sum(pair[i] for pair in run["banked"].values()) for i in (0, 1))
            percents.setdefault(("Command", run["config"], "Sram"), []).append(100 * (rtl - model) / model)
    order = {key: place for place, key in enumerate((scope, config, mode) for scope in ("Core", "Command") for mode in MODES.values() for config in PRESETS)}
    return {key: range_of(percents[key]) for key in sorted(percents, key=order.__getitem__)}


def entry_text(key, figures):
    (scope, config, mode), (least, greatest, count) = key, figures
    return f'MeasuredError{{MeasuredScope::{scope}, "{config}", spec::MemoryMode::{mode}, {least:.2f}, {greatest:.2f}, {count}}}'


def main(root):
    expected = measured(json.loads((root / "docs/results/fidelity.json").read_text(encoding="utf-8")))
    header = re.sub(r"\s+", " ", (root / "sim/report/measured_error.hpp").read_text(encoding="utf-8"))
    stated = {(scope, config, mode): (float(least), float(greatest), int(count)) for scope, config, mode, least, greatest, count in ENTRY.findall(header)}
    guide = " ".join((root / "docs/guides/sizing.md").read_text(encoding="utf-8").split())
    most = {config: expected["Core", config, "Sram"][1] for config in PRESETS}
    sentence = f"at most {most['v64']:.2f} % more cycles than the model on v64, {most['v256']:.2f} % on v256 and {most['v1024']:.2f} % on v1024"
    if sentence not in guide:
        print(f"docs/guides/sizing.md does not say: {sentence}")
    if stated == expected and expected:
        return 0 if sentence in guide else 1
    print("sim/report/measured_error.hpp is not what fidelity.json gives:")
    for key, figures in expected.items():
        print(f"    {entry_text(key, figures)},{'' if stated.get(key) == figures else '  // differs'}")
    for key in stated.keys() - expected.keys():
        print(f"{key} was not measured")
    return 1


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
