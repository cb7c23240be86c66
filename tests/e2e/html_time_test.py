# SPDX-License-Identifier: Apache-2.0
"""The HTML page over time, in a browser: schedule, bandwidth and memory are those of the commands and blocks of the JSON report, in every
window; it zooms by mouse, keys and buttons."""

import program
from html_page import PORTS, InBrowser, numbers_of

GUTTER, MARGIN = 96, 8  # pixels beside the curves over time


def moved(commands, port, start, end):
    """Bytes between two cycles: those of each command evenly over its flight."""
    total = 0.0
    for command in commands:
        flight = command["end_cycle"] - command["start_cycle"]
        inside = min(end, command["end_cycle"]) - max(start, command["start_cycle"])
        if flight > 0:
            total += command[f"{port}_bytes"] * max(0, inside) / flight
        elif start <= command["start_cycle"] <= end:
            total += command[f"{port}_bytes"]
    return total


def in_flight(commands, queue, start, end):
    """Cycles between two with a command of the queue in flight."""
    inside = set()
    for command in commands:
        if command["queue"] == queue:
            inside.update(range(max(start, command["start_cycle"]), min(end, command["end_cycle"])))
    return len(inside)


def in_use(blocks, cycle):
    """Bytes of SRAM that live in a cycle, each once."""
    taken = set()
    for block in blocks:
        if block["first_cycle"] <= cycle < block["end_cycle"]:
            taken.update(range(block["begin_byte"], block["end_byte"]))
    return len(taken)


class Window(InBrowser):
    """The figures of the window of cycles that is shown."""

    def setUp(self):
        super().setUp()
        self.open_run("run", program.DEMO, "--memory", "external")

    def window_facts(self):
        names, values = self.window.texts("#window dt"), self.window.texts("#window dd")
        return {name: numbers_of(value)[0] for name, value in zip(names, values, strict=True)}

    def assert_window(self, start, end):
        """What the page says of the window is what the commands and blocks of the JSON report give."""
        commands, found = self.report["commands"], self.window_facts()
        for queue in {command["queue"] for command in commands} - {""}:
            self.assertAlmostEqual(found[queue], 100 * in_flight(commands, queue, start, end) / (end - start), delta=0.02 + 200 / (end - start), msg=queue)
        for port in PORTS:
            if self.report["totals"][f"{port}_bytes"]:
                self.assertAlmostEqual(found[port.replace("_", " ")], moved(commands, port, start, end), delta=1, msg=port)
        self.assertEqual(found["SRAM reserved"], in_use(self.report["sram_blocks"], start))

    def test_window(self):
        cycles = self.report["totals"]["cycles"]
        self.assert_window(0, cycles)
        found = self.window_facts()
        for port in PORTS:
            if self.report["totals"][f"{port}_bytes"]:
                self.assertEqual(found[port.replace("_", " ")], self.report["totals"][f"{port}_bytes"], "over the run the curve sums to the total")
        for key in ("+", "+", "\ue014"):  # the last one is the right arrow
            self.window.type("#time_panels", key)
        start, end = self.window.run("const data = document.getElementById('gantt').dataset; return [Number(data.from), Number(data.to)]")
        self.assertAlmostEqual(end - start, cycles / 4, delta=1)
        self.assert_window_about(start, end)
        self.window.type("#time_panels", "0")
        self.assert_window(0, cycles)

    def assert_window_about(self, start, end):
        """The same of a window that begins and ends within cycles."""
        found = self.window_facts()
        for port in PORTS:
            if self.report["totals"][f"{port}_bytes"]:
                self.assertAlmostEqual(found[port.replace("_", " ")], moved(self.report["commands"], port, start, end), delta=1, msg=port)


