# SPDX-License-Identifier: Apache-2.0
# Long because: it holds every field of the report against the others.
"""What has to hold in every JSON report (docs/reference/report.md): its keys, and that its parts sum to its totals.

check() returns findings as texts; run by itself it checks files: report_checks.py REPORT.json ...
"""

import json
import math
import sys

import attribution

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
# Which bound a cause of attributed cycles speaks for; every other one: control.
CAUSES = {
    "compute": ["array", "epilogue"],
    "sram": ["dma_in_sram", "waiting_for_copy", "weight_load", "bank_conflict", "port_contention"],
    "external": ["dma_external", "waiting_for_load", "external_memory"],
    "vector": ["vector_unit", "rescale_contention"],
}
COMMAND = ["command_idx", "layer_idx", "unit", "queue", "start_cycle", "end_cycle", "busy_cycles", "stall_cycles", "wait_cycles",
           *TRAFFIC, "dispatch_cycle"]
QUEUE = ["queue", "depth_commands", "most_commands", "full_cycles", "holding_cycles", "least_depth_commands"]
SRAM_BLOCK = ["name", "is_constant", "begin_byte", "end_byte", "first_cycle", "end_cycle"]
QUEUES = {"mac_array": ["mac"], "vector_unit": ["vec"], "dma": ["dma0", "dma1"], "command_processor": [""]}
# What has been added to the first form of schema /1.
GROWN = {"check": ["tensors_compared", "elements_different", "folded", "iterations_compared"],
         "layer": ["in_flight_cycles", "working_cycles", "spent_cycles", "attributed_cycles_by", "bound_detail", "share_percent",
                   "main_operator"],
         "top": ["commands", "notes", "assumes", "bandwidth", "costliest_layers", "run", "injected", "queues", "sram_blocks", "rtl", "measured", "control", "variables", "accuracy", "tflite_rounding"],
         "difference": ["layer_name", "operators", "unit", "start_cycle", "operands"],
         "totals": ["planned_sram_bytes", "sram_parity_errors", "sram_written_peak_bytes", "sram_peak_map_bytes", "sram_peak_weight_bytes", "sram_peak_command_bytes",
                    "sram_peak_gap_bytes", "external_footprint_bytes", "image_bytes", "first_inference_cycles",
                    "first_inference_loaded_bytes", "following_inference_cycles", "least_external_bytes_per_cycle", "frames_per_second"]}
RTL = ["commands", "commands_in_part", "commands_without_rtl", "vectors", "mismatches", "cycle_mismatches", "model_cycles",
       "memory", "memory_commands", "unused", "rtl_cycles", "modes", "slowest_commands", "command_cycles", "first_mismatches", "mismatch_details"]
CONTROL = ["boot_cycles", "submit_cycles", "between_cycles", "interrupt_cycles", "firmware_instructions", "firmware_sleep_cycles", "firmware_bus_cycles", "job_overhead_cycles", "firmware"]
PORTS = ["sram_read", "sram_write", "external_read", "external_write", "external_both"]
PORT = ["bytes", "average_bytes_per_second", "peak_bytes_per_second", "peak_layer_idx", "limit_bytes_per_second"]

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
    working = layer["working_cycles"]
    f.holds(f"{what}: {working} cycles at work", 0 < working <= layer["last_cycle"] - layer["first_cycle"])
    f.holds(f"{what}: {in_flight} cycles in flight", working <= in_flight <= cycles)
    _check_bound(f, what, layer)
    expected = 100.0 * layer["macs"] / (working * report["config"]["macs_per_cycle"]) if working else 0.0
    f.holds(f"{what}: utilisation {layer['mac_utilization_percent']}, expected {expected}",
            abs(layer["mac_utilization_percent"] - expected) <= 0.01 and expected <= 100.0)
    flights = sum(c["end_cycle"] - c["start_cycle"] for c in report["commands"][:-1] if c["layer_idx"] == index)  # not END
    spent = sum(cycles for name, cycles in layer["spent_cycles"].items() if name != "nothing_in_flight")
    f.equal(f"{what}: spent_cycles of its commands", spent, flights)
    f.equal(f"{what}: nothing_in_flight", layer["spent_cycles"].get("nothing_in_flight", 0),
            max(0, layer["attributed_cycles"] - in_flight))


