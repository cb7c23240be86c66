# SPDX-License-Identifier: Apache-2.0
"""One picture a unit."""

from machine import BANKS, N, READ_WORDS, ROWS, V256, WRITE_WORDS
from svg import BLUE, DARK, GOLD, GREEN, INK, ORANGE, PANEL, RED, SMALL_SIZE, SOFT, TEAL, VIOLET, Picture


def command_processor():
    p = Picture(400, "Command processor: fetch, decode, queues and tokens")
    p.box(24, 60, 130, 70, ["stream", "in SRAM or", "external memory"], PANEL)
    p.arrow([(154, 95), (198, 95)])
    p.text(176, 84, "a word", SMALL_SIZE, "middle", SOFT)
    p.text(176, 112, "a cycle", SMALL_SIZE, "middle", SOFT)
    p.box(200, 60, 150, 70, ["fetch and decode", f"{V256['decode_cycles']} cycle a command"], GOLD)
    p.arrow([(350, 95), (408, 95)])
    p.line(408, 46, 408, 334)
    queues = [("dma0", "DMA channel 0: loads", VIOLET), ("dma1", "DMA channel 1: the rest", VIOLET),
              ("mac", "MAC array", BLUE), ("vec", "vector unit", GREEN)]
    for i, (name, unit, fill) in enumerate(queues):
        y = 28 + i * 82
        p.arrow([(408, y + 20), (436, y + 20)])
        for slot in range(4):
            p.rect(440 + slot * 26, y + 4, 24, 32, PANEL)
        p.text(492, y + 25, name, SMALL_SIZE, "middle", bold=True)
        p.arrow([(546, y + 20), (584, y + 20)])
        p.box(586, y, 190, 40, unit, fill)
    p.text(492, 352, f"{V256['queue_depth_commands']} commands a queue", SMALL_SIZE, "middle", SOFT)
    p.text(681, 352, f"issue to start: {V256['issue_cycles']} cycles,", SMALL_SIZE, "middle", SOFT)
    p.text(681, 370, "hidden while a command runs", SMALL_SIZE, "middle", SOFT)
    p.box(30, 200, 330, 130, ["tokens", "one counter for each ordered pair of queues;", "wait: take one before the start",
                             "signal: give one at the end", f"seen by the waiting unit after {V256['token_cycles']} cycles"],
          TEAL, 13, bold_first=True)
    p.arrow([(404, 265), (362, 265)], both=True, dash="4 3")
    return p


def dma():
    p = Picture(390, "DMA: two channels, N-dimensional copies and a corner-turner")
    p.box(24, 110, 130, 150, ["external", "memory", f"{V256['external_bytes_per_cycle']} B a cycle", "whole bursts",
                              f"of {V256['external_burst_bytes']} B"], VIOLET)
    p.box(646, 110, 130, 150, ["SRAM", f"{BANKS} banks", f"words of {N} B"], GREEN)
    p.rect(210, 40, 380, 290, PANEL, radius=6)
    p.text(400, 64, "DMA", 15, "middle", bold=True)
    p.box(232, 80, 160, 66, ["channel 0", "loads"], BLUE, bold_first=True)
    p.box(408, 80, 160, 66, ["channel 1", "stores, moves, tables"], BLUE, bold_first=True)
    p.box(232, 166, 160, 66, ["5 loops of runs", "one run a cycle,", f"to {V256['dma_bytes_per_cycle']} B"], GOLD, 13)
    p.box(408, 166, 160, 66, ["fill, and", "table fill:", "a word a cycle"], GOLD, 13)
    p.box(232, 252, 336, 60, [f"corner-turner: {N} x {N} bytes,", "in by rows, then out by columns"], ORANGE)
    p.arrow([(154, 185), (208, 185)], both=True)
    p.arrow([(592, 185), (644, 185)], both=True)
    p.text(400, 358, f"a command: {V256['dma_setup_cycles']} cycles of set-up, {V256['sram_read_latency_cycles']} of SRAM when it reads there, "
           f"{V256['external_latency_cycles']} when a side is outside", SMALL_SIZE + 1, "middle", SOFT)
    return p


