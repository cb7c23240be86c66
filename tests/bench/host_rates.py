# SPDX-License-Identifier: Apache-2.0
"""Rates of the host besides those of `vernier run`: how fast RTL runs in co-simulation, in cycles per second of host time with all
that `vernier cosim` does besides, and what it costs that a machine can be watched."""

import json
import pathlib
import subprocess
import tempfile
import time

import measure

VECTORS = 50_000
NETWORK = measure.ROOT.parent / "shared/golden/nets/mobilenet_v2_quantized_1x3x224x224/model.tosa"
UNITS = ("mac_array", "datapath")


def line(name, cycles, seconds):
    return f"RTL, {name} on v256: {cycles:,} cycles in {seconds:.1f} s, {cycles / max(seconds, 1e-3):,.0f} per second"


def execute(name, command):
    """Standard output, or None and the line that says what is wrong."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return done.stdout, None
    reason = (done.stderr or done.stdout).splitlines()[:1]
    return None, f"RTL, {name}: exit code {done.returncode}: {''.join(reason)}"


def of_network(vernier, runner, folder):
    """The array with golden lanes, the datapath: cycles and CPU time of the same sequences, each a MAC command of the network
    that is compared; then the whole network."""
    name, package = NETWORK.parent.name, folder / "network.vnpu"
    _, failure = execute(name, [vernier, "compile", NETWORK, "--config", "v256", "-o", package])
    if failure:
        return [failure]
    result = []
    for unit in UNITS:
        text, failure = execute(unit, [runner, unit, package])
        if failure:
            return [*result, failure]
        cycles, seconds = text.split()
        result.append(line(f"{unit}, MAC commands of {name}", int(cycles), float(seconds)))
    return result + [of_command(vernier, name, [NETWORK], folder)]


def of_command(vernier, name, arguments, folder):
    """A run of `vernier cosim`, all of its time with the cycles that it counts."""
    start = time.monotonic()
    _, failure = execute(name, [vernier, "cosim", *arguments, "--config", "v256", "--report", folder / "r.json"])
    seconds = time.monotonic() - start
    return failure or line(name, json.loads((folder / "r.json").read_text(encoding="utf-8"))["rtl_cycles"], seconds)


def of_watching(vernier, network=NETWORK):
    """What bench_observer says of the network, [] where there is no such program or network."""
    observer = pathlib.Path(vernier).parent / "tests/bench/bench_observer"
    if not observer.exists() or not network.exists():
        return []
    done = subprocess.run([str(observer), str(network), "20"], capture_output=True, text=True, check=False)
    text = done.stdout.strip() if done.returncode == 0 else f"exit code {done.returncode}: {done.stderr.strip()}"
    return ["watching, on v256: " + text.replace(str(network), network.parent.name)]


def lines(vernier, network=NETWORK):
    """Of a real network where it is, else of random commands; a single line where the program has no RTL."""
    runner = pathlib.Path(vernier).parent / "tests/cosim/rtl_rate_runner"
    with tempfile.TemporaryDirectory(prefix="vernier_bench_") as name:
        folder, result = pathlib.Path(name), []
        if network.exists() and runner.exists():
            return of_network(vernier, runner, folder)
        for unit in UNITS:
            result.append(of_command(vernier, f"{unit}, random commands", [unit, "--vectors", VECTORS], folder))
            if "exit code" in result[-1]:
                break
    return result
