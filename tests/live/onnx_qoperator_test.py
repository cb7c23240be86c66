# SPDX-License-Identifier: Apache-2.0
"""Networks in QOperator form (QLinearConv, QGemm, ...) against onnxruntime with its optimisations off.

usage: onnx_qoperator_test.py VERNIER FOLDER QDQ_FOLDER. QDQ_FOLDER is the one of golden networks, whose float.onnx are quantized again, with
weights of 7 bits, so that onnxruntime's kernels do not saturate. Exit code 77, with a message, where it or the packages cannot be had."""

import argparse
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
import measured
import npy
import program
import pypi

PACKAGES = ("onnx==1.23.2", "onnxruntime==1.31.1", "numpy==2.4.6")
MOST_DIFFERING = 1e-3  # of the codes at the end, by one step: averages over an even number of codes may meet ties


def steps_of(vernier, folder, entry):
    """How many steps each number of each sample is off; None where the network is refused."""
    number = entry["number"]
    inputs, outputs = npy.read(folder / f"{number}.input.npy"), npy.read(folder / f"{number}.output.npy")
    package = folder / f"{number}.vnpu"
    done = subprocess.run([vernier, "compile", folder / f"{number}.onnx", "-q", "-o", package], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(f"{entry['name']}: {done.stderr.strip()}")
        return None
    count, steps = inputs.shape[0], []
    size, num_outputs = len(inputs.values) // count, len(outputs.values) // count
    for i in range(count):
        sample = npy.Array("<f4", (1, *inputs.shape[1:]), inputs.values[i * size:(i + 1) * size])
        (folder / "x.npy").write_bytes(npy.to_bytes(sample))
        subprocess.run([vernier, "run", package, "-q", "--input", folder / "x.npy", "--output-dir", folder / "out"], check=True,
                       stdout=subprocess.DEVNULL)
        found = npy.read(folder / "out" / f"{entry['output']}.float.npy")
        wanted = outputs.values[i * num_outputs:(i + 1) * num_outputs]
        steps += [round(abs(a - b) / entry["step"]) for a, b in zip(found.values, wanted, strict=True)]
    return steps


def main():
    parser = argparse.ArgumentParser()
    for name in ("vernier", "folder", "source"):
        parser.add_argument(name, type=lambda text: pathlib.Path(text).resolve())
    options = parser.parse_args()
    if not options.source.is_dir():
        print(f"skipped: {options.source} is not there")
        return pypi.SKIPPED
    python = pypi.python_with(options.folder, *PACKAGES)
    complaints, all_steps = [], []
    with tempfile.TemporaryDirectory(prefix="vernier_live_") as name:
        folder = pathlib.Path(name)
        subprocess.run([python, "-B", HERE / "onnx_qoperators.py", options.source, folder], check=True, stderr=subprocess.DEVNULL)
        index = program.read_json(folder / "index.json")
        for entry in index:
            steps = steps_of(options.vernier, folder, entry)
            if steps is None:
                complaints.append(f"{entry['name']} is refused")
                continue
            all_steps += steps
            print(f"{entry['name']} {entry['kinds']}: {sum(step > 0 for step in steps)} of {len(steps)} differ, by at most {max(steps)}")
            if max(steps) > 1:
                complaints.append(f"{entry['name']}: {max(steps)} steps, allowed is 1")
    measured.tell_steps("ONNX QOperator networks, weights of 7 bits", f"{len(index)} networks", "onnxruntime", all_steps)
    print(*complaints, sep="\n")
    return 1 if complaints or sum(step > 0 for step in all_steps) > MOST_DIFFERING * len(all_steps) else 0


if __name__ == "__main__":
    sys.exit(main())
