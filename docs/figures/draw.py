#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the pictures of docs/architecture: draw.py [--check]. With --check nothing is written, and a stale one fails."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import array_mappings
import layout_mappings
import schedule_mappings
import sequences
import units

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "architecture/figures"
PICTURES = units.PICTURES | array_mappings.PICTURES | layout_mappings.PICTURES | schedule_mappings.PICTURES | sequences.PICTURES


def main(arguments):
    if arguments not in ([], ["--check"]):
        print("draw.py: the only option is --check", file=sys.stderr)
        return 2
    findings = []
    drawn = {f"{name}.svg": draw().to_svg() for name, draw in PICTURES.items()}
    present = {file.name: file.read_text(encoding="utf-8") for file in FOLDER.glob("*.svg")}
    for name, text in drawn.items():
        if present.get(name) == text:
            continue
        findings.append(f"docs/architecture/figures/{name} is stale: python3 docs/figures/draw.py writes it")
        if not arguments:
            FOLDER.mkdir(parents=True, exist_ok=True)
            (FOLDER / name).write_text(text, encoding="utf-8")
    findings += [f"docs/architecture/figures/{name}: no picture of that name is drawn" for name in sorted(set(present) - set(drawn))]
    if arguments:
        print("\n".join(findings), end="\n" if findings else "")
    return 1 if arguments and findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
