# SPDX-License-Identifier: Apache-2.0
"""How layers meet the MAC array: one picture a mapping."""

from machine import N, ROWS
from svg import BLUE, GOLD, GREEN, INK, ORANGE, PANEL, RED, SMALL_SIZE, SOFT, TEAL, VIOLET, Picture

TAP_COLORS = (BLUE, ORANGE, GREEN, VIOLET, GOLD, RED, TEAL)


def convolution():
    p = Picture(400, "Convolution: dense reduction order and the tiles of a command")
    kernel, channels = 3, 20
    p.text(24, 34, f"reduction index r = (kernel row x {kernel} + kernel column) x channels + channel; here {kernel} x {kernel} taps of {channels}",
           13)
    scale, total = 4.1, kernel * kernel * channels
    for tap in range(kernel * kernel):
        x = 24 + tap * channels * scale
        p.rect(x, 62, channels * scale, 34, TAP_COLORS[tap % 2 + 1])
        p.text(x + channels * scale / 2, 83, f"({tap // kernel},{tap % kernel})", SMALL_SIZE, "middle")
    p.text(24, 56, "taps", SMALL_SIZE, color=SOFT)
    steps = -(-total // N)
    for step in range(steps):
        x = 24 + step * N * scale
        p.rect(x, 112, min(N, total - step * N) * scale, 26, BLUE if step % 2 else PANEL)
        p.text(x + min(N, total - step * N) * scale / 2, 130, str(step), SMALL_SIZE, "middle")
    p.text(24, 156, f"steps of {N} elements, dense: ceil({total} / {N}) = {steps}; a step may span taps and kernel rows (two segments a cycle)",
           13, color=SOFT)
    p.text(24, 200, "a command", 14, bold=True)
    for tile in range(3):
        x = 44 + tile * 250
        p.rect(x, 214, 226, 128, PANEL, radius=4)
        p.text(x + 113, 234, f"channel tile {tile}: {N} lanes", 13, "middle", bold=True)
        for row in range(3):
            label = f"row tile {row}: to {ROWS} rows" if row < 2 else f"row tile {row}: the rest"
            p.box(x + 14, 244 + row * 31, 198, 26, label, TEAL if row % 2 == 0 else VIOLET, 13)
        if tile < 2:
            p.arrow([(x + 226, 278), (x + 248, 278)])
    p.text(24, 368, "A row tile takes all steps, then drains; colours: the two accumulator banks. Weights are loaded again for each row", 13,
           color=SOFT)
    p.text(24, 387, "tile, under the rows of the step before: free as long as a tile has as many rows as a load has cycles.", 13, color=SOFT)
    return p


def first_layers():
    p = Picture(560, "First layers: rows of few channels, packed")
    p.text(24, 34, "3x3 kernel, 3 channels, dense NHWC: a kernel row is one run of 9 bytes in memory", 14, bold=True)
    cell = 20
    for row in range(3):
        y = 50 + row * 36
        p.text(24, y + 15, f"image row {row}", SMALL_SIZE, color=SOFT)
        for byte in range(24):
            inside = byte < 9
            step = 0 if inside and row * 9 + byte < N else 1
            p.rect(110 + byte * cell, y, cell, cell, (BLUE if step == 0 else ORANGE) if inside else PANEL)
            p.text(110 + byte * cell + cell / 2, y + 15, "RGB"[byte % 3], 11, "middle", INK if inside else SOFT)
    p.box(620, 54, 150, 30, "step 0: 9 + 7 bytes", BLUE, 13)
    p.box(620, 94, 150, 30, "step 1: 2 + 9 bytes", ORANGE, 13)
    p.text(110, 172, f"27 products in ceil(27 / {N}) = 2 steps of two segments each: a cycle a row, not 9 steps of 3 channels", 13, color=SOFT)
    p.text(24, 214, "10x4 kernel, 1 channel (keyword spotting): a kernel row is a run of 4 bytes", 14, bold=True)
    for row in range(4):
        y = 230 + row * 30
        p.text(24, y + 15, f"image row {row}", SMALL_SIZE, color=SOFT)
        for byte in range(10):
            p.rect(110 + byte * cell, y, cell, cell, (GREEN if row < 2 else VIOLET) if byte < 4 else PANEL)
    p.box(400, 246, 180, 34, "cycle 0: two segments", GREEN, 13)
    p.box(400, 306, 180, 34, "cycle 1: two more", VIOLET, 13)
    p.arrow([(312, 257), (398, 262)])
    p.arrow([(312, 317), (398, 322)])
    p.text(24, 376, f"{N} products lie in four image rows: four segments, two a cycle, so two cycles a row, as the map lies.", 13, color=SOFT)
    p.text(24, 414, "copied: for each output column the taps of its kernel row, row under row: 40 bytes in one run", 14, bold=True)
    for row in range(4):
        for tap in range(4):
            p.rect(110 + (row * 4 + tap) * cell, 430, cell, cell, GREEN)
        p.text(110 + (row * 4 + 2) * cell, 466, f"row {row}", SMALL_SIZE, "middle", SOFT)
    p.text(440, 445, "...", 13)
    p.text(24, 445, "column 0", SMALL_SIZE, color=SOFT)
    p.box(480, 424, 180, 34, "a cycle: one segment", GREEN, 13)
    p.text(24, 500, "The DMA copies some output columns while the array works on those before. A kernel of 10x4", 13,
           color=SOFT)
    p.text(24, 519, "becomes one of 10x1 with four channels; weights and results lie as they did.", 13, color=SOFT)
    p.text(24, 546, "Padding enters as the zero point, at no cost of its own (in a copy: a fill).", 13, color=SOFT)
    return p


def lane_split():
    p = Picture(370, "Lane split: pixels share the lanes when there are few output channels")
    for i, pixels in enumerate((1, 2, 4)):
        x, channels = 24 + i * 258, N // pixels
        p.text(x, 40, f"{pixels} x {channels}", 15, bold=True)
        p.text(x + 70, 40, f"{pixels} pixel{'s' if pixels > 1 else ''}, {channels} channels", 13, color=SOFT)
        for lane in range(N):
            p.rect(x + lane * 15, 56, 13, 60, TAP_COLORS[lane // channels])
        for pixel in range(pixels):
            width = channels * 15
            p.text(x + pixel * width + width / 2 - 1, 134, f"x + {pixel}" if pixel else "x", SMALL_SIZE, "middle")
        p.text(x, 166, f"accumulator row: {pixels} pixel{'s' if pixels > 1 else ''}", 12.5)
        p.text(x, 184, f"weight tile: {channels} lanes, used {pixels} time{'s' if pixels > 1 else ''}", 12.5)
        p.text(x, 202, f"row steps: / {pixels}, for {channels} channels or fewer", 12.5)
    p.text(24, 246, "what it costs", 14, bold=True)
    p.text(24, 270, "The operands of all pixels of a row have to lie in two segments: neighbours overlap at stride 1, so that two fit nearly", 13)
    p.text(24, 289, "always, four only where a kernel row of four pixels is short (few channels). What does not fit takes a cycle more.", 13)
    p.text(24, 308, "A row of pixels is padded to whole groups: the last group of a row of 5 pixels in pairs holds one.", 13)
    p.text(24, 342, "The compiler splits when all output channels fit the lanes left; by four where the four pixels lie in two segments.", 13, color=SOFT)
    return p


def depthwise():
    p = Picture(440, "Depthwise: a private window in each lane slides to and fro")
    cell = 34
    p.text(24, 34, f"one lane of {N}; planes of {N} channels: a pixel of the plane is one SRAM word, read by all lanes at once", 13)
    panels = (
        ("an output", (0, 3), None, "the window holds 9 words"),
        ("the next one of its line", (0, 4), {(row, 6) for row in range(3)}, "3 words enter"),
        ("the first one of the next line", (1, 4), {(3, column) for column in range(4, 7)}, "3 words enter; then back"),
    )
    for i, (label, (top, first), new, text) in enumerate(panels):
        left = 24 + i * 258
        p.text(left, 66, label, 13, bold=True)
        for row in range(4):
            for column in range(7):
                inside = top <= row < top + 3 and first <= column < first + 3
                is_new = new is not None and (row, column) in new
                p.rect(left + column * cell, 78 + row * cell, cell, cell, ORANGE if is_new else BLUE if inside else PANEL)
        p.text(left, 236, text, 13, color=SOFT)
        if i == 1:
            p.arrow([(left + 3 * cell, 222), (left + 6 * cell, 222)])
        if i == 2:
            p.arrow([(left + 7 * cell + 8, 78 + cell), (left + 7 * cell + 8, 78 + 2.5 * cell)])
            p.arrow([(left + 7 * cell, 228), (left + 5.2 * cell, 228)])
    p.text(24, 268, f"stride 1: 3 new words an output, a window takes 4 a cycle: a cycle an output; 9 of {N} taps used: 56 % is the ceiling", 13)
    p.text(24, 289, "stride 2: 6 new words, 1.5 cycles. Free taps take words of the next channel tile's first window (9 words) ahead.", 13)
    p.text(24, 326, "across or down", 14, bold=True)
    for i, (title, text) in enumerate((("along x", "the default"), ("along y (slide_rows)", "where the rows of a dense map share banks"))):
        x = 24 + i * 386
        p.rect(x, 338, 366, 60, PANEL, radius=4)
        p.text(x + 12, 360, title, 13, bold=True)
        p.text(x + 12, 382, text, 13)
        if i == 0:
            p.arrow([(x + 290, 355), (x + 350, 355)])
        else:
            p.arrow([(x + 340, 344), (x + 340, 392)])
    p.text(24, 424, "The compiler takes the cheaper direction. Words of one cycle that share a bank cost a cycle each: planes.md.", 13, color=SOFT)
    return p


def transposed_convolution():
    p = Picture(420, "Transposed convolution: one small convolution for each phase of the result")
    p.text(24, 34, "stride 2, kernel 3x3: outputs of equal phase (row mod 2, column mod 2) meet the same taps", 13)
    cell, colors = 30, (BLUE, ORANGE, GREEN, VIOLET)
    p.text(24, 70, "result", 13, bold=True)
    p.grid(24, 80, 8, 8, cell, lambda x, y: colors[y % 2 * 2 + x % 2])
    p.text(330, 70, "kernel", 13, bold=True)
    p.grid(330, 80, 3, 3, cell, lambda x, y: colors[y % 2 * 2 + x % 2], lambda x, y: f"{y},{x}")
    p.text(330, 200, "phase (0,0): taps 00 02 20 22", 13)
    p.text(330, 222, "phase (0,1): taps 01 21", 13)
    p.text(330, 244, "phase (1,0): taps 10 12", 13)
    p.text(330, 266, "phase (1,1): tap 11", 13)
    p.text(560, 70, "written with", 13, bold=True)
    p.text(560, 94, "base: the phase's corner", 13)
    p.text(560, 114, "pixel pitch: 2 pixels", 13)
    p.text(560, 134, "row pitch: 2 rows", 13)
    p.text(560, 164, "no zero is inserted", 13, bold=True)
    p.text(560, 184, "or multiplied, and no", 13)
    p.text(560, 204, "command merges them", 13)
    p.text(24, 356, "row steps = sum over phases of rows x columns of the phase x channel tiles x ceil(taps of the phase x channels / 16)", 13)
    p.text(24, 384, "A kernel of 2x2 at stride 2 has one tap a phase: 4 phases, each a 1x1 convolution of the whole input.", 13, color=SOFT)
    return p


def int16():
    p = Picture(400, "int16 operands: passes over pairs of bytes")
    p.text(24, 34, "a product of wide numbers is a sum of products of their bytes", 14, bold=True)
    p.box(24, 50, 190, 40, "int16 = high x 256 + low", BLUE, 13)
    p.text(234, 75, "int16 x int8: 2 passes; int16 x int16: 4; int4 weights: as int8, half the bytes", 13)
    p.text(24, 128, "the row tile of one step, int16 x int8", 14, bold=True)
    x = 24
    for row in range(6):
        for byte, fill in (("low", TEAL), ("high", VIOLET)):
            p.box(x, 144, 56, 42, [f"row {row}", byte], fill, 12)
            x += 58
    p.text(x + 8, 170, "...", 15)
    p.brace(24, 24 + 12 * 58, 204, "one weight tile; a row is read once, and multiplied twice: two cycles a row", 13, above=False)
    p.text(24, 262, "int16 x int16", 14, bold=True)
    for i, (weights, fill) in enumerate((("low bytes of the weights", ORANGE), ("high bytes of the weights", GOLD))):
        p.box(24 + i * 380, 276, 364, 50, [f"weight tile of the {weights}", "all rows, low and high byte: two cycles each"], fill, 13)
    p.text(24, 354, "Accumulators have 48 bits. Two segments of 16 bytes bring 16 elements of 16 bits in one cycle of a row's two;", 13,
           color=SOFT)
    p.text(24, 374, "depthwise windows take two words a position: 6 new words a row at stride 1, in the same two cycles.", 13,
           color=SOFT)
    return p


def matmul():
    p = Picture(400, "MATMUL: the second operand stands for the weights where it lies")
    p.box(40, 70, 150, 150, ["A", "H rows", "of C"], BLUE, bold_first=True)
    p.text(222, 152, "x", 20, "middle")
    p.box(256, 70, 120, 150, ["B", "C rows", "of W"], ORANGE, bold_first=True)
    p.text(408, 152, "=", 20, "middle")
    p.box(440, 70, 120, 150, ["result", "H rows", "of W"], GREEN, bold_first=True)
    p.text(40, 52, "pixels: rows of A", 13, color=SOFT)
    p.text(256, 52, "weights", 13, color=SOFT)
    p.text(440, 52, "channels: columns", 13, color=SOFT)
    p.text(590, 92, "a 1x1 convolution of", 13)
    p.text(590, 112, "one row of H pixels", 13)
    p.text(590, 132, "a batch, or a head, is a", 13)
    p.text(590, 152, "command: base and pitch", 13)
    p.text(590, 172, "say where it begins", 13)
    p.text(24, 262, "two orders of the second operand, no transpose", 14, bold=True)
    for i, (title, text, more) in enumerate((
            ("tap-major: B as TOSA has it", f"a step's {N} rows, each a run of a tile's {N} columns", f"row pitch W bytes: {N} runs, 4 words a cycle"),
            ("lane-major: B stored by columns", f"a lane's {N} elements are one run", "as attention's keys lie"))):
        p.rect(24 + i * 386, 276, 366, 84, PANEL, radius=4)
        p.text(36 + i * 386, 298, title, 13, bold=True)
        p.text(36 + i * 386, 320, text, 13)
        p.text(36 + i * 386, 342, more, 13)
    p.text(24, 386, "Runs that begin inside a word touch a word more; words of one cycle in one bank cost a cycle each.", 13, color=SOFT)
    return p


PICTURES = {"convolution": convolution, "first-layers": first_layers, "lane-split": lane_split, "depthwise": depthwise,
            "transposed-convolution": transposed_convolution, "int16": int16, "matmul": matmul}
