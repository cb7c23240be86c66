# SPDX-License-Identifier: Apache-2.0
"""Random graphs whose results on our reference, on our simulator with three presets and on the official reference model are the same. Exit code
77, with a message, where PyPI cannot be reached.

usage: official_fuzz_test.py FUZZ_OPS FOLDER [--seed N] [--count N] [--kind KIND] [--failures DIR]. The tools are installed into FOLDER, once.
--failures: where tests that differ are kept. Values that break a REQUIRE of TOSA are not compared, since any result is right then (our reference
says so, and the official model may, but not alone), nor is inexact rounding, which may give several."""

import argparse
import collections
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "live"), str(HERE.parent / "e2e")]
import npy
import pypi

PACKAGES = (pypi.TOSA_TOOLS,)
PRESETS = ("v64", "v256", "v1024")
PART = 250  # graphs that lie on disk at once
VALID, UNPREDICTABLE = 0, 1  # exit codes of the official model


def run(command):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, errors="replace", check=False)


def difference(folder, model):
    """What the official model has against a test, or nothing; and how many elements are the same, None where they are not compared."""
    desc = json.loads((folder / "desc.json").read_text(encoding="utf-8"))
    official = folder / "official"
    official.mkdir()
    done = run([model, "--test_desc", folder / "desc.json", "--output_dir", official, "--tosa_level", "EIGHTK"])
    if done.returncode not in (VALID, UNPREDICTABLE):
        return f"the official model ends with {done.returncode}: {done.stderr[-500:]}", 0
    if not desc["comparable"]:
        return None, None
    if done.returncode == UNPREDICTABLE:
        return f"unpredictable for the official model alone: {done.stderr[-500:]}", 0
    elements = 0
    for name, file in zip(desc["ofm_name"], desc["ofm_file"]):
        expected = npy.read(folder / file)
        if found := expected.first_difference(npy.read(official / file)):
            return f"'{name}', ours and officially: {found}", elements
        elements += len(expected.values)
    return None, elements


def judge(model, options, seed, count, folder, totals):
    """Complaints about graphs from that seed; counts into totals."""
    complaints = []
    for preset in PRESETS:
        command = [options.fuzz_ops, "--seed", seed, "--count", count, "--kind", options.kind, "--large", 0, "--config", preset, "--output-dir", folder]
        if preset == PRESETS[0]:
            command += ["--write-tests", folder / "tests"]
        done = run(command)
        if done.returncode != 0:
            complaints.append(f"{preset}, {count} graphs from seed {seed}: exit code {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-1000:]}")
    for test in sorted((folder / "tests").iterdir(), key=lambda path: int(path.name)):
        found, elements = difference(test, model)
        totals["graphs"] += 1
        totals["elements"] += elements or 0
        totals["equal"] += found is None and elements is not None
        totals["free"] += elements is None
        if found is not None:
            complaints.append(f"./dev fuzz-ops --kind {options.kind} --large 0 --replay {test.name}: {found}")
            if options.failures:
                shutil.copytree(test, options.failures / test.name, dirs_exist_ok=True)
    return complaints


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("fuzz_ops", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("folder", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--seed", type=int, default=20_000)
    parser.add_argument("--count", type=int, default=250)
    parser.add_argument("--kind", choices=("single", "connected"), default="single")
    parser.add_argument("--failures", type=pathlib.Path)
    options = parser.parse_args()
    python = pypi.python_with(options.folder, *PACKAGES)
    model = next(python.parent.parent.glob("lib/*/site-packages/bin/tosa_reference_model"))
    print(f"{options.count} graphs of kind {options.kind} from seed {options.seed}, on {', '.join(PRESETS)}", flush=True)
    totals, complaints = collections.Counter(), []
    for first in range(0, options.count, PART):
        with tempfile.TemporaryDirectory() as scratch:
            complaints += judge(model, options, options.seed + first, min(PART, options.count - first), pathlib.Path(scratch), totals)
        print(f"{totals['graphs']} graphs: {totals['equal']} are the same on the official model ({totals['elements']:,} elements), "
              f"{totals['free']} may have others", flush=True)
    if totals["graphs"] != options.count:
        complaints.append(f"{totals['graphs']} of {options.count} graphs were looked at")
    if totals["equal"] < 0.8 * totals["graphs"]:
        complaints.append("fewer than 80 % of the graphs were compared")
    print("\n".join(complaints))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
