# SPDX-License-Identifier: Apache-2.0
"""Totals of whole networks on the core's RTL with its memory (`vernier run --backend rtl --rtl-scope core`) beside the model's: one run, and
the rows that docs/results/fidelity.json keeps."""

import json
import pathlib
import subprocess
import tempfile

from cycles import Failed, NoRtl, measure, rows_of

MODES = ("sram", "weights-external", "external")
SRAM_OF_MODE = {"weights-external": "256KiB", "external": "256KiB"}  # as the SRAM of a small device
MOST_PERCENT = {"sram": 1, "weights-external": 2, "external": 2}  # a total that is further off is a deviation
COMMAND_PERCENT = 10  # a command that is further off is counted
SHORT_CYCLES = 100  # as rtl.core.worst_command.percent has it
HEADINGS = ["network", "preset", "memory", "RTL", "model", "RTL more %", "worst command: RTL more %", "commands over 10 %", "commit"]


class CoreTotal:
    """A network on a preset in a memory mode. `worst` is [command_idx, unit, per cent], or None where no command is of a unit."""

    def __init__(self, fields):
        self.network, self.config, self.memory, self.commit = (fields[key] for key in ("network", "config", "memory", "commit"))
        self.rtl_cycles, self.model_cycles = fields["rtl_cycles"], fields["model_cycles"]
        self.worst, self.num_over = fields["worst"], fields["num_over"]

    @property
    def key(self):
        return self.network, self.config, self.memory

    @property
    def more_percent(self):
        """How much longer RTL takes."""
        return 100 * (self.rtl_cycles - self.model_cycles) / max(self.model_cycles, 1)

    def to_json(self):
        return json.dumps(vars(self))

    def has_cycles_of(self, other):
        return {**vars(self), "commit": ""} == {**vars(other), "commit": ""}

    def cells(self):
        worst = f"#{self.worst[0]} {self.worst[2]:+.1f}" if self.worst else "-"
        return [self.network, self.config, self.memory, f"{self.rtl_cycles:,}", f"{self.model_cycles:,}", f"{self.more_percent:+.2f}", worst,
                str(self.num_over), self.commit]


def is_over(command):
    rtl, model = (command[end] - command[start] for start, end in (("start_cycle", "end_cycle"), ("model_start_cycle", "model_end_cycle")))
    return command["unit"] != "dma" and 100 * abs(rtl - model) > COMMAND_PERCENT * max(model, SHORT_CYCLES)


def total_of(network, config, memory, report):
    core = report["rtl"]["core"]
    worst = core["worst_command"]
    return CoreTotal({"network": network.name, "config": config, "memory": memory, "commit": report["run"]["commit"],
                      "rtl_cycles": core["total_cycles"], "model_cycles": core["model_total_cycles"],
                      "worst": [worst["command_idx"], worst["unit"], worst["percent"]] if worst else None,
                      "num_over": sum(is_over(command) for command in core["commands"])})


def measured(vernier, network, config, memory):
    """Failed where a value is wrong."""
    with tempfile.TemporaryDirectory(prefix="vernier_fidelity_") as folder:
        report = pathlib.Path(folder) / "report.json"
        size = ["--sram-bytes", SRAM_OF_MODE[memory]] if memory in SRAM_OF_MODE else []
        command = [*measure.command_of(vernier, network, config, report), "--backend", "rtl", "--rtl-scope", "core", "--memory", memory, *size]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        said = (done.stderr or done.stdout).strip().splitlines()[:1]
        if done.returncode == 2 and "built without Verilator" in done.stderr:
            raise NoRtl(said[0])
        if done.returncode != 0 or not report.exists():
            raise Failed(f"{network.name} on {config}, {memory}, scope core: {''.join(said) or f'exit code {done.returncode}'}")
        return total_of(network, config, memory, json.loads(report.read_text(encoding="utf-8")))


def read(file):
    """{(network, preset, memory): CoreTotal} of a file; none where it is not there, or has none."""
    return {row.key: row for row in rows_of(file, "cores", CoreTotal)}
