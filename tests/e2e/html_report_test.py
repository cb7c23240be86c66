# SPDX-License-Identifier: Apache-2.0
"""The HTML report as a file: one that loads nothing, holds exactly what the JSON report of the same run says, and obeys no name."""

import base64
import html.parser
import itertools
import json
import re
import zlib

import program
import tosa_file
from report_checks import TRAFFIC

# Ends a script and a comment, begins elements, has quotes of all kinds, an entity and control characters.
MEAN = "a</script><b onload=x>'\"`&lt;<!--\x1b[31m\t\u202e\u00e9]]>"
SHELL_BYTES = 110_000  # of the page itself, without a run


def mean_network(folder):
    """The file of a network that has such names."""
    model = folder / f"m{MEAN.replace('/', '')}.tosa"
    x, y = f"x{MEAN}", f"y{MEAN}"
    model.write_bytes(tosa_file.graph([tosa_file.tensor(x, (2, 3)), tosa_file.tensor(y, (2, 3))],
                                      [tosa_file.operator("CLZ", [x], [y])], [x], [y]))
    return model


class Page(html.parser.HTMLParser):
    """The elements of a page, and what stands in its scripts."""

    def __init__(self, text):
        super().__init__()
        self.text, self.elements, self.scripts, self._script = text, [], {}, None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        self._script = dict(attributes).get("id", "code") if tag == "script" else None

    def handle_endtag(self, tag):
        self._script = None

    def handle_data(self, data):
        if self._script:
            self.scripts[self._script] = self.scripts.get(self._script, "") + data

    def json(self, name):
        return json.loads(self.scripts[name])

    def packed(self, name):
        return json.loads(zlib.decompress(base64.b64decode(self.scripts[name])))


def commands_of(packed):
    """The commands as the JSON report has them."""
    running = {name: list(itertools.accumulate(packed[name])) for name in ("dispatch_cycle", "start_cycle")}
    commands = []
    for i in range(packed["count"]):
        start = running["start_cycle"][i]
        commands.append({"command_idx": i, "layer_idx": packed["layer_idx"][i], "unit": packed["units"][packed["unit"][i]],
                         "queue": packed["queues"][packed["queue"][i]], "start_cycle": start, "end_cycle": start + packed["length_cycles"][i],
                         "busy_cycles": packed["busy_cycles"][i], "stall_cycles": {}, "wait_cycles": {}, "dispatch_cycle": running["dispatch_cycle"][i],
                         **{key: packed[key][i] for key in TRAFFIC}})
    for kind in ("stall_cycles", "wait_cycles"):
        for name, column in packed[kind].items():
            for i, cycles in zip(itertools.accumulate(column["at"]), column["cycles"], strict=True):
                commands[i][kind][name] = cycles
    return commands


def blocks_of(rows):
    keys = ("name", "is_constant", "begin_byte", "end_byte", "first_cycle", "end_cycle")
    return [dict(zip(keys, row, strict=True)) for row in rows]


class File(program.ProgramTest):
    def pages(self, *arguments, exit_code=0):
        """(the page, the JSON report) of one run."""
        done = self.execute(*arguments, "-q", "--report", "r.html", "--report", "r.json")
        self.assertEqual(done.returncode, exit_code, done.stderr)
        return Page((self.folder / "r.html").read_text(encoding="ascii")), program.read_json(self.folder / "r.json")

    def assert_alone(self, page):
        """It refers to nothing outside."""
        for tag, attributes in page.elements:
            self.assertNotIn(tag, ("iframe", "img", "object", "embed", "base", "form"))
            self.assertTrue({"src", "srcset", "action", "data", "onload"}.isdisjoint(attributes), (tag, attributes))
            self.assertIn(attributes.get("href", "#"), ("#", "data:,"))
        self.assertEqual(set(re.findall(r"https?://[^\s\"'`]*", page.text)), {"http://www.w3.org/2000/svg"})
        [policy] = [a["content"] for tag, a in page.elements if a.get("http-equiv") == "Content-Security-Policy"]
        self.assertTrue(policy.startswith("default-src 'none';"))

    def test_holds_what_the_json_report_says(self):
        for arguments in (["run", program.DEMO, "--check-all"], ["estimate", program.DEMO, "--memory", "external"],
                          ["estimate", program.DEMO, "--config", "v256-port8", "--sram-bytes", "6KiB"],
                          ["run", program.DEMO, "--backend", "reference"]):
            with self.subTest(arguments=arguments):
                self.assert_holds(*self.pages(*arguments))

    def assert_holds(self, page, report):
        told = page.json("report")
        self.assertEqual((told.pop("commands"), told.pop("sram_blocks")), ([], []))
        self.assertEqual(commands_of(page.packed("commands")), report.pop("commands"))
        self.assertEqual(blocks_of(page.packed("sram_blocks")), report.pop("sram_blocks"))
        self.assertEqual(told, report)
        self.assertEqual(len(page.json("short_names")), len(report["layers"]))
        self.assert_alone(page)

    def test_holds_what_rtl_showed(self):
        program.need_rtl(self)
        for scope in ("command", "core"):
            with self.subTest(scope=scope):
                page, report = self.pages("run", program.DEMO, "--backend", "rtl", "--config", "v64", "--rtl-scope", scope)
                self.assertEqual("core" in page.json("report")["rtl"], scope == "core")
                self.assert_holds(page, report)

    def test_size(self):
        """The page itself is small, and a command takes few bytes: the largest networks are to stay below 2 MB."""
        page, report = self.pages("estimate", program.DEMO, "--config", "v256-port8", "--sram-bytes", "6KiB")
        lists = len(page.scripts["commands"]) + len(page.scripts["sram_blocks"])
        self.assertLess(lists, 45 * len(report["commands"]) + 1500)
        self.assertLess(len(page.text) - lists - len(page.scripts["report"]), SHELL_BYTES)

    def test_names_are_text(self):
        page, report = self.pages("run", mean_network(self.folder))
        self.assertEqual(report["layers"][0]["name"], f"y{MEAN}")
        self.assertEqual(page.json("report")["layers"][0]["name"], f"y{MEAN}")
        self.assertIn(f"x{MEAN}", [block[0] for block in page.packed("sram_blocks")])
        plain, _ = self.pages("run", program.DEMO)
        self.assertEqual([tag for tag, _ in page.elements], [tag for tag, _ in plain.elements])
        self.assertNotRegex(page.text, "[^\n -~]")
        self.assert_alone(page)

    def test_comparison(self):
        for name, options in (("a", []), ("b", ["--config", "v64"])):
            self.execute("estimate", program.DEMO, "-q", "--report", f"{name}.json", *options)
        done = self.execute("compare", "a.json", "b.json", "--report", "c.html", "--report", "c.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        page = Page((self.folder / "c.html").read_text(encoding="ascii"))
        self.assertEqual(page.json("comparison"), program.read_json(self.folder / "c.json"))
        self.assert_alone(page)
        self.assertLess(len(page.text), SHELL_BYTES)

    def test_same_input_same_bytes(self):
        texts = []
        for _ in range(2):
            page, _ = self.pages("estimate", program.DEMO)
            texts.append(re.sub(r'"host_seconds": \{[^}]*\}', "", page.text))
        self.assertEqual(*texts)


if __name__ == "__main__":
    program.main()
