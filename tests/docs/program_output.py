# SPDX-License-Identifier: Apache-2.0
"""What pages show of the program's output is what it prints.

usage: program_output.py SOURCE_ROOT VERNIER

A page marks a block so:

    <!-- output of: vernier run tests/e2e/demo/demo.tosa -->
    <!-- output of: vernier compile MODEL --dump schedule; from: DEPTHWISE_CONV2D; to: sram 0x -->

and the block behind the mark is the output, 100 columns wide; with `from` and `to` from the first line that holds the one text up to
the next line that holds the other. Times of the host stand as "host: ...". A number such as 1,234 in the text of such a page has to
stand in one of its blocks. VERNIER_UPDATE_GOLDEN=1 writes the blocks anew: read the difference, and the text around them."""

import os
import pathlib
import re
import shlex
import subprocess
import sys

BLOCK = re.compile(r"^<!-- output of: vernier (?P<what>.*?) -->\n```\n(?P<text>.*?)^```$", re.M | re.S)
NUMBER = re.compile(r"(?<![\d,.])\d{1,3}(?:,\d{3})+(?![\d,])")


def printed(root, vernier, what):
    """The lines that a block has to have. ValueError when the mark is wrong."""
    command, *options = what.split("; ")
    limits = dict(option.split(": ", 1) for option in options)
    environment = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "NO_COLOR")}
    done = subprocess.run([vernier, *shlex.split(command)], cwd=root, capture_output=True, text=True, env=environment, check=False)
    if done.returncode != 0:
        raise ValueError(f"vernier {command}: exit code {done.returncode}: {done.stderr.strip()}")
    lines = [re.sub(r"^host: .*", "host: ...", line).rstrip() for line in done.stdout.splitlines()]
    if "from" in limits:
        begin = next((i for i, line in enumerate(lines) if limits["from"] in line), None)
        if begin is None:
            raise ValueError(f"no line of the output holds '{limits['from']}'")
        end = next((i for i, line in enumerate(lines) if i > begin and limits["to"] in line), len(lines))
        lines = lines[begin:end]
    return "".join(line + "\n" for line in lines)


def fresh(page, root, vernier):
    """The page with its blocks as the program prints them now."""
    return BLOCK.sub(lambda match: match.group(0).replace(f"\n```\n{match.group('text')}```",
                                                          f"\n```\n{printed(root, vernier, match.group('what'))}```"), page)


def findings(name, page, expected):
    if page != expected:
        differing = next((pair for pair in zip(page.splitlines(), expected.splitlines()) if pair[0] != pair[1]), ("", ""))
        yield f"{name}: a block is not what the program prints: '{differing[0]}', now '{differing[1]}' (VERNIER_UPDATE_GOLDEN=1 rewrites it)"
    shown = set(NUMBER.findall("".join(match.group("text") for match in BLOCK.finditer(expected))))
    prose = re.sub(r"^```.*?^```$", "", page, flags=re.M | re.S)
    for number in sorted(set(NUMBER.findall(prose)) - shown):
        yield f"{name}: the text says {number}, which no block shows"


def main():
    root, vernier = pathlib.Path(sys.argv[1]).resolve(), str(pathlib.Path(sys.argv[2]).resolve())
    lines, num_blocks = [], 0
    for path in sorted([root / "README.md", *root.glob("docs/**/*.md")]):
        page = path.read_text(encoding="utf-8")
        if not BLOCK.search(page):
            continue
        num_blocks += len(BLOCK.findall(page))
        try:
            expected = fresh(page, root, vernier)
        except ValueError as error:
            lines.append(f"{path.relative_to(root)}: {error}")
            continue
        if os.environ.get("VERNIER_UPDATE_GOLDEN"):
            path.write_text(expected, encoding="utf-8")
            page = expected
        lines += findings(path.relative_to(root), page, expected)
    print("\n".join(lines) or f"{num_blocks} blocks are what the program prints")
    return 1 if lines or num_blocks == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