class OverTime(InBrowser):
    """The pictures over time, pixel by pixel where it matters."""

    def setUp(self):
        super().setUp()
        self.open_run("run", program.DEMO, "--memory", "external")

    def x_of(self, canvas, cycle):
        start, end, width = self.window.run("const c = document.getElementById(arguments[0]); return [Number(c.dataset.from), Number(c.dataset.to), c.clientWidth]", canvas)
        return GUTTER + (cycle - start) / (end - start) * (width - GUTTER - MARGIN)

    def rows_of(self, queue):
        """Where the rows of a queue begin: as many as commands of it are in flight together."""
        y = 0
        for name in [entry["queue"] for entry in self.report["queues"]]:
            own = [c for c in self.report["commands"] if c["queue"] == name]
            together = max((sum(c["start_cycle"] <= at["start_cycle"] < c["end_cycle"] for c in own) for at in own), default=0)
            if name == queue:
                return [y + 22 * row for row in range(together)]
            y += 22 * together
        return []

    def filled(self, canvas, x):
        """How many pixels of a column differ from the ground of the page."""
        return self.window.run("""
            const canvas = document.getElementById(arguments[0]), data = canvas.getContext('2d').getImageData(Math.floor(arguments[1]), 0, 1, canvas.height).data;
            let count = 0;
            for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 100 && Math.max(Math.abs(data[i] - 47), Math.abs(data[i + 1] - 143), Math.abs(data[i + 2] - 131)) < 12
              || data[i + 3] > 100 && Math.max(Math.abs(data[i] - 201), Math.abs(data[i + 1] - 138), Math.abs(data[i + 2] - 43)) < 12) ++count;
            return count;""", canvas, x)

    def test_use_of_sram_is_as_high_as_it_is_large(self):
        self.open_run("estimate", program.DEMO, "--config", "v256-port8", "--sram-bytes", "9KiB")  # has blocks that share bytes
        blocks, cycles = self.report["sram_blocks"], self.report["totals"]["cycles"]
        self.assertTrue(any(sum(b["end_byte"] - b["begin_byte"] for b in blocks if b["first_cycle"] <= at["first_cycle"] < b["end_cycle"])
                            > in_use(blocks, at["first_cycle"]) for at in blocks))
        edges = sorted({block[key] for block in blocks for key in ("first_cycle", "end_cycle")})
        most = max(in_use(blocks, cycle) for cycle in edges)
        self.assertLessEqual(most, self.report["totals"]["sram_peak_bytes"])
        for start, end in sorted(zip(edges, edges[1:]), key=lambda pair: pair[0] - pair[1])[:16]:
            if end - start > cycles / 200:
                tall = in_use(blocks, (start + end) // 2) / most * 84
                self.assertAlmostEqual(self.filled("sram_use", self.x_of("sram_use", (start + end) / 2)), tall, delta=2)
        for start, end in zip(edges, edges[1:]):
            if end - start < cycles / 500:
                continue
            self.window.point("#sram_use", self.x_of("sram_use", (start + end) / 2), 50)
            self.assertEqual(numbers_of(self.window.text("#tip"))[1], in_use(blocks, (start + end) // 2))

    def test_bars_stand_where_commands_run(self):
        """Pointing at the middle of a command tells it; between two commands of a row there is nothing."""
        self.window.type("#time_panels", "0")
        commands = sorted((c for c in self.report["commands"] if c["queue"]), key=lambda c: c["start_cycle"] - c["end_cycle"])
        for command in commands[:12]:
            x = self.x_of("gantt", (command["start_cycle"] + command["end_cycle"]) / 2)
            told = ""
            for y in self.rows_of(command["queue"]):
                self.window.point("#gantt", x, y + 11)
                told = self.window.text("#tip") if self.window.run("return !document.getElementById('tip').hidden") else ""
                if told.startswith(f"command {command['command_idx']}:"):
                    break
            self.assertTrue(told.startswith(f"command {command['command_idx']}:"), (command, told))
            for figure in (command["start_cycle"], command["end_cycle"], command["busy_cycles"], *command["stall_cycles"].values()):
                self.assertIn(f"{figure:,}", told)

    def test_zoom(self):
        """Dragging shows what was dragged over; buttons and keys too; one window for all pictures."""
        cycles = self.report["totals"]["cycles"]
        low, high = self.x_of("gantt", cycles * 0.25), self.x_of("gantt", cycles * 0.5)
        self.window.drag("#gantt", low, high, 10)
        windows = self.window.run("return [...document.querySelectorAll('.time canvas')].map((c) => [Number(c.dataset.from), Number(c.dataset.to)])")
        self.assertEqual(len({tuple(one) for one in windows}), 1)
        self.assertAlmostEqual(windows[0][0], cycles * 0.25, delta=cycles * 0.002)
        self.assertAlmostEqual(windows[0][1], cycles * 0.5, delta=cycles * 0.002)
        for control, length in (("#zoom_in", 0.125), ("#zoom_out", 0.25), ("#earlier", 0.25), ("#whole_run", 1)):
            self.window.click(control)
            start, end = self.window.run("const data = document.getElementById('addresses').dataset; return [Number(data.from), Number(data.to)]")
            self.assertAlmostEqual(end - start, cycles * length, delta=cycles * 0.003, msg=control)
            self.assertTrue(0 <= start < end <= cycles)
        self.window.type("#time_panels", "n")
        self.assertIn("command ", self.window.text("#command"))
        self.assert_silent()

    def test_a_bar_goes_on_where_the_window_begins_within_it(self):
        command = max((c for c in self.report["commands"] if c["queue"]), key=lambda c: c["end_cycle"] - c["start_cycle"])
        part = (command["end_cycle"] - command["start_cycle"]) / 4
        self.window.drag("#gantt", self.x_of("gantt", command["start_cycle"] + part), self.x_of("gantt", command["end_cycle"] - part), 10)
        opaque = [self.window.run("""
            const canvas = document.getElementById('gantt'), data = canvas.getContext('2d').getImageData(Math.floor(canvas.width / 2) + 3, arguments[0], 1, 20).data;
            return [...data].filter((value, i) => i % 4 === 3 && value > 200).length;""", y) for y in self.rows_of(command["queue"])]
        self.assertEqual(max(opaque), 18)  # a bar of 16 pixels, and two of the line below it

    def test_tensors(self):
        told = sorted([b["name"], b["end_byte"] - b["begin_byte"], b["begin_byte"], b["end_byte"], b["first_cycle"], b["end_cycle"]] for b in self.report["sram_blocks"])
        found = sorted([row[0], *(int(cell.replace(",", "")) for cell in row[2:7])] for row in self.rows("#block_table"))
        self.assertEqual(found, told)


if __name__ == "__main__":
    program.main()
