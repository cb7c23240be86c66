# SPDX-License-Identifier: Apache-2.0
"""Every relative link of every Markdown page leads to a file, and to a heading where it names one; every picture of
docs/architecture stands on a page; every path of this tree that a page names in backquotes exists, and so does every source
file that a README or a decision names without its folder. The changelog may name what there was.

usage: links.py SOURCE_ROOT"""

import pathlib
import re
import sys

LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
FENCE = re.compile(r"^```.*?^```$|^<!--.*?-->$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
SKIPPED = {"build", ".git"}
CODE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
# A path of this tree: `sim/units`, `hw/*`, `tests/unit/<folder>`, as a word of a command too.
TOPS = ("compiler", "hw", "sim", "tests", "docs", "cmake", "firmware", "python", "tools", "traces", ".ci")
TREE_PATH = re.compile(rf"(?:\./)?((?:{'|'.join(map(re.escape, TOPS))})/[\w./<>*-]*)")
SOURCE_FILE = re.compile(r"[\w/-]+\.(?:hpp|cpp|py|sv|sh|inc|cmake|fbs|vlt|svg)")
HISTORY = "CHANGELOG.md"


def pages_of(root):
    for page in sorted(root.rglob("*.md")):
        if not SKIPPED & set(page.relative_to(root).parts):
            yield page


def anchors_of(page):
    """As GitHub makes them of headings."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def is_there(root, path):
    """A file, a folder, a pair of files named without its ending, or what a placeholder or a star stands for."""
    path = path.rstrip("/.,")
    if re.search(r"[<*]", path):
        return any(root.glob(re.sub(r"<[^>]*>", "*", path)))
    return (root / path).exists() or any((root / path).parent.glob(pathlib.Path(path).name + ".*"))


def missing_names(root, page):
    """What the page names in backquotes and is not there."""
    for span in CODE.findall(FENCED.sub("", page.read_text(encoding="utf-8"))):
        paths = [match.group(1) for word in span.split() if (match := TREE_PATH.fullmatch(word.strip("()[],;:")))]
        yield from (path for path in paths if not is_there(root, path))
        if paths or not SOURCE_FILE.fullmatch(span) or (page.parent / span).exists():
            continue
        # A README speaks of its own folder, a decision of files by their names.
        if page.name == "README.md" or not any(any((root / top).rglob(span)) for top in TOPS):
            yield span


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
        if page.name != HISTORY:
            for name in missing_names(root, page):
                yield f"{page.relative_to(root)}: names {name}, which is not there"
    for picture in sorted((root / "docs").rglob("*.svg")):
        if picture.resolve() not in shown:
            yield f"{picture.relative_to(root)}: stands on no page"


def main():
    found = list(findings(pathlib.Path(sys.argv[1]).resolve()))
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
