# SPDX-License-Identifier: Apache-2.0
"""Drawn faults that change nothing that could be seen: file, the line without its indent, what stands there, what comes instead, and
why no result, cycle, report or message differs. A line that changes has to be looked at anew."""

EQUIVALENTS = [
    ("compiler/schedule/access.cpp", "return in_buffer < 0 ? -mapped : mapped;", "0", "1", "a stride of 0 is mapped to 0, and -0 is 0"),
    ("compiler/schedule/access.cpp", "return in_buffer < 0 ? -mapped : mapped;", "<", "<=", "a stride of 0 is mapped to 0, and -0 is 0"),
]


def reason_of(fault, line):
    """Why `fault`, in the text `line`, changes nothing; None where it may."""
    for file, text, old, new, reason in EQUIVALENTS:
        if (file, text, old, new) == (fault.file, line.strip(), fault.old.strip(), fault.new):
            return reason
    return None
