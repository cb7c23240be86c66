# SPDX-License-Identifier: Apache-2.0
"""The HTML pages in a real browser: they open without a message; tables, bars and points show the figures of the JSON report; they sort,
filter and print. Skipped where Chromium or its driver is missing. html_time_test.py looks at what is drawn over time."""

import program
from html_page import PORTS, InBrowser
from html_report_test import MEAN, mean_network


class Opens(InBrowser):
    def test_every_kind_of_run(self):
        for arguments, code in ((["run", program.DEMO], 0), (["run", program.DEMO, "--backend", "reference"], 0),
                                (["estimate", program.DEMO, "--memory", "external"], 0), (["run", program.DEMO, "--optimize", "0"], 0),
                                (["run", program.DEMO, "--inject", "accumulator:bitflip@1000", "--no-rerun"], 3)):
            with self.subTest(arguments=arguments):
                self.open_run(*arguments, exit_code=code)
                self.assertIn(self.report["model"]["name"], self.window.text("#title"))
        difference = self.report["check"]["first_difference"]
        for told in (difference["tensor"], str(difference["expected"]), str(difference["actual"]), difference["layer_name"]):
            self.assertIn(told, self.window.text("#difference"))

    def test_names_are_text(self):
        """A name of markup is shown as it is, what cannot be seen as its number; in tables, tips and pictures."""
        self.open_run("run", mean_network(self.folder))
        shown = "y" + MEAN.replace("\x1b", "\\u001b").replace("\t", "\\u0009").replace("\u202e", "\\u202e")
        short = shown.split(";")[0]  # converters join names with it
        self.assertEqual(self.column("#layer_table", "layer"), [short])
        self.assertEqual(self.window.run("return document.querySelector('#layer_table .one_line').title"), shown)
        self.window.click("#layer_table tbody tr")
        self.assertIn(shown, self.window.text("#layer"))
        self.window.point("#causes_chart g", 40, 40)
        self.assertIn(short, self.window.text("#tip"))
        self.assertIn(shown, [row[0] for row in self.rows("#block_table")])
        self.assertEqual(self.window.run("return document.querySelectorAll('b[onload], script').length"), 5)
        self.assert_silent()

    def test_themes_sizes_and_paper(self):
        self.open_run("run", program.DEMO)
        papers = set()
        for scheme in ("light", "dark"):
            self.window.prefer(scheme)
            for width in (1400, 800):
                self.window.resize(width, 900)
                self.window.run("return null")
                wide = self.window.run("return document.documentElement.scrollWidth")
                self.assertEqual(wide, width, "nothing reaches out of the page")
            papers.add(self.window.run("return getComputedStyle(document.body).backgroundColor"))
        self.assertEqual(len(papers), 2)
        self.window.run("const theme = document.getElementById('theme'); theme.value = 'light'; theme.dispatchEvent(new Event('change'))")
        self.assertEqual(self.window.run("return getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)")
        self.window.prefer("light")
        self.window.resize(1400, 900)
        self.window.print(self.folder / "r.pdf")
        self.assertTrue((self.folder / "r.pdf").read_bytes().startswith(b"%PDF"))
        self.assert_silent()

    def test_tables_fit_a_telephone_and_a_small_screen(self):
        """At 390 pixels the tables of the summary are as wide as the page and break no word; at 1,280 that of the layers is too."""
        boxes = ("return [...document.querySelectorAll(arguments[0])].filter((box) => box.scrollWidth > box.clientWidth)"
                 ".map((box) => box.closest('[id]').id)")
        words = """
            const broken = [];
            for (const cell of document.querySelectorAll(".cards td")) {
              const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
              for (let node = walker.nextNode(); node; node = walker.nextNode()) {
                for (const word of node.data.matchAll(/[A-Za-z0-9]+/g)) {
                  const range = document.createRange();
                  range.setStart(node, word.index);
                  range.setEnd(node, word.index + word[0].length);
                  if (new Set([...range.getClientRects()].map((box) => box.top)).size > 1) broken.push(word[0]);
                }
              }
            }
            return broken;"""
        network = program.MADE / "depthwise_separable" / "model.tosa"
        for arguments in (["run", program.DEMO, "--memory", "external"], ["estimate", network, "--memory", "weights-external"]):
            self.open_run(*arguments)
            for width, tables in ((390, ".cards"), (1280, ".scroll")):
                self.window.resize(width, 900)
                self.window.run("return null")
                self.assertEqual(self.window.run("return document.documentElement.scrollWidth"), width)
                self.assertEqual(self.window.run(boxes, tables), [], f"{width}: tables that are wider than their boxes")
                self.assertEqual(self.window.run(words), [], f"{width}: words that are broken")
            self.window.resize(1400, 900)
        self.assert_silent()


class Figures(InBrowser):
    def setUp(self):
        super().setUp()
        self.open_run("run", program.DEMO, "--memory", "external")

    def test_summary(self):
        totals, tiles = self.report["totals"], self.window.text("#tiles")
        for told in (f"{totals['cycles']:,}", f"{totals['mac_utilization_percent']:.2f} %", f"{totals['macs']:,}", f"{totals['commands']} commands", "match"):
            self.assertIn(told, tiles)
        self.assertIn(self.report["assumes"], self.window.text("#assumes"))
        for (name, unit), row in zip(self.report["units"].items(), self.rows("#units"), strict=True):
            self.assertEqual([row[0], *map(int, (cell.replace(",", "") for cell in row[2:5]))],
                             [name.replace("_", " "), unit["busy_cycles"], sum(unit["stall_cycles"].values()), unit["idle_cycles"]])
        used = {name.replace("_", " "): port["bytes"] for name, port in self.report["bandwidth"].items() if port["bytes"]}
        self.assertEqual({row[0]: int(row[1].replace(",", "")) for row in self.rows("#ports")}, used)
        self.assertEqual([row[:3] for row in self.rows("#queues")],
                         [[q["queue"], str(q["depth_commands"]), str(q["most_commands"])] for q in self.report["queues"]])
        self.assertEqual([row[0] for row in self.rows("#approximation_table")], [entry["what"] for entry in self.report["approximations"]])
        config = dict(zip(self.window.texts("#config dt"), self.window.texts("#config dd"), strict=True))
        self.assertEqual(list(config), list(self.report["config"]))
        self.assertEqual(config["clock_hz"], f"{self.report['config']['clock_hz']:,}")
        self.assertEqual(self.window.text("#command_line"), self.report["run"]["command_line"])

    def test_widths_of_bars(self):
        """A bar of a unit, of a layer and of the whole run is divided as the cycles are."""
        parts = "return [...document.querySelectorAll(arguments[0])].map((bar) => [...bar.children].map((part) => [part.dataset.name, part.getBoundingClientRect().width / bar.getBoundingClientRect().width]))"
        cycles = self.report["totals"]["cycles"]
        for unit, bar in zip(self.report["units"].values(), self.window.run(parts, "#units .bar"), strict=True):
            told = {"busy": unit["busy_cycles"], "idle": unit["idle_cycles"], **unit["stall_cycles"]}
            self.assert_close(dict(bar), {name: n / cycles for name, n in told.items() if n})
        most = max(layer["attributed_cycles"] for layer in self.report["layers"])
        for layer, bar in zip(self.report["layers"], self.window.run(parts, "#layer_table .bar"), strict=True):
            self.assert_close(dict(bar), {name: n / most for name, n in layer["attributed_cycles_by"].items()})

    def assert_close(self, found, expected, within=0.005):
        self.assertEqual(set(found), set(expected))
        for name, value in expected.items():
            self.assertAlmostEqual(found[name], value, delta=within, msg=name)

    def test_layers(self):
        for heading, key in (("cycles", "attributed_cycles"), ("MACs", "macs"), ("first cycle", "first_cycle"), ("last cycle", "last_cycle"),
                             *((f"{name} B", f"{port}_bytes") for name, port in zip(("SRAM read", "SRAM written", "external read", "external written"), PORTS))):
            self.assertEqual([int(cell.replace(",", "")) for cell in self.column("#layer_table", heading)], [layer[key] for layer in self.report["layers"]], heading)
        self.assertEqual(self.column("#layer_table", "share"), [f"{layer['share_percent']:.2f} %" for layer in self.report["layers"]])
        self.assertEqual(self.column("#layer_table", "util"), [f"{layer['mac_utilization_percent']:.2f} %" if layer["macs"] else "-" for layer in self.report["layers"]])
        self.assertEqual(self.column("#layer_table", "why"), [layer["bound_detail"] for layer in self.report["layers"]])
        foot = self.window.texts("#layer_table tfoot td")
        self.assertEqual(int(foot[3].replace(",", "")), self.report["totals"]["cycles"])
        self.assertEqual(foot[5], "100.00 %")

    def test_causes_chart(self):
        """By its own axis, the height of each part is its cycles."""
        ticks = self.window.run("return [...document.querySelectorAll('#causes_chart .tick')].map((t) => [Number(t.dataset.value), Number(t.getAttribute('y'))])")
        per_pixel = (ticks[-1][0] - ticks[0][0]) / (ticks[0][1] - ticks[-1][1])
        columns = self.window.run("return [...document.querySelectorAll('#causes_chart g')].map((g) => Object.fromEntries([...g.querySelectorAll('[data-name]')].map((r) => [r.dataset.name, Number(r.getAttribute('height'))])))")
        for layer, column in zip(self.report["layers"], columns, strict=True):
            self.assert_close({name: height * per_pixel for name, height in column.items()}, layer["attributed_cycles_by"], within=0.01)

    def test_roofline(self):
        """By its own axes, each point is MACs / bytes and MACs / cycles at work; the knee is where compute and memory meet."""
        config = self.report["config"]
        memories = {"SRAM, read": ("sram_read_bytes",), "SRAM, written": ("sram_write_bytes",)}
        memories |= {"external memory": ("external_read_bytes", "external_write_bytes")} if not config["external_is_full_duplex"] else {
            "external memory, read": ("external_read_bytes",), "external memory, written": ("external_write_bytes",)}
        self.assertEqual(set(self.window.texts("#roofline_memory option")), set(memories))
        for place, name in enumerate(self.window.texts("#roofline_memory option")):
            self.window.run("const choice = document.getElementById('roofline_memory'); choice.value = arguments[0]; choice.dispatchEvent(new Event('change'))", str(place))
            axes = [self.window.run("return [...document.querySelectorAll('#roofline_chart .' + arguments[0] + '.tick')].map((t) => [Number(t.dataset.value), Number(t.getAttribute(arguments[0])) - (arguments[0] === 'y' ? 4 : 0)])", axis) for axis in "xy"]

            def value_at(axis, pixel):
                (low, from_pixel), (high, to_pixel) = axes[axis][0], axes[axis][-1]
                return low * (high / low) ** ((pixel - from_pixel) / (to_pixel - from_pixel))

            points = {i: (value_at(0, x), value_at(1, y)) for i, x, y in self.window.run(
                "return [...document.querySelectorAll('#roofline_chart circle')].map((c) => [Number(c.dataset.layer), Number(c.getAttribute('cx')), Number(c.getAttribute('cy'))])")}
            expected = {}
            for layer in self.report["layers"]:
                size = sum(layer[key] for key in memories[name])
                if layer["macs"] and size:
                    expected[layer["layer_idx"]] = (layer["macs"] / size, layer["macs"] / layer["working_cycles"])
            self.assertEqual(set(points), set(expected), name)
            for i, point in points.items():
                for found, wanted in zip(point, expected[i]):
                    self.assertAlmostEqual(found / wanted, 1, delta=0.01, msg=f"{name}, layer {i}")
            corners = [tuple(map(float, corner.split(","))) for corner in
                       self.window.run("return document.querySelector('#roofline_chart .roof').getAttribute('points')").split()]
            limit = config[f"sram_{'read' if name == 'SRAM, read' else 'write'}_bytes_per_cycle"] if name.startswith("SRAM") else config["external_bytes_per_cycle"]
            self.assertAlmostEqual(value_at(0, corners[1][0]) / (config["macs_per_cycle"] / limit), 1, delta=0.01)
            self.assertAlmostEqual(value_at(1, corners[1][1]) / config["macs_per_cycle"], 1, delta=0.01)
            self.assertAlmostEqual(value_at(1, corners[0][1]) / value_at(0, corners[0][0]) / limit, 1, delta=0.01, msg="the slope is the bandwidth")


class Rtl(InBrowser):
    """What RTL showed. Skipped where the program has none."""

    def open_rtl(self, *options):
        program.need_rtl(self)
        self.open_run("run", program.DEMO, "--backend", "rtl", "--config", "v64", *options)
        return self.report["rtl"], dict(zip(self.window.texts("#rtl_facts dt"), self.window.texts("#rtl_facts dd"), strict=True))

    def test_commands_together_on_the_core(self):
        rtl, facts = self.open_rtl("--rtl-scope", "core", "--memory", "external")
        core, worst = rtl["core"], rtl["core"]["worst_command"]
        self.assertEqual(self.window.text("#rtl_verdict"), "RTL: equal in every value that was compared.")
        more = 100 * (core["total_cycles"] - core["model_total_cycles"]) / core["model_total_cycles"]
        self.assertEqual(facts["total on RTL"], f"{core['total_cycles']:,} cycles ({more:+.2f} %)")
        self.assertEqual(facts["by the model"], f"{core['model_total_cycles']:,} cycles")
        for told in (f"command {worst['command_idx']}, ", worst["unit"].replace("_", " "), f"{worst['cycles']:,} cycles, model {worst['model_cycles']:,}"):
            self.assertIn(told, facts["furthest off"])
        self.assertEqual(facts["compared"], f"{core['compared_bytes']:,} bytes of its SRAM, 0 of them wrong")
        far = {}
        units = [command for command in core["commands"] if command["unit"] != "dma"]
        for command in units:
            cycles, model = (command[f"{of}end_cycle"] - command[f"{of}start_cycle"] for of in ("", "model_"))
            if 10 * abs(cycles - model) > max(model, 100):
                far[f"command {command['command_idx']}"] = [command["unit"].replace("_", " "), f"{cycles:,}", f"{model:,}"]
        self.assertTrue(far)
        self.assertEqual(facts["commands over 10 %"], f"{len(far)} of {len(units)}")
        self.assertEqual({row[0].split(",")[0]: row[1:4] for row in self.rows("#rtl_commands")}, far)

    def test_each_command_by_itself(self):
        rtl, facts = self.open_rtl()
        self.assertEqual(self.window.text("#rtl_verdict"), "RTL: equal in every value that was compared.")
        self.assertIn(f"{rtl['vectors']:,} results of {rtl['commands']} commands", facts["compared"])
        self.assertTrue(facts["cycles on RTL"].startswith(f"{rtl['rtl_cycles']:,}, "))
        self.assertTrue(facts["by the model"].startswith(f"{rtl['model_cycles']:,} "))

    def test_none_without_rtl(self):
        self.open_run("run", program.DEMO)
        self.assertEqual(self.window.run("return document.querySelectorAll('#rtl').length"), 0)


class Tables(InBrowser):
    def setUp(self):
        super().setUp()
        self.open_run("run", program.DEMO)

    def test_sorts(self):
        cycles = [layer["attributed_cycles"] for layer in self.report["layers"]]
        for order in (sorted(cycles, reverse=True), sorted(cycles)):
            self.window.click("#layer_table thead th:nth-child(4) button")
            self.assertEqual([int(cell.replace(",", "")) for cell in self.column("#layer_table", "cycles")], order)
        self.assertEqual(self.window.run("return document.querySelector('#layer_table thead th:nth-child(4)').getAttribute('aria-sort')"), "ascending")

    def test_filters(self):
        wanted = [layer for layer in self.report["layers"] if layer["bound_by"] == "compute" and "CONV2D" in layer["operators"]]
        self.assertTrue(0 < len(wanted) < len(self.report["layers"]))
        self.window.type("#layer_table input", "compute ' CONV2D".replace("' ", ""))
        self.assertEqual(len(self.rows("#layer_table")), len([layer for layer in self.report["layers"]
                         if "compute" in f"{layer['bound_by']} {layer['bound_detail']}" and "conv2d" in " ".join(layer["operators"]).lower()]))
        shown = [int(cell.replace(",", "")) for cell in self.column("#layer_table", "cycles")]
        self.assertEqual(int(self.window.texts("#layer_table tfoot td")[3].replace(",", "")), sum(shown))
        self.assertEqual(self.window.run("return document.querySelectorAll('#causes_chart g.faded').length"), len(self.report["layers"]) - len(shown))

    def test_a_layer_is_chosen_everywhere(self):
        self.window.type("#layer_table tbody tr:nth-child(2)", "\ue007")  # Enter
        layer = self.report["layers"][1]
        told = self.window.text("#layer")
        for figure in (layer["source_name"], f"{layer['attributed_cycles']:,}", f"{layer['working_cycles']:,}", f"{layer['sram_read_bytes']:,}"):
            self.assertIn(figure, told)
        self.window.click("#chosen_layer")
        start, end = self.window.run("const data = document.getElementById('gantt').dataset; return [Number(data.from), Number(data.to)]")
        self.assertTrue(start <= layer["first_cycle"] and layer["last_cycle"] <= end)
        self.window.type("#causes_chart", "\ue014")
        self.assertIn(self.report["layers"][2]["source_name"], self.window.text("#layer"))


class Compared(InBrowser):
    def test_figures(self):
        for name, options in (("a", []), ("b", ["--config", "v64"]), ("c", ["--memory", "external"])):
            self.execute("estimate", program.DEMO, "-q", "--report", f"{name}.json", *options)
        self.execute("compare", "a.json", "b.json", "c.json", "--report", "c.html", "--report", "all.json")
        self.open("c.html")
        told = program.read_json(self.folder / "all.json")
        self.assertEqual([int(row[2].replace(",", "")) for row in self.rows("#run_table")], [run["cycles"] for run in told["runs"]])
        base, other = (run["cycles"] for run in told["runs"][:2])
        self.assertEqual(self.rows("#run_table")[1][3], f"+{100 * (other - base) / base:.1f} %")
        for i in range(3):
            self.assertEqual([int(cell.replace(",", "")) for cell in self.column("#layer_table", f"{i} cycles")], [layer["runs"][i]["cycles"] for layer in told["layers"]])
        self.assertEqual([row[0] for row in self.rows("#difference_table")], [entry["name"] for entry in told["differences"]])
        changes = sorted((layer["runs"][1]["cycles"] - layer["runs"][0]["cycles"] for layer in told["layers"]), key=lambda by: -abs(by))
        bars = self.window.run("return [...document.querySelectorAll('#change_chart g')].map((g) => [Number(g.dataset.by), Number(g.querySelector('rect').getAttribute('width'))])")
        self.assertEqual([by for by, _ in bars], [by for by in changes if by][:25])
        for by, width in bars:
            self.assertAlmostEqual(width, max(1, abs(by) * bars[0][1] / abs(bars[0][0])), delta=0.5)
        self.assert_silent()


if __name__ == "__main__":
    program.main()