def mac_array():
    p = Picture(470, "MAC array: assembler, weight tiles, dot products, accumulator banks, drain")
    p.box(24, 40, 190, 62, ["weight loader", f"{V256['weight_load_words_per_cycle']} words a cycle"], GOLD)
    p.box(262, 40, 120, 62, ["shadow tile", f"{N} x {N}"], ORANGE)
    p.box(430, 40, 120, 62, ["active tile", f"{N} x {N}"], ORANGE)
    p.arrow([(214, 71), (260, 71)])
    p.arrow([(382, 71), (428, 71)])
    p.text(405, 60, "swap", SMALL_SIZE, "middle", SOFT)
    p.box(24, 160, 190, 86, ["activation assembler", f"{V256['activation_segments_per_cycle']} unaligned segments,",
                             f"{N} B each, a cycle", "or sliding windows"], BLUE, 13, bold_first=True)
    p.rect(262, 140, 288, 130, PANEL, radius=4)
    for lane in range(N):
        x = 276 + lane * 16.4
        p.rect(x, 150, 12, 84, ORANGE, DARK[ORANGE])
    p.text(406, 258, f"{N} lanes, a dot product of {N} in each", 13, "middle")
    p.arrow([(490, 102), (490, 138)])
    p.arrow([(214, 203), (260, 203)])
    for bank in range(2):
        p.box(590, 140 + bank * 68, 186, 58, [f"accumulator bank {bank}", f"{ROWS} rows x {N} x {V256['accumulator_bits']} bit"],
              VIOLET, 13, bold_first=True)
    p.arrow([(550, 203), (588, 203)])
    p.box(590, 310, 186, 56, ["drain: a row a cycle", "while the other fills"], TEAL, 13)
    p.arrow([(683, 266), (683, 308)])
    p.box(262, 310, 288, 56, ["epilogue: + bias, rescale, clamp,", "table, residual"], GREEN, 13)
    p.arrow([(590, 338), (552, 338)])
    p.box(24, 310, 190, 56, ["SRAM", f"{READ_WORDS} words read, {WRITE_WORDS} written"], PANEL, 13, bold_first=True)
    p.arrow([(262, 338), (216, 338)])
    p.line(10, 338, 24, 338)
    p.line(10, 338, 10, 71)
    p.arrow([(10, 71), (22, 71)])
    p.arrow([(10, 203), (22, 203)])
    p.text(400, 404, "for channel tile: for row tile (to 64 rows): for step (N reduction elements): for row: accumulate", 13, "middle")
    p.text(400, 428, "The next weight tile loads under the rows of this step; the bank of the tile before drains meanwhile.", 13,
           "middle", SOFT)
    p.text(400, 450, "With int16 operands a row takes a cycle for each of its bytes: see int16.md.", 13, "middle", SOFT)
    return p


def rescale_unit():
    p = Picture(330, "Rescale unit: four stages, shared by the array's drain and the vector unit")
    p.box(24, 60, 150, 56, ["array's drain", "(served first)"], BLUE)
    p.box(24, 170, 150, 56, ["vector unit:", "RESCALE and MUL"], GREEN)
    p.box(226, 110, 74, 66, ["order", "of", "service"], PANEL, 13)
    p.arrow([(174, 88), (200, 88), (200, 130), (224, 130)])
    p.arrow([(174, 198), (200, 198), (200, 156), (224, 156)])
    stages = [["subtract", "zero point,", "48 bit"], ["multiply", "32 x 32 or", "48 x 16"], ["shift and", "round:", "4 kinds"],
              ["add zero", "point,", "saturate"]]
    for i, lines in enumerate(stages):
        p.box(328 + i * 112, 100, 96, 86, lines, ORANGE, 13)
        if i:
            p.arrow([(312 + i * 112, 143), (326 + i * 112, 143)])
    p.arrow([(300, 143), (326, 143)])
    p.brace(328, 760, 216, f"{V256['rescale_pipeline_cycles']} cycles from operand to result, one vector of {V256['rescale_lanes']} lanes a cycle",
            13, above=False)
    p.text(400, 284, "single, double, inexact (computed as single) and half-to-even rounding; shift 2 to 62; multiplier a channel", 13,
           "middle", SOFT)
    p.text(400, 306, "Who is not served waits: rescale_contention in the report.", 13, "middle", SOFT)
    return p


