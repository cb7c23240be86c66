# SPDX-License-Identifier: Apache-2.0
"""Every relative link of every Markdown page leads to a file, and to a heading where it names one; every picture of
docs/architecture stands on a page; every file that a guide names in backquotes exists.

usage: links.py SOURCE_ROOT"""

import pathlib
import re
import sys

LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```$|^<!--.*?-->$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
SKIPPED = {"build", ".git"}


def pages_of(root):
    for page in sorted(root.rglob("*.md")):
        if not SKIPPED & set(page.relative_to(root).parts):
            yield page


def anchors_of(page):
    """As GitHub makes them of headings."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def named_files(text):
    """`folder/file.ext` of this tree, as guides write it; a path with a space or a placeholder is a command."""
    return re.findall(r"(?<!`)`((?:compiler|hw|sim|tests|docs|tools|cmake|firmware)/[\w./-]+\.\w+)`", text)


def findings(root):
    shown = set()
    for page in pages_of(root):
        text = FENCE.sub("", page.read_text(encoding="utf-8"))
        for target in LINK.findall(text):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            to = (page.parent / path).resolve() if path else page
            if not to.exists():
                yield f"{page.relative_to(root)}: no file for the link to {target}"
            elif anchor and anchor not in anchors_of(to):
                yield f"{page.relative_to(root)}: no heading for the link to {target}"
            shown.add(to)
        if page.parent == root / "docs/guides":
            for name in named_files(page.read_text(encoding="utf-8")):
                if not (root / name).is_file():
                    yield f"{page.relative_to(root)}: names {name}, which is no file"
    for picture in sorted((root / "docs").rglob("*.svg")):
        if picture.resolve() not in shown:
            yield f"{picture.relative_to(root)}: stands on no page"


def main():
    found = list(findings(pathlib.Path(sys.argv[1]).resolve()))
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
