# SPDX-License-Identifier: Apache-2.0
"""Every ERROR_IF test of the official TOSA conformance suite, where a sample of it lies beside the tree, is refused for its own reason: what is
found first ends with the suite's name of the error in brackets.

usage: error_names_test.py VERNIER SAMPLE. Exit code 77, with a message, without the sample."""

import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import results

# "clamp_ERRORIF_MaxSmallerMin_15x2_i8": the operator and the name of the error, in the name of the test's folder.
TEST = re.compile(r"^(?P<operator>\w+?)_ERRORIF_(?P<name>[A-Za-z0-9]+)_")
LEAST_TESTS, LEAST_NAMES = 316, 76  # of the sample


def findings(vernier, folder):
    """What `vernier verify` found first, by folder of a test."""
    report = pathlib.Path(folder) / "report.json"
    subprocess.run([str(vernier), "verify", "--desc", str(folder), "--backend", "reference", "--report", str(report)], capture_output=True,
                   check=False)
    return {pathlib.Path(test["desc"]).parent.name: test for test in json.loads(report.read_text())["tests"]}


def main():
    vernier, sample = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    if not sample.is_dir():
        print("skipped: the sample of the conformance suite is not beside the tree")
        return 77
    with tempfile.TemporaryDirectory() as scratch:
        results.copy_tests(sample, pathlib.Path(scratch), "**/*_ERRORIF_*/desc.json")
        tests = findings(vernier, scratch)
    tests_by_name, complaints = collections.Counter(), []
    for folder, test in tests.items():
        parts = TEST.match(folder)
        tests_by_name[parts["name"]] += 1
        if test["exit_code"] != 2 or not test["finding"].endswith(f" [{parts['name']}]"):
            complaints.append(f"{folder}: exit code {test['exit_code']}, needed is [{parts['name']}]: {test['finding']}")
    num_tests = sum(tests_by_name.values())
    print(f"{num_tests} ERROR_IF tests of {len(tests_by_name)} names, {len(complaints)} of them refused for another reason")
    print("\n".join(complaints))
    if num_tests < LEAST_TESTS or len(tests_by_name) < LEAST_NAMES:
        print(f"only {num_tests} tests of {len(tests_by_name)} names were run, needed are {LEAST_TESTS} of {LEAST_NAMES}")
        return 1
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
