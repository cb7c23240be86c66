# SPDX-License-Identifier: Apache-2.0
"""One module of hw/rtl by itself, mapped to the OSU 0.18 um cells by Yosys: what it has, and its netlist.

Modules inside it are black boxes whose pins become ports of the module, as "instance.pin". What was made once for the same
sources, parameters and commands is kept in the scratch folder."""

import collections
import hashlib
import json
import pathlib
import re
import subprocess

import decoded_writes

ROOT = pathlib.Path(__file__).resolve().parents[2]
RTL = ROOT / "hw/rtl"
LIBRARIES = ("/usr/share/qflow/tech/osu018/osu018_stdcells.lib", "/usr/local/share/qflow/tech/osu018/osu018_stdcells.lib")
PACKAGES = ("npu_spec_pkg", "npu_agu_pkg")
RAM = "npu_ram_1r1w"
MAX_FANOUT = 16  # of a net inside a module: above, buffers are put in
PERIOD_PS = 6000
# Logic that shares its cycle with that of other modules, and so is mapped for less: what ends in these registers and outputs.
SHORT_PS = 2000
SHORT = {"npu_mac_epilogue": ("o:scale_value_o",), "npu_rescale_lane": ("w:value_q",), "npu_rescale_unit": ("w:low0_q", "w:high0_q"),
         "npu_vector_issue": ("o:slot_o",)}


OUTPUTS = ("Y", "YC", "YS")


def abc_commands(period):
    area = ("scorr", "dc2") if period == PERIOD_PS else ()
    return ("strash", "ifraig", *area, "dch -f", f"map -D {period}", "topo", f"buffer -N {MAX_FANOUT}", "topo",
            f"upsize -D {period}", f"dnsize -D {period}")


def map_gates(module):
    """Commands that map the gates of `module` to cells. Of registers, the gates before them are found from the flip-flops."""
    if module not in SHORT:
        return [f"abc -liberty {library()} -script abc.script"]
    ends = [f"{end} %ci1 t:DFF* %i %ci1:+DFFPOSX1[D] w:* %i" if end.startswith("w:") else end for end in SHORT[module]]
    return [f"read_liberty -lib {library()}", f"select -set short {' '.join(ends)} {'%u ' * (len(ends) - 1)}%ci*:-DFFPOSX1 t:DFF* %d",
            f"abc -liberty {library()} -script short.script @short", f"abc -liberty {library()} -script abc.script t:$_*_"]


class ToolError(Exception):
    """A tool that failed, with the end of what it said."""


def library():
    return next((path for path in LIBRARIES if pathlib.Path(path).is_file()), None)


def run(command, folder):
    result = subprocess.run([str(part) for part in command], cwd=folder, capture_output=True, text=True, check=False)
    text = result.stdout + result.stderr
    if result.returncode != 0:
        raise ToolError(f"{command[0]} failed:\n{text[-2000:]}")
    return text


def children(module):
    """Modules of hw/rtl that `module` instantiates."""
    text = (RTL / f"{module}.sv").read_text(encoding="utf-8")
    names = re.findall(r"^\s*(npu_\w+) (?:#\(|u_)", text, re.MULTILINE)
    return sorted({name for name in names if (RTL / f"{name}.sv").is_file()})


def cell_areas():
    text = pathlib.Path(library()).read_text(encoding="utf-8")
    return {name: float(area) for name, area in re.findall(r"cell \((\w+)\) \{.*?area\s*:\s*([0-9.]+)", text, re.DOTALL)}


