# SPDX-License-Identifier: Apache-2.0
"""Longest paths between the ports and the registers of one mapped module, by OpenSTA.

Ports are ideal: what drives and what loads them is for who joins modules (paths.py). Clocks are ideal, reset is not timed."""

import collections
import json
import re

from mapping import MAX_FANOUT, ToolError, group, library, run

PERIOD_NS = 200.0
# What a compiled memory of this size and process takes. Assumed: the library has none.
RAM_READ_NS, RAM_SETUP_NS = 3.0, 1.0
RAM_PINS = ("read_en_i", "read_address_i", "write_en_i", "write_address_i", "write_data_i", "read_data_o")
UNTIMED = ("clk_i", "rst_ni")


def pin(port):
    return port.rsplit(".", 1)[-1]


def is_ram(port):
    return "." in port and pin(port) in RAM_PINS


def by_net(groups):
    found = {}
    for name, nets in groups.items():
        for net in nets:
            found.setdefault(net, set()).add(name)
    return found


def write_netlist(module):
    """Nets are n<number>; a net that is an output port twice is one port. Returns {group: nets} of inputs and outputs."""
    inputs, outputs = collections.defaultdict(list), collections.defaultdict(list)
    clock = None
    for name, port in module.ports.items():
        if pin(name) in UNTIMED:
            clock = port["bits"][0] if pin(name) == "clk_i" and port["direction"] == "input" else clock
            continue
        side = inputs if port["direction"] == "input" else outputs
        side[group(name)] += [bit for bit in port["bits"] if isinstance(bit, int)]
    clocks = [bit for name, port in module.ports.items() if pin(name) in UNTIMED and port["direction"] == "input" for bit in port["bits"]]
    in_nets = set(clocks).union(*inputs.values()) if inputs else set(clocks)
    out_nets = set().union(*outputs.values()) - in_nets if outputs else set()
    text = [f"module m({', '.join(f'n{net}' for net in sorted(in_nets | out_nets))});"]
    text += [f"input n{net};" for net in sorted(in_nets)] + [f"output n{net};" for net in sorted(out_nets)]
    for number, (_, body) in enumerate(module.net_cells.items()):
        pins = ", ".join(f".{name}({f'n{bits[0]}' if isinstance(bits[0], int) else chr(39).join(['1', 'b' + bits[0]])})"
                         for name, bits in body["connections"].items())
        text.append(f"{body['type']} c{number} ({pins});")
    (module.folder / "sta.v").write_text("\n".join([*text, "endmodule", ""]))
    return inputs, outputs, clock, [net for net in clocks if net != clock]


