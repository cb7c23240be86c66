# SPDX-License-Identifier: Apache-2.0
"""Cycles of hw/timing beside cycles of RTL, command by command: one run of a network, its figures, and the file that keeps them.

The cycles of a command are those of its datapath, alone and with memories that never keep it waiting: `rtl.command_cycles` of the
report of `vernier run --backend rtl`. Beside them stand the sums with banks and ports (`--rtl-memory banked`)."""

import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "bench"))
import measure

SCHEMA = "vernier-fidelity/1"


class Failed(Exception):
    """One line: which run, and what the program said."""


class NoRtl(Exception):
    """The program was built without Verilator."""


class Damaged(Exception):
    """One line: which file, and what is wrong with it."""


class Pair:
    """A command or a layer: what the model charges, and what the RTL took."""

    def __init__(self, name, unit, model_cycles, rtl_cycles):
        self.name, self.unit, self.model_cycles, self.rtl_cycles = name, unit, model_cycles, rtl_cycles

    @property
    def is_exact(self):
        return self.model_cycles == self.rtl_cycles

    @property
    def error_percent(self):
        """Above 0: the model charges too many cycles."""
        return 100 * (self.model_cycles - self.rtl_cycles) / max(self.rtl_cycles, 1)


class Figures:
    """Of some pairs; errors are in percent of the RTL's cycles, and without their sign."""

    def __init__(self, pairs):
        errors = [abs(pair.error_percent) for pair in pairs]
        self.count = len(pairs)
        self.exact_percent = 100 * sum(pair.is_exact for pair in pairs) / max(self.count, 1)
        self.largest_percent = max(errors, default=0.0)
        self.mean_percent = sum(errors) / max(self.count, 1)
        self.model_cycles = sum(pair.model_cycles for pair in pairs)
        self.rtl_cycles = sum(pair.rtl_cycles for pair in pairs)


class Run:
    """A network on a preset. `commands` are [command_idx, place in `layers`, unit, model cycles, RTL cycles, the same two with the banks
    and ports of the machine]; rows that were measured by an older program have not the last two. `banked` has for each unit the sums of
    these two."""

    def __init__(self, fields):
        self.network, self.config, self.commit = fields["network"], fields["config"], fields["commit"]
        self.cycles, self.num_commands = fields["cycles"], fields["num_commands"]
        self.layers, self.rows = fields["layers"], fields["commands"]
        self.banked = fields.get("banked", {})

    @property
    def key(self):
        return self.network, self.config

    def to_json(self):
        return json.dumps({"network": self.network, "config": self.config, "commit": self.commit, "cycles": self.cycles,
                           "num_commands": self.num_commands, "banked": self.banked, "layers": self.layers, "commands": self.rows})

    def has_cycles_of(self, other):
        """Whether all that both have is equal but the commit."""
        width = min((len(row) for run in (self, other) for row in run.rows), default=0)
        rows, others = ([row[:width] for row in run.rows] for run in (self, other))
        return [*self.key, self.cycles, self.num_commands, self.banked, self.layers, rows] == [
            *other.key, other.cycles, other.num_commands, other.banked, other.layers, others]

    @property
    def banked_sum(self):
        """All units."""
        return Pair("", "", sum(model for model, _ in self.banked.values()), sum(rtl for _, rtl in self.banked.values()))

    def commands(self):
        return [Pair(f"command {idx}, {self.layers[layer]}", unit, model, rtl) for idx, layer, unit, model, rtl, *_ in self.rows]

    def banked_commands(self):
        """With banks and ports; none of a run whose rows are older."""
        return [Pair(f"#{row[0]}", row[2], *row[5:]) for row in self.rows if len(row) == 7]

    def of_layers(self):
        """The commands of a layer added up, on each unit by itself."""
        return self._of_layers(3)

    def banked_layers(self):
        """The same with banks and ports; none of a run whose rows are older."""
        return self._of_layers(5)

    def _of_layers(self, column):
        sums = {}
        for row in (row for row in self.rows if len(row) > column):
            pair = sums.setdefault((row[1], row[2]), Pair(self.layers[row[1]], row[2], 0, 0))
            pair.model_cycles += row[column]
            pair.rtl_cycles += row[column + 1]
        return list(sums.values())


