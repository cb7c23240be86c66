# SPDX-License-Identifier: Apache-2.0
"""How fast RTL runs in co-simulation: cycles per second of host time, with all that `vernier cosim` does besides."""

import json
import pathlib
import subprocess
import tempfile
import time

import measure

VECTORS = 50_000
NETWORK = measure.ROOT.parent / "shared/golden/nets/mobilenet_v2_quantized_1x3x224x224/model.tosa"


def lines(vernier):
    """A line for the array with golden lanes, one for the datapath, both on random commands of v256, and one for a real network
    where it is; a single line where the program has no RTL."""
    subjects = [("mac_array", ["mac_array", "--vectors", str(VECTORS)]), ("datapath", ["datapath", "--vectors", str(VECTORS)])]
    if NETWORK.exists():
        subjects.append((NETWORK.parent.name, [NETWORK]))
    result = []
    with tempfile.TemporaryDirectory(prefix="vernier_bench_") as folder:
        report = pathlib.Path(folder) / "r.json"
        for name, arguments in subjects:
            start = time.monotonic()
            done = subprocess.run([vernier, "cosim", *arguments, "--config", "v256", "--report", report], capture_output=True,
                                  text=True, check=False)
            seconds = time.monotonic() - start
            if done.returncode != 0:
                reason = (done.stderr or done.stdout).splitlines()[:1]
                return [*result, f"RTL, {name}: exit code {done.returncode}: {''.join(reason)}"]
            cycles = json.loads(report.read_text(encoding="utf-8"))["rtl_cycles"]
            result.append(f"RTL, {name} on v256: {cycles:,} cycles in {seconds:.1f} s, {cycles / seconds:,.0f} per second")
    return result
