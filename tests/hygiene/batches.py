# SPDX-License-Identifier: Apache-2.0
"""Sources of a folder compile in batches (decision 0022): what one has in its anonymous namespace is there for the others. The
compiler says when two names clash, but not when a call that `using other::name;` meant for another namespace finds a function of
that name in a source of the same batch."""

import collections
import re

from source_tree import without_comments

ANONYMOUS = re.compile(r"^namespace \{$(.*?)^\} +$", re.DOTALL | re.MULTILINE)  # its end has a comment, which is blanked
FUNCTION = re.compile(r"^(?:inline |constexpr |static |const )*[A-Za-z_][\w:]*(?:<[^\n;(){}]*>)?[&*]? [&*]?(\w+)\(", re.MULTILINE)
USING = re.compile(r"^\s*using (?:\w+::)+(\w+);")


def check_batches(tree):
    folders = collections.defaultdict(list)
    for file in tree.files:
        if file.path.endswith(".cpp"):
            folders[file.path.rpartition("/")[0]].append(file)
    findings = []
    for files in folders.values():
        texts = {file.path: without_comments(file.text) for file in files}
        hidden = {path: {name for part in ANONYMOUS.findall(text) for name in FUNCTION.findall(part)} for path, text in texts.items()}
        for path, text in texts.items():
            for number, line in enumerate(text.splitlines(), 1):
                if not (using := USING.match(line)):
                    continue
                for other in sorted(other for other in hidden if other != path and using[1] in hidden[other]):
                    findings.append(f"{path}:{number}: {other} has a function {using[1]} of its own, which a batch may call instead")
    return findings
