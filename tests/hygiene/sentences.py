# SPDX-License-Identifier: Apache-2.0
"""Sentences of the pages that users read first are short: README.md and CHANGELOG.md of the root.

A sentence ends at '.', '!', '?' or ';' before a space or the end of a paragraph, and at the end of a paragraph, a heading, an
item of a list or a cell of a table. Blocks of code have no sentences. A word is what stands between spaces and has a letter or
a digit; code in backquotes counts as one word, and so does the text of each link word by word, without its address."""

import re

PAGES = ("CHANGELOG.md", "README.md")
MAX_WORDS = 20
ITEM = re.compile(r"\s*(?:[-*]|\d+\.)\s+|#+\s+|>\s*")
END = re.compile(r"[.!?;](?=[)\"']*(?:\s|$))")
# An end after these is none.
ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|vs|etc|cf)|\.\.)$")


def pieces_of(text):
    """(line number, text) of each paragraph, item of a list, heading and cell."""
    is_code, begin, lines = False, 0, []

    def flush():
        if lines:
            yield begin, " ".join(lines)
            lines.clear()

    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            is_code = not is_code
            yield from flush()
        elif is_code or line.startswith("<!--"):
            continue
        elif line.startswith("|"):
            yield from flush()
            yield from ((number, cell.strip()) for cell in re.split(r"(?<!\\)\|", line))
        elif not line.strip():
            yield from flush()
        else:
            is_heading = line.startswith("#")
            if ITEM.match(line):
                yield from flush()
                line = ITEM.sub("", line, count=1)
            if not lines:
                begin = number
            lines.append(line.strip())
            if is_heading:
                yield from flush()
    yield from flush()


def sentences_of(piece):
    plain = re.sub(r"`[^`]*`", "code", piece)
    plain = re.sub(r"\]\([^)]*\)", "", plain)
    start = 0
    for match in END.finditer(plain):
        if not ABBREVIATION.search(plain[start:match.start()]):
            yield plain[start:match.end()]
            start = match.end()
    yield plain[start:]


def check_sentences(tree):
    findings = []
    for file in (f for f in tree.files if f.path in PAGES):
        for number, piece in pieces_of(file.text):
            for sentence in sentences_of(piece):
                words = [word for word in sentence.split() if re.search(r"\w", word)]
                if len(words) > MAX_WORDS:
                    start = " ".join(words[:6])
                    findings.append(f"{file.path}:{number}: a sentence of {len(words)} words, at most {MAX_WORDS}: '{start} ...'")
    return findings
