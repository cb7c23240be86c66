#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cycles of the model beside those of RTL, command by command, for networks on presets. ./dev fidelity calls it.

Prints a row for each network and preset. With --write it writes docs/results/fidelity.md, its plot and fidelity.json; rows that are not
measured now are kept. Exit code 0 (77: the program has no RTL, or nothing to measure); 1: a run failed, or with --check the page is stale;
2: a bad option or a damaged file."""

import argparse
import concurrent.futures
import fnmatch
import os
import pathlib
import sys

import cliffs
import core_totals
import cycles
import deviations
import page
import plot
from cycles import ROOT, measure

RESULTS = ROOT / "docs/results"
PRESETS = ("v64", "v256", "v1024")
SKIPPED = 77


class BadOption(Exception):
    pass


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise BadOption(f"{message}; --help lists the options")


def parse_options(arguments):
    parser = Parser(prog="./dev fidelity", description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("--config", action="append", metavar="NAME", help=f"preset, repeatable; default {' '.join(PRESETS)}")
    parser.add_argument("--network", action="append", metavar="GLOB", help="only networks whose name matches, repeatable")
    parser.add_argument("--model", action="append", type=pathlib.Path, default=[], metavar="FILE", help="another network instead, repeatable")
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--own", action="store_true", help="only the networks of this tree")
    only.add_argument("--golden", action="store_true", help="only those of ../shared/golden/nets; exit code 77 without it")
    parser.add_argument("--scope", choices=("command", "core", "cliffs"), default="command",
                        help="command: each command alone (default); core: totals of whole networks on the core with its memory; cliffs: the same of "
                             "random graphs that ask much of one resource (./dev build fuzz_ops)")
    parser.add_argument("--memory", action="append", choices=core_totals.MODES, metavar="MODE", help="of scope core, repeatable; default sram")
    parser.add_argument("--write", action="store_true", help="write docs/results/fidelity.md, .svg and .json")
    parser.add_argument("--check", action="store_true", help="fail where they are not what is measured now")
    parser.add_argument("--html", type=pathlib.Path, metavar="FILE", help="a page with a name for each point")
    parser.add_argument("--results", type=pathlib.Path, default=RESULTS, metavar="DIR", help="another folder than docs/results")
    parser.add_argument("--vernier", default=str(ROOT / "build/release/vernier"), metavar="PATH", help="the program")
    options = parser.parse_args(arguments)
    if options.write and options.check:
        raise BadOption("--write and --check exclude each other")
    if options.scope != "core" and options.memory:
        raise BadOption("--memory is for --scope core")
    if options.scope == "cliffs" and (options.model or options.network or options.config or options.own or options.golden or options.check):
        raise BadOption("--scope cliffs goes with --write, --results and --vernier alone")
    if options.scope != "command" and options.html:
        raise BadOption("--html is for --scope command")
    if options.model and (options.write or options.check or options.own or options.golden):
        raise BadOption("--model goes with --config, --network and --html alone")
    if not os.path.isfile(options.vernier) or not os.access(options.vernier, os.X_OK):
        raise BadOption(f"--vernier: no program {options.vernier}; ./dev build makes it")
    for file in [options.html] if options.html else []:
        if not file.absolute().parent.is_dir():
            raise BadOption(f"--html: no folder for {file}")
    return options


def named(model):
    """A network by its file, or by its folder where each has the same file name."""
    name = model.stem if model.stem != "model" else model.absolute().parent.name
    return measure.Network(name, model, [], False)


def chosen_networks(options):
    if options.model:
        networks = [named(model) for model in options.model]
    else:
        networks = ([] if options.own else measure.golden_networks()) + ([] if options.golden else measure.own_networks())
    patterns = options.network or ["*"]
    for pattern in patterns:
        if networks and not any(fnmatch.fnmatch(network.name, pattern) for network in networks):
            raise BadOption(f"--network: no network matches '{pattern}', there are {', '.join(n.name for n in networks)}")
    return [network for network in networks if any(fnmatch.fnmatch(network.name, pattern) for pattern in patterns)]


def all_measured(options, networks):
    """Runs, and a line for each that failed."""
    runs, failures = [], []
    print(page.row_of(page.HEADINGS), flush=True)
    for network in networks:
        for config in options.config or PRESETS:
            try:
                runs.append(cycles.measured(options.vernier, network, config))
                print(page.row_of(page.cells_of(runs[-1])), flush=True)
            except cycles.Failed as failed:
                failures.append(str(failed))
    return runs, failures


def all_totals(options, networks):
    """Totals of the core, and a line for each run that failed."""
    totals, failures = [], []
    print(page.row_of(core_totals.HEADINGS), flush=True)
    for network in networks:
        for config in options.config or PRESETS:
            for memory in options.memory or core_totals.MODES[:1]:
                try:
                    totals.append(core_totals.measured(options.vernier, network, config, memory))
                    print(page.row_of(totals[-1].cells()), flush=True)
                except cycles.Failed as failed:
                    failures.append(str(failed))
    return totals, failures


def all_cliffs(options):
    """A row for each kind of graphs, and a line for each that failed. Two programs run at the same time."""
    rows, failures = [], []
    fuzz_ops = pathlib.Path(options.vernier).parent / "fuzz_ops"
    if not fuzz_ops.exists():
        raise BadOption(f"--scope cliffs: no program {fuzz_ops}; ./dev build fuzz_ops makes it")
    print(page.row_of(cliffs.HEADINGS), flush=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as programs:
        for kind, row in [(kind, programs.submit(cliffs.measured, fuzz_ops, kind)) for kind in cliffs.KINDS]:
            try:
                rows.append(row.result())
                print(page.row_of(rows[-1].cells()), flush=True)
            except cycles.Failed as failed:
                failures.append(str(failed))
    return rows, failures


def cores_in_order(cores):
    presets, modes = ({name: place for place, name in enumerate(names)} for names in (PRESETS, core_totals.MODES))
    return sorted(cores, key=lambda row: (row.network, modes.get(row.memory, len(modes)), presets.get(row.config, len(presets)), row.config))


def in_order(runs):
    """Networks beside the tree first, as far as it is known here which they are; presets by their first number."""
    own = {network.name: place for place, network in enumerate(measure.own_networks())}
    presets = {name: place for place, name in enumerate(PRESETS)}
    return sorted(runs, key=lambda run: (own.get(run.network, -1), run.network, presets.get(run.config, len(presets)), run.config))


def texts_of(runs, cores, of_cliffs):
    """{file name: text} of what --write writes."""
    own = {network.name for network in measure.own_networks()}
    return {"fidelity.json": cycles.text_of(runs, cores, of_cliffs), "fidelity.md": page.page(runs, deviations.read(), own, cores, of_cliffs),
            "fidelity.svg": plot.fidelity_svg(runs)}


def stale(options, kept, kept_cores, kept_cliffs, measured):
    """A line for each run that differs from the file, and for each file that is not made from it."""
    for run in measured:
        old = (kept_cores if options.scope == "core" else kept).get(run.key)
        if old is None:
            yield f"{run.network} on {', '.join(run.key[1:])} is not in {options.results / 'fidelity.json'}"
        elif not run.has_cycles_of(old):
            yield f"{run.network} on {', '.join(run.key[1:])} has other cycles than in {options.results / 'fidelity.json'}"
    for name, text in texts_of(in_order(kept.values()), cores_in_order(kept_cores.values()), kept_cliffs.values()).items():
        file = options.results / name
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            yield f"{file} is not what is made from fidelity.json and deviations.toml"


def write(folder, texts):
    for name, text in texts.items():
        unfinished = folder / f"{name}.unfinished"
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(folder / name)


def main(arguments):
    options = parse_options(arguments)
    networks = chosen_networks(options)
    if not networks:
        print("fidelity: there is no ../shared/golden/nets")
        return SKIPPED
    file = options.results / "fidelity.json"
    kept, cores, of_cliffs = (reader.read(file) if options.write or options.check else {} for reader in (cycles, core_totals, cliffs))
    if options.scope == "cliffs":
        runs, failures = all_cliffs(options)
    else:
        runs, failures = (all_totals if options.scope == "core" else all_measured)(options, networks)
    if options.html:
        rows = [(run, page.cells_of(run)) for run in runs]
        options.html.write_text(plot.fidelity_html(runs, page.summary_of(runs), page.HEADINGS, rows), encoding="utf-8")
    if options.check:
        failures += stale(options, kept, cores, of_cliffs, runs)
    if options.write and not failures:
        {"command": kept, "core": cores, "cliffs": of_cliffs}[options.scope].update({run.key: run for run in runs})
        write(options.results, texts_of(in_order(kept.values()), cores_in_order(cores.values()), of_cliffs.values()))
    for failure in failures:
        print(f"fidelity: {failure}", file=sys.stderr)
    if options.check and failures:
        print("fidelity: if the change is meant: ./dev fidelity --write, and the reason in the commit", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except cycles.NoRtl as error:
        print(f"fidelity: skipped: {error}")
        sys.exit(SKIPPED)
    except (BadOption, cycles.Damaged, deviations.Damaged) as error:
        print(f"fidelity: {error}", file=sys.stderr)
        sys.exit(2)
    except OSError as error:
        print(f"fidelity: {error.filename}: {error.strerror}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
