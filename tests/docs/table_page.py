# SPDX-License-Identifier: Apache-2.0
"""Every field of the table of several runs stands in docs/reference/table.md, and every field there is in the table.

usage: table_page.py SOURCE_ROOT VERNIER"""

import csv
import io
import json
import pathlib
import subprocess
import sys
import tempfile

import report_page


def table(vernier, *arguments):
    done = subprocess.run([vernier, "run", *arguments], capture_output=True, check=False)
    if done.returncode not in (0, 1, 2):
        sys.exit(f"vernier run {' '.join(arguments)}: exit code {done.returncode}: {done.stderr.decode()[:400]}")
    return done.stdout


def findings(root, vernier):
    page = (root / "docs/reference/table.md").read_text(encoding="utf-8")
    demo = str(root / "tests/e2e/demo/demo.tosa")
    with tempfile.TemporaryDirectory() as folder:
        # One row with a note, one that fails.
        toml = pathlib.Path(folder) / "slow.toml"
        toml.write_text('base = "v256"\nexternal_latency_ns = 70\n', encoding="utf-8")
        lines = pathlib.Path(folder) / "t.csv"
        content = json.loads(table(vernier, demo, "none.tosa", "--config", f"v64,{toml}", "--report", "-", "--report", str(lines)))
        header = next(csv.reader(io.StringIO(lines.read_text(encoding="utf-8"))))
    found = set(report_page.paths_of(content))
    defined = report_page.rows_of(page, "field")
    for path in sorted(found - defined):
        yield f"docs/reference/table.md does not define '{path}', which the table has"
    for path in sorted(defined - found - {"rows[].warnings[]"}):  # warnings: only of a network that violates a REQUIRE
        yield f"docs/reference/table.md defines '{path}', which the table has not"
    expected = [path.removeprefix("rows[].") for path in content["rows"][0] if path not in ("warnings", "notes")]
    if header != expected:
        yield f"the CSV table's columns are {header}, the JSON table's {expected}"


def main():
    lines = list(findings(pathlib.Path(sys.argv[1]), sys.argv[2]))
    for line in lines:
        print(line)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
