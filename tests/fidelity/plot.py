# SPDX-License-Identifier: Apache-2.0
"""The scatter of docs/results/fidelity.md, and the same as a page to look at: cycles of the model over cycles of RTL, and the error
in percent below it, per command and per layer, both axes of cycles logarithmic."""

import colorsys
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "docs/figures"))
import svg
from cycles import Figures

LEFT, TOP, SIZE, GAP, ERROR_TOP, ERROR_HEIGHT = 64, 48, 316, 78, 74, 90
LEGEND_TOP, LEGEND_LINE, LEGEND_COLUMNS, LEGEND_WIDTH, LEGEND_SIZE = 74, 19, 2, 372, 11
GOLDEN_TURN = 0.381966


def color_of(place):
    """Neighbours of a legend are far apart."""
    lightness = (0.36, 0.5)[place % 2]
    red, green, blue = colorsys.hls_to_rgb((place * GOLDEN_TURN) % 1, lightness, 0.75)
    return f"#{round(255 * red):02x}{round(255 * green):02x}{round(255 * blue):02x}"


def power(exponent):
    return {0: "1", 1: "10"}.get(exponent, f"1e{exponent}")


class Marks:
    """Where points go: x of cycles, y of cycles, y of an error."""

    def __init__(self, x, points):
        cycles = [max(1, value) for _, pair in points for value in (pair.model_cycles, pair.rtl_cycles)] or [1, 10]
        self.x, self.low = x, math.floor(math.log10(min(cycles)))
        self.high = max(math.ceil(math.log10(max(cycles))), self.low + 1)
        self.most_error = max([1.0] + [abs(pair.error_percent) for _, pair in points])
        self.error_top = TOP + SIZE + ERROR_TOP

    def share(self, cycles):
        return (math.log10(max(1, cycles)) - self.low) / (self.high - self.low)

    def across(self, cycles):
        return self.x + self.share(cycles) * SIZE

    def up(self, cycles):
        return TOP + SIZE - self.share(cycles) * SIZE

    def error(self, percent):
        return self.error_top + ERROR_HEIGHT / 2 - percent / self.most_error * (ERROR_HEIGHT / 2 - 6)


def draw_axes(picture, marks, heading):
    picture.text(marks.x, TOP - 12, heading, svg.TEXT_SIZE, bold=True)
    picture.rect(marks.x, TOP, SIZE, SIZE, svg.PANEL)
    picture.rect(marks.x, marks.error_top, SIZE, ERROR_HEIGHT, svg.PANEL)
    for exponent in range(marks.low, marks.high + 1):
        x, y = marks.across(10**exponent), marks.up(10**exponent)
        picture.line(marks.x, y, marks.x + SIZE, y, "#ccd4db", 1)
        picture.line(x, TOP, x, TOP + SIZE, "#ccd4db", 1)
        picture.line(x, marks.error_top, x, marks.error_top + ERROR_HEIGHT, "#ccd4db", 1)
        picture.text(marks.x - 6, y + 4, power(exponent), svg.SMALL_SIZE, "end", svg.SOFT)
        picture.text(x, TOP + SIZE + 16, power(exponent), svg.SMALL_SIZE, "middle", svg.SOFT)
    picture.line(marks.x, marks.up(10**marks.low), marks.x + SIZE, marks.up(10**marks.high), svg.LINE, 1.2, "5 4")
    picture.text(marks.x + SIZE / 2, TOP + SIZE + 34, "cycles of RTL", svg.SMALL_SIZE, "middle", svg.SOFT)
    picture.text(marks.x - 44, TOP + SIZE / 2, "cycles of the model", svg.SMALL_SIZE, "middle", svg.SOFT, rotate=-90)
    picture.line(marks.x, marks.error(0), marks.x + SIZE, marks.error(0), svg.LINE, 1.2, "5 4")
    for percent, name in ((marks.most_error, f"+{marks.most_error:.3g} %"), (0, "0"), (-marks.most_error, f"-{marks.most_error:.3g} %")):
        picture.text(marks.x - 6, marks.error(percent) + 4, name, svg.SMALL_SIZE, "end", svg.SOFT)
    picture.text(marks.x, marks.error_top - 8, "error of the model", svg.SMALL_SIZE, color=svg.SOFT)


def networks_of(runs):
    """{name: color}, as the runs have them."""
    return {name: color_of(place) for place, name in enumerate(dict.fromkeys(run.network for run in runs if run.rows))}


def legend_text(name, runs):
    """A network with the figures of its commands on all presets; of a name that is too long the middle is cut."""
    figures = Figures([pair for run in runs if run.network == name for pair in run.commands()])
    text = (f": {figures.count:,}, exact {figures.exact_percent:.4g} %, largest error {figures.largest_percent:.3g} %, mean "
            f"{figures.mean_percent:.2g} %")
    kept, short = len(name), name
    while svg.text_width(short + text, LEGEND_SIZE) > LEGEND_WIDTH + 10:
        kept -= 1
        short = f"{name[:kept - 8]}...{name[-8:]}"
    return short + text