class Arcs:
    """in_out {(input, output): ns}, in_reg {(input, register): ns}, reg_out {output: (ns, register)}, reg_reg (ns, from, to) or
    None; fanout {output: ports of other modules on its net}."""

    def __init__(self, module):
        kept = module.folder / "arcs.json"
        key = f"{module.key} 3"
        if kept.is_file():
            stored = json.loads(kept.read_text())
            if stored["key"] == key:
                self.load(stored)
                return
        self.measure(module)
        kept.write_text(json.dumps({"key": key, "in_out": [[*pair, time] for pair, time in self.in_out.items()], 
                                    "in_reg": [[*pair, time] for pair, time in self.in_reg.items()],
                                    "reg_out": self.reg_out, "reg_reg": self.reg_reg, "ends": self.ends, "fanout": self.fanout}))

    def load(self, stored):
        self.in_out = {(source, sink): time for source, sink, time in stored["in_out"]}
        self.in_reg = {(source, register): time for source, register, time in stored["in_reg"]}
        self.reg_out, self.reg_reg = stored["reg_out"], stored["reg_reg"]
        self.ends, self.fanout = stored["ends"], stored["fanout"]

    def measure(self, module):
        inputs, outputs, clock, resets = write_netlist(module)
        number_of = {cell: number for number, cell in enumerate(module.net_cells)}
        registers = {f"c{number_of[cell]}": name for cell, name in module.register_of().items()}
        on_net = collections.Counter(net for nets in outputs.values() for net in nets)
        self.fanout = {name: max((on_net[net] for net in nets), default=1) for name, nets in outputs.items()}
        in_of_net, out_of_net = by_net(inputs), by_net(outputs)
        self.in_out = {(source, sink): 0.0 for sink, nets in outputs.items() for net in nets for source in in_of_net.get(net, ())}
        self.in_reg, self.reg_out, self.reg_reg, self.ends = {}, {}, None, {}
        if not module.net_cells:
            return
        driven = [name for name, nets in outputs.items() if any(net not in in_of_net for net in nets)]
        text = self.ask(module, inputs, outputs, clock, resets, driven, bool(registers))
        for part in text.split("@@ ")[1:]:
            kind, _, name = part.split("\n", 1)[0].partition(" ")
            found = re.findall(r"^(\S+) \(.*?\).*?(-?[0-9.]+) \((?:MET|VIOLATED)\)$", part, re.MULTILINE)
            if kind == "from":
                for end, slack in found:
                    self.add(name, end, PERIOD_NS - float(slack), registers, out_of_net)
            elif kind == "registers":
                start = re.search(r"Startpoint: (\S+)", part)
                if self.reg_reg and start:
                    self.reg_reg = (self.reg_reg[0], registers[start[1].split("/")[0]], self.reg_reg[2])
            else:
                start = re.search(r"Startpoint: (\S+)", part)
                slack = re.search(r"(-?[0-9.]+) +slack", part)
                if start and slack:
                    self.reg_out[name] = (round(PERIOD_NS - float(slack[1]), 4), registers[start[1].split("/")[0]])

    def add(self, source, end, time, registers, out_of_net):
        time = round(time, 4)
        cell = end.split("/")[0]
        if cell in registers:
            if source == "REGISTERS":
                self.ends[registers[cell]] = max(time, self.ends.get(registers[cell], 0.0))
                if self.reg_reg is None or time > self.reg_reg[0]:
                    self.reg_reg = (time, "", registers[cell])
            else:
                end = (source, registers[cell])
                self.in_reg[end] = max(time, self.in_reg.get(end, 0.0))
        elif source != "REGISTERS":
            for sink in out_of_net[int(cell[1:])]:
                self.in_out[source, sink] = max(time, self.in_out.get((source, sink), 0.0))

    @staticmethod
    def ask(module, inputs, outputs, clock, resets, driven, has_registers):
        def ports(nets):
            return f"[get_ports {{{' '.join(f'n{net}' for net in sorted(set(nets)))}}}]"

        every_end = "-format end -endpoint_count 1 -group_count 1000000"
        text = [f"read_liberty {library()}", "read_verilog sta.v", "link_design m",
                f"create_clock -name clk -period {PERIOD_NS} {f'[get_ports n{clock}]' if clock else ''}"]
        text += [f"set_input_delay 0 -clock clk {ports(nets)}" for nets in inputs.values() if nets]
        driven_nets = {net for name in driven for net in outputs[name]} - {net for nets in inputs.values() for net in nets}
        if driven_nets:
            text.append(f"set_output_delay 0 -clock clk {ports(driven_nets)}")
        if resets:
            text.append(f"set_false_path -from {ports(resets)}")
        for name, nets in inputs.items():
            if nets:
                text += [f'puts "@@ from {name.replace("[]", "%")}"', f"report_checks -from {ports(nets)} {every_end}"]
        if has_registers:
            text += ['puts "@@ from REGISTERS"', f"report_checks -from [all_registers -clock_pins] {every_end}"]
            text += ['puts "@@ registers"', "report_checks -from [all_registers -clock_pins] -to [all_registers -data_pins] -format full"]
            for name in driven:
                nets = [net for net in outputs[name] if net in driven_nets]
                text += [f'puts "@@ out {name.replace("[]", "%")}"',
                         f"report_checks -from [all_registers -clock_pins] -to {ports(nets)} -format full"]
        (module.folder / "sta.tcl").write_text("\n".join([*text, "exit", ""]))
        report = run(["sta", "-exit", "sta.tcl"], module.folder)
        (module.folder / "sta.out").write_text(report)
        if "Error" in report:
            raise ToolError(f"OpenSTA on {module.name}:\n{report[-2000:]}")
        return report.replace("%", "[]")
