# SPDX-License-Identifier: Apache-2.0
"""The values of a preset, from the generated page docs/reference/machine.md: pictures follow the contract."""

import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]


def preset(name):
    """{key: int, or text} of the page's first table."""
    lines = (ROOT / "docs/reference/machine.md").read_text(encoding="utf-8").splitlines()
    header = next(line for line in lines if line.startswith("| Value |"))
    column = [cell.strip() for cell in header.strip("|").split("|")].index(name)
    values = {}
    for line in lines[lines.index(header) + 2 :]:
        if not line.startswith("|"):
            break
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        text = cells[column]
        values[cells[0].strip("`")] = int(text) if text.isdecimal() else text
    return values


V256 = preset("v256")
N = V256["lanes"]
BANKS = V256["num_sram_banks"]
READ_WORDS, WRITE_WORDS = V256["sram_read_words_per_cycle"], V256["sram_write_words_per_cycle"]
ROWS = V256["accumulator_rows"]
