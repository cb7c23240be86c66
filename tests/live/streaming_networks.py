# SPDX-License-Identifier: Apache-2.0
"""The official converter's MLIR text of a streaming network, made into what the official tools take.

The converter leaves casts from a type to the same type around each variable, which tosa-opt does not write. The official reference
model cannot say what a run leaves in variables, so its form of a network has each written tensor as a further output.

As a program: standard input without these casts, on standard output."""

import re
import sys

CAST = re.compile(r"^\s*(?P<result>%\S+) = builtin\.unrealized_conversion_cast (?P<operand>%\S+) : (?P<from>\S+) to (?P<to>\S+)")
VARIABLE = re.compile(r"^\s*tosa\.variable @\"?(?P<name>[^\"= ]+)\"? = dense<(?P<value>[^>]*)> : tensor<(?P<type>[^>]*)>")
WRITE = re.compile(r"^\s*tosa\.variable_write @\"?(?P<name>[^\", ]+)\"?, (?P<value>%\S+) : (?P<type>tensor<\S+>)")
RETURN = re.compile(r"^(?P<indent>\s*)return (?P<values>%.*?) : (?P<types>.*?)(?P<rest>\s+loc\(.*\))?$")
RESULTS = re.compile(r"(?P<before>func\.func @main\(.*\) -> \()(?P<results>.*?)(?P<after>\) attributes .*)$")
NAME = re.compile(r"%[A-Za-z0-9_]+")


def without_same_casts(text):
    """The text without casts that change nothing, and how many these were."""
    lines, other_names = [], {}
    for line in text.split("\n"):
        match = CAST.match(line)
        if match and match["from"] == match["to"]:
            other_names[match["result"]] = other_names.get(match["operand"], match["operand"])
            continue
        lines.append(NAME.sub(lambda name: other_names.get(name[0], name[0]), line) if other_names else line)
    return "\n".join(lines), len(other_names)


def variables_of(text):
    """By name the first value (one number for all elements) and the type, "1x2x3xi8"."""
    return {match["name"]: (int(match["value"]), match["type"]) for match in map(VARIABLE.match, text.split("\n")) if match}


def with_written_outputs(text):
    """The text with each written tensor as a further output of @main, and the variables' names in the order of these."""
    writes = [match for match in map(WRITE.match, text.split("\n")) if match]
    lines = []
    for line in text.split("\n"):
        if match := RESULTS.search(line):
            types = ", ".join(write["type"] for write in writes)
            line = f"{line[:match.start()]}{match['before']}{match['results']}, {types}{match['after']}"
        elif match := RETURN.match(line):
            values = ", ".join(write["value"] for write in writes)
            types = ", ".join(write["type"] for write in writes)
            line = f"{match['indent']}return {match['values']}, {values} : {match['types']}, {types}{match['rest'] or ''}"
        lines.append(line)
    return "\n".join(lines), [write["name"] for write in writes]


if __name__ == "__main__":
    # Any byte is a character: the input may be MLIR's bytecode, which passes as it is.
    sys.stdout.buffer.write(without_same_casts(sys.stdin.buffer.read().decode("latin-1"))[0].encode("latin-1"))
