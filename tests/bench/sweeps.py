# SPDX-License-Identifier: Apache-2.0
"""Sweeps over SRAM sizes, bandwidths and latencies of external memory, as an architect does: no cliffs.

sweeps.py --vernier PROGRAM [--networks A,B] [--presets v64,..] [--seed N] [--random N] [--parts sizes,memories,weights]

For each network and preset, in memory mode external:
- sizes: those of sweep_table.csv and some random ones. No size costs more than 1 % more than any smaller one, none more than
  1 % more than commit df553a3 (the table's cycles; it failed where the table has none), or than what a decision record says
  it costs since; each compiles within 10 s of one core and 1 GiB above its model; sizes below the least that a refusal names are refused, all others are not.
- memories: at 48 and 256 KiB no bandwidth and no latency costs more than 3 % more than a slower memory.
- weights: from four times the least that it takes, weights-external costs at most 3 % more than external; below that the
  report says that maps leave no room for weights.
"""

import argparse
import csv
import json
import pathlib
import random
import re
import resource
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
NETS = HERE.parent.parent.parent / "shared" / "golden" / "nets"
NETWORKS = {"kws": "kws_ref_model", "vww": "vww_96_int8", "transformer": "vit_tiny_int8",
            "mobilenet_v2": "mobilenet_v2_quantized_1x3x224x224", "unet": "unet_96_int8", "resnet50": "resnet50_int8"}
PRESETS = {"v64": 64, "v256": 128, "v1024": 256}  # bytes between sizes that differ
BANDWIDTHS = (1, 2, 4, 6, 8, 12, 16, 24, 32, 64)
LATENCIES = (10000, 1000, 320, 100, 32, 10, 1)
MOST_BYTES = 8 << 20
SCHEDULE_COSTS = {"transformer": 1.031}  # docs/decisions/0016: the vector unit runs a static schedule, v64
PARAMETERS_COST = 1.01  # docs/decisions/0020: parameters take the read port before weights, 2 or 3 cycles a command
SKIPPED = 77


