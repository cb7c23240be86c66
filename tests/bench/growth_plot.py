# SPDX-License-Identifier: Apache-2.0
"""The plot of docs/results/growth.md: three quantities over MACs and over layers, both axes logarithmic."""

import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "docs/figures"))
import svg

COLORS = ("#2f6db3", "#b8651b", "#2f7d3b", "#6b4aa8")
PANELS = (("compile_seconds", "compile, s"), ("simulate_seconds", "simulate, s"), ("peak_mib", "peak memory, MiB"))
PANEL_WIDTH, PANEL_HEIGHT, LEFT, TOP, ROW_GAP, COLUMN_GAP = 180, 170, 62, 44, 78, 74


def decades(values):
    return math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))


def power(exponent):
    return {0: "1", 1: "10"}.get(exponent, f"1e{exponent}")


def draw_panel(picture, x, y, heading, size_name, lines, y_range):
    """`lines`: (color, [(size, value)])."""
    x_low, x_high = decades([size for _, points in lines for size, _ in points])
    y_low, y_high = y_range

    def place(size, value):
        return (x + (math.log10(size) - x_low) / (x_high - x_low) * PANEL_WIDTH,
                y + PANEL_HEIGHT - (math.log10(value) - y_low) / (y_high - y_low) * PANEL_HEIGHT)

    picture.text(x, y - 10, heading, svg.TEXT_SIZE, bold=True)
    picture.rect(x, y, PANEL_WIDTH, PANEL_HEIGHT, svg.PANEL)
    for exponent in range(y_low, y_high + 1):
        at = place(10**x_low, 10**exponent)[1]
        picture.line(x, at, x + PANEL_WIDTH, at, "#ccd4db", 1)
        picture.text(x - 6, at + 4, power(exponent), svg.SMALL_SIZE, "end", svg.SOFT)
    for exponent in range(x_low, x_high + 1):
        at = place(10**exponent, 10**y_low)[0]
        picture.line(at, y, at, y + PANEL_HEIGHT, "#ccd4db", 1)
        picture.text(at, y + PANEL_HEIGHT + 16, power(exponent), svg.SMALL_SIZE, "middle", svg.SOFT)
    picture.text(x + PANEL_WIDTH / 2, y + PANEL_HEIGHT + 33, size_name, svg.SMALL_SIZE, "middle", svg.SOFT)
    size, value = lines[0][1][-1]  # proportional to the size, through the largest network
    reach = min(math.log10(size) - x_low, math.log10(value) - y_low)
    picture.polyline([place(size, value), place(size / 10**reach, value / 10**reach)], svg.LINE, 1.2, "5 4")
    for color, points in lines:
        picture.polyline([place(*point) for point in points], color)
        for point in points:
            picture.circle(*place(*point), 2.6, color, color)


def growth_picture(series):
    """`series`: (name, heading of its size, rows with 'size' and the quantities). One row of panels for each kind of size."""
    kinds = list(dict.fromkeys(heading for _, heading, _ in series))
    colors = {name: COLORS[i] for i, (name, _, _) in enumerate(series)}
    height = TOP + len(kinds) * (PANEL_HEIGHT + ROW_GAP) + 18
    picture = svg.Picture(height, "Growth of compile time, simulate time and peak memory")
    for column, (key, heading) in enumerate(PANELS):
        y_range = decades([row[key] for _, _, rows in series for row in rows])
        for line, kind in enumerate(kinds):
            lines = [(colors[name], [(row["size"], row[key]) for row in rows]) for name, of, rows in series if of == kind]
            x = LEFT + column * (PANEL_WIDTH + COLUMN_GAP)
            draw_panel(picture, x, TOP + line * (PANEL_HEIGHT + ROW_GAP), heading, kind, lines, y_range)
    x = LEFT
    for name, color in colors.items():
        picture.line(x, height - 22, x + 24, height - 22, color, 3)
        picture.text(x + 30, height - 18, name, svg.SMALL_SIZE)
        x += 48 + svg.text_width(name, svg.SMALL_SIZE)
    picture.line(x, height - 22, x + 24, height - 22, svg.LINE, 1.2, "5 4")
    picture.text(x + 30, height - 18, "proportional", svg.SMALL_SIZE)
    return picture.to_svg()