class Module:
    """A mapped module: cells, area in NAND2, flip-flops, bits of memory, and the ports and cells of its netlist."""

    def __init__(self, name, parameters, scratch):
        self.name = name
        self.parameters = parameters
        kids = children(name)
        files = [RTL / f"{file}.sv" for file in (*PACKAGES, *kids, name)]
        texts = {file.name: file.read_bytes() for file in files}
        chparam = " ".join(f"-chparam {key} {value}" for key, value in parameters.items())
        commands = [f"read_verilog -sv {' '.join(texts)}", f"hierarchy -top {name} {chparam}", f"rename -top {name}",
                    *([f"tee -q -o memory.stat stat -top {name}"] if RAM in kids else []),
                    *[f"blackbox {kid} $paramod*{kid}*" for kid in kids], "proc", "flatten", "opt_expr -fine -full", "wreduce t:$and",
                    "opt_expr -fine", "opt_clean", "write_json read.json"]
        mapped = ["read_json decoded.json", "synth -noabc", *[f"expose -evert t:*{kid} t:$paramod*{kid}*" for kid in kids],
                  f"dfflibmap -liberty {library()}", *map_gates(name), "opt_clean -purge",
                  f"select -assert-none t:$* t:{RAM}", "write_json net.json"]
        digest = hashlib.sha256("\n".join([*commands, *mapped, *abc_commands(PERIOD_PS), *abc_commands(SHORT_PS)]).encode())
        for text in [*texts.values(), pathlib.Path(library()).read_bytes(), pathlib.Path(decoded_writes.__file__).read_bytes()]:
            digest.update(text)
        self.key = digest.hexdigest()
        self.folder = scratch / "_".join([name, *map(str, parameters.values())])
        self.folder.mkdir(parents=True, exist_ok=True)
        made = self.folder / "made"
        if not made.is_file() or made.read_text() != self.key:
            made.unlink(missing_ok=True)
            # Names in the netlist hold those of files: read from here, they are the same everywhere.
            for file, text in texts.items():
                (self.folder / file).write_bytes(text)
            for script, period in (("abc", PERIOD_PS), ("short", SHORT_PS)):
                (self.folder / f"{script}.script").write_text("\n".join(abc_commands(period)) + "\n")
            (self.folder / "read.ys").write_text("\n".join(commands) + "\n")
            (self.folder / "map.ys").write_text("\n".join(mapped) + "\n")
            run(["yosys", "-q", "read.ys"], self.folder)
            design = json.loads((self.folder / "read.json").read_text())
            decoded_writes.decode(design["modules"][name])
            (self.folder / "decoded.json").write_text(json.dumps(design))
            run(["yosys", "-q", "map.ys"], self.folder)
            made.write_text(self.key)
        self.instances, self.pin_bits = self.instances_of(json.loads((self.folder / "read.json").read_text())["modules"][name])
        design = json.loads((self.folder / "net.json").read_text())["modules"][name]
        self.ports = design["ports"]
        self.netnames = design["netnames"]
        self.net_cells = design["cells"]
        self.add_buffers()
        areas = cell_areas()
        count = collections.Counter(cell["type"] for cell in self.net_cells.values())
        self.cells = sum(count.values())
        self.nand2 = sum(areas[kind] * number for kind, number in count.items()) / areas["NAND2X1"]
        self.flip_flops = sum(number for kind, number in count.items() if kind.startswith("DFF"))
        bits = re.findall(r"Number of memory bits: +(\d+)", (self.folder / "memory.stat").read_text()) if RAM in kids else ["0"]
        self.memory_bits = int(bits[-1])

    def add_buffers(self):
        """Trees of buffers for the nets of registers and inputs, which abc leaves as they are."""
        last = max((bit for cell in self.net_cells.values() for bits in cell["connections"].values() for bit in bits if isinstance(bit, int)),
                   default=0)
        last = max([last, *(bit for port in self.ports.values() for bit in port["bits"] if isinstance(bit, int))])
        sinks = {}
        for name, cell in self.net_cells.items():
            for pin, bits in cell["connections"].items():
                is_data = pin == "D" if cell["type"].startswith("DFF") else pin not in OUTPUTS
                if is_data and isinstance(bits[0], int):
                    sinks.setdefault(bits[0], []).append((name, pin))
        for net, of_net in sinks.items():
            while len(of_net) > MAX_FANOUT:
                above = []
                for begin in range(0, len(of_net), MAX_FANOUT):
                    last += 1
                    name = f"buffer{last}"
                    self.net_cells[name] = {"type": "BUFX4", "connections": {"A": [net], "Y": [last]}}
                    for cell, pin in of_net[begin:begin + MAX_FANOUT]:
                        self.net_cells[cell]["connections"][pin] = [last]
                    above.append((name, "A"))
                of_net = above

    @staticmethod
    def instances_of(design):
        """{instance, equal lanes as one: (module, how many)} but for memories, and {instance: {pin: bits}}."""
        found, pin_bits = {}, {}
        for name, cell in design["cells"].items():
            kind = re.search(r"(npu_\w+)(?:\\|$)", cell["type"])
            if kind and kind[1] != RAM:
                found[group(name)] = (kind[1], found.get(group(name), (kind[1], 0))[1] + 1)
                pin_bits[group(name)] = {pin: len(bits) for pin, bits in cell["connections"].items()}
        return found, pin_bits

    def register_of(self):
        """{cell: name} of each flip-flop: the register whose bit it is."""
        names = {}
        for name, net in self.netnames.items():
            if not net["hide_name"]:
                for bit in net["bits"]:
                    if bit not in names or (name.endswith("_q"), -len(name)) > (names[bit].endswith("_q"), -len(names[bit])):
                        names[bit] = name
        return {cell: names.get(body["connections"]["Q"][0], cell) for cell, body in self.net_cells.items() if body["type"].startswith("DFF")}


def group(port):
    """Ports of equal lanes as one: gen_lane[3].u_lane.value_i is gen_lane[].u_lane.value_i."""
    return re.sub(r"\[\d+\]", "[]", port)
