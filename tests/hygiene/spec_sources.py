# SPDX-License-Identifier: Apache-2.0
"""Every number in hw/spec says where it comes from.

A declaration of hw/spec that holds a number has a source in square brackets, in a comment on one of its lines or right above it:
  [decision NNNN]                the record of docs/decisions that chose it
  [measured on RTL, PATH]        the test that measures it there
  [RTL PATH]                     the module that has it
  [TOSA 1.0 SECTION]             the specification
  [data sheet NAME]              of a part
  [standard NAME]                of units
  [from kName]                   follows from another constant of hw/spec
Several stand in one pair of brackets, with '; ' between them. In constants and enumerators each number counts, elsewhere all but 0 and 1:
these start and step."""

import re

from source_tree import without_comments

FOLDER = "hw/spec/"
SOURCE = re.compile(r"\[((?:decision|measured on RTL|RTL|TOSA|data sheet|standard|from)\b[^\]]*)\]")
NUMBER = re.compile(r"(?<![\w.])(?:0[xX][0-9a-fA-F]+|\d+)(?![\w.])")
CONSTANT = re.compile(r"\b(?:inline\s+)?constexpr\s[^()]*\bk[A-Z]\w*\s*(?:=|\{)|\benum\s+class\b")
TRIVIAL = {"0", "1"}
KINDS = (
    ("decision", re.compile(r"decision (\d{4})")),
    ("measured", re.compile(r"measured on RTL, (\S+)")),
    ("RTL", re.compile(r"RTL (\S+)")),
    ("TOSA", re.compile(r"TOSA 1\.0 \S.*")),
    ("data sheet", re.compile(r"data sheet \S.*")),
    ("standard", re.compile(r"standard \S.*")),
    ("from", re.compile(r"from (k[A-Z]\w*)")),
)


def _comment_of(line):
    """The comment of a line; strings hold no '//' here."""
    return line[line.index("//"):] if "//" in line else ""


def _declarations(file):
    """(first line, last line, code, comments) of each declaration in a namespace: what stands at the outermost braces that are no
    namespace's. A comment right above belongs to it."""
    lines = file.lines
    code_lines = [re.sub(r"^\s*#.*", "", line) for line in without_comments(file.text).split("\n")]
    pending, first, code, depth, parentheses = [], None, [], 0, 0
    for number, (line, bare) in enumerate(zip(lines, code_lines), 1):
        if first is None and (not bare.strip() or re.match(r"\s*(?:namespace\b.*\{|\}\s*|using namespace.*;)\s*$", bare)):
            pending = [*pending, line] if line.lstrip().startswith("//") else []
            continue
        first = first or number
        code.append(bare)
        depth += bare.count("{") - bare.count("}")
        parentheses += bare.count("(") - bare.count(")")
        is_constant = CONSTANT.search(code[0]) or re.match(r"\s*(?:struct|class|static_assert)\b", code[0])
        if depth == 0 and parentheses == 0 and re.search(r";\s*$" if is_constant else r"[;}]\s*$", bare):
            comments = " ".join([*(part.strip().lstrip("/").strip() for part in pending), *(_comment_of(part) for part in lines[first - 1:number])])
            yield first, number, "\n".join(code), re.sub(r"\s*//+\s*", " ", comments)
            pending, first, code = [], None, []


def _numbers(code):
    """Those that need a source: not how many elements a list has, which of them is meant, or what an assertion repeats."""
    if code.lstrip().startswith("static_assert"):
        return []
    found = NUMBER.findall(re.sub(r"std::array<[^<>]*, \d+>|\[\d+\]", "", code))
    is_constant = CONSTANT.search(code) and "[]" not in code  # one that a function counts is no list of numbers
    return found if is_constant else [number for number in found if number not in TRIVIAL]


def _wrong_source(tree, source, constants, decisions):
    """None, or what is wrong with one source."""
    for kind, pattern in KINDS:
        match = pattern.fullmatch(source)
        if not match:
            continue
        if kind == "decision" and match[1] not in decisions:
            return f"there is no decision {match[1]}"
        if kind in ("measured", "RTL") and not tree.exists(match[1]):
            return f"there is no file {match[1]}"
        if kind == "measured" and not match[1].startswith("tests/"):
            return f"{match[1]} is no test"
        if kind == "RTL" and not match[1].startswith("hw/rtl/"):
            return f"{match[1]} is no file of hw/rtl"
        if kind == "from" and match[1] not in constants:
            return f"hw/spec has no {match[1]}"
        return None
    return "is of no known form, see tests/hygiene/spec_sources.py"


def check_spec_sources(tree):
    files = [file for file in tree.files if file.path.startswith(FOLDER) and file.is_cpp]
    decisions = {file.name[:4] for file in tree.files if re.match(r"docs/decisions/\d{4}-", file.path)}
    constants = {name for file in files for name in re.findall(r"\b(k[A-Z]\w*)\s*(?:=|\{)", without_comments(file.text))}
    findings = []
    for file in files:
        for first, _, code, comments in _declarations(file):
            sources = [source for found in SOURCE.findall(comments) for source in found.split("; ")]
            numbers = _numbers(code)
            if numbers and not sources:
                head = next(line.strip() for line in code.split("\n") if line.strip())
                findings.append(f"{file.path}:{first}: '{head[:60]}' has the number {numbers[0]} and no source, as in [decision 0002]")
            for source in sources:
                if wrong := _wrong_source(tree, source, constants, decisions):
                    findings.append(f"{file.path}:{first}: source [{source}]: {wrong}")
    return findings
