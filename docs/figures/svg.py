# SPDX-License-Identifier: Apache-2.0
"""A small SVG canvas with the standard library only. Coordinates are pixels of an 800 wide picture; the picture has its own
light background, so that it reads the same on a light and on a dark page. The same calls give the same bytes."""

WIDTH = 800
FONT = "Helvetica, Arial, sans-serif"
TEXT_SIZE, SMALL_SIZE = 14, 12

INK, SOFT, LINE, PAPER, PANEL = "#1c2733", "#56646f", "#8a98a5", "#ffffff", "#f1f4f7"
BLUE, ORANGE, GREEN, RED, VIOLET, GOLD, TEAL = "#cfe2f7", "#fbdcc0", "#cfead2", "#f6c9c9", "#e0d4f3", "#f8ecb4", "#c7e8e6"
DARK = {BLUE: "#2f6db3", ORANGE: "#b8651b", GREEN: "#2f7d3b", RED: "#ad3434", VIOLET: "#6b4aa8", GOLD: "#8d7400", TEAL: "#1f7a75"}


def number(value):
    """Short and the same everywhere: at most two decimals."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


# Widths in thousandths of the size, of a wide font: what fits with them fits with any usual one.
_WIDTHS = {width: letters for width, letters in ((278, "ijl'|"), (318, " .,"), (337, ":;/"), (361, "-"), (390, "()[]f"), (400, "t!"),
                                                 (411, "r"), (521, "sz_"), (550, "c"), (592, "vxyk"), (818, "w"), (838, "+=<>"),
                                                 (950, "mMW%"))}
_WIDTH_OF = {letter: width for width, letters in _WIDTHS.items() for letter in letters}


def text_width(text, size):
    return sum(_WIDTH_OF.get(letter, 690 if letter.isupper() else 635) for letter in str(text)) * size / 1000


def escaped(text):
    return str(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


class Picture:
    def __init__(self, height, title):
        self.height, self.title, self._parts = height, title, []

    def rect(self, x, y, width, height, fill=PANEL, stroke=LINE, radius=0, dash=None):
        extra = (f' rx="{number(radius)}"' if radius else "") + (f' stroke-dasharray="{dash}"' if dash else "")
        self._parts.append(f'<rect x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}" '
                           f'fill="{fill}" stroke="{stroke}"{extra}/>')

    def text(self, x, y, text, size=TEXT_SIZE, anchor="start", color=INK, bold=False, rotate=None):
        """`y` is the base line. Text that would leave the picture is a mistake."""
        left = x - {"start": 0, "middle": 0.5, "end": 1}[anchor] * text_width(text, size)
        if rotate is None and (left < 2 or left + text_width(text, size) > WIDTH - 2 or not 0 < y < self.height):
            raise ValueError(f"{self.title}: '{text}' does not fit")
        turn = f' transform="rotate({number(rotate)} {number(x)} {number(y)})"' if rotate is not None else ""
        weight = ' font-weight="bold"' if bold else ""
        self._parts.append(f'<text x="{number(x)}" y="{number(y)}" font-size="{number(size)}" text-anchor="{anchor}" '
                           f'fill="{color}"{weight}{turn}>{escaped(text)}</text>')

    def box(self, x, y, width, height, lines, fill=BLUE, size=TEXT_SIZE, bold_first=False, radius=4, stroke=None, dash=None):
        """A rectangle with centred lines of text."""
        self.rect(x, y, width, height, fill, stroke or DARK.get(fill, LINE), radius, dash)
        lines = [lines] if isinstance(lines, str) else lines
        first = y + height / 2 - (len(lines) - 1) * size * 0.65 + size * 0.36
        for i, line in enumerate(lines):
            if text_width(line, size) > width:
                raise ValueError(f"{self.title}: '{line}' is wider than its box")
            self.text(x + width / 2, first + i * size * 1.3, line, size, "middle", bold=bold_first and i == 0)

    def line(self, x1, y1, x2, y2, color=INK, width=1.3, dash=None):
        extra = f' stroke-dasharray="{dash}"' if dash else ""
        self._parts.append(f'<line x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" y2="{number(y2)}" '
                           f'stroke="{color}" stroke-width="{number(width)}"{extra}/>')

    def arrow(self, points, color=INK, width=1.5, both=False, dash=None):
        """A path of straight pieces with a head at its end (at both ends)."""
        for (x1, y1), (x2, y2) in zip(points, points[1:]):
            self.line(x1, y1, x2, y2, color, width, dash)
        self._head(*points[-2], *points[-1], color)
        if both:
            self._head(*points[1], *points[0], color)

    def polyline(self, points, color, width=2.0, dash=None):
        extra = f' stroke-dasharray="{dash}"' if dash else ""
        path = " ".join(f"{number(x)},{number(y)}" for x, y in points)
        self._parts.append(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="{number(width)}"{extra}/>')

    def circle(self, x, y, radius, fill=PAPER, stroke=INK):
        self._parts.append(f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(radius)}" fill="{fill}" stroke="{stroke}"/>')

    def raw(self, element):
        """An element that the caller has written."""
        self._parts.append(element)

    def grid(self, x, y, columns, rows, cell, fill_of, label_of=None, size=SMALL_SIZE, height=None):
        """Cells of `cell` pixels; `fill_of(column, row)` and `label_of(column, row)` may return None."""
        height = height or cell
        for row in range(rows):
            for column in range(columns):
                left, top = x + column * cell, y + row * height
                self.rect(left, top, cell, height, fill_of(column, row) or PAPER)
                label = label_of(column, row) if label_of else None
                if label is not None:
                    self.text(left + cell / 2, top + height / 2 + size * 0.36, label, size, "middle")

    def brace(self, x1, x2, y, text, size=SMALL_SIZE, above=True):
        """A dimension line with its text."""
        self.line(x1, y, x2, y, SOFT)
        for x in (x1, x2):
            self.line(x, y - 4, x, y + 4, SOFT)
        self.text((x1 + x2) / 2, y - 7 if above else y + size + 5, text, size, "middle", SOFT)

    def _head(self, x1, y1, x2, y2, color):
        length = max(((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5, 1e-9)
        dx, dy = (x2 - x1) / length, (y2 - y1) / length
        corners = [(x2, y2), (x2 - 9 * dx - 4 * dy, y2 - 9 * dy + 4 * dx), (x2 - 9 * dx + 4 * dy, y2 - 9 * dy - 4 * dx)]
        self._parts.append(f'<polygon points="{" ".join(f"{number(x)},{number(y)}" for x, y in corners)}" fill="{color}"/>')

    def to_svg(self):
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{number(self.height)}" '
                f'viewBox="0 0 {WIDTH} {number(self.height)}" font-family="{FONT}" role="img">')
        frame = f'<rect x="0.5" y="0.5" width="{WIDTH - 1}" height="{number(self.height - 1)}" rx="6" fill="{PAPER}" stroke="#d5dce2"/>'
        return "\n".join([head, f"<title>{escaped(self.title)}</title>", frame, *self._parts, "</svg>"]) + "\n"
