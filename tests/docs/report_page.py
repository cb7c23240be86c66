# SPDX-License-Identifier: Apache-2.0
"""Every field of the reports of real runs stands in docs/reference/report.md, and every field there is in a report.

usage: report_page.py SOURCE_ROOT VERNIER FLOW_PACKAGES"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
import npy
import onnx_file
import streaming_network
import tflite_draw
import tflite_file

# Objects whose keys are names of things, not of fields.
NAMED = ("units", "units.*.stall_cycles", "layers[].spent_cycles", "layers[].attributed_cycles_by", "commands[].stall_cycles",
         "commands[].wait_cycles", "bandwidth")
# What a program without RTL cannot show.
WITHOUT_RTL = {**dict.fromkeys(("commands", "commands_in_part", "commands_without_rtl", "vectors", "mismatches", "cycle_mismatches",
                                "model_cycles", "rtl_cycles"), 0),
               "memory": "ideal", "memory_commands": 0, "unused": None,
               "slowest_commands": [{"command_idx": 0, "unit": "", "cycles": 0}],
               "command_cycles": [{"command_idx": 0, "unit": "", "model_cycles": 0, "rtl_cycles": 0}], "first_mismatches": [], "mismatch_details": [],
               "core": {**dict.fromkeys(("total_cycles", "model_total_cycles", "compared_bytes", "wrong_bytes"), 0),
                        "worst_command": {"command_idx": 0, "unit": "", "cycles": 0, "model_cycles": 0, "percent": 0},
                        "commands": [{"command_idx": 0, "unit": "", "start_cycle": 0, "end_cycle": 0, "model_start_cycle": 0, "model_end_cycle": 0}]}}
NULLABLE = "check.first_difference."


def details_of(path):
    """The fields of mismatches as values, which only a report with mismatches has."""
    keys = ("kind", "unit", "port", "lane", "command", "cycle", "expected", "actual", "operands")
    return {f"{path}[].{key}" for key in keys}


def paths_of(value, path=""):
    """The paths of all leaves; an empty list or object gives its own path with a mark, so that it can be told apart."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from paths_of(inner, path + ".*" if path in NAMED else f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for inner in value:
            yield from paths_of(inner, path + "[]")
    else:
        yield path


def reports(root, vernier, flow_packages):
    """Reports of the demo network: compared tensor by tensor, and the reference alone; of a network in ONNX; of a package
    with control flow; and of a network with variables."""
    model = str(root / "tests/e2e/demo/demo.tosa")
    for options in (["--check-all"], ["--check-all", "--memory", "weights-external"], ["--backend", "reference"],
                    ["--control", "cpu"], ["--backend", "rtl"],
                    ["--backend", "rtl", "--rtl-scope", "core", "--config", "v64"]):
        run = subprocess.run([vernier, "run", model, "--report", "-", *options], capture_output=True, check=False)
        if run.returncode == 2 and b"built without Verilator" in run.stderr:
            yield {"rtl": WITHOUT_RTL, **{key: {} for key in ("units", "layers", "commands", "approximations")}}
            continue
        if run.returncode != 0:
            sys.exit(f"vernier run {' '.join(options)}: exit code {run.returncode}: {run.stderr.decode()[:400]}")
        yield json.loads(run.stdout)
    demo = root / "tests/e2e/demo"
    with tempfile.TemporaryDirectory() as folder:  # many inputs, and what is known of them
        known = ["--labels", demo / "labels.npy", "--expected", demo / "expected.npy", "--output-dir", folder]
        for options in ([], known):
            run = subprocess.run([vernier, "run", model, "--inputs", demo / "pictures.npy", "--report", "-", *options],
                                 capture_output=True, check=True)
            yield json.loads(run.stdout)
    with tempfile.TemporaryDirectory() as folder:  # an input of floats, and what is far from them
        paths = [pathlib.Path(folder) / name for name in ("small.tflite", "x.npy", "floats")]
        paths[0].write_bytes(tflite_file.small_classifier())
        npy.write(paths[1], npy.zeros("int8", (1, 12, 12, 1)))
        paths[2].mkdir()
        for name, shape, number in (("picture", (1, 12, 12, 1), 6.4), ("first_Relu", (1, 12, 12, 16), 9), ("other", (1,), 0)):
            values = npy.zeros("<f4", shape)
            for i in range(len(values.values)):
                values.values[i] = number
            npy.write(paths[2] / f"{name}.npy", values)
        for left_out in ("first_Relu", None):
            run = subprocess.run([vernier, "run", paths[0], "--input", paths[1], "--float-outputs", paths[2], "--report", "-"],
                                 capture_output=True, check=True)
            yield json.loads(run.stdout)
            if left_out:
                (paths[2] / f"{left_out}.npy").unlink()
    with tempfile.TemporaryDirectory() as folder:  # a network whose ends are floats
        model = pathlib.Path(folder) / "small.onnx"
        model.write_bytes(onnx_file.small())
        run = subprocess.run([vernier, "run", model, "--report", "-", "--output-dir", pathlib.Path(folder) / "out"],
                             capture_output=True, check=True)
        yield json.loads(run.stdout)
        content, _ = tflite_draw.draw("FULLY_CONNECTED", "int8", tflite_draw.rng_of("FULLY_CONNECTED", "int8", 0))
        (pathlib.Path(folder) / "net.tflite").write_bytes(content)
        run = subprocess.run([vernier, "run", pathlib.Path(folder) / "net.tflite", "--report", "-"], capture_output=True, check=True)
        yield json.loads(run.stdout)
        subprocess.run([flow_packages, folder], check=True)
        run = subprocess.run([vernier, "run", pathlib.Path(folder) / "counting.vnpu", "--no-check", "--report", "-"],
                             capture_output=True, check=True)
        yield json.loads(run.stdout)
        streaming_network.streaming_graph().write(pathlib.Path(folder) / "streaming.tosa")
        run = subprocess.run([vernier, "run", pathlib.Path(folder) / "streaming.tosa", "--report", "-"], capture_output=True, check=True)
        yield json.loads(run.stdout)


