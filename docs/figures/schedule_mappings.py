# SPDX-License-Identifier: Apache-2.0
"""Vector microprograms and the schedule: one picture a mapping."""

from machine import N, ROWS, V256
from svg import BLUE, DARK, GOLD, GREEN, ORANGE, PANEL, RED, SMALL_SIZE, SOFT, TEAL, VIOLET, Picture

SLOTS = ("Load", "Alu", "Mul", "Table", "Store")
SLOT_COLORS = dict(zip(SLOTS, (BLUE, GREEN, ORANGE, GOLD, VIOLET)))


def slot_table(p, x, y, steps, num_vectors):
    """A steady stream of vectors: each slot takes its steps of a vector, one a cycle."""
    cycles = max(sum(1 for slot, _ in steps if slot == name) for name in SLOTS)
    width = 26
    for i, name in enumerate(SLOTS):
        p.text(x, y + i * 30 + 19, name, 13)
        own = [label for slot, label in steps if slot == name]
        for vector in range(num_vectors):
            for k in range(cycles):
                fill = SLOT_COLORS[name] if k < len(own) else "#ffffff"
                left = x + 60 + (vector * cycles + k) * width
                p.rect(left, y + i * 30, width, 26, fill)
                if k < len(own):
                    p.text(left + width / 2, y + i * 30 + 17, str(vector), SMALL_SIZE, "middle")
    return cycles


def elementwise():
    p = Picture(430, "Elementwise operators as a microprogram")
    p.text(24, 34, "two rescales, an add, a rescale back (the residual add of a converter) as one command", 14, bold=True)
    lines = ["load    r0, stream0 - zp", "load    r1, stream1 - zp", "rescale r0, r0 * m0 >> s0", "rescale r1, r1 * m1 >> s1",
             "add     r0, r0, r1", "rescale r0, r0 * m2 >> s2", "store   stream2, r0"]
    p.rect(24, 50, 250, 168, PANEL, radius=4)
    for i, line in enumerate(lines):
        p.text(38, 74 + i * 21, line.replace(" " * 4, " "), 13)
    steps = [("Load", ""), ("Load", ""), ("Mul", ""), ("Mul", ""), ("Mul", ""), ("Alu", ""), ("Store", "")]
    cycles = slot_table(p, 310, 54, steps, 5)
    p.brace(370, 370 + cycles * 26, 222, f"{cycles} cycles", 12, above=False)
    p.text(470, 228, "interval: most-used slot (numbers: vectors)", 13, color=SOFT)
    p.text(24, 276, "cycles = (vectors - 1) x interval + length", 14, bold=True)
    p.text(24, 300, f"length = {V256['sram_read_latency_cycles']} (SRAM) + the chain of steps as scheduled: {V256['vector_slot_cycles']} cycles a step, "
           f"{V256['vector_slot_cycles'] - 1 + V256['rescale_pipeline_cycles']} through the rescale unit", 13)
    p.text(24, 336, "what gathers in one command", 14, bold=True)
    p.text(24, 360, f"operators of one shape that read each other's results, while {V256['max_vector_steps']} steps, {V256['num_vector_registers']} registers, "
           f"6 streams and {V256['num_table_slots']} tables last", 13)
    p.text(24, 382, "A constant that is the same everywhere is an immediate; broadcasting is a stride of 0.", 13)
    p.text(24, 404, "A chain of unary int8 operators is a table of 256 entries, computed by the reference at compile time.", 13, color=SOFT)
    return p


