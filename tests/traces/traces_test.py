# SPDX-License-Identifier: Apache-2.0
"""The traces in traces/: schedule, commands with their cycles, sums and a short wave of a few networks, as text.

usage: traces_test.py VERNIER [--update]. A change that was not meant shows here as a difference of two texts; --update writes what is
there now. Cases whose network is not there are skipped; when all are, the exit code is 77."""

import argparse
import difflib
import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TRACES = ROOT / "traces"
SKIPPED = 77


def execute(vernier, folder, *arguments):
    done = subprocess.run([vernier, *map(str, arguments)], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{arguments}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def stalls(entry):
    return ", ".join(f"{name} {cycles}" for name, cycles in entry.items() if cycles) or "-"


def commands_text(report):
    lines = ["command unit queue start end busy stalls | waits before"]
    for c in report["commands"]:
        lines.append(f"{c['command_idx']} {c['unit']} {c['queue'] or '-'} {c['start_cycle']} {c['end_cycle']} {c['busy_cycles']} "
                     f"{stalls(c['stall_cycles'])} | {stalls(c['wait_cycles'])}")
    return "\n".join(lines) + "\n"


def sums_text(report):
    totals = report["totals"]
    lines = [f"{name} {totals[name]}" for name in ("cycles", "macs", "sram_read_bytes", "sram_write_bytes", "external_read_bytes",
                                                   "external_write_bytes", "sram_peak_bytes", "commands")]
    lines += [f"{name}: busy {unit['busy_cycles']}, idle {unit['idle_cycles']}, {stalls(unit['stall_cycles'])}"
              for name, unit in report["units"].items()]
    lines += [f"layer {layer['layer_idx']}: {layer['attributed_cycles']} cycles from {layer['first_cycle']} to {layer['last_cycle']}, "
              f"bound by {layer['bound_by']} ({layer['bound_detail']})" for layer in report["layers"]]
    return "\n".join(lines) + "\n"


def traces_of(vernier, case):
    """The texts of a case by file name."""
    network = ROOT / case["network"]
    options = case["options"]
    with tempfile.TemporaryDirectory(prefix="vernier_traces_") as name:
        folder = pathlib.Path(name)
        schedule = execute(vernier, folder, "compile", network, *options, "--dump", "schedule")
        execute(vernier, folder, "run", network, *options, "-q", "--report", "r.json", "--wave", "wave.vcd", "--wave-window", case["window"])
        report = json.loads((folder / "r.json").read_text())
        provenance = {"network": case["network"], "sha256": hashlib.sha256(network.read_bytes()).hexdigest(),
                      "command": " ".join(["vernier", "run", pathlib.Path(case["network"]).name, *options, "--wave", "wave.vcd",
                                           "--wave-window", case["window"]]), "check": report["check"]["result"]}
        return {"provenance.json": json.dumps(provenance, indent=2) + "\n", "schedule.txt": schedule, "commands.txt": commands_text(report),
                "sums.txt": sums_text(report), "wave.vcd": (folder / "wave.vcd").read_text(),
                "wave.vcd.gtkw": (folder / "wave.vcd.gtkw").read_text()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vernier")
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    vernier = str(pathlib.Path(options.vernier).resolve())
    cases = json.loads((TRACES / "cases.json").read_text())
    there = {name: case for name, case in cases.items() if (ROOT / case["network"]).exists()}
    stale = 0
    for name, case in there.items():
        for file, text in traces_of(vernier, case).items():
            path = TRACES / name / file
            if options.update:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
                continue
            kept = path.read_text() if path.exists() else ""
            if kept != text:
                stale += 1
                difference = list(difflib.unified_diff(kept.splitlines(), text.splitlines(), f"traces/{name}/{file}", "now", lineterm="", n=1))
                print("\n".join(difference[:40]), file=sys.stderr)
    print(f"{len(there)} of {len(cases)} cases, {stale} files differ")
    if stale:
        print("traces_test.py VERNIER --update writes what is there now, where the change is meant", file=sys.stderr)
    return 1 if stale else 0 if there else SKIPPED


if __name__ == "__main__":
    sys.exit(main())
