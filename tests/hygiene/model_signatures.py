# SPDX-License-Identifier: Apache-2.0
"""hw/model is scalar: its functions take and keep no arrays; a table is the one exception."""

import re

from source_tree import without_comments

CONTAINER = re.compile(r"\b(?:std::)?(?:span|vector|array|deque|list|initializer_list|valarray|unique_ptr|shared_ptr)\s*<|\bTensor\b")
# As clang-format sets them: a pointer's star stands at its type, a product's between spaces.
POINTER = re.compile(r"[\w>]\*+(?:\s*const)?(?:\s+\w+)?\s*[,)=;]|[\w>]\*\s*(?:const\s+)?\w+\s*[,)]")
TABLE = re.compile(r"(?<![A-Za-z])table|Table")  # in the name of the parameter, member or type
C_ARRAY = re.compile(r"(?!return\b)\b[A-Za-z_][\w:<>]*\s+(\w+)\s*\[")


def _statements(text):
    """(line number, text) of each piece between ; { and }, and of each parameter between commas in it."""
    line = 1
    for piece in re.split(r"([;{}])", text):
        depth, start = 0, 0
        parts = []
        for i, char in enumerate(piece):
            depth += {"(": 1, ")": -1, "<": 1, ">": -1}.get(char, 0)
            if char == "," and depth <= 1 and piece.count("(", 0, i):
                parts.append((start, piece[start : i + 1]))
                start = i + 1
        parts.append((start, piece[start:]))
        for offset, part in parts:
            lead = len(part) - len(part.lstrip())
            yield line + piece.count("\n", 0, offset + lead), part
        line += piece.count("\n")


def check_model_signatures(tree):
    findings = []
    for file in tree.files:
        if file.layer != "hw/model" or not file.path.endswith(".hpp"):
            continue
        text = re.sub(r"^\s*#.*$", "", without_comments(file.text), flags=re.MULTILINE)
        for number, part in _statements(text):
            is_array = CONTAINER.search(part) or POINTER.search(part + ")") or C_ARRAY.search(part)
            if not is_array or TABLE.search(part):
                continue
            findings.append(f"{file.path}:{number}: hw/model takes scalars and tables only: {' '.join(part.split())[:90]}")
    return findings
