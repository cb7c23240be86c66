# SPDX-License-Identifier: Apache-2.0
"""The closed formula of each layer, from its commands as `vernier disasm` prints them, and why a layer takes longer.

A layer's formula is the longest of
- its row steps: accumulator rows x steps of N reduction elements x channel tiles x passes, with the best split of the lanes,
- its weights, each once, over the read port,
- the busy cycles of its vector commands (the most-used slot of each) and of its copies inside SRAM (a run a cycle),
and 30 exposed cycles."""

import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
import disassembly

EXPOSED_CYCLES = 30
FAR_ABOVE = 1.25
AROUND = ("RESCALE", "RESHAPE", "CAST", "CLAMP", "TRANSPOSE", "SLICE")  # operators that a layer is not known by
MAX_CAUSES = 3
LEAST_SHARE_OF_EXCESS = 0.05

# Of attributed_cycles_by (docs/reference/report.md), in the words of the pages. Those of the array are taken apart.
CAUSES = {
    "epilogue": "last drain", "pipeline_fill": "pipeline fill", "weight_load": "weight loads",
    "bank_conflict": "bank conflicts", "port_contention": "SRAM ports", "rescale_contention": "own drain, lanes",
    "vector_unit": "vector unit", "dma_in_sram": "copies", "dma_external": "external copies",
    "external_memory": "external memory", "waiting_for_load": "waits for loads",
    "waiting_for_copy": "waits for copies and table fills", "nothing_at_work": "issue and tokens",
}


def passes_of(command):
    activation = disassembly.element_bytes(command.fields["in"])
    return activation * (2 if disassembly.element_bytes(command.fields["weights"]) == 2 else 1)


def row_steps(command, lanes, split):
    rows, columns, channels = command.numbers("out_shape")
    begin, end = (int(number) for number in command.fields["reduction"].split(".."))
    tiles = math.ceil(channels * split / lanes)
    return rows * math.ceil(columns / split) * tiles * math.ceil((end - begin) / lanes) * passes_of(command)


def weight_bytes(command, lanes):
    channels = command.numbers("out_shape")[2]
    begin, end = (int(number) for number in command.fields["reduction"].split(".."))
    elements = end - begin if "depthwise" in command.words else math.ceil((end - begin) / lanes) * lanes
    return channels * elements * max(1, disassembly.element_bytes(command.fields["weights"]))


class Layer:
    """`report` is its entry in the JSON report, `commands` are its own."""

    def __init__(self, report, commands, config):
        self.cycles, self.macs = report["attributed_cycles"], report["macs"]
        spent, counts_for = report["spent_cycles"], report["attributed_cycles_by"]
        self.index, self.operators = report["layer_idx"], report["operators"]
        self.name = short_name(report["name"])
        lanes = config["lanes"]
        macs = [command for command in commands if command.kind == "mac"]
        self.what = description(macs, self.operators)
        splits = [1 << log2 for log2 in range(3)]
        best = sum(min(row_steps(command, lanes, split) for split in splits) for command in macs)
        chosen = sum(row_steps(command, lanes, int(command.fields["split"])) for command in macs)
        distinct = {(command.fields["weights"], command.fields["reduction"]): weight_bytes(command, lanes) for command in macs}
        weights = sum(distinct.values()) / (config["sram_read_words_per_cycle"] * lanes)
        terms = {"array": best, "weight_load": math.ceil(weights), "vector_unit": spent.get("vector_unit", 0),
                 "dma_in_sram": spent.get("dma_in_sram", 0)}
        self.longest = max(terms, key=terms.get)
        self.formula = terms[self.longest] + EXPOSED_CYCLES
        self._beyond = {CAUSES.get(name, name): cycles for name, cycles in counts_for.items()
                        if name not in ("array", self.longest)}
        # Cycles of the array that belong to the layer: its row steps first.
        array = counts_for.get("array", 0)
        self._beyond["segments or windows"] = array - chosen
        self._beyond["lanes without a channel"] = min(array, chosen) - best
        if self.longest == "weight_load":
            self._beyond["row steps"] = min(array, best)
        elif self.longest != "array":
            self._beyond["array"] = min(array, best)

    @property
    def ratio(self):
        return self.cycles / self.formula

    @property
    def is_far_above(self):
        return self.ratio > FAR_ABOVE

    def causes(self):
        """What its cycles beyond the formula's longest term count for, the largest first: 'weight loads 312, ...'."""
        excess = self.cycles - self.formula
        if excess <= 0:
            return "at the formula"
        large = sorted(((cycles, name) for name, cycles in self._beyond.items()
                        if cycles >= max(1, LEAST_SHARE_OF_EXCESS * excess)), key=lambda entry: (-entry[0], entry[1]))
        return ", ".join(f"{name} {cycles:,}" for cycles, name in large[:MAX_CAUSES]) or "many small ones"


def short_name(name):
    """The last two parts of a source file's name for the layer; of several that were merged, the first."""
    return "/".join(name.split(";")[0].split("/")[-2:])[-40:].replace("|", "_")


def description(macs, operators):
    if not macs:
        named = next((operator for operator in operators if operator not in AROUND), operators[0])
        return named + (f" +{len(operators) - 1}" if len(operators) > 1 else "")
    first = macs[0]
    rows, columns, channels = first.numbers("out_shape")
    kernel, stride = "x".join(map(str, first.numbers("k"))), max(first.numbers("stride"))
    kind = next((operator for operator in operators if operator in ("MATMUL", "TRANSPOSE_CONV2D", "RESIZE")), None)
    kind = kind or ("DEPTHWISE_CONV2D" if "depthwise" in first.words else "CONV2D")
    shape = f" {kernel}" + (f" /{stride}" if stride > 1 else "") if kind.endswith("CONV2D") and kind[0] != "T" else ""
    return f"{kind}{shape} to {channels}"


def layers_of(report, disassembled):
    commands, own = disassembly.parse(disassembled), {}
    for entry in report["commands"]:
        own.setdefault(entry["layer_idx"], []).append(commands[entry["command_idx"]])
    return [Layer(layer, own[layer["layer_idx"]], report["config"]) for layer in report["layers"]]
