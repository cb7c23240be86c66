# SPDX-License-Identifier: Apache-2.0
"""Whether the newest ai-edge-litert still computes what compiler/import/tflite/flavours.cpp says that 2.3.0 does.

usage: tflite_newest_test.py VERNIER FOLDER [--seed N] [--cases N] [--falsify NAME] [--self-test]. Installs the newest package that PyPI gives into
FOLDER each time; exit code 77 where it cannot be had. One drawn network (--cases) of each row and type, by the reference kernels and by the default
interpreter; a row that gives other results than Vernier with its flavour fails, by name. Only the reference's own gaps stay with the default kernels
(tflite_draw.DEFAULT_KERNELS). --falsify puts the results of one operator a step off; --self-test does so with CONV_2D after the test itself, and fails unless its
rows are named besides those that have changed in fact."""

import collections
import pathlib
import subprocess
import sys
import tempfile

import pypi
import tflite_flavours
import tflite_operators_test as sweep

import npy  # of tests/e2e, which `sweep` makes known
import tflite_draw

ROUNDS = {"litert-ref": "reference", "xnnpack": "delegated"}


def falsified(folder, entries, name):
    """Every result of that operator one step off, as a package with other kernels would give it."""
    for entry in entries:
        if entry["name"] != name:
            continue
        for path in folder.glob(f"{entry['number']}.output*.npy"):
            array = npy.read(path)
            npy.write(path, npy.Array(array.descr, array.shape, [int(value) - 1 if int(value) > 0 else int(value) + 1 for value in array.values]))


def changed_rows(options, python, flavour):
    """Names of the rows of which an element is other than the table says."""
    rows = set()
    with tempfile.TemporaryDirectory(prefix="vernier_live_") as name:
        folder = pathlib.Path(name)
        index = sweep.write_cases(folder, sorted(tflite_draw.OPERATORS), options.cases, options.seed, ROUNDS[flavour])
        subprocess.run([python, "-B", sweep.HERE / "litert_outputs.py", folder], check=True, stderr=subprocess.DEVNULL)
        if options.falsify:
            falsified(folder, index, options.falsify)
        for entry in index:
            group = collections.Counter()
            group["bad"] = ""
            said = sweep.compare_flavour(options.vernier, folder, entry, group, flavour)
            row = f"{entry['name']} {entry['kind']}, {flavour}"
            if said or group["by at most"] > tflite_draw.BOUNDS.get((entry["name"], entry["kind"]), 0):
                rows.add(f"{row}: {said or str(group['differ']) + ' elements differ'}")
            if group["LiteRT refuses"]:
                print(f"{row}: the newest package does not take case {entry['case']}: {group['why']}")
    return rows


def main():
    parser = pypi.parser("--cases", 1)
    parser.add_argument("--falsify", choices=sorted(tflite_draw.OPERATORS))
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    for stamp in options.folder.glob("*.done"):
        stamp.unlink()  # the newest package may be another one than in the last night
    python = pypi.python_with(options.folder, "ai-edge-litert", "numpy")
    version = subprocess.run([python, "-c", "import importlib.metadata as m; print(m.version('ai-edge-litert'))"], capture_output=True, text=True,
                             check=True).stdout.strip()
    print(f"ai-edge-litert {version}, seed {options.seed}; the table is of {tflite_flavours.LITERT[0]}")
    by_flavour = {flavour: changed_rows(options, python, flavour) for flavour in ROUNDS}
    rows = set().union(*by_flavour.values())
    print(*(f"the row has changed: {row}" for row in sorted(rows)), sep="\n")
    failed = bool(rows)
    if options.self_test:
        options.falsify = "CONV_2D"
        names = {row.split()[0] for row in changed_rows(options, python, "litert-ref")}
        wanted = {row.split()[0] for row in by_flavour["litert-ref"]} | {options.falsify}
        print(f"self test: with {options.falsify} falsified the rows of {', '.join(sorted(names)) or 'nothing'} are named, expected are those of {', '.join(sorted(wanted))}")
        failed |= names != wanted
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
