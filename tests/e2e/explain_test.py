# SPDX-License-Identifier: Apache-2.0
"""`vernier explain`: what it tells of a layer is what the run's report, the commands and the compiler's printed choices say.

explain_text/ holds it for two layers; VERNIER_UPDATE_GOLDEN=1 rewrites the files."""

import os
import re
import sys
import unittest

import program

sys.path.insert(0, str(program.ROOT / "tests" / "bench"))
from made_graph import Graph

HELD = program.HERE / "explain_text"
SMALL = ("--memory", "external", "--sram-bytes", "16384")
SAME = ("attributed_cycles", "attributed_cycles_by", "first_cycle", "last_cycle", "macs", "mac_utilization_percent", "bound_by",
        "bound_detail", "share_percent", "name")


class ExplainTest(program.ProgramTest):
    def told(self, model, layer, *options):
        done = self.execute("explain", model, "--layer", layer, "-v", "--report", "e.json", *options)
        self.assertEqual((done.returncode, done.stderr), (0, ""), (layer, options))
        return done.stdout, program.read_json(self.folder / "e.json")

    def report(self, model, *options):
        self.assertEqual(self.execute("estimate", model, "-q", "--report", "r.json", *options).returncode, 0)
        return program.read_json(self.folder / "r.json")


class Figures(ExplainTest):
    def check_units(self, story, report):
        for unit in story["units"]:
            own = [c for c in report["commands"] if c["layer_idx"] == story["layer_idx"] and c["unit"] == unit["unit"]]
            self.assertEqual((unit["commands"], unit["busy_cycles"]), (len(own), sum(c["busy_cycles"] for c in own)))
            for key in ("stall_cycles", "wait_cycles"):
                sums = {}
                for command in own:
                    for name, cycles in command[key].items():
                        sums[name] = sums.get(name, 0) + cycles
                self.assertEqual(unit[key], sums)
        counted = sum(unit["commands"] for unit in story["units"])
        self.assertEqual(counted, sum(c["layer_idx"] == story["layer_idx"] for c in report["commands"][:-1]))

    def check_text(self, text, story):
        """Every figure of the story stands in its part of the text."""
        parts = dict(re.findall(r"^(In the source|What was chosen|Where its|Its|By unit|What would)[^\n]*\n(.*?)(?=\n\n|\nBy unit|\Z)",
                                text, re.M | re.S))
        words = {name: " ".join(part.split()) for name, part in parts.items()}
        at = 0
        for op in story["operators"]:
            for wanted in (op["name"], *(f"{o['tensor']} {o['type']} [{', '.join(map(str, o['shape']))}]"
                                         for o in op["inputs"] + op["outputs"]), op["becomes"]):
                at = words["In the source"].index(wanted, at)
        for choice in story["choices"]:
            self.assertIn(choice["of"], words["What was chosen"])
            if not choice["ways"]:
                self.assertIn(choice["rule"], words["What was chosen"])
                continue
            chosen = choice["ways"][0]
            self.assertTrue(chosen["is_chosen"])
            figure = "-" if chosen["cycles"] is None else f"{chosen['cycles']:,}"
            self.assertIn(f"* {figure} {chosen['what']}", words["What was chosen"])
        for place in story["places"]:
            figures = (place["role"], "written" if place["is_written"] else "read",
                       "SRAM" if place["memory"] == "sram" else "external", f"{place['begin_byte']:#x}",
                       f"{place['end_byte'] - place['begin_byte']:,}", f"{place['first_cycle']:,}", f"{place['end_cycle']:,}",
                       str(place["num_places"]))
            self.assertIn(" ".join(figures), words["Where its"])
        for cause, cycles in story["attributed_cycles_by"].items():
            self.assertIn(f"{cycles:,} {100 * cycles / story['attributed_cycles']:.1f}% {cause}", words["Its"])
        for saving in story["savings"]:
            figure = "-" if saving["most_cycles"] is None else f"{saving['most_cycles']:,}"
            self.assertIn(f"{figure} {saving['words']}", words["What would"])

    def test_every_layer_as_the_report_has_it(self):
        self.environment["COLUMNS"] = "160"
        for options in ((), SMALL, ("--memory", "weights-external", "--optimize", "0")):
            report = self.report(program.DEMO, *options)
            for layer in report["layers"]:
                with self.subTest(options=options, layer=layer["layer_idx"]):
                    text, story = self.told(program.DEMO, layer["layer_idx"], *options)
                    self.assertEqual({key: story[key] for key in SAME}, {key: layer[key] for key in SAME})
                    self.assertEqual(story["total_cycles"], report["totals"]["cycles"])
                    self.assertEqual([op["name"] for op in story["operators"]], layer["operators"])
                    self.check_units(story, report)
                    self.check_text(text, story)
                    for saving in story["savings"]:
                        self.assertLessEqual(saving["most_cycles"] or 0, layer["attributed_cycles"])

    def test_choices_are_those_that_the_compiler_prints(self):
        printed = self.execute("compile", program.DEMO, *SMALL, "--dump", "schedule").stdout
        steps = re.findall(r"^  (\S+ \S+) of layer '.*'\n((?:    .*\n)+)", printed, re.M)
        expected = []
        for step, lines in steps:
            for choice, ways in re.findall(r"^    (\S.*), (?:by cycles:|by rule: .*)\n((?:      .*\n)*)", lines, re.M):
                shown = re.findall(r"^      ([* ]) +(\d+|)  (.*)$", ways, re.M)
                expected.append((step, choice, [(mark == "*", int(cycles) if cycles else None, what) for mark, cycles, what in shown]))
        found = []
        for layer in range(9):
            for choice in self.told(program.DEMO, layer, *SMALL)[1]["choices"]:
                ways = [(way["is_chosen"], way["cycles"], way["what"]) for way in choice["ways"]]
                found.append((choice["step"], choice["of"], ways[:6]))  # the compiler prints six
        self.assertGreater(len(found), 20)
        self.assertEqual(sorted(found), sorted(expected))

    def test_places_are_those_of_the_commands(self):
        """The array's operands lie where its commands have them, while they run."""
        for options in ((), SMALL):
            package, report = self.compile(program.DEMO, *options), self.report(program.DEMO, *options)
            self.execute("disasm", package, "--report", "d.json", "--unit", "mac")
            for command in program.read_json(self.folder / "d.json")["commands"]:
                places = self.told(package, command["layer_idx"])[1]["places"]
                ran = report["commands"][command["command_idx"]]
                for role, pattern in (("output", r" out=0x([0-9a-f]+)"), ("weights", r" weights=0x([0-9a-f]+)"),
                                      ("parameters", r" parameters=0x([0-9a-f]+)")):
                    address = int(re.search(pattern, command["text"])[1], 16)
                    fitting = [place for place in places if place["role"] == role and place["memory"] == "sram"
                               and place["begin_byte"] <= address < place["end_byte"]
                               and place["first_cycle"] <= ran["start_cycle"] and ran["end_cycle"] <= place["end_cycle"]]
                    self.assertTrue(fitting, (command["text"], role, places))
                    self.assertEqual(fitting[0]["is_written"], role == "output")

    def test_what_idle_lanes_cost(self):
        """A 1x1 convolution to 17 channels: what the words say is what the figure is."""
        graph = Graph()
        graph.output(graph.conv2d(graph.input([1, 16, 16, 16]), 17, kernel=(1, 1)))
        graph.write(self.folder / "net.tosa")
        for config, lanes in (("v64", 8), ("v256", 16), ("v1024", 32)):
            _, story = self.told("net.tosa", 0, "--config", config)
            words = {re.sub(r"\d+", "N", saving["words"]): saving for saving in story["savings"]}
            found = next(s for s in story["savings"] if s["words"].startswith("17 output channels fill"))
            blocks, channels, percent = map(int, re.fullmatch(
                r"17 output channels fill (?:a|(\d+)) blocks? of (\d+): (\d+) % of the lanes idle", found["words"]).groups(default=1))
            self.assertEqual(percent, round(100 * (1 - 17 / (blocks * channels))), words)
            # Each block takes a cycle for 16 input channels (two on lanes of 8, half of one on lanes of 32 if the groups were
            # full), and for lanes / channels pixels.
            cycles = 16 * 16 * blocks * channels / lanes * -(-16 // lanes)
            self.assertAlmostEqual(found["most_cycles"], cycles * (1 - 17 / (blocks * channels)), delta=1, msg=story["savings"])

    def test_outside_is_the_time_of_loads_and_stores(self):
        report = self.report(program.DEMO, *SMALL)
        for layer in (0, 4, 5):
            _, story = self.told(program.DEMO, layer, *SMALL)
            flights = sum(c["end_cycle"] - c["start_cycle"] for c in report["commands"]
                          if c["layer_idx"] == layer and c["external_read_bytes"] > 0 and c["unit"] == "dma")
            found = [s["most_cycles"] for s in story["savings"] if "stay in SRAM" in s["words"]]
            waits = sum(story["attributed_cycles_by"].get(cause, 0) for cause in ("waiting_for_load", "dma_external"))
            self.assertEqual(found, [min(max(flights, waits), story["attributed_cycles"])], story["savings"])


class Command(ExplainTest):
    def test_a_package_and_names_of_layers_give_the_same(self):
        package = self.compile(program.DEMO, *SMALL)
        text, story = self.told(program.DEMO, 4, *SMALL)
        for name in ("residual_a", story["name"], "residual_a_1/conv"):
            self.assertEqual(self.told(program.DEMO, name, *SMALL)[0], text)
        again, of_package = self.told(package, "residual_a")
        self.assertEqual({**of_package, "model": 0}, {**story, "model": 0})
        self.assertEqual(again, text)
        self.assertIn(story["name"], "".join(text.split("bound by")[0].replace("source name", "").split()))
        done = self.execute("explain", package, "--layer", "4", "-v", "--report", "-")
        self.assertEqual(done.stderr, text)
        self.assertIn('"schema": "vernier-explain/1"', done.stdout)

    def test_short_without_v(self):
        """At most 60 lines, what would help first; what is cut is said, and nothing else differs."""
        self.environment["COLUMNS"] = "80"
        has_cut = False
        for layer in range(9):
            whole, _ = self.told(program.DEMO, layer, *SMALL)
            short = self.execute("explain", program.DEMO, "--layer", layer, *SMALL).stdout
            self.assertLessEqual(len(short.splitlines()), 60)
            self.assertLess(short.index("What would make it faster"), short.index("by cause"))
            cut = [int(n) for n in re.findall(r"^  and (\d+) more lines; -v shows them$", short, re.M)]
            self.assertEqual(len(short.splitlines()) - len(cut) + sum(cut), len(whole.splitlines()))
            has_cut = has_cut or bool(cut)
        self.assertTrue(has_cut)

    def test_it_fits_and_has_not_changed(self):
        for name, layer, options in (("residual", 4, SMALL), ("softmax", 8, ())):
            for width in (80, 100, 160):
                self.environment["COLUMNS"] = str(width)
                text, _ = self.told(program.DEMO, layer, *options)
                self.assertLessEqual(max(map(len, text.splitlines())), width)
                held = HELD / f"{name}_{width}.txt"
                if os.environ.get("VERNIER_UPDATE_GOLDEN") == "1":
                    held.parent.mkdir(exist_ok=True)
                    held.write_text(text, encoding="utf-8")
                with self.subTest(held=held.name):
                    self.assertEqual(text, held.read_text(encoding="utf-8"), "VERNIER_UPDATE_GOLDEN=1 rewrites it")


if __name__ == "__main__":
    program.main()