def banked_of(report):
    sums = {}
    for command in report["rtl"]["command_cycles"]:
        pair = sums.setdefault(command["unit"], [0, 0])
        pair[0] += command["model_cycles"]
        pair[1] += command["rtl_cycles"]
    return sums


def run_of(network, config, report, banked):
    names = {layer["layer_idx"]: layer["name"] for layer in report["layers"]}
    layers, rows = {}, []
    with_banks = {command["command_idx"]: [command["model_cycles"], command["rtl_cycles"]] for command in banked["rtl"]["command_cycles"]}
    for command in report["rtl"]["command_cycles"]:
        layer = names.get(report["commands"][command["command_idx"]]["layer_idx"], "")
        rows.append([command["command_idx"], layers.setdefault(layer, len(layers)), command["unit"], command["model_cycles"],
                     command["rtl_cycles"], *with_banks[command["command_idx"]]])
    return Run({"network": network.name, "config": config, "commit": report["run"]["commit"], "cycles": report["totals"]["cycles"],
                "num_commands": len(report["commands"]) - 1, "banked": banked_of(banked), "layers": list(layers), "commands": rows})


def measured(vernier, network, config):
    """The network through `vernier run --backend rtl`, with each kind of memory behind its streams. Failed also where addresses or edges
    are not those of ideal memories with an SRAM that has no limits."""
    ideal = reported(vernier, network, config, "ideal", allowed=(0, 3))
    reported(vernier, network, config, "unlimited", allowed=(0,))
    return run_of(network, config, ideal, reported(vernier, network, config, "banked", allowed=(0,)))


def reported(vernier, network, config, memory, allowed):
    """The report of one run."""
    with tempfile.TemporaryDirectory(prefix="vernier_fidelity_") as folder:
        report = pathlib.Path(folder) / "report.json"
        command = [*measure.command_of(vernier, network, config, report), "--backend", "rtl", "--no-rerun", "--rtl-memory", memory]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        said = (done.stderr or done.stdout).strip().splitlines()[:1]
        if done.returncode == 2 and "built without Verilator" in done.stderr:
            raise NoRtl(said[0])
        if done.returncode not in allowed or not report.exists():
            raise Failed(f"{network.name} on {config}, memory {memory}: {''.join(said) or f'exit code {done.returncode}'}")
        result = json.loads(report.read_text(encoding="utf-8"))
        if result["check"]["result"] != "match":
            raise Failed(f"{network.name} on {config}: values differ from the reference, so that cycles mean nothing")
        if memory != "ideal" and result["rtl"]["memory_commands"] != result["rtl"]["commands"]:
            raise Failed(f"{network.name} on {config}, memory {memory}: {result['rtl']['memory_commands']} of {result['rtl']['commands']} commands had it")
        return result


def read(file):
    """{(network, preset): Run} of a file; none where it is not there."""
    if not pathlib.Path(file).exists():
        return {}
    try:
        content = json.loads(pathlib.Path(file).read_text(encoding="utf-8"))
        if content.get("schema") != SCHEMA:
            raise Damaged(f"{file}: schema is {content.get('schema')!r}, this program reads '{SCHEMA}'")
        runs = [Run(fields) for fields in content["runs"]]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Damaged(f"{file}: damaged, {type(error).__name__}: {error}") from None
    return {run.key: run for run in runs}


def rows_of(file, part, row):
    """What a file has in a part of it, each made by `row` from its fields; none where there is no file, or it has no such part."""
    if not pathlib.Path(file).exists():
        return []
    try:
        return [row(fields) for fields in json.loads(pathlib.Path(file).read_text(encoding="utf-8")).get(part, [])]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Damaged(f"{file}: damaged, {type(error).__name__}: {error}") from None


def text_of(runs, cores=(), cliffs=()):
    """A line for each run, total of the core and kind of random graphs, so that a change shows which."""
    parts = [f'"{name}": [\n' + ",\n".join(row.to_json() for row in rows) + "\n]"
             for name, rows in (("cores", cores), ("cliffs", cliffs), ("runs", runs)) if rows or name == "runs"]
    return f'{{"schema": "{SCHEMA}", ' + ", ".join(parts) + "}\n"
