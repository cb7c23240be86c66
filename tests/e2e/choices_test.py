# SPDX-License-Identifier: Apache-2.0
"""`compile --dump schedule` says what the compiler chose from, and what each way was estimated to cost.

choices.txt holds what is printed for a few networks; VERNIER_UPDATE_GOLDEN=1 rewrites it."""

import os
import pathlib
import re
import sys

import program

sys.path.insert(0, str(program.ROOT / "tests" / "bench"))
from made_graph import Graph

PRINTED = pathlib.Path(__file__).resolve().parent / "choices.txt"
WAY = re.compile(r"^ *(\*| ) +(\d+)?  (.+)$")
HEAD = re.compile(r"^( *)(\S.*), by (cycles:|rule: .+)$")
LAYOUT = "layout of its result"
NETWORKS = [program.DEMO, *(program.MADE / name / "model.tosa" for name in (
    "conv_oc3", "conv_oc17", "depthwise_c48", "depthwise_separable", "small_classifier", "residual_block", "softmax_rows"))]
MACHINES = [("--config", "v64"), ("--config", "v256"), ("--config", "v1024"), ("--config", "v256-sram48"),
            ("--memory", "weights-external", "--sram-bytes", "32768"), ("--config", "v256-port8", "--sram-bytes", "16384")]


def shown(text):
    """What stands before the blocks of memory and the commands."""
    return text[:text.index("\n  sram ") + 1]


def choices_of(text):
    """[(what, rule or None, [(is chosen, cycles or None, way)])] of a printed schedule."""
    found = []
    for line in shown(text).splitlines():
        head, way = HEAD.match(line), WAY.match(line)
        if head:
            found.append((head.group(2), None if head.group(3) == "cycles:" else head.group(3), []))
        elif way and found and not re.fullmatch(r" +and \d+ more", line):
            found[-1][2].append((way.group(1) == "*", int(way.group(2)) if way.group(2) else None, way.group(3)))
    return found


class Choices(program.ProgramTest):
    def printed(self, model, *options):
        done = self.execute("compile", model, "--dump", "schedule", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_what_is_chosen_by_cycles_takes_the_fewest(self):
        kinds = set()
        graph = Graph()
        x = graph.conv2d(graph.input([1, 24, 24, 32]), 48)
        graph.output(graph.pool(graph.depthwise(x), kernel=(2, 2), stride=(2, 2)))
        graph.write(self.folder / "large.tosa")
        tried = [(model, machine) for model in NETWORKS for machine in MACHINES]
        for model, machine in [*tried, (self.folder / "large.tosa", ())]:
            for what, rule, ways in choices_of(self.printed(model, *machine)):
                if rule:
                    continue
                kinds.add(what.split(",")[0].split(" of ")[0])
                self.assertEqual([chosen for chosen, _, _ in ways], [True] + [False] * (len(ways) - 1), (what, ways))
                cycles = [count for _, count, _ in ways]
                self.assertEqual(cycles, sorted(cycles), (model, machine, what))
                self.assertEqual(len({way for _, _, way in ways}), len(ways), (model, machine, what, ways))
        self.assertLessEqual({"lane split", "stripes", "row tile", "windows", "tiling", "memory plan", "microprogram", "command"},
                             kinds)

    def test_the_rule_of_layouts_costs_next_to_nothing(self):
        """Not chosen by cycles, but nearly as if: also on real networks, each map within 5 % of the best of the three layouts,
        and all of a network's together within 1 %."""
        networks = [program.GOLDEN / name / "model.tosa" for name in ("kws_ref_model", "vww_96_int8", "unet_96_int8")]
        num_layouts = 0
        for model in [*NETWORKS, *filter(pathlib.Path.exists, networks)]:
            taken, least = 0, 0
            for what, rule, ways in choices_of(self.printed(model)):
                if not what.startswith(LAYOUT):
                    continue
                num_layouts += 1
                self.assertTrue(rule.startswith("rule: planes"), rule)
                best = min(cycles for _, cycles, _ in ways)
                self.assertLessEqual(ways[0][1], 1.05 * best, (model, ways))
                taken, least = taken + ways[0][1], least + best
            self.assertLessEqual(taken, 1.01 * least, model)
        self.assertGreater(num_layouts, 3)

    def test_printed_choices(self):
        lines = PRINTED.read_text(encoding="utf-8").splitlines(keepends=True)
        found = []
        for command in [line for line in lines if line.startswith("$ ")]:
            name, *options = command[2:].split()
            text = self.printed(program.MADE / name / "model.tosa", *options)
            self.assertEqual(text, self.printed(program.MADE / name / "model.tosa", *options), "deterministic")
            found += [command, shown(text)]
        if os.environ.get("VERNIER_UPDATE_GOLDEN") == "1":
            PRINTED.write_text("# Choices as printed; choices_test.py compares. Rewritten with VERNIER_UPDATE_GOLDEN=1.\n"
                               + "".join(found), encoding="utf-8")
        else:
            self.maxDiff = None
            self.assertEqual("".join(found), "".join(lines[1:]))


if __name__ == "__main__":
    program.main()
