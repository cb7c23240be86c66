# SPDX-License-Identifier: Apache-2.0
"""Adds to a flattened module of Yosys' JSON what says that no register changes while its enables are low: for each flip-flop an
assertion that it takes what it holds, for each memory one that it is neither read nor written. Every register of the module is
meant, whatever its name is."""


class Builder:
    """New cells of a module."""

    def __init__(self, module):
        self.cells = module["cells"]
        bits = [bit for cell in self.cells.values() for of_pin in cell["connections"].values() for bit in of_pin]
        bits += [bit for port in module["ports"].values() for bit in port["bits"]]
        self.added = 0
        self.last = max(bit for bit in bits if isinstance(bit, int))

    def add(self, kind, inputs, has_output=True):
        directions = dict.fromkeys(inputs, "input")
        connections = dict(inputs)
        parameters = {}
        if has_output:
            self.last += 1
            connections["Y"] = [self.last]
            directions["Y"] = "output"
            parameters = {f"{pin}_{what}": format(number, "032b") for pin, bits in inputs.items()
                          for what, number in (("WIDTH", len(bits)), ("SIGNED", 0))}
            parameters["Y_WIDTH"] = format(1, "032b")
        self.added += 1
        name = f"$held${self.added}"
        self.cells[name] = {"hide_name": 1, "type": kind, "parameters": parameters, "attributes": {}, "port_directions": directions,
                            "connections": connections}
        return connections.get("Y", [None])[0]


def name_of(module, bit):
    return min((name for name, net in module["netnames"].items() if bit in net["bits"]), key=len, default="?")


def add_assertions(module, enables, exempt, ram):
    """The assertions are for a cycle in which all ports of `enables` are 0, the cover is for one in which they are not. exempt: registers (and "RAM write") that follow other
    enables. Returns the number of flip-flop bits that are held."""
    build = Builder(module)
    is_low = build.add("$logic_not", {"A": [bit for port in enables for bit in module["ports"][port]["bits"]]})
    held, changes = 0, []
    outputs = set()
    for name, cell in list(module["cells"].items()):
        pins = cell["connections"]
        if cell["type"] == "$dff":
            # What a register holds is anything: it is no register any more, so that nothing can be known of it.
            del module["cells"][name]
            register = name_of(module, pins["Q"][0])
            if register in exempt:
                outputs.update(pins["Q"])
                continue
            stays = build.add("$eq", {"A": pins["D"], "B": pins["Q"]})
            build.add("$assert", {"A": [stays], "EN": ["1"]}, has_output=False)
            changes.append((len(pins["Q"]), build.add("$logic_not", {"A": [stays]})))
            held += len(pins["Q"])
            outputs.update(pins["Q"])
        elif ram in cell["type"]:
            for enable in ("read_en_i", "write_en_i"):
                if f"RAM {enable}" not in exempt:
                    build.add("$assert", {"A": [build.add("$logic_not", {"A": pins[enable]})], "EN": ["1"]}, has_output=False)
            outputs.update(pins["read_data_o"])
            del module["cells"][name]
    moves = build.add("$logic_not", {"A": [is_low]})
    # One of the narrowest registers moves: in front of wide ones stands what an engine thinks long over.
    build.add("$cover", {"A": [min(changes)[1]], "EN": [moves]}, has_output=False)
    return held, outputs
