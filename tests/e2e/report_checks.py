# SPDX-License-Identifier: Apache-2.0
"""What has to hold in every JSON report (docs/reference/report.md): its keys, and that its parts sum to its totals.

check() returns findings as texts; run by itself it checks files: report_checks.py REPORT.json ...
"""

import json
import sys

TOP = ["schema", "tool_version", "backend", "model", "config", "outputs", "check", "totals", "units", "layers",
       "host_seconds", "approximations", "warnings"]
TRAFFIC = ["sram_read_bytes", "sram_write_bytes", "external_read_bytes", "external_write_bytes"]
TOTALS = ["cycles", "seconds", "macs", "mac_utilization_percent", *TRAFFIC, "sram_peak_bytes", "weight_bytes", "commands"]
LAYER = ["layer_idx", "name", "source_name", "operators", "first_cycle", "last_cycle", "attributed_cycles", "macs",
         "mac_utilization_percent", *TRAFFIC, "bound_by"]
CHECK = ["result", "elements_compared", "first_difference"]
DIFFERENCE = ["tensor", "coordinates", "expected", "actual", "layer_idx", "command_idx", "cycle"]
UNITS = ["mac_array", "vector_unit", "rescale_unit", "table_unit", "dma", "command_processor"]
UNIT = ["busy_cycles", "stall_cycles", "idle_cycles"]
PHASES = ["import", "compile", "simulate", "check", "report", "total"]
BOUNDS = ["compute", "sram", "external", "vector", "control"]
# What has been added to the first form of schema /1.
GROWN = {"check": ["tensors_compared", "elements_different", "folded", "iterations_compared"],
         "layer": ["in_flight_cycles", "working_cycles", "spent_cycles"], "top": ["commands"], "totals": ["sram_written_peak_bytes"]}

LEAST_SECONDS = 0.02  # shorter runs are noise
PHASE_TOLERANCE = 0.05


class Findings:
    def __init__(self):
        self.texts = []

    def equal(self, what, found, expected):
        if found != expected:
            self.texts.append(f"{what} is {found}, expected {expected}")

    def holds(self, what, condition):
        if not condition:
            self.texts.append(what)

    def keys(self, what, found, wanted, grown=()):
        missing = [key for key in wanted if key not in found]
        extra = [key for key in found if key not in wanted and key not in grown]
        if missing or extra:
            self.texts.append(f"{what}: missing keys {missing}, unknown keys {extra}")
        return not missing


def _check_units(f, report):
    cycles = report["totals"]["cycles"]
    f.equal("the list of units", sorted(report["units"]), sorted(UNITS))
    for name, unit in report["units"].items():
        if not f.keys(f"unit {name}", unit, UNIT):
            continue
        parts = [unit["busy_cycles"], unit["idle_cycles"], *unit["stall_cycles"].values()]
        f.holds(f"unit {name} has a negative count: {unit}", min(parts) >= 0)
        f.equal(f"busy + stalls + idle of {name}", sum(parts), cycles)


def _check_layer(f, index, layer, report):
    what = f"layer {index}"
    if not f.keys(what, layer, LAYER, GROWN["layer"]):
        return
    f.equal(f"{what}: layer_idx", layer["layer_idx"], index)
    f.holds(f"{what}: bound_by is {layer['bound_by']}", layer["bound_by"] in BOUNDS)
    f.holds(f"{what}: no operators", layer["operators"] and all(isinstance(name, str) for name in layer["operators"]))
    f.holds(f"{what}: no name", layer["name"] != "")
    if report["backend"] == "reference":
        return
    cycles = report["totals"]["cycles"]
    f.holds(f"{what}: cycles {layer['first_cycle']} to {layer['last_cycle']} of {cycles}",
            0 <= layer["first_cycle"] < layer["last_cycle"] <= cycles)
    in_flight = layer["in_flight_cycles"]
    f.holds(f"{what}: {in_flight} cycles in flight", 0 < in_flight <= layer["last_cycle"] - layer["first_cycle"])
    working = layer["working_cycles"]
    f.holds(f"{what}: {working} cycles at work", 0 <= working <= in_flight)
    expected = 100.0 * layer["macs"] / (working * report["config"]["macs_per_cycle"]) if working else 0.0
    f.holds(f"{what}: utilisation {layer['mac_utilization_percent']}, expected {expected}",
            abs(layer["mac_utilization_percent"] - expected) <= 0.01 and expected <= 100.0)
    flights = sum(c["end_cycle"] - c["start_cycle"] for c in report["commands"][:-1] if c["layer_idx"] == index)  # not END
    spent = sum(cycles for name, cycles in layer["spent_cycles"].items() if name != "nothing_in_flight")
    f.equal(f"{what}: spent_cycles of its commands", spent, flights)
    f.equal(f"{what}: nothing_in_flight", layer["spent_cycles"].get("nothing_in_flight", 0),
            max(0, layer["attributed_cycles"] - in_flight))


