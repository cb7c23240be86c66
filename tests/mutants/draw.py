# SPDX-License-Identifier: Apache-2.0
"""Draws single faults of C++ sources by a seed: another operator, another comparison, another constant, min for max, a condition
turned round, a statement left out. It looks at text alone, so some faults do not compile; the campaign draws others for them."""

import dataclasses
import random
import re

# A token that stands between blanks, as clang-format writes binary operators, and what it becomes.
OPERATORS = {"<": ("<=", ">"), "<=": ("<", ">="), ">": (">=", "<"), ">=": (">", "<="), "==": ("!=",), "!=": ("==",),
             "+": ("-",), "-": ("+",), "*": ("+", "/"), "/": ("*",), "%": ("/",), "<<": (">>",), ">>": ("<<",),
             "&&": ("||",), "||": ("&&",), "&": ("|",), "|": ("&",), "+=": ("-=",), "-=": ("+=",)}
OPERATOR = re.compile(r"(?<= )(" + "|".join(re.escape(token) for token in sorted(OPERATORS, key=len, reverse=True)) + r")(?= )")
NUMBER = re.compile(r"(?<![\w.'])(\d+)(?![\w.'])")
OTHER_WORD = {"true": "false", "false": "true", "std::min": "std::max", "std::max": "std::min", "front": "back", "back": "front"}
WORD = re.compile(r"\b(" + "|".join(OTHER_WORD) + r")\b(?=[ ,;)(<])")
NEGATION = re.compile(r"(?<=[( ])!(?=[\w(])")
# A statement on a line of its own: an assignment, a call, or a jump. Declarations have two words before the sign.
STATEMENT = re.compile(r"^\s*(?:[\w.\->\[\]:*()]+ [-+*/|&%]?= .*|[\w.\->\[\]:]+\(.*\)|break|continue|return|\+\+.*);$")
NO_CODE = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'|//.*$')
NOT_LOOKED_AT = re.compile(r"^\s*(#|static_assert|using |namespace |template|enum |class |struct )")


@dataclasses.dataclass(frozen=True)
class Fault:
    file: str
    line: int  # from 1
    column: int  # from 0
    old: str
    new: str

    def __str__(self):
        return f"{self.file}:{self.line}: '{self.old.strip()}' becomes '{self.new}'" if self.new else f"{self.file}:{self.line}: without '{self.old.strip()}'"

    def apply(self, text):
        lines = text.split("\n")
        line = lines[self.line - 1]
        if line[self.column:self.column + len(self.old)] != self.old:
            raise ValueError(f"{self.file}:{self.line} has no '{self.old}' there")
        lines[self.line - 1] = line[:self.column] + self.new + line[self.column + len(self.old):]
        return "\n".join(lines)


def faults_of_line(file, number, line, ends_before):
    """`ends_before`: whether a statement may begin on this line."""
    if NOT_LOOKED_AT.match(line):
        return
    code = NO_CODE.sub(lambda found: "_" * len(found[0]), line)
    for found in OPERATOR.finditer(code):
        for new in OPERATORS[found[1]]:
            yield Fault(file, number, found.start(1), found[1], new)
    for found in NUMBER.finditer(code):
        yield Fault(file, number, found.start(1), found[1], str(int(found[1]) + 1))
    for found in WORD.finditer(code):
        yield Fault(file, number, found.start(1), found[1], OTHER_WORD[found[1]])
    for found in NEGATION.finditer(code):
        yield Fault(file, number, found.start(), "!", "")
    if ends_before and STATEMENT.match(code):
        indent = len(line) - len(line.lstrip())
        yield Fault(file, number, indent, line[indent:-1], "")


def faults_of_file(file, text):
    ends_before = False
    for number, line in enumerate(text.split("\n"), 1):
        yield from faults_of_line(file, number, line, ends_before)
        bare = line.split("//")[0].rstrip()
        if bare:
            ends_before = bare.endswith((";", "{", "}", ":"))


def drawn(texts, seed):
    """All faults of {file: text}, in the order of a seed. One place has one fault: the others of it are left out."""
    faults = sorted((fault for file, text in texts.items() for fault in faults_of_file(file, text)),
                    key=lambda fault: (fault.file, fault.line, fault.column, fault.old, fault.new))
    random.Random(seed).shuffle(faults)
    seen = set()
    for fault in faults:
        place = (fault.file, fault.line, fault.column)
        if place not in seen:
            seen.add(place)
            yield fault
