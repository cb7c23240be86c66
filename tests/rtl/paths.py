# SPDX-License-Identifier: Apache-2.0
"""Longest paths through a tree of modules, joined from the arcs of each module by itself (arcs.py).

Ports are taken a bus at a time, and equal lanes together, so a path can be longer than any real one, never shorter. Where a
net goes into a module, a tree of buffers is added for all modules and lanes that it reaches."""

import math

from arcs import RAM_READ_NS, RAM_SETUP_NS, is_ram
from mapping import MAX_FANOUT, ToolError, library, run


def buffer_ns(scratch):
    """What a BUFX4 takes that drives MAX_FANOUT of its kind."""
    scratch.mkdir(parents=True, exist_ok=True)
    loads = [f"BUFX4 l{stage}_{i} (.A(n{stage}));" for stage in (1, 2) for i in range(MAX_FANOUT - 1)]
    text = ["module m(a, y);", "input a;", "output y;", "BUFX4 b0 (.A(a), .Y(n1));", "BUFX4 b1 (.A(n1), .Y(n2));", "BUFX4 b2 (.A(n2), .Y(y));"]
    (scratch / "buffer.v").write_text("\n".join([*text, *loads, "endmodule", ""]))
    commands = [f"read_liberty {library()}", "read_verilog buffer.v", "link_design m", "create_clock -name clk -period 100",
                "set_input_delay 0 -clock clk a", "set_output_delay 0 -clock clk y", "report_checks -format full -digits 4", "exit"]
    (scratch / "buffer.tcl").write_text("\n".join(commands))
    for line in run(["sta", "-exit", "buffer.tcl"], scratch).splitlines():
        if "b1/Y" in line:
            return float(line.split()[0])
    raise ToolError("OpenSTA reports no path through a buffer")


class Step:
    """The longest path to a port of a module: ns, the register or port that it starts from, the modules that it goes through."""

    def __init__(self, ns, start, modules):
        self.ns, self.start, self.modules = ns, start, modules

    def later(self, ns, module=None):
        modules = self.modules if module is None or self.modules[-1:] == [module] else [*self.modules, module]
        return Step(self.ns + ns, self.start, modules)


class Paths:
    """tree {module: {instance pin prefix: child module}}, arcs {module: Arcs}, top."""

    def __init__(self, tree, arcs, top, buffer):
        self.tree, self.arcs, self.top, self.buffer = tree, arcs, top, buffer
        self.parent = {child: (module, prefix) for module, kids in tree.items() for prefix, child in kids.items()}
        self.known_in, self.known_out, self.pending = {}, {}, []
        self.sources = {}
        for module, own in arcs.items():
            for source, sink in own.in_out:
                self.sources.setdefault((module, sink), []).append(source)

    def child_port(self, module, port):
        """(child, its port) of a pin of a black box, None for a port of the module."""
        prefix, _, name = port.rpartition(".")
        return (self.tree[module][prefix], name) if prefix in self.tree.get(module, {}) else None

    def at_input(self, module, port):
        """At an input of `module`, which may be the output of a module in it."""
        key = (module, port)
        if key not in self.known_in:
            if is_ram(port):
                self.known_in[key] = Step(RAM_READ_NS, f"{module}.{port.rsplit('.', 1)[0]}", [module])
            elif self.child_port(module, port):
                self.known_in[key] = self.at_output(*self.child_port(module, port))
            elif module == self.top:
                self.known_in[key] = Step(0.0, f"port {port}", [])
            else:
                parent, prefix = self.parent[module]
                outer = f"{prefix}.{port}"
                step = self.at_output(parent, outer)
                levels = math.ceil(math.log(max(2, self.arcs[parent].fanout[outer]), MAX_FANOUT))
                self.known_in[key] = step and step.later(self.buffer * levels)
        return self.known_in[key]

    def at_output(self, module, port):
        """At an output of `module`, which may be the input of a module in it; None where nothing leads there."""
        key = (module, port)
        if key in self.pending:
            raise ToolError(f"a loop of combinational paths: {' '.join(map('.'.join, self.pending[self.pending.index(key):]))}")
        if key not in self.known_out:
            self.pending.append(key)
            own = self.arcs[module]
            steps = []
            if port in own.reg_out:
                steps.append(Step(own.reg_out[port][0], f"{module}.{own.reg_out[port][1]}", [module]))
            for source in self.sources.get(key, ()):
                before = self.at_input(module, source)
                if before:
                    through = own.in_out[source, port]
                    steps.append(before.later(through, module if through else None))
            self.pending.pop()
            self.known_out[key] = max(steps, key=lambda step: step.ns, default=None)
        return self.known_out[key]

    def ends(self, module):
        """{end: its longest path} of `module`: registers, pins of RAMs, and outputs of the top."""
        own = self.arcs[module]
        found = {}

        def add(end, step):
            if step and (end not in found or step.ns > found[end].ns):
                found[end] = step

        for register, ns in own.ends.items():
            start = own.reg_reg[1] if register == own.reg_reg[2] else "registers"
            add(register, Step(ns, f"{module}.{start}", [module]))
        for (port, register), ns in own.in_reg.items():
            step = self.at_input(module, port)
            add(register, step and step.later(ns, module))
        for port in {*(sink for _, sink in own.in_out), *own.reg_out}:
            if is_ram(port):
                step = self.at_output(module, port)
                add(port, step and step.later(RAM_SETUP_NS))
            elif module == self.top and not self.child_port(module, port):
                add(f"port {port}", self.at_output(module, port))
        return found

    def longest(self, module):
        """(end, its path) of the longest path that ends in `module`, None where none does."""
        return max(self.ends(module).items(), key=lambda end: (end[1].ns, end[0]), default=None)
