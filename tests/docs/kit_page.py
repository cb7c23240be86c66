# SPDX-License-Identifier: Apache-2.0
"""The bench that docs/architecture/cosim.md shows is the one that tests/cosim compiles and runs.

usage: kit_page.py SOURCE_ROOT"""

import pathlib
import re
import sys

BLOCK = re.compile(r"^## A bench for a new unit$.*?^```cpp\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def difference(page, bench):
    """What is wrong, or None."""
    shown = BLOCK.search(page)
    if shown is None:
        return "docs/architecture/cosim.md has no block of C++ in 'A bench for a new unit'"
    lines = bench.splitlines()
    for number, line in enumerate(shown.group(1).splitlines(), 1):
        if line not in lines:
            return f"docs/architecture/cosim.md: line {number} of the bench is not in tests/cosim/fifo_bench.hpp: {line}"
    if shown.group(1) not in bench:
        return "docs/architecture/cosim.md: the lines of the bench come in another order than in tests/cosim/fifo_bench.hpp"
    return None


def main():
    root = pathlib.Path(sys.argv[1])
    wrong = difference((root / "docs/architecture/cosim.md").read_text(encoding="utf-8"),
                       (root / "tests/cosim/fifo_bench.hpp").read_text(encoding="utf-8"))
    if wrong:
        print(wrong)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
