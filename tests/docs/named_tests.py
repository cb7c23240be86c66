# SPDX-License-Identifier: Apache-2.0
"""docs/reference/format-requests.md names tests: each is there, and every row has one.

usage: named_tests.py SOURCE_ROOT. Exit code 1, with a line for each name that is not there."""

import pathlib
import re
import sys

PAGE = "docs/reference/format-requests.md"
NUM_COLUMNS = 4
PYTHON = re.compile(r"[\w/]+\.py::\w+")
CASE = re.compile(r'"([^"]+)"')


def rows_of(text):
    """The cells of each row of the page's table, without its heading."""
    rows = [[cell.strip().replace(r"\|", "|") for cell in re.split(r"(?<!\\)\|", line.strip()[1:-1])] for line in text.splitlines() if line.startswith("|")]
    return rows[2:]


def is_there(tests, name):
    """`name`: FILE.py::METHOD below the folder of tests."""
    path, method = name.split("::")
    file = tests / path
    return file.is_file() and re.search(rf"^    def {method}\(", file.read_text(), re.M) is not None


def findings(root):
    tests = root / "tests"
    cases = "\n".join(path.read_text() for path in sorted(tests.glob("unit/*/*_test.cpp")))
    rows = rows_of((root / PAGE).read_text())
    if not rows:
        yield f"{PAGE}: has no table"
    for row in rows:
        if len(row) != NUM_COLUMNS:
            yield f"{PAGE}: '{row[0]}' has {len(row)} columns, expected {NUM_COLUMNS}"
            continue
        methods, named = PYTHON.findall(row[3]), CASE.findall(row[3])
        if not methods and not named:
            yield f"{PAGE}: '{row[0]}' names no test"
        yield from (f"{PAGE}: '{row[0]}' names {name}, which is not there" for name in methods if not is_there(tests, name))
        yield from (f"{PAGE}: '{row[0]}' names \"{name}\", which is no test case" for name in named if f'TEST_CASE("{name}")' not in cases)


def main():
    found = list(findings(pathlib.Path(sys.argv[1])))
    print(*found, sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
