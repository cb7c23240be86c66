# SPDX-License-Identifier: Apache-2.0
"""What a call of the Python package takes beside the program's own time: each network is read, compiled and estimated by both."""

import json
import pathlib
import subprocess
import tempfile

import measure

HEADING = "## The Python package"
TEXT = """Printed by `./dev bench --python PYTHON`, of a Python with the wheel: the least of ten times that `load`, `compile` and `estimate` with its report
take, beside `host_seconds.total` of `vernier estimate`, on v256. The second estimate of a program neither reads nor compiles.

"""
NETWORKS = [measure.ROOT / "tests/e2e/demo/demo.tosa", *(measure.ROOT.parent / f"shared/golden/nets/{name}/model.tosa" for name in ("kws_ref_model", "resnet50_int8"))]
TIMES = 10
SCRIPT = f"""
import sys, time, vernier
def seconds(call):
    times = []
    for _ in range({TIMES}):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return min(times)
whole = seconds(lambda: vernier.load(sys.argv[1]).compile("v256").estimate().report)
program = vernier.load(sys.argv[1]).compile("v256")
print(whole, seconds(lambda: program.estimate().report))
"""


def own_seconds(vernier, network):
    """Of the program, from the bytes of the file to the report."""
    with tempfile.TemporaryDirectory(prefix="vernier_bench_") as folder:
        report = pathlib.Path(folder, "r.json")
        times = []
        for _ in range(TIMES):
            subprocess.run([str(vernier), "estimate", str(network), "--config", "v256", "-q", "--report", str(report)], check=True, capture_output=True)
            times.append(json.loads(report.read_text(encoding="utf-8"))["host_seconds"]["total"])
        return min(times)


def lines(vernier, python):
    result = []
    for network in NETWORKS:
        if not network.exists():
            continue
        name = network.stem if network.stem == "demo" else network.parent.name
        done = subprocess.run([str(python), "-B", "-c", SCRIPT, str(network)], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            result.append(f"python, {name}: exit code {done.returncode}: {done.stderr.strip().splitlines()[-1]}")
            continue
        whole, again = map(float, done.stdout.split())
        own = own_seconds(vernier, network)
        result.append(f"python, {name}: {whole:.4f} s, the program {own:.4f} s: {whole / own - 1:+.1%}; the second estimate {again:.4f} s")
    return result
