# SPDX-License-Identifier: Apache-2.0
"""The benchmark networks, and one measured run of one of them."""

import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Of the 126 in tests/golden/networks: one for each mapping whose speed matters, and the larger graphs.
MADE_NETWORKS = (
    "conv_1x1",
    "conv_3x3_pad",
    "conv_deep",
    "conv_first_10x4",
    "conv_first_c3",
    "depthwise_c48",
    "depthwise_separable",
    "fc_200_17",
    "avg_pool_global",
    "residual_block",
    "softmax_rows",
    "unary_chain",
    "small_classifier",
)


class Network:
    def __init__(self, name, model, inputs, is_own):
        self.name, self.model, self.inputs, self.is_own = name, model, inputs, is_own


class Refused(Exception):
    """The program's own line about what it does not take (exit code 2)."""


class Failed(Exception):
    """A run that ended otherwise than well: what it printed, or its exit code."""


def own_networks():
    networks = [Network("demo", ROOT / "tests/e2e/demo/demo.tosa", [], True)]
    for name in MADE_NETWORKS:
        folder = ROOT / "tests/golden/networks" / name
        networks.append(Network(name, folder / "model.tosa", sorted(folder.glob("TosaInput_*.npy")), True))
    return networks


def golden_networks():
    """Real-size networks that lie beside the source tree; empty where they do not."""
    networks = []
    for folder in sorted((ROOT.parent / "shared/golden/nets").glob("*/")):
        model, first_input = folder / "model.tosa", folder / "seed0/input0.npy"
        if model.is_file() and first_input.is_file():
            networks.append(Network(folder.name, model, [first_input], False))
    return networks


def command_of(vernier, network, config, report):
    command = [str(vernier), "run", str(network.model), "-q", "--config", config, "--report", str(report)]
    for file in network.inputs:
        # A single input needs no name; several are files named after their tensors.
        command += ["--input", str(file) if len(network.inputs) == 1 else f"{file.stem}={file}"]
    return command


def run_child(command, output):
    """Exit code, peak memory in KiB and CPU seconds of a process; what it prints goes to the file `output`."""
    spawn = [sys.executable, "-I", "-S", "-B", str(pathlib.Path(__file__).with_name("spawn.py")), str(output), *command]
    code, peak_kib, cpu_seconds = subprocess.run(spawn, stdout=subprocess.PIPE, check=True, text=True).stdout.split()
    return int(code), int(peak_kib), float(cpu_seconds)


def measure(vernier, network, config, num_runs):
    """A row of the table: the run with the least total time of num_runs; cycles have to be the same in all of them."""
    best = None
    with tempfile.TemporaryDirectory() as folder:
        report_file, output_file = pathlib.Path(folder) / "report.json", pathlib.Path(folder) / "output.txt"
        for _ in range(num_runs):
            code, peak_kib, _ = run_child(command_of(vernier, network, config, report_file), output_file)
            if code != 0:
                said = output_file.read_text(errors="replace").strip().splitlines()
                message = said[0] if said else f"exit code {code}"
                raise (Refused if code == 2 else Failed)(message)
            report = json.loads(report_file.read_text())
            row = row_of(network, config, report, peak_kib)
            if best and row["cycles"] != best["cycles"]:
                raise Failed(f"{best['cycles']} cycles in one run, {row['cycles']} in another")
            if best is None or row["total_seconds"] < best["total_seconds"]:
                best = row
    return best


def row_of(network, config, report, peak_kib):
    totals, seconds = report["totals"], report["host_seconds"]
    macs_per_cycle = report["config"]["macs_per_cycle"]
    return {
        "network": network.name,
        "config": config,
        "cycles": totals["cycles"],
        "least_cycles": -(-totals["macs"] // macs_per_cycle),
        "mac_utilization_percent": totals["mac_utilization_percent"],
        "commands": totals["commands"],
        "compile_seconds": seconds["compile"],
        "simulate_seconds": seconds["simulate"],
        "check_seconds": seconds["check"],
        "total_seconds": seconds["total"],
        "peak_mib": peak_kib / 1024,
    }