def _check_sums(f, report):
    totals, layers = report["totals"], report["layers"]
    f.equal("attributed_cycles of all layers", sum(layer["attributed_cycles"] for layer in layers), totals["cycles"])
    for key in ["macs", *TRAFFIC]:
        f.equal(f"{key} of all layers", sum(layer[key] for layer in layers), totals[key])
    f.holds("totals.seconds", abs(totals["seconds"] * report["config"]["clock_hz"] - totals["cycles"]) <= 1e-6 * totals["cycles"])
    peak = totals["cycles"] * report["config"]["macs_per_cycle"]
    expected = 100.0 * totals["macs"] / peak if peak else 0.0
    f.holds("totals.mac_utilization_percent", abs(totals["mac_utilization_percent"] - expected) <= 0.01)
    f.holds("more SRAM in use than there is", totals["sram_peak_bytes"] <= report["config"]["sram_bytes"])


def _check_host_seconds(f, seconds):
    if not f.keys("host_seconds", seconds, PHASES) or seconds["total"] < LEAST_SECONDS:
        return
    phases = sum(value for key, value in seconds.items() if key != "total")
    f.holds(f"phases of host_seconds sum to {phases}, total is {seconds['total']}",
            abs(phases - seconds["total"]) <= PHASE_TOLERANCE * seconds["total"])


def _check_comparison(f, report):
    check = report["check"]
    if not f.keys("check", check, CHECK, GROWN["check"]):
        return
    f.holds(f"check.result is {check['result']}", check["result"] in ("match", "mismatch", "skipped"))
    difference = check["first_difference"]
    f.equal("check: a first difference", difference is not None, check["result"] == "mismatch")
    if difference is not None:
        f.keys("first_difference", difference, DIFFERENCE)
    f.holds("check compared nothing", (check["elements_compared"] > 0) == (check["result"] != "skipped"))


def check(report):
    """Findings, empty when all is well."""
    f = Findings()
    try:
        return _check(f, report)
    except KeyError as missing:  # found already; what builds on it cannot be looked at
        return [*f.texts, f"no key {missing}"]


def _check(f, report):
    if not f.keys("the report", report, TOP, GROWN["top"]):
        return f.texts
    f.equal("schema", report["schema"], "vernier-report/1")
    f.holds(f"backend is {report['backend']}", report["backend"] in ("sim", "reference"))
    f.keys("model", report["model"], ["file", "sha256", "name"])
    f.holds("model.sha256", len(report["model"]["sha256"]) == 64)
    for key in ("name", "macs_per_cycle", "clock_hz", "memory_mode"):
        f.holds(f"config has no {key}", key in report["config"])
    for output in report["outputs"]:
        f.keys("an output", output, ["tensor", "file", "shape", "dtype"])
    for entry in report["approximations"]:
        f.keys("an approximation", entry, ["what", "error"])
    _check_comparison(f, report)
    _check_host_seconds(f, report["host_seconds"])
    if not f.keys("totals", report["totals"], TOTALS, GROWN["totals"]):
        return f.texts
    for index, layer in enumerate(report["layers"]):
        _check_layer(f, index, layer, report)
    _check_sums(f, report)
    if report["backend"] == "reference":
        for key in ["cycles", *TRAFFIC]:
            f.equal(f"totals.{key} on the reference", report["totals"][key], 0)
        f.equal("units on the reference", report["units"], {})
        f.equal("check.result on the reference", report["check"]["result"], "skipped")
    else:
        f.holds("no cycles", report["totals"]["cycles"] > 0)
        f.holds("no approximations are listed", report["approximations"])
        written, needed = report["totals"]["sram_written_peak_bytes"], report["totals"]["sram_peak_bytes"]
        f.holds(f"{written} bytes of SRAM were used, {needed} are needed", 0 < written <= needed)
        _check_units(f, report)
    return f.texts


def without_host_seconds(report):
    return {key: value for key, value in report.items() if key != "host_seconds"}


def main(paths):
    failed = False
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for text in check(json.load(file)):
                print(f"{path}: {text}")
                failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
