#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Area and clock of the core in hw/rtl and of its address generators, module by module, in the OSU 0.18 um cells: Yosys maps each
module by itself, OpenSTA times it, and the paths are joined over the tree of modules. ./dev area calls it, and writes
docs/results/silicon.md.

--modules M ... prints those of --config alone and writes nothing; with --check it fails where they differ from the page.

Exit code 0; 1: the page is stale, or a stage is too long; 77: a tool or the library is missing, or Yosys is another than the page's."""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys

from arcs import Arcs
from mapping import Module, ToolError, library
from paths import Paths, buffer_ns
from silicon_page import PAGE, limit_ns, module_row, page, too_long_ends

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77
LANES = {"v64": 8, "v256": 16, "v1024": 32}
TOP, GENERATORS = "npu_core", "npu_agu"
# Yosys takes too long over the windows of more lanes.
GENERATORS_PRESETS = ("v64",)
# Yosys takes too long over these: counted as their like of half the lanes, times what that has more than one of a quarter.
SCALED = {("npu_window_lane", 32)}


def constant(name):
    """Of npu_spec_pkg."""
    return int(re.search(rf"\b{name} = (\d+);", (ROOT / "hw/rtl/npu_spec_pkg.sv").read_text(encoding="utf-8"))[1])


def parameters(module, lanes, prefix=""):
    """Of an instance of `module` with this prefix of its pins, in a preset of so many lanes."""
    if module in ("npu_rescale_lane", "npu_vector_lane", "npu_vector_alu", "npu_vector_divider", "npu_agu_segments_row", "npu_agu_vector_order"):
        return {}
    if module == "npu_agu_vector_side":
        return {"Lanes": lanes, "IsStore": int("stores" in prefix)}
    if module == GENERATORS:
        return {"Lanes": lanes, "Sets": 2}
    if module == "npu_agu_segments_cut":
        return {"Lanes": lanes, "PayloadBits": 130 + (2 * lanes - 1).bit_length()}
    if module == "npu_lane_share":
        return {"OperandBits": 86 * lanes + 140, "ResultBits": 32 * lanes} if "scale" in prefix else \
               {"OperandBits": 16 * lanes + 1, "ResultBits": 32 * lanes, "Latency": constant("TablePipelineCycles")}
    if module == "npu_table_lane":
        words = -(-2 * 513 // lanes)
        return {"WordBytes": lanes, "RowBits": (words - 1).bit_length()}
    if module == "npu_mac_lane":
        return {"Operands": lanes}
    if module in ("npu_weight_lane", "npu_window_lane"):
        return {"Lanes": lanes, "Lane": lanes - 1}
    return {"Lanes": lanes}


def say(what):
    print(f"area: {what}", file=sys.stderr, flush=True)


class Scaled:
    """A module that is not mapped, with the paths of the one of half its lanes."""

    def __init__(self, half, quarter):
        self.name, self.instances, self.pin_bits, self.half, self.memory_bits = half.name, half.instances, half.pin_bits, half, half.memory_bits
        self.cells = round(half.cells * half.cells / quarter.cells)
        self.nand2 = half.nand2 * half.nand2 / quarter.nand2
        self.flip_flops = round(half.flip_flops * half.flip_flops / quarter.flip_flops)


class Preset:
    """All modules of the core of a preset, or of its generators, those that stand in it in several places once for each place: modules
    {name: Module}, count {name: instances}, paths. The name of a place is the module's, or "module.prefix" where there are several, and in
    such a place."""

    def __init__(self, name, scratch, top=TOP):
        self.name = name
        lanes = LANES[name]
        self.modules, self.count, tree = {}, {top: 1}, {}
        pending = [(top, top, "", {})]
        while pending:
            place, module, prefix, widths = pending.pop(0)
            say(f"{name}: {place}")
            if (module, lanes) in SCALED:
                made = Scaled(*(Module(module, parameters(module, lanes // less), scratch) for less in (2, 4)))
            else:
                made = Module(module, parameters(module, lanes, prefix), scratch)
            self.modules[place] = made
            for port, bits in widths.items():
                if not isinstance(made, Scaled) and bits != len(made.ports[port]["bits"]):
                    raise ToolError(f"{place}: {port} is mapped with {len(made.ports[port]['bits'])} bits and stands on {bits}")
            children = [child for child, _ in made.instances.values()]
            tree[place] = {}
            for inner, (child, number) in made.instances.items():
                inner_place = f"{child}.{inner.rpartition('.')[2]}" if children.count(child) > 1 else ".".join([child, *place.split(".")[1:]])
                if inner_place in self.count:
                    raise ToolError(f"{inner_place} stands in two modules, which the paths do not know")
                tree[place][inner] = inner_place
                self.count[inner_place] = number * self.count[place]
                pending.append((inner_place, child, inner, made.pin_bits[inner]))
        self.paths = Paths(tree, {module: Arcs(getattr(made, 'half', made)) for module, made in self.modules.items()}, top, buffer_ns(scratch))


def yosys_version():
    return re.search(r"Yosys (\S+)", subprocess.run(["yosys", "-V"], capture_output=True, text=True, check=True).stdout)[1]


def check_modules(options, committed):
    """Whether the rows of some modules are those of the page."""
    is_fresh = True
    for name in options.modules:
        row = module_row(name, Module(name, parameters(name, LANES[options.config[0]]), options.scratch), None)
        print(row)
        section = re.search(rf"^### {options.config[0]}\n(.*?)(?=^##|\Z)", committed, re.MULTILINE | re.DOTALL)
        if options.check and (not section or row not in section[1]):
            print(f"area: {PAGE.relative_to(ROOT)} has another row for {name} of {options.config[0]}, ./dev area writes it", file=sys.stderr)
            is_fresh = False
    return 0 if is_fresh else 1


def main():
    parser = argparse.ArgumentParser(prog="./dev area", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--config", action="append", choices=LANES, help="one preset, printed alone (all, and the page is written)")
    parser.add_argument("--modules", nargs="+", metavar="MODULE", default=[])
    parser.add_argument("--check", action="store_true", help="write nothing, fail where the page is stale")
    parser.add_argument("--scratch", type=pathlib.Path, default=ROOT / "build/silicon", metavar="DIR", help="build/silicon")
    options = parser.parse_args()
    if options.check and options.config and not options.modules:
        parser.error("--check looks at the whole page, or at the rows of --modules")
    options.scratch = options.scratch.absolute()
    missing = [tool for tool in ("yosys", "sta") if shutil.which(tool) is None] + ([] if library() else ["osu018_stdcells.lib"])
    if missing:
        print(f"area: skipped, not installed: {', '.join(missing)} (./dev area installs them)")
        return SKIPPED
    committed = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    if options.check and f"Yosys {yosys_version()}," not in committed:
        print(f"area: skipped, Yosys {yosys_version()} is not the one of {PAGE.relative_to(ROOT)}")
        return SKIPPED
    try:
        if options.modules:
            options.config = options.config or ["v64"]
            return check_modules(options, committed)
        presets = [Preset(name, options.scratch) for name in options.config or LANES]
        generators = [] if options.config else [Preset(name, options.scratch, GENERATORS) for name in GENERATORS_PRESETS]
        text = page(presets, generators, yosys_version())
    except ToolError as error:
        sys.exit(f"area: {error}")
    limit = limit_ns(presets)
    too_long = {end for preset in [*presets, *generators] for end in too_long_ends(preset, limit)}
    for module, end in sorted(too_long):
        print(f"area: {module}, {end}: a path to it is longer than {limit:.2f} ns, 1.5 times half of a rescale product", file=sys.stderr)
    if options.check:
        is_fresh = text == committed
        if not is_fresh:
            print(f"area: {PAGE.relative_to(ROOT)} is stale, ./dev area writes\n{text}", file=sys.stderr)
        return 0 if is_fresh and not too_long else 1
    print(text)
    if not options.config:
        unfinished = PAGE.with_suffix(".unfinished")
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(PAGE)
    return 1 if too_long else 0


if __name__ == "__main__":
    sys.exit(main())
