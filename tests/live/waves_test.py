# SPDX-License-Identifier: Apache-2.0
"""Waves as other people's readers see them, FST through pywellen (the library that Surfer reads with) and VCD through vcdvcd, against
the report of the same run.

usage: waves_test.py VERNIER FOLDER. The packages are installed from PyPI into FOLDER, once; exit code 77, with a message, where they
cannot be had."""

import collections
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
import program
import pypi

PACKAGES = ("pywellen==0.25.7", "vcdvcd==2.6.0")
CYCLE = 1000
UNITS = ("mac_array", "vector_unit", "dma", "command_processor")
FLOWS = {"sram_read": "words", "sram_write": "words", "external_read": "bytes", "external_write": "bytes"}
QUEUES = {"dma0": "npu.dma.channel0", "dma1": "npu.dma.channel1", "mac": "npu.mac_array", "vec": "npu.vector_unit"}
# Prints {path: [[time, value], ...]} of a wave.
READERS = {"w.fst": """
import json, sys, pywellen
found = {}
for var in pywellen.Waveform(path=sys.argv[1]).all_vars():
    labels = {int(digits, 2): label for digits, label in var.enum_type[1]} if var.enum_type else {}
    found[var.full_name] = [[int(time), labels[value] if labels else value if isinstance(value, (int, float)) else str(value)]
                            for time, value in var.tv]
print(json.dumps(found))
""", "w.vcd": """
import json, sys, vcdvcd
wave = vcdvcd.VCDVCD(sys.argv[1])
print(json.dumps({name.split("[")[0]: [[int(time), value] for time, value in wave[name].tv] for name in wave.signals}))
"""}


def read(python, folder, name):
    text = subprocess.run([python, "-c", READERS[name], folder / name], capture_output=True, text=True, check=True).stdout
    return {path: [tuple(change) for change in changes] for path, changes in json.loads(text).items()}


def stretches(changes, end):
    return [(time, changes[i + 1][0] if i + 1 < len(changes) else end, value) for i, (time, value) in enumerate(changes)]


def number(value):
    """Of a variable of bits, as either reader gives it: none where it has no value."""
    if isinstance(value, int):
        return value
    return int(value, 2) if set(value) <= {"0", "1"} else None


def check_numbers(case, wave, report):
    """Commands and what moves: both formats have them as numbers."""
    end = report["totals"]["cycles"] * CYCLE
    for queue, scope in QUEUES.items():
        main = [s for s in stretches(wave[f"{scope}.command"], end) if number(s[2]) is not None]
        commands = [c for c in report["commands"] if c.get("queue") == queue]
        case.assertEqual([(number(s[2]), s[0] // CYCLE) for s in main], [(c["command_idx"], c["start_cycle"]) for c in commands], queue)
        most = max(number(value) for _, value in wave[f"{scope}.queue_depth"])
        case.assertEqual(most, next(q["most_commands"] for q in report["queues"] if q["queue"] == queue), queue)
    for flow, unit in FLOWS.items():
        amount = sum((stop - begin) / CYCLE * float(rate) for begin, stop, rate in stretches(wave[f"npu.arbiter.{flow}_{unit}_per_cycle"], end))
        bytes_each = report["config"]["sram_word_bytes"] if unit == "words" else 1
        case.assertAlmostEqual(amount * bytes_each, report["totals"][f"{flow}_bytes"], places=3, msg=flow)


def check_states(case, wave, report):
    """States by their names, layers beside their commands: vcdvcd passes texts over, pywellen has them."""
    end = report["totals"]["cycles"] * CYCLE
    for unit in UNITS:
        cycles = collections.Counter()
        for begin, stop, state in stretches(wave[f"npu.{unit}.state"], end):
            cycles[state] += (stop - begin) // CYCLE
        said = report["units"][unit]
        case.assertEqual(+cycles, +collections.Counter({"busy": said["busy_cycles"], "idle": said["idle_cycles"], **said["stall_cycles"]}), unit)
    layers = dict(wave["npu.mac_array.layer"])
    for c in report["commands"]:
        if c["unit"] == "mac_array" and c["start_cycle"] * CYCLE in layers:
            case.assertIn(layers[c["start_cycle"] * CYCLE], next(entry["source_name"] for entry in report["layers"] if entry["layer_idx"] == c["layer_idx"]))


def main():
    options = pypi.parse_options("--runs", 3)
    python = pypi.python_with(options.folder, *PACKAGES)
    case = unittest.TestCase()
    with tempfile.TemporaryDirectory(prefix="vernier_live_") as name:
        folder = pathlib.Path(name)
        for mode in ("sram", "weights-external", "external")[:options.runs]:
            run = [options.vernier, "run", program.DEMO, "-q", "--memory", mode, "--report", folder / "r.json"]
            has_fst = subprocess.run([*run, "--wave", folder / "w.fst"], capture_output=True, check=False).returncode == 0
            subprocess.run([*run, "--wave", folder / "w.vcd"], check=True)
            report = program.read_json(folder / "r.json")
            check_numbers(case, read(python, folder, "w.vcd"), report)
            print(f"{mode}: VCD as the report has it")
            if not has_fst:
                print(f"{mode}: no FST, this program has no writer of it")
                continue
            wave = read(python, folder, "w.fst")
            check_numbers(case, wave, report)
            check_states(case, wave, report)
            print(f"{mode}: FST as the report has it")


if __name__ == "__main__":
    main()
