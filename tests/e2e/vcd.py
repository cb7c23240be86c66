# SPDX-License-Identifier: Apache-2.0
"""A small reader of VCD files: all values, or those of the top scope's ports at each rising edge of a clock, as the edge finds
them, before all signals change at it."""

CYCLE_PS = 1000


class Wave:
    """`edges` is a list of dictionaries, port to value, one for each rising edge; `cycles` has the cycle of each."""

    def __init__(self, text, clock="clk_i"):
        header, _, body = text.partition("$enddefinitions $end")
        self.widths, codes = {}, {}
        depth = 0
        for line in header.splitlines():
            words = line.split()
            if words[:1] == ["$scope"]:
                depth += 1
            elif words[:1] == ["$upscope"]:
                depth -= 1
            elif words[:1] == ["$var"] and depth == 1 and words[4] not in self.widths:
                self.widths[words[4]] = int(words[2])
                codes.setdefault(words[3], []).append(words[4])
        self.edges, self.cycles = [], []
        now, time, changes = {}, None, {}
        for line in [*body.split("\n"), "#end"]:
            line = line.strip()
            if line.startswith("#"):
                if changes.get(clock) == 1 and now.get(clock) == 0:
                    self.edges.append(dict(now))
                    self.cycles.append(time // CYCLE_PS - 1)  # that the edge ends
                now.update(changes)
                changes = {}
                if line != "#end":
                    time = int(line[1:])
            elif line.startswith("b"):
                value, code = line[1:].split()
                changes.update((name, int(value, 2)) for name in codes.get(code, ()))
            elif line[:1] in ("0", "1"):
                changes.update((name, int(line[0])) for name in codes.get(line[1:], ()))
        if now.get(clock) == 0:  # the end of the wave is the edge that ends its last cycle
            self.edges.append(dict(now))
            self.cycles.append(time // CYCLE_PS - 1)


class Dump:
    """Everything in a wave: `values` has for each path a list of (time, value), ascending; numbers of bits as int (None where a
    bit is x or z), reals as float, strings as str. `end` is the last time."""

    def __init__(self, text):
        header, _, body = text.partition("$enddefinitions $end")
        codes, scope = {}, []
        self.values, self.end = {}, 0
        for line in header.splitlines():
            words = line.split()
            if words[:1] == ["$scope"]:
                scope.append(words[2])
            elif words[:1] == ["$upscope"]:
                scope.pop()
            elif words[:1] == ["$var"]:
                codes[words[3]] = ".".join([*scope, words[4]])
                self.values[codes[words[3]]] = []
        time = 0
        for line in body.split("\n"):
            kind, rest = line[:1], line[1:]
            if kind == "#":
                time = int(rest)
            elif kind and kind in "bsr":
                value, code = rest.split(" ")
                self.values[codes[code]].append((time, {"b": self.number, "r": float, "s": str}[kind](value)))
            elif kind and kind in "01xz":
                self.values[codes[rest]].append((time, self.number(kind)))
        self.end = time

    @staticmethod
    def number(digits):
        return None if set(digits) - {"0", "1"} else int(digits, 2)

    def stretches(self, path):
        """(begin, end, value) of a signal, without gaps."""
        values = self.values[path]
        return [(begin, values[i + 1][0] if i + 1 < len(values) else self.end, value) for i, (begin, value) in enumerate(values)]


def signed(value, bits):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def lane(value, number, bits):
    return (value >> (number * bits)) & ((1 << bits) - 1)
