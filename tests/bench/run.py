#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the benchmark networks: cycles, utilisation, seconds of host time by phase, peak memory. ./dev bench calls it.

Exit code 0 (77: nothing to run); 1 when a run fails or cycles differ from the committed table; 2 for a bad option or a damaged table."""

import argparse
import fnmatch
import json
import os
import pathlib
import platform
import re
import sys

import fidelity_rows
import host_rates
import measure
import own_times
import package_rate
import reading
import suite_times
import table

SKIPPED = 77  # exit code, as ctest knows it
PAGE = measure.ROOT / "docs/results/bench.md"
PAGE_HEAD = """# Benchmark table

Written by `{command}` on {machine}.
Cycles are those of the simulated machine and the same everywhere; a test compares those of the project's own networks
with this table. Seconds are host time, the run with the least total of {num_runs}, and mean something only beside each other.
MACs/N^2 is the number of cycles that the multipliers alone would take; `peak MiB` is the peak memory of the process.
What limits the four networks of the first milestone: [README.md](README.md).

"""

RATES_HEADING = "## Co-simulation and watching"
RATES_TEXT = """Printed by the same command, in seconds of the same machine: RTL cycles of the MAC commands of one network per second of
processor time, comparison included; the whole network by `vernier cosim`; and what the signals of a machine cost that nobody watches.

"""


class BadOption(Exception):
    pass


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise BadOption(f"{message}; --help lists the options")


def positive(text):
    if not text.isdecimal() or not 1 <= int(text) <= 1000:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number from 1 to 1000")
    return int(text)


def parse_options(arguments):
    parser = Parser(prog="./dev bench", description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("--runs", type=positive, default=3, metavar="N", help="runs of each network, the best counts; default 3")
    parser.add_argument("--config", action="append", metavar="NAME", help="preset or TOML file, repeatable; default v256")
    parser.add_argument("--network", action="append", metavar="GLOB", help="only networks whose name matches, repeatable")
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--own", action="store_true", help="only the networks of this tree")
    only.add_argument("--golden", action="store_true", help="only those of ../shared/golden/nets; exit code 77 without it")
    parser.add_argument("--json", metavar="FILE", help="write the rows there")
    parser.add_argument("--write", action="store_true", help="write docs/results/bench.md; rows not measured now are kept")
    parser.add_argument("--compare", action="store_true", help="with the committed table: cycles equal, seconds as ratios")
    parser.add_argument("--no-rtl", dest="rtl", action="store_false", help="without the rates of co-simulation")
    parser.add_argument("--no-reading", dest="reading", action="store_false", help="without the time that the largest network takes to be read")
    parser.add_argument("--python", metavar="PATH", help="a Python with the wheel, whose calls are timed beside the program")
    parser.add_argument("--table", default=str(PAGE), metavar="FILE", help="another table than docs/results/bench.md")
    parser.add_argument("--vernier", default=str(measure.ROOT / "build/release/vernier"), metavar="PATH", help="the program")
    options = parser.parse_args(arguments)
    if options.write and options.compare:
        raise BadOption("--write and --compare exclude each other")
    if not os.access(options.vernier, os.X_OK) or not os.path.isfile(options.vernier):
        raise BadOption(f"--vernier: no program {options.vernier}; ./dev build makes it")
    if options.json and not pathlib.Path(options.json).absolute().parent.is_dir():
        raise BadOption(f"--json: no folder for {options.json}")
    return options


def chosen_networks(options):
    networks = ([] if options.golden else measure.own_networks()) + ([] if options.own else measure.golden_networks())
    patterns = options.network or ["*"]
    for pattern in patterns:
        if not any(fnmatch.fnmatch(network.name, pattern) for network in networks):
            raise BadOption(f"--network: no network matches '{pattern}', there are {', '.join(n.name for n in networks)}")
    return [network for network in networks if any(fnmatch.fnmatch(network.name, pattern) for pattern in patterns)]


def committed_rows(file):
    try:
        return table.parse(pathlib.Path(file).read_text(encoding="utf-8"), file)
    except (OSError, UnicodeDecodeError) as error:
        raise table.DamagedTable(f"{file}: cannot be read: {getattr(error, 'strerror', None) or 'not UTF-8'}") from None


def measure_all(options, networks, configs):
    """Rows; (network beside the tree, configuration) that the program does not take; and a line for each run that failed."""
    rows, left_out, failures = [], [], []
    for config in configs:
        for network in networks:
            if sys.stderr.isatty():
                print(f"\r\033[K{network.name} on {config} ...", end="", file=sys.stderr, flush=True)
            try:
                rows.append(measure.measure(options.vernier, network, config, options.runs))
            except measure.Refused as refused:
                if network.is_own:
                    raise BadOption(str(refused).removeprefix("vernier: ")) from None
                left_out.append((network.name, config))
                reason = str(refused).removeprefix(f"vernier: {network.model}: ").partition("\n")[0]
                print(f"bench: {network.name} on {config} is left out: {reason}", file=sys.stderr)
            except measure.Failed as failed:
                failures.append(f"{network.name} on {config}: {failed}")
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr, flush=True)
    return rows, left_out, failures


def compare(rows, left_out, committed):
    """Prints a line a row; returns a line for each whose cycles differ or that is missing in the table."""
    before = {(row["network"], row["config"]): row for row in committed}
    failures = [f"{network} on {config}: has a row in the table, and is refused now"
                for network, config in left_out if (network, config) in before]
    for row in rows:
        name = f"{row['network']} on {row['config']}"
        old = before.get((row["network"], row["config"]))
        if old is None:
            failures.append(f"{name}: not in the table")
            continue
        ratios = ", ".join(
            f"{phase} x{row[f'{phase}_seconds'] / max(old[f'{phase}_seconds'], 1e-4):.2f}"
            for phase in ("compile", "simulate", "check", "total")
        )
        print(f"{name}: {row['cycles']:,} cycles; seconds: {ratios}")
        if row["cycles"] != old["cycles"]:
            change = 100 * (row["cycles"] / old["cycles"] - 1) if old["cycles"] else float("inf")
            failures.append(f"{name}: {row['cycles']:,} cycles, the table has {old['cycles']:,} ({change:+.2f} %)")
    return failures


def machine_text():
    model = platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            model = next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), model)
    except OSError:
        pass
    return f"{os.cpu_count()} cores of {model}, {platform.system()}"


def by_size(config):
    """v64 before v256 before v256-port8: a name's first number, then the name."""
    return int((re.findall(r"\d+", config) or ["0"])[0]), config


