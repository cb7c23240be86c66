#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Damaged files against the real program: whatever the bytes of a network, a package, an input, a configuration or an encodings
file are, it ends by itself with 0 to 4, in time, in bounded memory, with a line for each mistake when it refuses, and leaves
nothing behind then.

Exit code 0; 1 when a case failed (its files are kept and the line says how to run it again); 2 for a bad option."""

import argparse
import collections
import multiprocessing
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
import encodings_file
import mutate
import npy
import onnx_file
import qonnx_file
import tflite_draw
import tflite_file

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUN = ("run", "-q", "--no-rerun", "--report", "r.json", "--output-dir", "out")
NETWORK_COMMANDS = (
    (RUN, ()), (RUN, ()), (RUN, ()), (RUN, ("--backend", "reference")), (RUN, ("--optimize", "0", "--check-all")),
    (RUN, ("--config", "v64", "--memory", "external", "--sram-bytes", "65536")), (RUN, ("--config", "v1024", "--level", "none")),
    (("estimate", "--report", "r.csv"), ("--memory", "weights-external")), (("inspect",), ()),
    (("compile", "--dump", "ir"), ()), (("compile", "--dump", "schedule"), ()), (("compile", "-o", "m.vnpu"), ()),
    (("convert", "-o", "c.tosa"), ()), (("convert", "-o", "c.tosa"), ("--batch", "3")))
PACKAGE_COMMANDS = (
    (RUN, ()), (RUN, ()), (RUN, ()), (RUN, ("--check-all",)), (RUN, ("--no-check",)), (RUN, ("--iterations", "2")),
    (RUN, ("--backend", "reference")), (("estimate", "--report", "r.csv"), ()), (("disasm",), ()), (("inspect",), ()))
MACHINES = (
    (), (), ("--optimize", "0"), ("--config", "v64", "--memory", "weights-external"), ("--config", "v1024"),
    ("--config", "v256-port8"), ("--memory", "external", "--sram-bytes", "65536"))
TOML = b'base = "v256"\nname = "mine"\nexternal_bytes_per_cycle = 8\nexternal_latency_cycles = 40\nsram_bytes = 1048576\n'
ENCODINGS = "bad.json"
WALL_SECONDS = 60  # of a case, on however busy a machine

# `beside`: other files, which are good, by name.
# Networks that fuzz_ops draws: so many of each kind, from that seed. Those with larger files are left out, since most of a large
# file are weights.
DRAWN_KINDS, DRAWN_OF_A_KIND, DRAWN_SEED, DRAWN_MOST_BYTES = ("control", "variables", "dynamic", "int4"), 12, 1, 20000

Case = collections.namedtuple("Case", "index kind file command beside", defaults=[{}])
Outcome = collections.namedtuple("Outcome", "index code seconds peak_mib finding")


class Corpus:
    """The good files that the damaged ones are made from."""

    def __init__(self, vernier, folder, drawn=None):
        """`drawn`: a folder of networks that draw_networks() has filled."""
        self.vernier, self.folder, self.packages = vernier, folder, {}
        made = sorted((ROOT / "tests/golden/networks").glob("*/model.tosa"))
        self.networks = [path.read_bytes() for path in [*made, ROOT / "tests/e2e/demo/demo.tosa"]]
        self.drawn = [path.read_bytes() for path in sorted(drawn.rglob("*.tosa"))] if drawn else []
        self.drawn = [network for network in self.drawn if len(network) <= DRAWN_MOST_BYTES]
        picture = npy.to_bytes(npy.zeros("int8", (1, 8, 8, 1)))
        self.encodings = [encodings_file.text(encodings_file.document(version)).encode() for version in encodings_file.VERSIONS]
        self.onnx = [onnx_file.small(), onnx_file.small(batch=-1), onnx_file.operators(), onnx_file.pools(), onnx_file.wide(), onnx_file.recurrent(),
                     onnx_file.float_ends()]
        self.compiled = [*self.networks, onnx_file.float_ends()]
        self.tflite = [tflite_file.small_classifier()] * 8 + [tflite_draw.draw(name, kind, random.Random(1))[0]
                                                              for name, (kinds, _) in tflite_draw.OPERATORS.items() for kind in kinds]
        self.mlir = []
        self.qonnx = [qonnx_file.small(), qonnx_file.thresholds()]
        self.float = onnx_file.float_layer()
        self.float_encodings = [encodings_file.of_float_layer(version).encode() for version in encodings_file.VERSIONS]
        self.inputs = [picture, npy.to_bytes(npy.zeros("int16", (1, 8, 8, 1)))]

    def texts(self):
        """The networks, and those that were drawn, as MLIR text; made when they are first asked for."""
        if self.mlir:
            return self.mlir
        for network in [*self.networks, *self.drawn]:
            (self.folder / "good.tosa").write_bytes(network)
            subprocess.run([self.vernier, "convert", "good.tosa", "-q", "-o", "good.mlir"], cwd=self.folder, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, check=False)
            if (self.folder / "good.mlir").exists():
                self.mlir.append((self.folder / "good.mlir").read_bytes())
        self.mlir = [text for text in self.mlir if len(text) <= DRAWN_MOST_BYTES]
        return self.mlir

    def package(self, rng):
        """Compiled when it is first asked for; by the number of the network and the machine."""
        number, machine = rng.randrange(len(self.compiled)), rng.choice(MACHINES)
        key = (number, machine)
        if key not in self.packages:
            network, package = self.folder / "good.tosa", self.folder / "good.vnpu"
            network.write_bytes(self.compiled[number])
            done = subprocess.run([self.vernier, "compile", network, "-q", "-o", package, *machine],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            self.packages[key] = package.read_bytes() if done.returncode == 0 else None
        return self.packages[key]


def draw_networks(program, folder):
    """Networks with control flow, variables, computed operands and weights of int4, of the program `fuzz_ops`."""
    for kind in DRAWN_KINDS:
        subprocess.run([program, "--kind", kind, "--count", str(DRAWN_OF_A_KIND), "--seed", str(DRAWN_SEED), "--large", "0", "--write-tests",
                        folder / kind, "--output-dir", folder], stdout=subprocess.DEVNULL, check=True)


def network_case(rng, corpus, index):
    return damaged_network(rng, corpus.networks, index)


def drawn_case(rng, corpus, index):
    return damaged_network(rng, corpus.drawn, index)


def damaged_network(rng, networks, index):
    content = mutate.blindly(rng, rng.choice(networks), networks)
    command, options = rng.choice(NETWORK_COMMANDS)
    return Case(index, "bad.tosa", content, [command[0], "bad.tosa", *command[1:], *options])


def package_case(rng, corpus, index):
    good = corpus.package(rng)
    while good is None:  # a network that this machine does not take
        good = corpus.package(rng)
    if rng.random() < 0.5:
        content = mutate.knowingly(rng, good)
    else:
        content = mutate.blindly(rng, good, [corpus.package(rng) or good, rng.choice(corpus.networks)])
    if rng.random() < 0.5:
        content = mutate.mended(content)
    command, options = rng.choice(PACKAGE_COMMANDS)
    return Case(index, "bad.vnpu", content, [command[0], "bad.vnpu", *command[1:], *options])


def small_case(rng, corpus, index):
    demo = str(ROOT / "tests/e2e/demo/demo.tosa")
    if rng.random() < 0.5:
        return Case(index, "bad.npy", mutate.blindly(rng, rng.choice(corpus.inputs), corpus.inputs),
                    [RUN[0], demo, *RUN[1:], "--input", "bad.npy"])
    return Case(index, "bad.toml", mutate.blindly(rng, TOML, [TOML]), [RUN[0], demo, *RUN[1:], "--config", "bad.toml"])


def encodings_case(rng, corpus, index):
    good = rng.choice(corpus.encodings)
    content = mutate.json_knowingly(rng, good) if rng.random() < 0.7 else mutate.blindly(rng, good, corpus.encodings)
    if rng.random() < 0.3:
        return Case(index, ENCODINGS, content, ["encodings", "check", ENCODINGS])
    version = rng.choice(encodings_file.VERSIONS)
    return Case(index, ENCODINGS, content, ["encodings", "convert", ENCODINGS, "-o", "out.json", "--version", version])


def onnx_case(rng, corpus, index):
    return damaged_source(rng, index, "bad.onnx", corpus.onnx, corpus.onnx)


def tflite_case(rng, corpus, index):
    return damaged_source(rng, index, "bad.tflite", corpus.tflite, [*corpus.tflite, *corpus.networks])


def mlir_case(rng, corpus, index):
    good = rng.choice(corpus.texts())
    content = mutate.text_knowingly(rng, good) if rng.random() < 0.7 else mutate.blindly(rng, good, corpus.texts())
    command, options = rng.choice(NETWORK_COMMANDS)
    return Case(index, "bad.mlir", content, [command[0], "bad.mlir", *command[1:], *options])


def qonnx_case(rng, corpus, index):
    return damaged_source(rng, index, "bad.onnx", corpus.qonnx, [*corpus.qonnx, *corpus.onnx])


def damaged_source(rng, index, name, good, others):
    content = mutate.blindly(rng, rng.choice(good), others)
    command, options = rng.choice(NETWORK_COMMANDS)
    return Case(index, name, content, [command[0], name, *command[1:], *options])


def encoded_case(rng, corpus, index):
    """A float network with encodings, one of them damaged."""
    encodings = rng.choice(corpus.float_encodings)
    if rng.random() < 0.4:
        network, name = "bad.onnx", "good.json"
        case = Case(index, network, mutate.blindly(rng, corpus.float, [corpus.float, *corpus.onnx]), [], {name: encodings})
    else:
        network, name = "good.onnx", ENCODINGS
        is_tree = rng.random() < 0.7
        damaged = mutate.json_knowingly(rng, encodings) if is_tree else mutate.blindly(rng, encodings, corpus.float_encodings)
        case = Case(index, name, damaged, [], {network: corpus.float})
    if rng.random() < 0.2:
        return case._replace(command=["encodings", "check", name, "--model", network])
    command, options = rng.choice(NETWORK_COMMANDS)
    return case._replace(command=[command[0], network, "--encodings", name, *command[1:], *options])


def only_converted(rng, case):
    """The same files through `convert`, in the place of a command that also compiles or runs what it reads."""
    if case.command[0] in ("convert", "encodings"):
        return case
    encodings = case.command[case.command.index("--encodings"):][:2] if "--encodings" in case.command else []
    return case._replace(command=["convert", case.command[1], *encodings, "-o", "c.tosa", *rng.choice(((), (), ("--batch", "3")))])


KINDS = {"tosa": network_case, "drawn": drawn_case, "mlir": mlir_case, "tflite": tflite_case, "onnx": onnx_case, "qonnx": qonnx_case, "encoded": encoded_case, "encodings": encodings_case}


def make_case(corpus, seed, index, kinds="networks", is_converted=False):
    rng = random.Random(f"{seed}/{index}")
    if kinds in KINDS:
        case = KINDS[kinds](rng, corpus, index)
        return only_converted(rng, case) if is_converted else case
    kind = rng.random()
    make = network_case if kind < 0.48 else package_case if kind < 0.96 else small_case
    return make(rng, corpus, index)


def execute(vernier, case, folder, wall_seconds=WALL_SECONDS):
    """Exit code (negative: a signal), processor seconds, peak MiB, standard output and error."""
    environment = dict(os.environ, ASAN_OPTIONS="hard_rss_limit_mb=4000:detect_leaks=1", UBSAN_OPTIONS="print_stacktrace=1")
    with open(folder / "stdout", "w+b") as out, open(folder / "stderr", "w+b") as err:
        child = subprocess.Popen([vernier, *case.command], cwd=folder / "run", stdout=out, stderr=err, env=environment)
        signal.signal(signal.SIGALRM, lambda *_: child.send_signal(signal.SIGKILL))
        signal.alarm(wall_seconds)
        _, status, usage = os.wait4(child.pid, 0)
        signal.alarm(0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0), err.seek(0)
        text = err.read(1 << 20).decode(errors="replace")
        return child.returncode, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, out.read(1), text


def finding_of(options, code, seconds, peak_mib, printed, message, left, has_lines=False):
    """`has_lines`: what is wrong may take several lines."""
    if "Sanitizer" in message or "runtime error" in message:
        return next(line for line in message.splitlines() if "Sanitizer" in line or "runtime error" in line)
    if code not in ((0, 2) if options.convert else (0, 1, 2, 3, 4)):
        return f"exit code {code}: {message.strip()[:300]}"
    if seconds > options.seconds:
        return f"{seconds:.1f} s of processor time, allowed are {options.seconds:g}"
    if peak_mib > options.mib:
        return f"{peak_mib:.0f} MiB, allowed are {options.mib}"
    if code == 2 and not re.fullmatch(r"(vernier: [^\n]+\n)" + ("+" if has_lines else "{1,101}"), message):
        return f"exit code 2 without a line, or with more than there are for mistakes: {message[:300]!r}"
    if code == 2 and (printed or left):
        return f"exit code 2, and yet it printed or wrote something: {left}"
    half = [name for name in left if name not in ("r.json", "r.csv", "out", "m.vnpu", "c.tosa", "c.boundary.json", "out.json")]
    return f"left behind: {half}" if half else None


def finding_of_written(vernier, case, folder):
    """An encodings file that was written is clean but for floats, and becomes itself again."""
    again = case._replace(command=["encodings", "convert", "out.json", "-o", "again.json", "--version", case.command[-1]])
    code, _, _, _, message = execute(vernier, again, folder)
    if code != 0 or re.search(": (error|unsupported|lost|assumed)", message):
        return f"what was written is refused, or changes: {message[:300]}"
    is_same = (folder / "run/out.json").read_bytes() == (folder / "run/again.json").read_bytes()
    return None if is_same else "what was written becomes another file when it is converted again"


def run_case(vernier, options, case, folder):
    place = folder / "run"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    files = {case.kind: case.file, **case.beside}
    for name, content in files.items():
        (place / name).write_bytes(content)
    code, seconds, peak_mib, printed, message = execute(vernier, case, folder, max(WALL_SECONDS, round(4 * options.seconds)))
    left = sorted(path.name for path in place.iterdir() if path.name not in files)
    finding = finding_of(options, code, seconds, peak_mib, printed, message, left, case.kind == ENCODINGS)
    if not finding and "out.json" in left:
        finding = finding_of_written(vernier, case, folder)
    if finding:
        keep = pathlib.Path(options.keep) / f"{options.seed}-{case.index}"
        shutil.rmtree(keep, ignore_errors=True)
        keep.mkdir(parents=True)
        for name, content in files.items():
            (keep / name).write_bytes(content)
        (keep / "command").write_text(" ".join(case.command) + "\n")
        (keep / "stderr").write_text(message)
    return Outcome(case.index, code, seconds, peak_mib, finding)


_worker = {}


def start_worker(options):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="worker", dir=options.scratch))
    _worker.update(options=options, folder=folder, corpus=Corpus(options.vernier, folder, options.drawn))


def work(index):
    options = _worker["options"]
    return run_case(options.vernier, options, make_case(_worker["corpus"], options.seed, index, options.kinds, options.convert), _worker["folder"])


def parse_options(arguments):
    parser = argparse.ArgumentParser(prog="fuzz-files", description=__doc__.splitlines()[0])
    parser.add_argument("--vernier", default=str(ROOT / "build/release/vernier"), help="the program; default: the release build")
    parser.add_argument("--count", type=int, default=1000, help="cases to run")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", choices=("networks", *KINDS), default="networks",
                        help="networks, packages, inputs and configurations (default), one kind of network (drawn: TOSA that --fuzz-ops draws), float networks with encodings "
                        "(encoded), or encodings files")
    parser.add_argument("--fuzz-ops", default=str(ROOT / "build/release/fuzz_ops"), help="the program that draws networks for --kinds drawn; "
                        "default: the release build")
    parser.add_argument("--convert", action="store_true", help="one kind of network: through `convert` and `encodings` only, which read and do not run")
    parser.add_argument("--first", type=int, default=0, help="number of the first case: to run one again")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=float, help="of processor time that a case may take (networks: 10, since one that the "
                        "damage left good is compiled, simulated and checked; drawn: 30, since a loop may run to the limit of commands; else 2)")
    parser.add_argument("--mib", type=int, default=1500, help="of memory that a case may take")
    parser.add_argument("--keep", default=str(ROOT / "build/fuzz-files"), help="where the files of failed cases go")
    options = parser.parse_args(arguments)
    if options.seconds is None:
        options.seconds = {"networks": 10, "tosa": 10, "drawn": 30, "mlir": 30}.get(options.kinds, 2)
    options.vernier = str(pathlib.Path(options.vernier).resolve())
    if not os.access(options.vernier, os.X_OK):
        parser.error(f"no program at {options.vernier}: ./dev build makes it")
    options.fuzz_ops = str(pathlib.Path(options.fuzz_ops).resolve())
    if options.kinds in ("drawn", "mlir") and not os.access(options.fuzz_ops, os.X_OK):
        parser.error(f"no program at {options.fuzz_ops}: ./dev build fuzz_ops makes it")
    if options.convert and options.kinds not in KINDS:
        parser.error(f"--convert goes with --kinds {', '.join(KINDS)}")
    if options.count < 1 or options.jobs < 1:
        parser.error("--count and --jobs are at least 1")
    return options


def main(arguments):
    options = parse_options(arguments)
    print(f"fuzz-files: seed {options.seed}, cases {options.first} to {options.first + options.count - 1}", flush=True)
    start, codes, failures, slowest, largest = time.monotonic(), collections.Counter(), 0, 0.0, 0.0
    with tempfile.TemporaryDirectory(prefix="vernier_fuzz_") as scratch:
        options.scratch, options.drawn = scratch, None
        if options.kinds in ("drawn", "mlir"):
            options.drawn = pathlib.Path(scratch) / "drawn"
            draw_networks(options.fuzz_ops, options.drawn)
        with multiprocessing.Pool(options.jobs, start_worker, (options,)) as pool:
            for outcome in pool.imap_unordered(work, range(options.first, options.first + options.count), chunksize=4):
                codes[outcome.code] += 1
                if sum(codes.values()) % 1000 == 0 and options.count > 1000:
                    print(f"fuzz-files: {sum(codes.values())} cases, {failures} failed", flush=True)
                slowest, largest = max(slowest, outcome.seconds), max(largest, outcome.peak_mib)
                if outcome.finding:
                    failures += 1
                    print(f"fuzz-files: --kinds {options.kinds}{' --convert' if options.convert else ''} --seed {options.seed} --first {outcome.index} --count 1: {outcome.finding}",
                          flush=True)
    ended = ", ".join(f"{number} with {code}" for code, number in sorted(codes.items()))
    print(f"fuzz-files: {options.count} cases in {time.monotonic() - start:.0f} s: {ended}; slowest {slowest:.2f} s, "
          f"largest {largest:.0f} MiB, {failures} failed")
    if failures:
        print(f"fuzz-files: the files of failed cases are in {options.keep}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
