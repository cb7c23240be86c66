# SPDX-License-Identifier: Apache-2.0
"""The worked examples of docs/architecture: each page has one, and each is run on the machine, so that no formula goes stale.

usage: worked_examples.py SOURCE_ROOT VERNIER

An example is a block of a page:

    ```worked
    machine: v256                                       one or more words; more options of the program may follow
    network: g.conv2d(g.input([1, 25, 5, 64]), 64)      a call on tests/bench/made_graph.py, or a network of tests/golden
    commands: 0                                         whose flights are added up, as vernier disasm numbers them
    what it is: 4 * (64 + 61) * 4                       any number of terms, in cycles
    cycles: 2077                                        their sum, and what the machine takes
    ```

`measure: start` compares with the start of the first of the commands instead."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

NO_UNIT = ("README.md", "approximations.md", "cosim.md", "rtl.md", "system.md")  # pages of no unit and no mapping
BLOCK = re.compile(r"^```worked\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ARITHMETIC = re.compile(r"(?:[\d\s+*/(),\-]|ceil|max|min)*")


class Example:
    def __init__(self, text):
        entries = [line.split(":", 1) for line in text.splitlines()]
        if any(len(entry) != 2 for entry in entries):
            raise ValueError("a line is 'name: value'")
        entries = [(key.strip(), value.strip()) for key, value in entries]
        known = dict(entries)
        try:
            self.options = ["--config", *known["machine"].split()]
            self.network = known["network"]
            self.commands = [int(number) for number in known["commands"].split()]
            self.cycles = int(known["cycles"].replace(",", ""))
            self.is_start = known.get("measure") == "start"
        except KeyError as missing:
            raise ValueError(f"no line {missing}") from None
        self.terms = [value for key, value in entries if key not in ("machine", "network", "commands", "measure", "cycles")]

    def sum_of_terms(self):
        total = 0
        for term in self.terms:
            if not ARITHMETIC.fullmatch(term):
                raise ValueError(f"'{term}' is no arithmetic")
            total += eval(term, {"__builtins__": {}, "ceil": lambda a, b: -(-a // b), "max": max, "min": min})
        return total


def flights(root, vernier, example):
    """(start, end) of each command."""
    with tempfile.TemporaryDirectory() as folder:
        made = root / "tests/golden/networks" / example.network / "model.tosa"
        if not re.fullmatch(r"\w+", example.network):
            from made_graph import Graph

            graph = Graph()
            graph.output(eval(example.network, {"g": graph}))
            made = pathlib.Path(folder) / "model.tosa"
            graph.write(made)
        done = subprocess.run([vernier, "estimate", str(made), "--report", "-", *example.options], capture_output=True, check=False)
        if done.returncode != 0:
            raise ValueError(f"vernier estimate: {done.stderr.decode()[:300]}")
        return [(entry["start_cycle"], entry["end_cycle"]) for entry in json.loads(done.stdout)["commands"]]


def check(root, vernier, text):
    """What is wrong with the example, or None."""
    try:
        example = Example(text)
        computed = example.sum_of_terms()
        if computed != example.cycles:
            return f"the terms sum to {computed:,}, not to {example.cycles:,}"
        all_flights = flights(root, vernier, example)
        taken = sum(all_flights[index][1] - all_flights[index][0] for index in example.commands)
        if example.is_start:
            taken = all_flights[example.commands[0]][0]
        if taken != example.cycles:
            each = ", ".join(f"{index}: {end - start}" for index, (start, end) in enumerate(all_flights[:-1]))
            return f"the machine takes {taken:,} cycles, the page says {example.cycles:,} (commands {each})"
    except (ValueError, IndexError, SyntaxError, NameError, TypeError, AttributeError) as error:
        return str(error)
    return None


def main():
    root, vernier = pathlib.Path(sys.argv[1]), sys.argv[2]
    sys.path.insert(0, str(root / "tests/bench"))
    findings, num_examples = [], 0
    for page in sorted((root / "docs/architecture").glob("*.md")):
        text = page.read_text(encoding="utf-8")
        if page.name not in NO_UNIT and not (BLOCK.search(text) and f"(figures/{page.stem}.svg)" in text):
            findings.append(f"{page.relative_to(root)}: has no worked example, or not its picture")
        for match in BLOCK.finditer(text):
            num_examples += 1
            finding = check(root, vernier, match.group(1))
            if finding:
                findings.append(f"{page.relative_to(root)}:{text[: match.start()].count(chr(10)) + 1}: {finding}")
    print("\n".join(findings) or f"{num_examples} worked examples hold")
    return 1 if findings or num_examples == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
