# SPDX-License-Identifier: Apache-2.0
"""The files from which each harness of libFuzzer begins: those of corpus/, and of the binary formats files that the tests make.

usage: seeds.py VERNIER FOLDER. FOLDER gets a folder for each harness."""

import pathlib
import random
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TESTS = HERE.parent
sys.path[:0] = [str(TESTS / "e2e")]
import encodings_file
import npy
import tflite_draw
import tflite_file

MOST_BYTES = 20000  # short files are changed in more places per second


def main(vernier, folder):
    def put(harness, name, content):
        if len(content) <= MOST_BYTES:
            (folder / harness).mkdir(parents=True, exist_ok=True)
            (folder / harness / name).write_bytes(content)

    shutil.copytree(HERE / "corpus", folder, dirs_exist_ok=True)
    for model in sorted((TESTS / "golden/networks").glob("*/model.tosa")):
        name = model.parent.name
        put("flatbuffers", f"{name}.tosa", model.read_bytes())
        package = folder / "made.vnpu"
        if subprocess.run([vernier, "compile", model, "-q", "-o", package], capture_output=True, check=False).returncode == 0:
            put("vnpu", f"{name}.vnpu", package.read_bytes())
            package.unlink()
    put("flatbuffers", "classifier.tflite", tflite_file.small_classifier())
    for name, (kinds, _) in tflite_draw.OPERATORS.items():
        put("flatbuffers", f"{name}.tflite", tflite_draw.draw(name, kinds[0], random.Random(1))[0])
    for kind, shape in (("int8", (1, 4)), ("int16", ()), ("int32", (2, 2))):
        put("npy", f"{kind}.npy", npy.to_bytes(npy.zeros(kind, shape)))
    for version in encodings_file.VERSIONS:
        put("json", f"{version}.json", encodings_file.text(encodings_file.document(version)).encode())


if __name__ == "__main__":
    main(sys.argv[1], pathlib.Path(sys.argv[2]))