def pools():
    p = Picture(420, "Pools and reductions: Init, Body over the window, Final")
    p.text(24, 34, "average pool 2x2: a step for each region of equal windows, planes of 16 channels", 14, bold=True)
    cell = 36
    p.grid(24, 50, 6, 4, cell, lambda x, y: (BLUE, ORANGE, GREEN)[x // 2] if y < 2 else (VIOLET, GOLD, TEAL)[x // 2])
    p.arrow([(250, 122), (300, 122)])
    p.grid(310, 86, 3, 2, cell, lambda x, y: ((BLUE, ORANGE, GREEN), (VIOLET, GOLD, TEAL))[y][x])
    p.box(450, 50, 150, 40, "Init: sum = 0", TEAL, 13)
    p.box(450, 100, 326, 40, "Body, 4 times: load and add, two a cycle", GREEN, 13)
    p.box(450, 150, 150, 40, "Final: x 1/4, store", VIOLET, 13)
    p.text(24, 236, "cycles = kept positions x (ceil(reduced / 2) - 1 + length) + SRAM latency", 14, bold=True)
    p.text(24, 260, "The load path ends in a compare/add pair: two positions of the innermost reduced loop meet there, then the sum.", 12.5)
    p.text(24, 282, "One position is in flight, so that each pays length (Init, one vector of Body, Final).", 12.5)
    p.text(24, 318, "reductions", 14, bold=True)
    p.text(24, 342, "along rows or columns: a window as long as the axis, lanes are channels", 13)
    p.text(24, 364, f"along channels: vectors meet first, then the lanes of one, in log2 {N} = {N.bit_length() - 1} steps", 13)
    p.text(24, 396, "Windows at the border are smaller (padding does not count), so they are commands with another divisor.", 13, color=SOFT)
    return p


def softmax():
    p = Picture(400, "Softmax in three commands")
    boxes = [(["1  maximum", "of each row"], BLUE, ["load, max", "over the row;", "across lanes"]),
             (["2  exponential", "and its sum"], ORANGE, ["x - max: table of", "the int8 difference;", "store, add up"]),
             (["3  divide by", "multiplying"], GREEN, ["1 / sum: clz, table,", "multiply, shift,", "rescale, store"])]
    for i, (title, fill, lines) in enumerate(boxes):
        x = 40 + i * 252
        p.box(x, 44, 210, 54, title, fill, 14, bold_first=True)
        p.box(x, 108, 210, 76, lines, PANEL, 13)
        if i < 2:
            p.arrow([(x + 210, 71), (x + 250, 71)])
    p.text(24, 226, "what the converter writes", 14, bold=True)
    p.text(24, 250, "about 40 operators: REDUCE_MAX, SUB, two 16-bit TABLEs put together to 32 bit, shifts, REDUCE_SUM,", 13)
    p.text(24, 270, "CLZ, a reciprocal by Newton steps, MUL, shift, RESCALE. All of it is exact integer arithmetic, and stays so.", 13)
    p.text(24, 306, "what makes it short", 14, bold=True)
    p.text(24, 330, "The exponential of an int8 difference has 256 values: one table of 32-bit entries, worked out by the reference.", 13)
    p.text(24, 350, "The reciprocal works on one element a row; what follows broadcasts it.", 13)
    p.text(24, 384, "A row that is one vector (10 classes) can keep its values in registers throughout: one command.", 13, color=SOFT)
    return p


def lane(p, y, name, pieces, scale=1.0, left=120):
    p.text(24, y + 20, name, 13)
    for start, length, label, fill in pieces:
        p.box(left + start * scale, y, length * scale, 30, label, fill, 12)


def stripes():
    p = Picture(450, "Stripes and tokens: layers overlap")
    p.text(24, 34, "a layer at a time", 14, bold=True)
    lane(p, 48, "mac", [(0, 200, "convolution", BLUE)])
    lane(p, 86, "vec", [(212, 140, "pool", GREEN)])
    lane(p, 124, "dma", [(364, 100, "store", VIOLET)])
    p.line(584, 44, 584, 158, SOFT, 1, "4 3")
    p.text(592, 104, "464 cycles", 13, color=SOFT)
    p.text(24, 200, "in four stripes of rows, linked by tokens", 14, bold=True)
    mac = [(i * 52, 50, f"c{i}", BLUE) for i in range(4)]
    vec = [(62 + i * 52, 36, f"p{i}", GREEN) for i in range(4)]
    store = [(108 + i * 52, 26, f"s{i}", VIOLET) for i in range(4)]
    lane(p, 214, "mac", mac)
    lane(p, 262, "vec", vec)
    lane(p, 310, "dma", store)
    for i in range(4):
        p.arrow([(120 + i * 52 + 50, 244), (120 + 62 + i * 52 + 4, 260)], "#ad3434", 1.3)
        p.arrow([(120 + 62 + i * 52 + 36, 292), (120 + 108 + i * 52 + 4, 308)], "#ad3434", 1.3)
    p.line(410, 210, 410, 344, SOFT, 1, "4 3")
    p.text(418, 284, "about 290", 13, color=SOFT)
    p.box(530, 214, 246, 126, ["a stripe of the array has at least", f"{ROWS} accumulator rows (a bank);",
                               "the number of stripes is the one", "whose commands cost least;", "beside another unit: three or four"], PANEL, 13)
    p.text(24, 376, f"Tokens (red): the giver ends, {V256['token_cycles']} cycles later the taker starts. Commands of one queue stay in order; the drain of", 12.5,
           color=SOFT)
    p.text(24, 396, "one command runs beside the next one's main phase. Constants load as far ahead as SRAM has room.", 12.5,
           color=SOFT)
    p.text(24, 428, "The verifier proves before the run that every conflicting pair is ordered; the machine faults on one that is not.", 13,
           color=SOFT)
    return p


def memory_modes():
    p = Picture(450, "Memory modes: what is where at cycle 0, and how a layer is cut when SRAM is small")
    modes = [("sram", [("weights", "in"), ("inputs", "in"), ("maps", "in"), ("outputs", "in")]),
             ("weights-external", [("weights", "out"), ("inputs", "in"), ("maps", "in"), ("outputs", "in")]),
             ("external", [("weights", "out"), ("inputs", "out"), ("maps", "as they fit"), ("outputs", "out")])]
    for i, (name, rows) in enumerate(modes):
        x = 24 + i * 258
        p.rect(x, 24, 240, 150, PANEL, radius=4)
        p.text(x + 120, 46, name, 14, "middle", bold=True)
        for k, (what, where) in enumerate(rows):
            fill = {"in": GREEN, "out": VIOLET}.get(where, GOLD)
            p.rect(x + 14, 58 + k * 28, 14, 14, fill)
            p.text(x + 36, 70 + k * 28, what, 13)
            p.text(x + 226, 70 + k * 28, {"in": "SRAM", "out": "external"}.get(where, where), 13, "end", SOFT)
    p.text(24, 208, "when a step's operands and result do not fit", 14, bold=True)
    cuts = [("rows", "stripes; rows that two", "of them need load twice", BLUE, "rows"),
            ("output channels", "blocks of weights; the", "input loads once a block", ORANGE, "channels"),
            ("columns", "strips; kernel columns", "at the seam load twice", GREEN, "columns"),
            ("reduction", "slices; sums stay in the", f"accumulators, {ROWS} rows", RED, "reduction")]
    for i, (title, first, second, fill, kind) in enumerate(cuts):
        x = 24 + i * 192
        p.text(x, 236, title, 13, bold=True)
        for k in range(4):
            if kind == "rows":
                p.rect(x, 246 + k * 15, 100, 13, fill)
            elif kind == "columns":
                p.rect(x + k * 25, 246, 23, 58, fill)
            elif kind == "channels":
                p.rect(x + k * 12, 246 + k * 8, 70, 34, fill, DARK[fill])
            else:
                p.rect(x + k * 25, 246, 23, 58, fill if k == 1 else "#ffffff", DARK[fill])
        p.text(x, 330, first, 12.5, color=SOFT)
        p.text(x, 348, second, 12.5, color=SOFT)
    p.text(24, 388, "Loads go on queue dma0, ahead where there is room; stores on dma1, so that a store that waits for its", 13)
    p.text(24, 408, "result never holds up the next load. Maps that fit stay in SRAM between layers.", 13)
    p.text(24, 434, "With weights outside a layer takes max(cycles of its commands, bytes / bandwidth), plus one latency a load.", 13, color=SOFT)
    return p


PICTURES = {"elementwise": elementwise, "pools-and-reductions": pools, "softmax": softmax, "stripes": stripes,
            "memory-modes": memory_modes}
