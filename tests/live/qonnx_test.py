# SPDX-License-Identifier: Apache-2.0
"""Random nodes of all of QONNX's operators, a network with batch normalizations, and TFC_2W2A, against qonnx.

usage: qonnx_test.py VERNIER FOLDER [--seed N] [--nodes N]. The packages are installed from PyPI into FOLDER, once; exit code 77,
with a message, where they cannot be had."""

import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
import npy
import onnx_groups
import program
import pypi

PACKAGES = ("qonnx==1.0.0", "onnx==1.23.2", "onnxruntime==1.31.1", "numpy==2.4.6")
ZOO = program.ROOT.parent / "shared" / "models" / "qonnx" / "TFC_2W2A.onnx"
ONE_ROUNDING = 2.0**-23


def compare(vernier, folder, number, kinds):
    """What is wrong with the nodes of one network: a list of texts; and how many numbers there are."""
    inputs = [f"--input=x{i}={folder / f'{number}.{i}.input.npy'}" for i in range(len(kinds))]
    done = subprocess.run([vernier, "run", folder / f"{number}.onnx", "-q", *inputs, "--output-dir", folder / "out"],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return [f"exit code {done.returncode}: {done.stderr}"], 0
    wrong, count = [], 0
    for i, kind in enumerate(kinds):
        found, expected = npy.read(folder / "out" / f"y{i}.float.npy"), npy.read(folder / f"{number}.{i}.output.npy")
        differing = sum(abs(a - b) > abs(b) * ONE_ROUNDING for a, b in zip(found.values, expected.values, strict=True))
        count += len(expected.values)
        if differing:
            wrong.append(f"{kind}: {differing} of {len(expected.values)} numbers differ")
    return wrong, count


def main():
    options = pypi.parse_options("--nodes", 2000)
    python = pypi.python_with(options.folder, *PACKAGES)
    complaints, numbers, nodes, seen = [], 0, 0, set()
    with tempfile.TemporaryDirectory(prefix="vernier_live_") as name:
        folder = pathlib.Path(name)
        zoo = ["--zoo", ZOO] if ZOO.exists() else []
        subprocess.run([python, HERE / "qonnx_networks.py", "--seed", str(options.seed), "--nodes", str(options.nodes), *zoo, folder],
                       check=True)
        for number, kinds in enumerate(program.read_json(folder / "index.json")):
            wrong, count = compare(options.vernier, folder, number, kinds)
            complaints += [f"network {number}: {text}" for text in wrong]
            numbers, nodes = numbers + count, nodes + len(kinds)
            seen.update(kind.split()[0] for kind in kinds)
    complaints += [f"no network has {kind}" for kind in onnx_groups.QONNX if kind not in seen]
    print(f"seed {options.seed}: {nodes} nodes and networks, {numbers:,} numbers, {len(complaints)} complaints", *complaints, sep="\n")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