def section(options, heading, text, lines):
    """Lines that were measured now, else those that the page has."""
    if lines:
        return "\n".join(["", heading, "", text + "\n".join(f"- {line}" for line in lines), ""])
    path = pathlib.Path(options.table)
    page = path.read_text(encoding="utf-8") if path.exists() else ""
    return "\n" + page[page.index(heading):].split("\n## ")[0] if heading in page else ""


def fidelity_section(page, rows):
    """Of what ./dev fidelity measured, beside the page."""
    return fidelity_rows.section(pathlib.Path(page).parent / "fidelity.json", [(row["network"], row["config"]) for row in rows])


def stale_fidelity(page, rows):
    """Complaints: the section of a page has to be that of fidelity.json."""
    text = pathlib.Path(page).read_text(encoding="utf-8")
    if fidelity_rows.section_of_page(text) == fidelity_section(page, rows):
        return []
    return [f"{page}: section Fidelity is not that of fidelity.json, ./dev bench --write writes it"]


def write_page(options, arguments, rows, committed, lines):
    new = {(row["network"], row["config"]) for row in rows}
    kept = [row for row in committed if (row["network"], row["config"]) not in new]
    order = {network.name: i for i, network in enumerate(measure.own_networks() + measure.golden_networks())}
    rows = sorted(rows + kept, key=lambda row: (*by_size(row["config"]), order.get(row["network"], len(order)), row["network"]))
    words = [re.sub(r"(?<=^--python=).*", "PYTHON", word) for word in arguments]  # where it lies is this machine's own
    words = ["PYTHON" if before == "--python" else word for before, word in zip(["", *words], words)]
    command = " ".join(["./dev bench"] + words)
    head = PAGE_HEAD.format(command=command, machine=machine_text(), num_runs=options.runs)
    folder = pathlib.Path(options.table).parent
    times = own_times.section(folder / "own-times.json") + suite_times.section(folder / "suite-times.json")
    text = head + table.to_markdown(rows) + section(options, RATES_HEADING, RATES_TEXT, lines["rates"])
    text += section(options, reading.HEADING, reading.TEXT, lines["reading"])
    text += section(options, package_rate.HEADING, package_rate.TEXT, lines["python"]) + times + fidelity_section(options.table, rows)
    pathlib.Path(options.table).write_text(text, encoding="utf-8")


def told(lines):
    """Prints them; [] when one of them failed."""
    print("\n".join(lines), flush=True)
    return [] if any("exit code" in line for line in lines) else lines


def main(arguments):
    options = parse_options(arguments)
    if options.golden and not measure.golden_networks():
        print("bench: there is no ../shared/golden/nets")
        return SKIPPED
    networks = chosen_networks(options)
    is_kept = options.write and pathlib.Path(options.table).exists()
    committed = committed_rows(options.table) if options.compare or is_kept else []
    configs = options.config or ["v256"]
    if options.compare and not options.config:
        configs = list(dict.fromkeys(row["config"] for row in committed))
    rows, left_out, failures = measure_all(options, networks, configs)
    lines = {"rates": [], "reading": [], "python": []}
    if options.compare:
        failures += compare(rows, left_out, committed) + stale_fidelity(options.table, committed)
    else:
        print(table.to_text(rows), flush=True)
        if options.rtl:
            lines["rates"] = told(host_rates.lines(options.vernier) + host_rates.of_watching(options.vernier))
        if options.reading:
            lines["reading"] = told(reading.lines(options.vernier))
        if options.python:
            lines["python"] = told(package_rate.lines(options.vernier, options.python))
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
    if options.write and not failures:
        write_page(options, arguments, rows, committed, lines)
    for failure in failures:
        print(f"bench: {failure}", file=sys.stderr)
    if options.compare and failures:
        print("bench: if the change is meant: ./dev bench --write, and the reason in the commit", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (BadOption, table.DamagedTable) as error:
        print(f"bench: {error}", file=sys.stderr)
        sys.exit(2)
    except OSError as error:
        print(f"bench: {error.filename}: {error.strerror}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