class Sweep:
    def __init__(self, vernier, folder, network, preset):
        self.vernier, self.folder, self.network, self.preset = vernier, folder, network, preset
        self.model = NETS / NETWORKS[network] / "model.tosa"
        self.findings = []

    def find(self, text):
        self.findings.append(f"{self.network} {self.preset}: {text}")
        print("  FOUND", self.findings[-1], flush=True)

    def estimate(self, sram_bytes, memory="external", **external):
        """The report, or what the refusal says."""
        config = self.folder / "machine.toml"
        lines = [f'base = "{self.preset}"', *(f"external_{key} = {value}" for key, value in external.items())]
        config.write_text("\n".join(lines) + "\n")
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        done = subprocess.run(
            ["/usr/bin/env", "time", "-f", "%M", self.vernier, "estimate", "-q", self.model, "--config", config, "--memory",
             memory, "--sram-bytes", str(sram_bytes), "--report", "-"], capture_output=True, text=True, check=False)
        seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        peak_bytes = 1024 * int(done.stderr.split()[-1])
        what = f"{memory} {sram_bytes} B {external or ''}"
        if seconds > 10:
            self.find(f"{what}: {seconds:.1f} s")
        if peak_bytes > (1 << 30) + self.model.stat().st_size:
            self.find(f"{what}: {peak_bytes >> 20} MiB of host memory")
        if done.returncode in (0, 1):
            report = json.loads(done.stdout)
            if report["totals"]["commands"] > 200_001:
                self.find(f"{what}: {report['totals']['commands']} commands")
            return report
        if done.returncode != 2:
            self.find(f"{what}: exit code {done.returncode}: {done.stderr}")
        return done.stderr

    def cycles(self, sram_bytes, **keys):
        report = self.estimate(sram_bytes, **keys)
        return None if isinstance(report, str) else report["totals"]["cycles"]

    def least(self, memory="external"):
        """The size that the refusal of too little names."""
        refusal = self.estimate(1024, memory)
        if not isinstance(refusal, str):
            return 1024
        return int(re.search(r"needs (\d+) B \(", refusal)[1])

    def sizes(self, before, extra):
        least, best = self.least(), None
        for size in sorted({least, *before, *extra}):
            cycles = self.cycles(size)
            if (cycles is None) != (size < least):
                self.find(f"{size} B is {'refused' if cycles is None else 'taken'}, the least that is named is {least} B")
            if cycles is None:
                continue
            if best is not None and cycles > 1.01 * best[0]:
                self.find(f"{size} B takes {cycles} cycles, {best[1]} B takes {best[0]}")
            if best is None or cycles < best[0]:
                best = (cycles, size)
            most = 1.01 * PARAMETERS_COST * SCHEDULE_COSTS.get(self.network, 1)
            if before.get(size) is not None and cycles > most * before[size]:
                self.find(f"{size} B takes {cycles} cycles, {before[size]} at df553a3")

    def memories(self):
        for kib in (48, 256):
            for key, values in (("bytes_per_cycle", BANDWIDTHS), ("latency_cycles", LATENCIES)):
                best = None
                for value in values:
                    cycles = self.cycles(kib << 10, **{key: value})
                    if cycles is None:
                        continue
                    if best is not None and cycles > 1.03 * best[0]:
                        self.find(f"{kib} KiB, {key} {value}: {cycles} cycles, {best[1]} takes {best[0]}")
                    if best is None or cycles < best[0]:
                        best = (cycles, value)

    def weights(self):
        least = self.least("weights-external")
        for factor in (1, 2, 3.9, 4, 5, 8, 16, 64):
            size = int(least * factor) // PRESETS[self.preset] * PRESETS[self.preset]
            report = self.estimate(size, "weights-external")
            if isinstance(report, str):
                self.find(f"weights-external {size} B is refused, the least that is named is {least} B")
                continue
            has_note = any("no room for weights" in note for note in report.get("notes", []))
            if has_note != (size < 4 * least):
                self.find(f"weights-external {size} B: note {has_note}, least {least} B")
            external = self.cycles(size)
            if size >= 4 * least and report["totals"]["cycles"] > 1.03 * external:
                self.find(f"{size} B: weights-external {report['totals']['cycles']} cycles, external {external}")


def table():
    rows = {}
    with (HERE / "sweep_table.csv").open(encoding="ascii") as file:
        for row in csv.DictReader(file):
            cycles = int(row["cycles"]) if row["cycles"].isdigit() else None
            rows.setdefault((row["network"], row["preset"]), {})[int(row["sram_bytes"])] = cycles
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--vernier", required=True)
    parser.add_argument("--networks", default=",".join(NETWORKS))
    parser.add_argument("--presets", default=",".join(PRESETS))
    parser.add_argument("--parts", default="sizes,memories,weights")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--random", type=int, default=6, help="random sizes for each network and preset")
    arguments = parser.parse_args()
    if not NETS.exists():
        print(f"{NETS} is not there")
        return SKIPPED
    print("seed", arguments.seed, flush=True)
    draw, before, findings = random.Random(arguments.seed), table(), []
    with tempfile.TemporaryDirectory(prefix="vernier_sweeps_") as folder:
        for network in arguments.networks.split(","):
            for preset in arguments.presets.split(","):
                step, known = PRESETS[preset], before[network, preset]
                low = min(known)
                extra = [int(low * (MOST_BYTES / low) ** draw.random()) // step * step for _ in range(arguments.random)]
                sweep = Sweep(arguments.vernier, pathlib.Path(folder), network, preset)
                print(network, preset, *sorted(extra), flush=True)
                for part in arguments.parts.split(","):
                    if part == "sizes":
                        sweep.sizes(known, extra)
                    else:
                        getattr(sweep, part)()
                findings += sweep.findings
    print(len(findings), "findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