def disassembly(root, vernier):
    """What `disasm --report` says of the demo network."""
    with tempfile.TemporaryDirectory() as folder:
        package = str(pathlib.Path(folder) / "demo.vnpu")
        subprocess.run([vernier, "compile", str(root / "tests/e2e/demo/demo.tosa"), "-q", "-o", package], check=True)
        return json.loads(subprocess.run([vernier, "disasm", package, "--report", "-"], capture_output=True, check=True).stdout)


def rows_of(page, heading):
    """First cells, in backticks, of the tables under a header row that begins with `heading`."""
    names, inside = set(), False
    for line in page.splitlines():
        if not line.startswith("|"):
            inside = False
        elif line.startswith(f"| {heading} |"):
            inside = True
        elif inside and (match := re.match(r"\| (`[^`]+`(, `[^`]+`)*) \|", line)):
            names.update(re.findall("`([^`]+)`", match.group(1)))
    return names


def findings(root, vernier, flow_packages):
    page = (root / "docs/reference/report.md").read_text(encoding="utf-8")
    writer = (root / "sim/report/json.cpp").read_text(encoding="utf-8")
    stall_sources = [(root / "hw/spec/performance_counters.hpp").read_text(encoding="utf-8")]
    bound = (root / "sim/explain/bound.cpp").read_text(encoding="utf-8")
    attribution = (root / "sim/units/attribution.hpp").read_text(encoding="utf-8")
    record = (root / "docs/architecture/approximations.md").read_text(encoding="utf-8")
    lister = (root / "sim/report/approximations.cpp").read_text(encoding="utf-8")
    # The object is null in the reports of runs that went well: its keys are those that the writer puts there.
    block = re.search(r'"first_difference"\] = \{\{(.*?)\}\};', writer, re.DOTALL)
    nullable = {NULLABLE + key for key in re.findall(r'"(\w+)",', block.group(1))} if block else set()
    fields, stalls, spent, causes = (rows_of(page, heading) for heading in ("field", "stall", "spent", "cause"))
    found, found_stalls, found_spent, found_causes, units, approximations = set(), set(), set(), set(), set(), set()
    for report in reports(root, vernier, flow_packages):
        found.update(paths_of(report))
        units.update(report["units"])
        approximations.update(entry["what"] for entry in report["approximations"])
        for unit in report["units"].values():
            found_stalls.update(unit["stall_cycles"])
        for layer in report["layers"]:
            found_spent.update(layer["spent_cycles"])
            found_causes.update(layer["attributed_cycles_by"])
        for command in report["commands"]:
            found_stalls.update(command["stall_cycles"], command["wait_cycles"])

    defined = {path.removesuffix("[]") if path.startswith(NULLABLE) else path for path in fields}
    found = {path for path in found if not path.startswith(NULLABLE)} | nullable
    for path in sorted(found - defined):
        yield f"docs/reference/report.md does not define '{path}', which a report has"
    for path in sorted(defined - found - {"warnings[]", "notes[]", "rtl.first_mismatches[]"} - details_of("rtl.mismatch_details")):  # only of a network that violates a REQUIRE, or of some runs
        yield f"docs/reference/report.md defines '{path}', which no report has"
    for path in sorted(set(paths_of(disassembly(root, vernier))) ^ rows_of(page, "key")):
        yield f"'{path}' stands only in one of docs/reference/report.md and what disasm --report writes"
    for name in sorted(found_stalls - stalls):
        yield f"docs/reference/report.md does not define stall '{name}'"
    for name in sorted(stalls):
        if not any(f'"{name}"' in source for source in stall_sources):
            yield f"docs/reference/report.md defines stall '{name}', which no unit has"
    for name in sorted(found_spent - spent - stalls):
        yield f"docs/reference/report.md does not define '{name}' of spent_cycles"
    for name in sorted(spent):
        if not any(f'"{name}"' in source for source in [*stall_sources, bound]):
            yield f"docs/reference/report.md defines '{name}' of spent_cycles, which no layer has"
    for name in sorted(found_causes - causes - stalls):
        yield f"docs/reference/report.md does not define '{name}' of attributed_cycles_by"
    for name in sorted(causes):
        if not any(f'"{name}"' in source for source in [*stall_sources, attribution]):
            yield f"docs/reference/report.md defines '{name}' of attributed_cycles_by, which no layer has"
    for name in sorted(units):
        if f"`{name}`" not in page:
            yield f"docs/reference/report.md does not name unit '{name}'"
    listed = rows_of(record, "what the report says")
    for what in sorted(approximations - listed):
        yield f"approximation '{what}' stands only in a report, not in docs/architecture/approximations.md"
    for what in sorted(listed):  # a run lists what it touches
        if f'"{what}"' not in lister:
            yield f"approximation '{what}' stands only in docs/architecture/approximations.md, no report can list it"


def main():
    lines = list(findings(pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]))
    for line in lines:
        print(line)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