def _check_bound(f, what, layer):
    """The causes of its cycles sum to them, and the bound with most of them is the one that is told."""
    by = layer["attributed_cycles_by"]
    f.holds(f"{what}: causes {by}", all(cycles > 0 for cycles in by.values()))
    f.equal(f"{what}: causes of its cycles", sum(by.values()), layer["attributed_cycles"])
    f.holds(f"{what}: bound_detail says nothing", layer["bound_detail"])
    if not by:
        return
    sums = {bound: sum(by.get(cause, 0) for cause in CAUSES.get(bound, [])) for bound in BOUNDS}
    sums["control"] = sum(by.values()) - sum(sums.values())
    f.equal(f"{what}: bound_by", layer["bound_by"], max(BOUNDS, key=sums.get))


def _check_commands(f, report):
    commands, sums = report["commands"], {}
    for index, command in enumerate(commands):
        what = f"command {index}"
        if not f.keys(what, command, COMMAND):
            return
        f.equal(f"{what}: command_idx", command["command_idx"], index)
        f.holds(f"{what}: queue {command['queue']} of {command['unit']}", command["queue"] in QUEUES.get(command["unit"], []))
        f.holds(f"{what}: a count of 0", 0 not in [*command["stall_cycles"].values(), *command["wait_cycles"].values()])
        f.equal(f"{what}: busy and stalls", command["busy_cycles"] + sum(command["stall_cycles"].values()),
                command["end_cycle"] - command["start_cycle"])
        of_unit = sums.setdefault(command["unit"], {"busy_cycles": 0})
        of_unit["busy_cycles"] += command["busy_cycles"]
        for name, cycles in [*command["stall_cycles"].items(), *command["wait_cycles"].items()]:
            of_unit[name] = of_unit.get(name, 0) + cycles
    f.equal("unit of the last command", commands[-1]["unit"], "command_processor")
    f.equal("totals.commands", report["totals"]["commands"], len(commands))
    for key in TRAFFIC:
        of_layers = [0] * len(report["layers"])
        for command in commands:
            of_layers[command["layer_idx"]] += command[key]
        f.equal(f"{key} of the commands of each layer", of_layers, [layer[key] for layer in report["layers"]])
        f.equal(f"{key} of all commands", sum(of_layers), report["totals"][key])
    # One command of the vector unit at a time: what its commands say is what the unit says.
    vector = report["units"]["vector_unit"]
    f.equal("what commands say of the vector unit", sums.get("vector_unit", {"busy_cycles": 0}),
            {"busy_cycles": vector["busy_cycles"], **vector["stall_cycles"]})
    f.texts += attribution.differences(report)


def _check_sram_blocks(f, report):
    """Where they lie and when: inside what the program needs, from the start of a command to the end of one."""
    cycles, blocks = report["totals"]["cycles"], report["sram_blocks"]
    starts = {0, *(command["start_cycle"] for command in report["commands"])}
    ends = {cycles, *(command["end_cycle"] for command in report["commands"])}
    for block in blocks:
        if not f.keys(f"block {block.get('name')}", block, SRAM_BLOCK):
            return
        f.holds(f"block {block}: addresses", 0 <= block["begin_byte"] <= block["end_byte"])
        f.holds(f"block {block}: cycles", block["first_cycle"] in starts and block["end_cycle"] in ends and block["first_cycle"] <= block["end_cycle"])
    f.equal("end of the highest block", max((block["end_byte"] for block in blocks), default=0), report["totals"]["sram_peak_bytes"])


def _check_queues(f, report):
    """Made anew from the cycles in which commands entered and left them. A queue that is full holds up the next command from the
    cycle in which it has come: after the dispatch of the one before it and its fetching, which nothing slows."""
    f.equal("the list of queues", [queue["queue"] for queue in report["queues"]], ["dma0", "dma1", "mac", "vec"])
    held = 0
    for queue in report["queues"]:
        if not f.keys(f"queue {queue['queue']}", queue, QUEUE):
            continue
        what, depth = f"queue {queue['queue']}", queue["depth_commands"]
        f.equal(f"{what}: depth", depth, report["config"]["queue_depth_commands"])
        changes = {}
        for command in report["commands"]:
            if command["queue"] == queue["queue"]:
                changes[command["dispatch_cycle"]] = changes.get(command["dispatch_cycle"], 0) + 1
                changes[command["start_cycle"]] = changes.get(command["start_cycle"], 0) - 1
        waiting, most, full, last = 0, 0, 0, 0
        for cycle in sorted(changes):
            full += (cycle - last) * (waiting == depth)
            waiting, last = waiting + changes[cycle], cycle
            most = max(most, waiting)
        f.equal(f"{what}: most commands", queue["most_commands"], most)
        f.equal(f"{what}: full cycles", queue["full_cycles"], full)
        f.holds(f"{what}: {queue['holding_cycles']} of {full} cycles hold up commands", 0 <= queue["holding_cycles"] <= full)
        f.equal(f"{what}: least depth", queue["least_depth_commands"], None if queue["holding_cycles"] else most)
        held += queue["holding_cycles"]
    f.equal("cycles in which queues hold up commands", held,
            report["units"]["command_processor"]["stall_cycles"].get("queue_full", 0))


