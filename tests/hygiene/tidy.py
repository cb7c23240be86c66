#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clang-tidy over sources that were not found tidy before: tidy.py BUILD [FILE.cpp ...], all of the build without a file.

A source is known as tidy by a checksum over clang-tidy's version, .clang-tidy, the compile command and the contents of all that
the compiler reads for it. BUILD is a folder that is configured without batches (-DCMAKE_UNITY_BUILD=OFF).
The checksums of tidy sources are empty files in a folder of the user's cache; paths below the checkout count relative to it, so
another clone knows what the first one found. Prints the findings, exits 1 if there is any."""

import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = "clang-tidy"
SKIPPED = 77


class Checksums:
    """Contents of files, each read once."""

    def __init__(self):
        self.known = {}

    def of(self, path):
        if path not in self.known:
            file = pathlib.Path(path)
            self.known[path] = hashlib.sha256(file.read_bytes()).digest() if file.is_file() else b"missing"
        return self.known[path]


def compile_commands(build):
    """Of each source its command."""
    entries = json.loads((build / "compile_commands.json").read_text())
    return {pathlib.Path(entry["file"]): entry["command"] for entry in entries}


def read_files(build, command):
    """The files that the compiler reads for a source, itself among them; none where it cannot tell."""
    words = [word for word in shlex.split(command) if "ccache" not in word]
    words = words[words.index("-E") + 1:] if "-E" in words[:3] else words  # cmake -E env NAME=VALUE ... COMPILER
    words = [word for word in words if word != "env" and not re.match(r"CCACHE_\w+=", word)]
    if "-o" in words:
        at = words.index("-o")
        del words[at:at + 2]
    listed = subprocess.run([*(word for word in words if word != "-c"), "-M"], cwd=build, capture_output=True, text=True, check=False)
    if listed.returncode != 0:
        return []
    return [os.path.normpath(build / name) for name in listed.stdout.partition(":")[2].replace("\\\n", " ").split()]


def key_of(command, files, shared, checksums):
    """The checksum by which a source is known."""
    key = hashlib.sha256(shared + command.replace(str(ROOT), ".").encode())
    for file in files:
        key.update(file.removeprefix(f"{ROOT}/").encode() + b"\0" + checksums.of(file))
    return key.hexdigest()


def look_at(build, file, place):
    """clang-tidy's findings in one source; empty when it is tidy, which is remembered in `place`."""
    done = subprocess.run([TOOL, "-quiet", "-p", build, file], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return done.stdout + done.stderr
    if place is not None:
        place.touch()
    return ""


def main(arguments):
    if not shutil.which(TOOL):
        print(f"skipped: there is no {TOOL}")
        return SKIPPED
    build = pathlib.Path(arguments[0]).resolve()
    commands = compile_commands(build)
    sources = [pathlib.Path(name).resolve() for name in arguments[1:]]
    if not sources:
        sources = [source for source in commands if build not in source.parents]
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "vernier-tidy"
    cache.mkdir(parents=True, exist_ok=True)
    version = subprocess.run([TOOL, "--version"], capture_output=True, check=True).stdout
    shared = version + (ROOT / ".clang-tidy").read_bytes()
    checksums = Checksums()

    unknown = []
    known = [source for source in sources if source in commands]  # clang-tidy has no command for others
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        files = list(pool.map(lambda source: read_files(build, commands[source]), known))
    for source, read in zip(known, files):
        command = commands[source]
        place = cache / key_of(command, read, shared, checksums) if read else None
        if place is None or not place.exists():
            unknown.append((source, place))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        findings = list(pool.map(lambda entry: look_at(build, *entry), unknown))
    print(f"{len(unknown)} sources looked at, {len(sources) - len(unknown)} known as tidy or not built")
    for finding in filter(None, findings):
        print(finding, end="")
    return 1 if any(findings) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
