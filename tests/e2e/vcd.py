# SPDX-License-Identifier: Apache-2.0
"""A small reader of VCD files: the values of the top scope's ports at each rising edge of a clock, as the edge finds them."""

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
                    self.cycles.append(time // CYCLE_PS)
                now.update(changes)
                changes = {}
                time = int(line[1:]) if line != "#end" else None
            elif line.startswith("b"):
                value, code = line[1:].split()
                changes.update((name, int(value, 2)) for name in codes.get(code, ()))
            elif line[:1] in ("0", "1"):
                changes.update((name, int(line[0])) for name in codes.get(line[1:], ()))


def signed(value, bits):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def lane(value, number, bits):
    return (value >> (number * bits)) & ((1 << bits) - 1)
