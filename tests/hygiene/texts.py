# SPDX-License-Identifier: Apache-2.0
"""Checks on single files: size, characters, licence line, dead code, paths of one machine; and a README in each folder."""

import re

NEEDS_REASON_LINES = 400
MAX_LINES = 600
SPDX = "SPDX-License-Identifier: Apache-2.0"
TOPS_WITH_READMES = ("hw", "sim", "compiler", "firmware", "python", "tests")
MAX_README_LINES = 60


def check_file_sizes(tree):
    findings = []
    for file in tree.files:
        if not file.is_source or file.is_generated:
            continue
        count = len(file.lines)
        if count > MAX_LINES:
            findings.append(f"{file.path}:{MAX_LINES}: {count} lines, at most {MAX_LINES}: split it")
        elif count > NEEDS_REASON_LINES and not re.search(r"^(//|#) Long because: \S", file.text, re.MULTILINE):
            findings.append(f"{file.path}:1: {count} lines, over {NEEDS_REASON_LINES} needs a line '// Long because: ...'")
    return findings


def check_ascii(tree):
    findings = []
    for file in tree.files:
        for number, line in enumerate(file.data.split(b"\n"), 1):
            bad = next((byte for byte in line if byte > 126 or (byte < 32 and byte != 9)), None)
            if bad is not None:
                findings.append(f"{file.path}:{number}: byte 0x{bad:02x}, sources are printable ASCII with \\n line ends")
                break
    return findings


def check_test_names(tree):
    """CMake takes a semicolon in the name of a case for the end of a list's element: two tests that find nothing, and fail."""
    return [f"{file.path}:{number}: a test's name with ';', which CMake takes for two names"
            for file in tree.files if file.is_cpp
            for number, line in enumerate(file.lines, 1) if re.search(r'TEST_CASE\("[^"]*;', line)]


def _spdx_line(file):
    if file.path.endswith((".css", ".c", ".h")):  # the oldest C has no other comments
        return f"/* {SPDX} */"
    if file.path.endswith(".html"):
        return f"<!-- {SPDX} -->"
    return f"{'//' if _has_slash_comments(file) else '#'} {SPDX}"


def _has_slash_comments(file):
    return file.is_cpp or file.path.endswith((".sv", ".svh", ".fbs", ".js"))


def check_spdx(tree):
    findings = []
    for file in tree.files:
        if not file.is_source:
            continue
        lines = file.lines
        first = lines[1:2] if lines and lines[0].startswith("#!") else lines[:1]
        wanted = _spdx_line(file)
        if first != [wanted]:
            findings.append(f"{file.path}:1: first line (after #!) is not '{wanted}'")
    return findings


# A comment that is code: a statement, a block's opening or closing, a preprocessor line. Prose may end in a semicolon.
CPP_CODE = [
    re.compile(pattern)
    for pattern in (
        r"#\s*(include|define|if|ifdef|ifndef|endif|else|pragma)\b",
        r"[{}]\s*;?$",
        r"\}\s*else\b",
        r"(if|for|while|switch)\s*\(.*\)\s*(\{|.*;)?$",
        r"(return|throw|goto|delete|using|typedef)\b[^,]*;$",
        r"(break|continue);$",
        r"(\w+(::|\.|->))*\w+(<[^>]*>)?\(.*\);$",
        r"[\w:<>,&*\[\].\s()-]*[\w\])]\s*([-+*/|&^]|<<|>>)?=\s.*;$",
        r"(const|constexpr|static|auto|std::\w+|u?int\d*(_t)?|bool|double|float|char|void)\b[\w:<>&*,\s]*\w+(\{.*\})?;$",
        r"[-+]{2}\w+;$|\w+[-+]{2};$",
    )
]
SCRIPT_CODE = [
    re.compile(pattern)
    for pattern in (
        r"(import \w+|from \w+ import \w+)",
        r"(def|class) \w+.*:$",
        r"(if|for|while|elif|with) .*:$",
        r"\w+(\.\w+)*\([^ ]*\)$",
        r"(target_link_libraries|add_\w+|set|find_package|include|target_\w+)\(",
    )
]


def check_commented_out_code(tree):
    findings = []
    for file in (f for f in tree.files if f.is_source):
        is_c_like = _has_slash_comments(file)
        mark, patterns = (r"\s*//+!?\s*(?!/)(\S.*?)\s*$", CPP_CODE) if is_c_like else (r"\s*#+\s*(\S.*?)\s*$", SCRIPT_CODE)
        is_example = False
        for number, line in enumerate(file.lines, 1):
            comment = re.match(mark, line)
            # An example of use is announced by a line that ends in a colon, and is indented.
            is_example = bool(comment) and (is_example or comment.group(1).endswith(":"))
            is_code = comment and any(pattern.match(comment.group(1)) for pattern in patterns)
            if is_code and is_example and re.match(r"\s*//+\s{3}", line):
                continue
            if is_code or (is_c_like and re.match(r"\s*#\s*if\s+0\b", line)):
                findings.append(f"{file.path}:{number}: commented-out code: {line.strip()[:80]}")
    return findings


MACHINE_PATH = re.compile(r"(?<![\w.$}*~/-])/(?:work|home|root|tmp|Users|mnt)/")


def check_machine_paths(tree):
    findings = []
    for file in tree.files:
        for number, line in enumerate(file.lines, 1):
            if MACHINE_PATH.search(line):
                findings.append(f"{file.path}:{number}: path of one machine: {line.strip()[:80]}")
    return findings


def check_readmes(tree):
    findings = []
    texts = {file.path: file for file in tree.files}
    for folder in tree.second_level_folders(TOPS_WITH_READMES):
        readme = texts.get(f"{folder}/README.md")
        if readme is None:
            findings.append(f"{folder}:1: has no README.md (what, entry file, what it may include, how it is tested)")
        elif not 3 <= len(readme.lines) <= MAX_README_LINES:
            findings.append(f"{readme.path}:1: {len(readme.lines)} lines, a page has 3 to {MAX_README_LINES}")
    return findings


def check_decisions(tree):
    """Numbers of decision records are unique, and the index lists each record."""
    folder = "docs/decisions/"
    index = next((file.text for file in tree.files if file.path == folder + "README.md"), "")
    findings, numbers = [], {}
    for name in sorted(f.name for f in tree.files if f.path.startswith(folder) and f.name != "README.md"):
        if not re.match(r"\d{4}-[a-z0-9-]+\.md$", name):
            findings.append(f"{folder}{name}:1: a decision is named NNNN-what-was-chosen.md")
        if f"({name})" not in index:
            findings.append(f"{folder}README.md:1: does not list {name}")
        if name[:4] in numbers:
            findings.append(f"{folder}{name}:1: has the number of {numbers[name[:4]]}")
        numbers[name[:4]] = name
    return findings
