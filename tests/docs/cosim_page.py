# SPDX-License-Identifier: Apache-2.0
"""Every field of the reports of `vernier cosim` stands in docs/reference/cosim.md, and every field there is in a report.

usage: cosim_page.py SOURCE_ROOT VERNIER"""

import json
import pathlib
import subprocess
import sys

import report_page

SKIPPED = 77
# Fields that only a report with mismatches has.
NOT_IN_GOOD_ONES = {"first_mismatches[]"} | report_page.details_of("mismatch_details")


def report(vernier, *arguments):
    done = subprocess.run([vernier, "cosim", *arguments, "--report", "-"], capture_output=True, check=False)
    if done.returncode == 2 and b"built without Verilator" in done.stderr:
        sys.exit(SKIPPED)
    if done.returncode != 0:
        sys.exit(f"vernier cosim {' '.join(arguments)}: exit code {done.returncode}: {done.stderr.decode()[:400]}")
    return json.loads(done.stdout)


def main():
    root, vernier = pathlib.Path(sys.argv[1]), sys.argv[2]
    page = (root / "docs/reference/cosim.md").read_text(encoding="utf-8")
    of_both, _, rest = page.partition("Of a unit also:")
    of_units, _, of_networks = rest.partition("Of a network also:")
    unit = set(report_page.paths_of(report(vernier, "mac_array", "--config", "v64", "--vectors", "100")))
    network = set(report_page.paths_of(report(vernier, str(root / "tests/e2e/demo/demo.tosa"), "--config", "v64")))
    lines = []
    for what, defined, found in (("a unit", report_page.rows_of(of_both, "field") | report_page.rows_of(of_units, "field"), unit),
                                 ("a network", report_page.rows_of(of_both, "field") | report_page.rows_of(of_networks, "field"), network)):
        lines += [f"docs/reference/cosim.md does not define '{path}', which the report of {what} has" for path in sorted(found - defined)]
        lines += [f"docs/reference/cosim.md defines '{path}', which the report of {what} has not"
                  for path in sorted(defined - found - NOT_IN_GOOD_ONES)]
    for line in lines:
        print(line)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
