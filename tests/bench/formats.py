#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/results/formats.md: the vectors of every quantization format, and how many codes differ. ./dev formats calls it.

It measures nothing itself: it runs tests and collects what they measure (tests/e2e/measured.py). Rows of a test that was skipped (its
tool cannot be had from PyPI) are kept. Without the vectors in ../shared beside the tree exit code 2, with --check 77; exit code 1
when a test failed or, with --check, the page is stale."""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
E2E, LIVE = ROOT / "tests/e2e", ROOT / "tests/live"
sys.path.insert(0, str(E2E))
import measured

PAGE = ROOT / "docs/results/formats.md"
VECTORS = ROOT.parent / "shared" / "golden" / "quant"
SKIPPED = 77
# A test, what it is started with after the program, and how its rows begin; in the order of the page.
Part = collections.namedtuple("Part", "script arguments starts")
PARTS = (
    Part(E2E / "quantize_test.py", ["Golden.test_per_tensor"], ["QuantizeV2, a tensor: "]),
    Part(E2E / "quantize_test.py", ["Golden.test_per_axis"], ["QuantizeV2, an axis: "]),
    Part(E2E / "quantize_test.py", ["Golden.test_errors"], ["QuantizeV2, odd calls: "]),
    Part(E2E / "qonnx_test.py", ["Nodes.test_quant"], ["QONNX nodes, Quant"]),
    Part(E2E / "qonnx_test.py", ["Nodes.test_bipolar"], ["QONNX nodes, BipolarQuant"]),
    Part(E2E / "qonnx_test.py", ["Nodes.test_trunc_v1"], ["QONNX nodes, Trunc version 1"]),
    Part(E2E / "qonnx_test.py", ["Nodes.test_trunc_v2"], ["QONNX nodes, Trunc version 2"]),
    Part(E2E / "qonnx_test.py", ["Nodes.test_chains"], ["QONNX chains "]),
    Part(E2E / "qonnx_test.py", ["Resolve"], ["QONNX versions"]),
    Part(E2E / "qonnx_test.py", ["Nets"], ["QONNX network "]),
    Part(E2E / "zoo_test.py", ["Tfc.test_sums_and_numbers_are_exact", "JetTagging.test_logits_are_exact_and_softmax_is_within_1e_6"],
         ["QONNX zoo network "]),
    Part(E2E / "onnx_test.py", ["Golden"], ["ONNX QDQ network "]),
    Part(LIVE / "onnx_qoperator_test.py", ["{live}/onnxruntime", VECTORS / "qdq"], ["ONNX QOperator "]),
    Part(LIVE / "onnx_node_test.py", ["{live}/onnxruntime"], ["ONNX node tests of quantization, PyPI's"]),
    Part(E2E / "onnx_testdata_test.py", [], ["ONNX node tests of quantization, Debian's"]),
    Part(E2E / "aimet_test.py", ["Golden.test_all"], ["AIMET encodings, activations", "AIMET encodings, 8 bits"]),
    Part(E2E / "aimet_test.py", ["Golden.test_quantizers"], ["AIMET quantizers"]),
    Part(E2E / "aimet_test.py", ["Golden.test_malformed"], ["AIMET encodings, malformed"]),
    Part(E2E / "aimet_export_test.py", [], ["AIMET encodings exported"]),
)
HEAD = """# Quantization formats against the tools that define them

Written by `./dev formats`, from what tests measure: vectors that TensorFlow 2.21.0, qonnx 1.0.0, aimet-onnx 2.42.0 and onnxruntime 1.31.1
(its optimisations off) gave, and two networks of QONNX's model zoo, each run by `vernier` on the simulated machine and by its reference. A code is one integer, or the number that it
stands for; a step is the distance of two codes. What "refused" counts is refused with a line that names the reason.
The formats' guides say where a difference comes from: [ONNX](../guides/onnx.md), [QONNX](../guides/qonnx.md),
[AIMET encodings](../guides/encodings.md), [QuantizeV2](../guides/quantize.md).

| what | cases | compared with | codes compared | different | by at most, steps |
|---|---|---|---:|---:|---:|
"""


class Failed(Exception):
    pass


def is_of(part, what):
    return what.startswith(tuple(part.starts))


def rows_of_page(part):
    """As the page has them now."""
    lines = PAGE.read_text(encoding="utf-8").splitlines() if PAGE.exists() else []
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")]
    return [measured.Row(*row[:3], *(int(cell.replace(",", "").replace("-", "0")) for cell in row[3:]))
            for row in rows if is_of(part, row[0])]


def measure(vernier, live, part):
    with tempfile.TemporaryDirectory(prefix="vernier_formats_") as folder:
        file = pathlib.Path(folder) / "rows"
        file.touch()
        arguments = [str(argument).format(live=live) for argument in part.arguments]
        done = subprocess.run([sys.executable, "-B", part.script, vernier, *arguments], capture_output=True, text=True, check=False,
                              env=dict(os.environ, VERNIER_MEASURED=str(file)))
        if done.returncode == SKIPPED:
            print(f"formats: {part.script.name} was skipped: its rows stay as they are: {done.stdout.strip()}")
            return rows_of_page(part)
        if done.returncode != 0:
            raise Failed(f"{part.script.name} {' '.join(arguments)} failed:\n{done.stdout}{done.stderr}")
        rows = measured.rows_of(file)
    strange = [row.what for row in rows if not is_of(part, row.what)]
    if strange or not rows:
        raise Failed(f"{part.script.name} {' '.join(arguments)} gives other rows than {part.starts}: {strange}")
    return rows


def line_of(row):
    counts = [f"{row.codes:,}", f"{row.differing:,}", str(row.most)] if row.codes else ["-"] * 3
    return "| " + " | ".join([row.what, row.cases, row.against, *counts]) + " |\n"


def page(vernier, live):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        parts = list(pool.map(lambda part: measure(vernier, live, part), PARTS))
    return HEAD + "".join(line_of(row) for rows in parts for row in rows)


def main(arguments):
    parser = argparse.ArgumentParser(prog="./dev formats", description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 when the page is stale")
    parser.add_argument("--vernier", default=str(ROOT / "build/release/vernier"), metavar="PATH", help="the program")
    parser.add_argument("--live", default=str(ROOT / "build/release/live"), metavar="FOLDER",
                        help="where the tests against tools from PyPI have their environments")
    options = parser.parse_args(arguments)
    if not VECTORS.is_dir():
        print(f"formats: the vectors are not here ({VECTORS})")
        return SKIPPED if options.check else 2
    text = page(options.vernier, options.live)
    print(text)
    is_fresh = PAGE.exists() and PAGE.read_text(encoding="utf-8") == text
    if options.check:
        if not is_fresh:
            print("formats: docs/results/formats.md is stale; ./dev formats writes it")
        return 0 if is_fresh else 1
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Failed as failed:
        print(f"formats: {failed}", file=sys.stderr)
        sys.exit(1)
