# SPDX-License-Identifier: Apache-2.0
"""How far the model is from RTL on random graphs that ask one resource of the core for as much as they can (tests/fuzz/cliffs.hpp): one
campaign for each kind, and the rows that docs/results/fidelity.json keeps."""

import json
import pathlib
import subprocess
import tempfile

from cycles import Failed, NoRtl, rows_of

CONFIG, SEED, GRAPHS = "v64", 20000, 1000
KINDS = {"banks": "one operator whose rows begin in one bank",
         "meetings": "such operators of both units at once",
         "ports": "wide results of both units, and copies, at once",
         "lanes": "convolutions of few products beside scales and tables"}
HEADINGS = ["kind", "what it asks for", "graphs", "RTL more %, all cycles", "99 in 100 are at most % off", "worst: RTL more %", "RTL", "model", "seed"]
SKIPPED = 77


class Cliff:
    """A kind of graphs. `worst` is {seed, rtl_cycles, model_cycles} of the graph that is furthest off."""

    def __init__(self, fields):
        self.kind, self.config, self.graphs = (fields[key] for key in ("kind", "config", "graphs"))
        self.mean_percent, self.most_of_99_percent, self.worst = (fields[key] for key in ("mean_percent", "most_of_99_percent", "worst"))

    @property
    def key(self):
        return self.kind

    @property
    def worst_percent(self):
        return 100 * (self.worst["rtl_cycles"] - self.worst["model_cycles"]) / max(self.worst["model_cycles"], 1)

    def to_json(self):
        return json.dumps(vars(self))

    def cells(self):
        return [self.kind, KINDS[self.kind], f"{self.graphs:,}", f"{self.mean_percent:+.2f}", f"{self.most_of_99_percent:.2f}", f"{self.worst_percent:+.2f}",
                f"{self.worst['rtl_cycles']:,}", f"{self.worst['model_cycles']:,}", str(self.worst["seed"])]


def measured(fuzz_ops, kind, graphs=GRAPHS):
    """Failed where a value is wrong."""
    with tempfile.TemporaryDirectory(prefix="vernier_cliffs_") as folder:
        spread = pathlib.Path(folder) / "spread.json"
        command = [fuzz_ops, "--kind", kind, "--config", CONFIG, "--memory", "sram", "--sram-percent", 0, "--speed", 0, "--seed", SEED, "--count", graphs,
                   "--rtl-scope", "core", "--core-percent", 1000, "--core-spread", spread, "--output-dir", folder]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace", check=False)
        if done.returncode == SKIPPED:
            raise NoRtl(done.stdout.strip())
        if done.returncode != 0 or not spread.exists():
            failed = next((line for line in done.stdout.splitlines() if line.startswith("FAILED")), done.stderr.strip())
            raise Failed(f"graphs of {kind}: {failed or f'exit code {done.returncode}'}")
        return Cliff(json.loads(spread.read_text(encoding="utf-8")))


def read(file):
    """{kind: Cliff} of a file; none where it is not there, or has none."""
    return {row.key: row for row in rows_of(file, "cliffs", Cliff)}
