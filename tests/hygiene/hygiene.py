#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs one check, or all, over a source tree: hygiene.py ROOT [CHECK ...]. Prints `file:line: finding`, exits 1 if any."""

import sys

from arrows import check_arrows, check_heavy_headers
from batches import check_batches
from model_signatures import check_model_signatures
from sentences import check_sentences
from source_tree import SourceTree
from spec_sources import check_spec_sources
from texts import (
    check_ascii,
    check_commented_out_code,
    check_decisions,
    check_file_sizes,
    check_machine_paths,
    check_readmes,
    check_spdx,
    check_test_names,
)

CHECKS = {
    "arrows": check_arrows,
    "ascii": check_ascii,
    "batches": check_batches,
    "commented_out_code": check_commented_out_code,
    "decisions": check_decisions,
    "file_sizes": check_file_sizes,
    "heavy_headers": check_heavy_headers,
    "machine_paths": check_machine_paths,
    "model_signatures": check_model_signatures,
    "readmes": check_readmes,
    "sentences": check_sentences,
    "spdx": check_spdx,
    "spec_sources": check_spec_sources,
    "test_names": check_test_names,
}


def main(arguments):
    if not arguments or any(name not in CHECKS for name in arguments[1:]):
        print(f"usage: hygiene.py ROOT [CHECK ...]; checks: {', '.join(CHECKS)}", file=sys.stderr)
        return 2
    tree = SourceTree.load(arguments[0])
    if not tree.files:
        print(f"hygiene.py: {arguments[0]}: no sources there", file=sys.stderr)
        return 2
    findings = [finding for name in arguments[1:] or CHECKS for finding in CHECKS[name](tree)]
    print("\n".join(findings) if findings else f"{len(tree.files)} files, nothing found")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
