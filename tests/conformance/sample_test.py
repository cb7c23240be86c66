# SPDX-License-Identifier: Apache-2.0
"""A sample of the official TOSA conformance suite, where it lies beside the tree: each ERROR_IF ends as an error, each other test gives the
official reference model's outputs.

usage: sample_test.py VERNIER SAMPLE BACKEND [OPTION ...], with options of `vernier verify`. Exit code 77, with a message, without the sample,
and for back end rtl without RTL."""

import json
import pathlib
import sys
import tempfile

import results


def main():
    vernier, sample, backend = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]), sys.argv[3]
    if not sample.is_dir():
        print("skipped: the sample of the conformance suite is not beside the tree")
        return 77
    with tempfile.TemporaryDirectory() as scratch:
        descs = results.copy_tests(sample, pathlib.Path(scratch))
        findings, summary = results.unexpected(vernier, scratch, backend, sys.argv[4:])
        print(summary, end="")
        later = {desc for desc, finding in findings.items() if backend == "rtl" and results.NOT_ON_RTL.search(finding)}
        complaints = [f"{desc.parent.name}: {finding}" for desc, finding in findings.items() if desc not in later]
        num_compared = 0
        for desc in descs:
            if desc in findings or json.loads(desc.read_text())["expected_failure"]:
                continue
            found = results.difference(desc)
            num_compared += 1
            if found:
                complaints.append(f"{desc.parent.name}: {found}")
    print(f"{len(descs)} tests on {backend}: {num_compared} have the official outputs to compare with; {len(later)} need "
          "what RTL does not run")
    print("\n".join(complaints))
    if num_compared < 500:
        print(f"only {num_compared} tests were compared")
        return 1
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
