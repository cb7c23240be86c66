# SPDX-License-Identifier: Apache-2.0
"""Layouts and layout operators: one picture a mapping."""

from machine import BANKS, N, V256
from svg import BLUE, GOLD, GREEN, ORANGE, PANEL, RED, SMALL_SIZE, SOFT, TEAL, VIOLET, Picture

BANK_COLORS = (BLUE, ORANGE, GREEN, VIOLET, GOLD, RED, TEAL, PANEL)


def row_pitch_words(columns):
    """Of planes that depthwise windows read: 3 or 5 words modulo the banks."""
    return next(pitch for pitch in range(columns, columns + BANKS) if pitch % BANKS in (3, 5))


def planes():
    p = Picture(470, "Planes of N channels, and the banks in which a depthwise window lies")
    p.text(24, 34, f"an inner map of 64 channels, 8 columns: numbers are banks (word mod {BANKS}) of channels 0..{N - 1}", 13)
    cell = 34
    dense_pixel = 64 // N
    layouts = (("dense NHWC", lambda x, y: (y * 8 + x) * dense_pixel % BANKS, f"a pixel is {dense_pixel} words"),
               ("planes, row pitch 8 words", lambda x, y: (y * 8 + x) % BANKS, "a pixel is 1 word"),
               (f"planes, row pitch {row_pitch_words(8)} words", lambda x, y: (y * row_pitch_words(8) + x) % BANKS, "as depthwise windows want it"))
    for i, (title, bank_of, note) in enumerate(layouts):
        left = 24 + i * 262
        p.text(left, 66, title, 13, bold=True)
        p.text(left, 84, note, SMALL_SIZE, color=SOFT)
        p.grid(left, 94, 7, 3, cell, lambda x, y, bank_of=bank_of: BANK_COLORS[bank_of(x, y)],
               lambda x, y, bank_of=bank_of: str(bank_of(x, y)))
        p.line(left + 2 * cell, 92, left + 2 * cell, 198, "#ad3434", 2.5)
        p.line(left + 3 * cell, 92, left + 3 * cell, 198, "#ad3434", 2.5)
        banks = [bank_of(2, y) for y in range(3)]
        worst = max(banks.count(bank) for bank in banks)
        p.text(left, 222, f"column x = 2: banks {', '.join(map(str, banks))}", 13)
        p.text(left, 242, f"3 new words in {worst} cycle{'s' if worst > 1 else ''}", 13, bold=True)
    p.text(24, 284, "in memory: blocks of N channels, each a plane of rows, a pixel one word (two with int16)", 14, bold=True)
    x = 24
    for block in range(4):
        p.box(x, 298, 182, 50, [f"channels {block * N}..{block * N + N - 1}", "rows of pixels of one word"], BANK_COLORS[block], 12.5)
        x += 188
    p.text(24, 384, "Row pitch mod 8: never 0 or 4 words; 3 or 5 for maps that depthwise windows read, so that their rows differ too.", 13)
    p.text(24, 406, "Pitches of row, pixel and channel block are fields of every descriptor: units read and write either layout.", 13)
    p.text(24, 428, "Graph inputs and outputs stay dense, row-major. So do maps whose channels are no multiple of N, and those that", 13,
           color=SOFT)
    p.text(24, 448, "some reader takes in one piece only.", 13, color=SOFT)
    return p