def table_unit():
    p = Picture(390, "Table unit: two slots a lane, two banks a slot, interpolation")
    p.text(24, 36, "one lane", 15, bold=True)
    p.box(24, 120, 120, 70, ["index", "int8, or upper", "9 bits of int16"], BLUE, 13)
    for slot in range(2):
        y = 52 + slot * 128
        p.rect(196, y, 252, 112, PANEL, radius=4)
        p.text(322, y + 20, f"slot {slot}", 13, "middle", bold=True)
        p.box(208, y + 32, 108, 66, ["even bank", "257 x 16 bit"], GOLD, 13)
        p.box(328, y + 32, 108, 66, ["odd bank", "256 x 16 bit"], GOLD, 13)
    p.arrow([(144, 155), (194, 155)])
    p.box(500, 104, 160, 96, ["interpolate", "(int16 only)", "left + (right - left)", "x 7 bits, >> 7"], ORANGE, 13)
    p.arrow([(448, 155), (498, 155)])
    p.arrow([(660, 155), (706, 155)])
    p.box(708, 128, 72, 54, ["result"], GREEN, 13)
    p.text(738, 204, f"{V256['table_pipeline_cycles']} cycles", SMALL_SIZE, "middle", SOFT)
    words = -(-1026 // N)
    p.text(24, 342, f"Neighbours lie in different banks, so both are read in one cycle. All {V256['table_lanes']} lanes hold the same table.",
           13, color=SOFT)
    p.text(24, 364, f"Filling broadcasts a word of {N} bytes a cycle to all lanes: 1,026 bytes in {words} cycles; the other slot stays in use.",
           13, color=SOFT)
    return p


def vector_unit():
    p = Picture(430, "Vector unit: five slots, sixteen registers, microprograms in three phases")
    p.text(24, 36, "slots: a cycle starts at most one step of each", 14, bold=True)
    slots = [("Load", "words in, sign,", "- zero point", BLUE), ("Alu", "add, min, shift,", "compare, reduce", GREEN),
             ("Mul / Rescale", "on the rescale", "unit's lanes", ORANGE), ("Table", "on the table", "unit's lanes", GOLD),
             ("Store", "words out,", "byte strobes", VIOLET)]
    for i, (name, first, second, fill) in enumerate(slots):
        p.box(24 + i * 152, 54, 140, 78, [name, first, second], fill, 13, bold_first=True)
        p.arrow([(94 + i * 152, 132), (94 + i * 152, 160)], both=True)
    p.box(24, 162, 748, 44, f"{V256['num_vector_registers']} registers x {V256['vector_lanes']} lanes x 32 bit", PANEL)
    p.text(24, 246, f"a command: up to {V256['max_vector_steps']} steps, looped over vectors", 14, bold=True)
    phases = [("Init", "start values of", "accumulators", TEAL, 150), ("Body", "for each reduced position:", "load, compute, store", GREEN, 320),
              ("Final", "what follows the", "reduction; store", TEAL, 150)]
    x = 40
    for name, first, second, fill, width in phases:
        p.box(x, 268, width, 76, [name, first, second], fill, 13, bold_first=True)
        if name != "Final":
            p.arrow([(x + width, 306), (x + width + 28, 306)])
        x += width + 30
    p.arrow([(720, 306), (760, 306), (760, 372), (115, 372), (115, 346)], dash="4 3")
    p.text(430, 390, "for each kept position (loops 0 .. kept_loops - 1)", 13, "middle", SOFT)
    p.text(400, 416, "cycles a vector = the slot with most steps; elementwise programs have Body steps only", 13, "middle", SOFT)
    return p


def sram():
    p = Picture(410, "SRAM: eight banks, read and write ports, order of service")
    users = [("command fetch", PANEL), ("array: drain", TEAL), ("array: operands, weights", BLUE), ("vector unit", GREEN),
             ("DMA channel 0", VIOLET), ("DMA channel 1", VIOLET)]
    p.text(119, 34, "served in this order", 13, "middle", SOFT)
    for i, (name, fill) in enumerate(users):
        p.box(24, 46 + i * 46, 190, 36, f"{i + 1}  {name}", fill, 13)
        p.line(214, 64 + i * 46, 250, 64 + i * 46)
    p.line(250, 64, 250, 294)
    p.arrow([(250, 130), (290, 130)], both=True)
    p.arrow([(250, 230), (290, 230)], both=True)
    p.box(292, 100, 140, 60, ["read port", f"{READ_WORDS} words a cycle"], GOLD, bold_first=True)
    p.box(292, 200, 140, 60, ["write port", f"{WRITE_WORDS} words a cycle"], GOLD, bold_first=True)
    p.arrow([(432, 130), (470, 130)])
    p.arrow([(432, 230), (470, 230)])
    for bank in range(BANKS):
        p.box(474 + bank * 38, 90, 34, 180, [str(bank)], ORANGE if bank % 2 else RED, 13)
    p.text(474 + 152, 80, f"{BANKS} single-port banks, bank = word mod {BANKS}", 13, "middle")
    p.text(474 + 152, 292, f"words of {N} bytes, {V256['sram_read_latency_cycles']} cycles to read", 13, "middle")
    p.text(24, 350, "Demands that fit slow nobody. Beyond that each is served in order; who is cut counts port_contention.", 13,
           color=SOFT)
    p.text(24, 372, "Words of one operand and one cycle in the same bank cost a cycle each: bank_conflict.", 13, color=SOFT)
    p.text(24, 394, "Unaligned runs touch a word more. Writes have byte strobes: a part of a word costs the word.", 13, color=SOFT)
    return p


def external_memory():
    p = Picture(350, "External memory: one latency a command, whole bursts at the bandwidth")
    scale, left, top = 1.55, 150, 70
    latency, bandwidth, burst = V256["external_latency_cycles"], V256["external_bytes_per_cycle"], V256["external_burst_bytes"]
    setup = V256["dma_setup_cycles"]
    num_bytes = 4096
    p.text(24, 34, f"a load of {num_bytes:,} bytes on v256", 14, bold=True)
    p.text(24, top + 26, "request", 13)
    p.box(left, top + 6, 26, 28, str(setup), GOLD, SMALL_SIZE)
    p.text(24, top + 76, "latency", 13)
    x = left + 26
    p.box(x, top + 56, latency * scale, 28, f"{latency} cycles", PANEL, 13)
    p.text(24, top + 126, "bursts", 13)
    x += latency * scale
    cycles = num_bytes // bandwidth
    count = num_bytes // burst
    width = cycles * scale / count
    for i in range(count):
        p.rect(x + i * width, top + 106, width, 28, VIOLET if i % 2 else BLUE, DARK[VIOLET])
    p.brace(x, x + cycles * scale, top + 154, f"{count} bursts of {burst} B at {bandwidth} B a cycle: {cycles} cycles", 13, above=False)
    p.line(left, top + 196, x + cycles * scale, top + 196, INK)
    p.text((left + x + cycles * scale) / 2, top + 214, f"{setup} + {latency} + {cycles} = {setup + latency + cycles} cycles", 14, "middle",
           bold=True)
    p.text(24, 316, "A burst used in part costs a whole one; one that the run before ended in is not fetched again. Two channels", 13, color=SOFT)
    p.text(24, 336, "share the bandwidth (reads and writes too, unless the machine is full duplex), in the order of service.", 13, color=SOFT)
    return p


PICTURES = {"command-processor": command_processor, "dma": dma, "mac-array": mac_array, "rescale-unit": rescale_unit,
            "table-unit": table_unit, "vector-unit": vector_unit, "sram": sram, "external-memory": external_memory}