def kinds_of(runs):
    """(heading, [(run, pair)]), most cycles first so that small commands are seen on top of large ones."""
    for heading, pairs_of in (("commands", lambda run: run.commands()), ("layers", lambda run: run.of_layers())):
        points = [(run, pair) for run in runs for pair in pairs_of(run)]
        points.sort(key=lambda point: (-point[1].rtl_cycles, point[0].key, point[1].name))
        yield heading, points


def picture_of(runs, circle):
    """`circle(picture, x, y, color, run, pair)` draws one point."""
    colors = networks_of(runs)
    lines = -(-len(colors) // LEGEND_COLUMNS)
    bottom = TOP + SIZE + ERROR_TOP + ERROR_HEIGHT
    picture = svg.Picture(bottom + LEGEND_TOP - 40 + lines * LEGEND_LINE + 12, "Cycles of the model over cycles of RTL")
    for column, (heading, points) in enumerate(kinds_of(runs)):
        marks = Marks(LEFT + column * (SIZE + GAP), points)
        exact = sum(pair.is_exact for _, pair in points)
        draw_axes(picture, marks, f"{len(points):,} {heading}, {exact:,} of them exact")
        for run, pair in points:
            circle(picture, marks.across(pair.rtl_cycles), marks.up(pair.model_cycles), colors[run.network], run, pair)
            circle(picture, marks.across(pair.rtl_cycles), marks.error(pair.error_percent), colors[run.network], run, pair)
    for place, (name, color) in enumerate(colors.items()):
        x = LEFT - 34 + place % LEGEND_COLUMNS * LEGEND_WIDTH
        y = bottom + 34 + place // LEGEND_COLUMNS * LEGEND_LINE
        picture.circle(x, y - 4, 4, color, color)
        picture.text(x + 9, y, legend_text(name, runs), LEGEND_SIZE)
    return picture


def fidelity_svg(runs):
    drawn = set()

    def circle(picture, x, y, color, *_):
        place = round(2 * x) / 2, round(2 * y) / 2, color
        if place not in drawn:  # points of one color on the same spot are one
            drawn.add(place)
            picture.circle(*place[:2], 2.4, "none", color)

    return picture_of(runs, circle).to_svg()


PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Fidelity of the model</title>
<style>
body {{ font-family: Helvetica, Arial, sans-serif; margin: 24px; color: #1c2733; background: #fff; }}
label {{ display: inline-block; margin: 0 14px 6px 0; font-size: 13px; }}
table {{ border-collapse: collapse; font-size: 13px; margin-top: 16px; }}
td, th {{ border: 1px solid #d5dce2; padding: 3px 8px; text-align: right; }}
td:first-child, th:first-child, td:nth-child(2), th:nth-child(2) {{ text-align: left; }}
circle:hover {{ stroke-width: 4; }}
svg {{ display: block; max-width: 1200px; width: 100%; height: auto; }}
#choice {{ margin: 12px 0; }}
</style></head><body>
<h1>Cycles of the model over cycles of RTL</h1>
<p>{text}</p>
<div id="choice">{choice}</div>
{picture}
{table}
<script>
const boxes = [...document.querySelectorAll("#choice input")];
function show() {{
  const hidden = new Set(boxes.filter((box) => !box.checked).map((box) => box.value));
  for (const point of document.querySelectorAll("circle[data-network]"))
    point.style.display = hidden.has("network " + point.dataset.network) || hidden.has("config " + point.dataset.config) ? "none" : "";
  for (const row of document.querySelectorAll("tr[data-network]"))
    row.style.display = hidden.has("network " + row.dataset.network) || hidden.has("config " + row.dataset.config) ? "none" : "";
}}
for (const box of boxes) box.addEventListener("change", show);
</script>
</body></html>
"""


def fidelity_html(runs, text, headings, rows):
    """`rows`: (run, cells). A box for each network and preset takes its points and rows away."""
    def circle(picture, x, y, color, run, pair):
        title = svg.escaped(f"{run.network} on {run.config}, {pair.name}, {pair.unit}: model {pair.model_cycles:,}, RTL "
                            f"{pair.rtl_cycles:,}, error {pair.error_percent:+.2f} %")
        picture.raw(f'<circle cx="{svg.number(x)}" cy="{svg.number(y)}" r="2.6" fill="{color}" fill-opacity="0.25" stroke="{color}" '
                    f'data-network="{svg.escaped(run.network)}" data-config="{svg.escaped(run.config)}"><title>{title}</title></circle>')

    names = [("network", name) for name in networks_of(runs)] + [("config", name) for name in dict.fromkeys(run.config for run in runs)]
    choice = "\n".join(f'<label><input type="checkbox" checked value="{kind} {svg.escaped(name)}">{svg.escaped(name)}</label>'
                       for kind, name in names)
    table = "<table><tr>" + "".join(f"<th>{svg.escaped(heading)}</th>" for heading in headings) + "</tr>\n" + "\n".join(
        f'<tr data-network="{svg.escaped(run.network)}" data-config="{svg.escaped(run.config)}">'
        + "".join(f"<td>{svg.escaped(cell)}</td>" for cell in cells) + "</tr>" for run, cells in rows) + "</table>"
    return PAGE.format(text=svg.escaped(text), choice=choice, picture=picture_of(runs, circle).to_svg(), table=table)