def layout_operators():
    turn = V256["dma_bytes_per_cycle"]
    p = Picture(450, "Layout operators: pitches where they do, copies and the corner-turner where bytes have to move")
    p.text(24, 34, "no command: an offset and a pitch", 14, bold=True)
    for i, (title, text) in enumerate((("SLICE", "base of the part"), ("RESHAPE, IDENTITY", "another name"), ("head of a MATMUL", "base and row pitch"))):
        p.box(24 + i * 256, 46, 240, 48, [title, text], GREEN, 13, bold_first=True)
    p.text(24, 128, "a copy: boxes of the result, a run a cycle", 14, bold=True)
    p.box(24, 140, 240, 66, ["CONCAT, PAD, TILE,", "REVERSE, nearest RESIZE", "a box for each piece"], BLUE, 13)
    p.text(290, 164, f"cycles = 4 + 2 + runs x ceil(run bytes / {turn})", 13)
    p.text(290, 186, "runs: contiguous on both sides, so short runs cost most;", 13)
    p.text(290, 206, "padding is a fill, which reads nothing", 13)
    p.text(24, 246, f"a TRANSPOSE of single elements: the corner-turner, tiles of {N} x {N} bytes", 14, bold=True)
    cell = 13
    p.grid(24, 262, 8, 8, cell, lambda x, y: BANK_COLORS[y])
    p.arrow([(134, 314), (196, 314)])
    p.text(165, 304, "rows in", SMALL_SIZE, "middle", SOFT)
    p.rect(200, 262, 104, 104, PANEL)
    p.grid(200, 262, 8, 8, cell, lambda x, y: BANK_COLORS[y])
    p.arrow([(310, 314), (376, 314)])
    p.text(343, 304, "cols. out", 11, "middle", SOFT)
    p.grid(380, 262, 8, 8, cell, lambda x, y: BANK_COLORS[x])
    p.text(510, 288, "a whole tile:", 13, bold=True)
    p.text(510, 308, f"{N} + {N} cycles for {N * N} bytes", 13)
    p.text(510, 334, "3 x 50,176 to 50,176 x 3:", 13, bold=True)
    p.text(510, 354, f"3,136 tiles of 3 + 2 cycles, since 48", 13)
    p.text(510, 374, "contiguous bytes leave together", 13)
    p.text(24, 408, "One tile: a tile leaves before the next comes in. Inside SRAM only. Compare a copy of single bytes: a byte a cycle.", 13,
           color=SOFT)
    p.text(24, 430, "CONCAT with its parts written in place, and TRANSPOSE into a consumer that takes any strides, need none of it.", 13, color=SOFT)
    return p


def resize():
    p = Picture(420, "Bilinear resize as depthwise phases with constant weights")
    p.text(24, 34, "twofold upwards, half-pixel centres: each output lies between two inputs, in one of two ways", 13)
    cell = 96
    for i in range(5):
        p.box(60 + i * cell, 60, 60, 40, f"in {i}", BLUE, 13)
    for i in range(9):
        p.box(46 + i * cell / 2, 150, 40, 34, str(i), (ORANGE if i % 2 else GREEN), 13)
    for i in range(1, 9):
        left = (i - 1) // 2
        for source in (left, left + 1):
            p.line(90 + source * cell, 100, 66 + i * cell / 2, 150, SOFT, 1)
    p.text(580, 86, "odd outputs: 3 left + 1 right", 13)
    p.text(580, 108, "even outputs: 1 left + 3 right", 13)
    p.text(580, 130, "over 4 in each axis, so", 13)
    p.text(580, 152, "2x2 weights 9 3 3 1 over 16", 13)
    p.text(24, 226, "phases of the result", 14, bold=True)
    colors = (GREEN, BLUE, VIOLET, GOLD)
    p.grid(24, 240, 8, 5, 24, lambda x, y: colors[y % 2 * 2 + x % 2])
    p.text(240, 260, "Each phase is a depthwise command: a window of 2x2 constant int8 weights, exact,", 13)
    p.text(240, 282, "written with a pitch of two pixels and two rows. Sums are int32, as TOSA has them,", 13)
    p.text(240, 304, "and the RESCALE behind is the array's epilogue.", 13)
    p.text(240, 334, "Rows and columns at the border have one neighbour: commands of their own.", 13, color=SOFT)
    p.text(24, 390, "Weights that are no int8 (large numerators): the vector unit, four products a vector. Nearest neighbour: copies.", 13,
           color=SOFT)
    return p


PICTURES = {"planes": planes, "layout-operators": layout_operators, "resize": resize}