def _check_sums(f, report):
    totals, layers = report["totals"], report["layers"]
    f.equal("attributed_cycles of all layers", sum(layer["attributed_cycles"] for layer in layers), totals["cycles"])
    for key in ["macs", *TRAFFIC]:
        f.equal(f"{key} of all layers", sum(layer[key] for layer in layers), totals[key])
    if "frames_per_second" in totals:
        frames = totals["frames_per_second"] * totals["seconds"]  # none where there is no machine
        f.holds("totals.frames_per_second", abs(frames - (1 if totals["cycles"] else 0)) <= 1e-6)
    f.holds("totals.seconds", abs(totals["seconds"] * report["config"]["clock_hz"] - totals["cycles"]) <= 1e-6 * totals["cycles"])
    peak = totals["cycles"] * report["config"]["macs_per_cycle"]
    expected = 100.0 * totals["macs"] / peak if peak else 0.0
    f.holds("totals.mac_utilization_percent", abs(totals["mac_utilization_percent"] - expected) <= 0.01)
    f.holds("more SRAM in use than there is", totals["sram_peak_bytes"] <= report["config"]["sram_bytes"])


def _check_figures(f, report):
    """What is derived from the counts."""
    totals, layers, cycles = report["totals"], report["layers"], report["totals"]["cycles"]
    for index, layer in enumerate(layers):
        expected = 100.0 * layer["attributed_cycles"] / cycles if cycles else 0.0
        f.holds(f"layer {index}: share {layer['share_percent']}, expected {expected}",
                abs(layer["share_percent"] - expected) <= 0.0051)
        main = layer["main_operator"]
        f.holds(f"layer {index}: main operator {main['name']} is none of its own", main["name"] in layer["operators"])
        f.equal(f"layer {index}: axes of kernel and stride", len(main["kernel"]), len(main["stride"]))
    peak = [totals[f"sram_peak_{part}_bytes"] for part in ("map", "weight", "command", "gap")]
    f.holds(f"parts of the SRAM peak: {peak}", min(peak) >= 0)
    f.equal("parts of the SRAM peak", sum(peak), totals["sram_peak_bytes"])
    in_sram = report["config"]["memory_mode"] == "sram"
    planned_bytes = totals["planned_sram_bytes"]
    f.holds("the plan is for a size of SRAM that there is", 0 <= planned_bytes <= report["config"]["sram_bytes"])
    f.holds("there is a plan", (planned_bytes > 0) == (cycles > 0 and not in_sram))
    f.holds("external memory is occupied", (totals["external_footprint_bytes"] > 0) == (cycles > 0 and not in_sram))
    f.equal("following_inference_cycles", totals["following_inference_cycles"], cycles)
    f.holds("bytes are loaded first", (totals["first_inference_loaded_bytes"] > 0) == (cycles > 0 and in_sram))
    burst, loaded = report["config"]["external_burst_bytes"], 0
    if in_sram:
        loaded = -(-totals["image_bytes"] // burst) * burst
    f.equal("first_inference_loaded_bytes", totals["first_inference_loaded_bytes"], loaded)
    waits = report["config"]["external_latency_cycles"] + math.ceil(loaded / report["config"]["external_bytes_per_cycle"] - 1e-9)
    f.equal("first_inference_cycles", totals["first_inference_cycles"], cycles + (waits if loaded else 0))
    costliest = sorted((index for index in range(len(layers)) if layers[index]["attributed_cycles"]),
                       key=lambda index: -layers[index]["attributed_cycles"])
    f.equal("costliest_layers", report["costliest_layers"], costliest[:5])
    _check_bandwidth(f, report)


def _check_bandwidth(f, report):
    totals, config = report["totals"], report["config"]
    f.equal("the list of ports", list(report["bandwidth"]), PORTS if totals["cycles"] else [])
    for name, port in report["bandwidth"].items():
        if not f.keys(f"port {name}", port, PORT):
            continue
        moved = (totals["external_read_bytes"] + totals["external_write_bytes"] if name == "external_both"
                 else totals[f"{name}_bytes"])
        f.equal(f"bytes of port {name}", port["bytes"], moved)
        f.holds(f"average of port {name}", abs(port["average_bytes_per_second"] - moved / totals["seconds"]) <= 1)
        f.holds(f"peak of port {name} is {port['peak_bytes_per_second']:.0f}, below the average",
                port["peak_bytes_per_second"] >= port["average_bytes_per_second"] * (1 - 1e-9))
        if name.startswith("sram"):
            limit = config[f"{name}_bytes_per_cycle"]
        else:
            limit = config["external_bytes_per_cycle"] if config["external_is_full_duplex"] != (name == "external_both") else 0
        f.holds(f"limit of port {name}", abs(port["limit_bytes_per_second"] - limit * config["clock_hz"]) <= 1)
        f.equal(f"port {name} has a busiest layer", port["peak_layer_idx"] >= 0, port["peak_bytes_per_second"] > 0)


def _check_rtl(f, report):
    f.equal("a part of RTL", "rtl" in report, report["backend"] == "rtl")
    if "rtl" not in report:
        return
    if not f.keys("rtl", rtl := report["rtl"], RTL, ["core"]):
        return
    units = [command["unit"] for command in report["commands"]]
    f.equal("commands with RTL and without", rtl["commands"] + rtl["commands_without_rtl"], len(units) - 1)  # END
    f.equal("commands of the units that have RTL", rtl["commands"], units.count("mac_array") + units.count("vector_unit"))
    f.equal("commands in part", rtl["commands_in_part"], 0)
    f.equal("a first mismatch", bool(rtl["first_mismatches"]), rtl["mismatches"] > 0)
    f.equal("mismatches as values", [text for text, detail in zip(rtl["first_mismatches"], rtl["mismatch_details"], strict=True)
                                     if any(str(detail[key] or "") not in text for key in ("unit", "port", "actual"))], [])
    used = [unit for unit in ("mac_array", "vector_unit") if unit in {command["unit"] for command in rtl["command_cycles"]}]
    f.equal("units with modes", [modes["unit"] for modes in rtl["modes"]], used)
    for modes in rtl["modes"]:
        f.keys("modes", modes, ["unit", "reached", "all"])
        f.holds("some modes are reached", 0 < modes["reached"] <= modes["all"])
    for command in rtl["slowest_commands"]:
        f.keys("a slowest command", command, ["command_idx", "unit", "cycles"])
        f.equal("unit of a slowest command", command["unit"], units[command["command_idx"]])
    cycles = [command["cycles"] for command in rtl["slowest_commands"]]
    f.equal("slowest commands", cycles, sorted(cycles, reverse=True))
    for command in rtl["command_cycles"]:
        f.keys("cycles of a command", command, ["command_idx", "unit", "model_cycles", "rtl_cycles"])
        f.equal("unit of a command with cycles of RTL", command["unit"], units[command["command_idx"]])
    if "core" in rtl:
        return _check_core(f, report, units)
    f.equal("commands with cycles of RTL", len({command["command_idx"] for command in rtl["command_cycles"]}),
            rtl["commands"] - rtl["commands_in_part"])


def _check_core(f, report, units):
    """All commands together on the core with its memory."""
    rtl, core = report["rtl"], report["rtl"]["core"]
    keys = ["total_cycles", "model_total_cycles", "compared_bytes", "wrong_bytes", "worst_command", "commands"]
    if not f.keys("rtl.core", core, keys):
        return
    f.equal("lists of commands alone", (rtl["command_cycles"], rtl["slowest_commands"], rtl["modes"]), ([], [], []))
    f.equal("wrong bytes", core["wrong_bytes"] > 0, rtl["mismatches"] > 0)
    f.equal("commands on the core", [command["command_idx"] for command in core["commands"]], list(range(len(units) - 1)))
    for command in core["commands"]:
        f.equal("unit of a command on the core", command["unit"], units[command["command_idx"]])
        of_model = report["commands"][command["command_idx"]]
        f.equal("the model's edges", [command["model_start_cycle"], command["model_end_cycle"]], [of_model["start_cycle"], of_model["end_cycle"]])
    for key, end in (("total_cycles", "end_cycle"), ("model_total_cycles", "model_end_cycle")):
        f.equal(key, core[key], max((command[end] for command in core["commands"]), default=0))
    f.holds("wrong bytes are among those compared", 0 <= core["wrong_bytes"] <= core["compared_bytes"])
    f.equal("commands of the DMA on the core", sum(command["unit"] == "dma" for command in core["commands"]), rtl["commands_without_rtl"])
    apart = {command["command_idx"]: _percent_apart(command) for command in core["commands"] if command["unit"] != "dma"}
    f.equal("a worst command", core["worst_command"] is not None, bool(apart))
    if worst := core["worst_command"]:
        f.keys("rtl.core.worst_command", worst, ["command_idx", "unit", "cycles", "model_cycles", "percent"])
        command = core["commands"][worst["command_idx"]]
        f.equal("cycles of the worst command", [worst["unit"], worst["cycles"], worst["model_cycles"]],
                [command["unit"], command["end_cycle"] - command["start_cycle"], command["model_end_cycle"] - command["model_start_cycle"]])
        f.holds("per cent of the worst command", abs(apart[worst["command_idx"]] - worst["percent"]) < 0.01)
        f.holds("no command is further off than the worst one", max(map(abs, apart.values())) < abs(worst["percent"]) + 0.01)


def _percent_apart(command):
    """How much longer a command took than in the model, of 100 cycles at least."""
    cycles, model = (command[f"{of}end_cycle"] - command[f"{of}start_cycle"] for of in ("", "model_"))
    return 100 * (cycles - model) / max(model, 100)


def _check_control(f, report):
    if "control" not in report:
        return
    control = report["control"]
    if not f.keys("control", control, CONTROL):
        return
    f.equal("overhead of the control path", control["submit_cycles"] + control["between_cycles"] + control["interrupt_cycles"], control["job_overhead_cycles"])
    f.keys("firmware of control", control["firmware"], ["file", "sha256"])
    for name in CONTROL[:-1]:
        f.holds(f"{name} of control is above zero", control[name] > 0 or name == "between_cycles")


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
        f.keys("first_difference", difference, DIFFERENCE, GROWN["difference"])
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
    f.holds(f"backend is {report['backend']}", report["backend"] in ("sim", "rtl", "reference"))
    _check_rtl(f, report)
    _check_control(f, report)
    f.keys("model", report["model"], ["file", "sha256", "name"])
    f.holds("model.sha256", len(report["model"]["sha256"]) == 64)
    for key in ("name", "macs_per_cycle", "clock_hz", "memory_mode"):
        f.holds(f"config has no {key}", key in report["config"])
    for output in report["outputs"]:
        f.keys("an output", output, ["tensor", "file", "shape", "dtype"], ["float_file"])
    for entry in report["approximations"]:
        f.keys("an approximation", entry, ["what", "error", "bound_percent", "worst_case_percent", "estimate_percent"])
        f.equal("worst_case_percent", entry["worst_case_percent"], entry["bound_percent"])
        f.holds(f"bound of '{entry['what']}'", entry["bound_percent"] is None or entry["bound_percent"] > 0)
        if entry["estimate_percent"] is not None:  # one in eight of the words that could meet in a bank
            f.holds(f"estimate of '{entry['what']}'", abs(entry["estimate_percent"] - entry["bound_percent"] / 8) <= 0.01)
    _check_comparison(f, report)
    _check_host_seconds(f, report["host_seconds"])
    if not f.keys("totals", report["totals"], TOTALS, GROWN["totals"]):
        return f.texts
    for index, layer in enumerate(report["layers"]):
        _check_layer(f, index, layer, report)
    _check_sums(f, report)
    _check_figures(f, report)
    if report["backend"] == "reference":
        for key in ["cycles", *TRAFFIC]:
            f.equal(f"totals.{key} on the reference", report["totals"][key], 0)
        f.equal("units on the reference", report["units"], {})
        f.equal("queues on the reference", report["queues"], [])
        f.equal("blocks of SRAM on the reference", report["sram_blocks"], [])
        f.equal("check.result on the reference", report["check"]["result"], "skipped")
    else:
        f.holds("no cycles", report["totals"]["cycles"] > 0)
        f.holds("no approximations are listed", report["approximations"])
        written, needed = report["totals"]["sram_written_peak_bytes"], report["totals"]["sram_peak_bytes"]
        f.holds(f"{written} bytes of SRAM were used, {needed} are needed", 0 <= written <= needed and (written > 0) == (needed > 0))
        _check_units(f, report)
        _check_commands(f, report)
        _check_queues(f, report)
        _check_sram_blocks(f, report)
    return f.texts


def without_host_seconds(report):
    """What two runs of the same thing have in common, however they were asked for."""
    return {key: value for key, value in report.items() if key not in ("host_seconds", "run")}


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
