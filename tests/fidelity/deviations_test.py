#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the sizes in deviations.toml: each is as large as the table says, or smaller, and not gone.

deviations_test.py VERNIER PROBE LANES AGU [--golden] [--table FILE]: sizes of networks of this tree, or with --golden those of the twelve networks in
../shared beside it (exit code 77 where they are not there). LANES measures units that share lanes on RTL, AGU how late
slices of a reduction begin on it; without RTL their sizes are left out."""

import argparse
import functools
import json
import pathlib
import subprocess
import sys
import tempfile

import deviations
from cycles import ROOT, measure

MADE = ROOT / "tests/golden/networks"
DEMO = ROOT / "tests/e2e/demo/demo.tosa"
TWELVE = "the twelve networks"
SHARED_LANES, BY_AGU = "shared_lanes", "cycles_by_agu"  # the measures of LANES and AGU
SKIPPED = 77


class NoRtl(Exception):
    """The program was built without RTL."""


def execute(*command, needs_rtl=False):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if needs_rtl and done.returncode == SKIPPED:
        raise NoRtl
    if done.returncode != 0:
        sys.exit(f"deviations: {' '.join(map(str, command))}: exit code {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def on_rtl(program, preset):
    """{name: number, as text} of the lines of a program that measures on RTL."""
    return dict(line.rsplit(None, 1) for line in execute(program, preset, needs_rtl=True).splitlines())


class Measures:
    def __init__(self, vernier, probe, lanes, agu):
        self._vernier, self._probe, self._lanes, self._agu = vernier, probe, lanes, agu
        self.cycles_by_agu = functools.lru_cache(None)(self._cycles_by_agu)
        self.shared_lanes = functools.lru_cache(None)(self._shared_lanes)
        self.probed = functools.lru_cache(None)(self._probed)
        self.bounds = functools.lru_cache(None)(self._bounds)

    def _probed(self, model, preset):
        """{measure: number} of a network's package; without a network those that need none."""
        if model is None:
            lines = execute(self._probe).splitlines()
        else:
            with tempfile.TemporaryDirectory(prefix="vernier_fidelity_") as folder:
                package = pathlib.Path(folder) / "network.vnpu"
                execute(self._vernier, "compile", model, "--config", preset, "-q", "-o", package)
                lines = execute(self._probe, package).splitlines()
        return {name: int(number) for name, number in (line.split() for line in lines)}

    def _shared_lanes(self, preset):
        """{"mean of so many pairs", "largest of so many pairs": percent}."""
        numbers = on_rtl(self._lanes, preset)
        return {f"{name} of {numbers['pairs']} pairs": float(numbers[name]) for name in ("mean", "largest")}

    def _cycles_by_agu(self, preset):
        """{"slice of a convolution", "slice of a depthwise command": cycles}."""
        return {name: int(cycles) for name, cycles in on_rtl(self._agu, preset).items()}

    def _estimate(self, model, config):
        """The report of an estimate."""
        with tempfile.TemporaryDirectory(prefix="vernier_fidelity_") as folder:
            report = pathlib.Path(folder) / "report.json"
            execute(self._vernier, "estimate", model, "--config", config, "-q", "--report", report)
            return json.loads(report.read_text(encoding="utf-8"))

    def _bounds(self, model, preset):
        """{approximation: percent of the cycles} of the report of an estimate."""
        return {entry["what"]: entry["bound_percent"] or 0 for entry in self._estimate(model, preset)["approximations"]}

    def _cycles_outside(self, model, preset, changed):
        """Of an estimate with all in external memory, on the preset with some keys changed."""
        with tempfile.TemporaryDirectory(prefix="vernier_fidelity_") as folder:
            machine = pathlib.Path(folder) / "machine.toml"
            keys = {"base": preset, "memory_mode": "external", **changed}
            machine.write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in keys.items()), encoding="utf-8")
            return self._estimate(model, machine)["totals"]["cycles"]

    def moved_percent(self, model, preset, changed):
        """How far the cycles move where the machine is changed, of those without."""
        cycles = self._cycles_outside(model, preset, {})
        return round(100 * abs(self._cycles_outside(model, preset, changed) - cycles) / cycles, 2)

    def number_of(self, deviation, what):
        name, _, preset = what.partition(", ")
        if not preset:
            return self.probed(None, None).get(deviation.measure, 0)
        if deviation.measure == SHARED_LANES:
            return self.shared_lanes(preset).get(name, 0)
        if deviation.measure == BY_AGU:
            return self.cycles_by_agu(preset).get(name, 0)
        models = [network.model for network in measure.golden_networks()] if name == TWELVE else [
            DEMO if name == "demo" else MADE / name / "model.tosa"]
        if deviation.measure == deviations.CHANGED:
            return sum(self.moved_percent(model, preset, deviation.changed) for model in models)
        if deviation.measure == "bound_percent":
            return sum(self.bounds(model, preset).get(deviation.approximation, 0) for model in models)
        return sum(self.probed(model, preset)[deviation.measure] for model in models)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("vernier")
    parser.add_argument("probe")
    parser.add_argument("lanes")
    parser.add_argument("agu")
    parser.add_argument("--golden", action="store_true")
    parser.add_argument("--table", type=pathlib.Path, default=deviations.FILE)
    options = parser.parse_args()
    if options.golden and not measure.golden_networks():
        print("deviations: there is no ../shared/golden/nets")
        return SKIPPED
    measures, failures = Measures(options.vernier, options.probe, options.lanes, options.agu), []
    for deviation in deviations.read(options.table):
        if deviation.measure in deviations.PAGE_MEASURES:
            continue
        for what, size in deviation.size.items():
            if what.startswith(TWELVE) != options.golden:
                continue
            try:
                now = measures.number_of(deviation, what)
            except NoRtl:
                print(f"{deviation.id}: {what}: not measured, there is no RTL")
                continue
            print(f"{deviation.id}: {what}: {now:,} {deviation.unit}, the table says {size:,}")
            failures += [wrong] if (wrong := deviations.judged(deviation, what, now)) else []
    for failure in failures:
        print(failure, file=sys.stderr)
    if failures:
        print("deviations: if the change is meant: tests/fidelity/deviations.toml, ./dev fidelity --write, and the reason in the commit", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except deviations.Damaged as error:
        sys.exit(f"deviations: {error}")
