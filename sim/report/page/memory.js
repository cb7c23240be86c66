// SPDX-License-Identifier: Apache-2.0
// The SRAM over time: bytes in use, and which tensor lies where from when to when.

const kBlockColors = { maps: "#2f8f83", constants: "#c98a2b" };
const block_kind = (block) => block.is_constant ? "constants" : "maps";
const block_text = (block) => `${shown(block.name)}\n${block.is_constant ? "weights, tables, commands" : "feature map"}: ${whole(block.end_byte - block.begin_byte)} B, addresses ${whole(block.begin_byte)} to ${whole(block.end_byte)}\ncycles ${whole(block.first_cycle)} to ${whole(block.end_cycle)}`;

/** Bytes of the addresses that blocks of a kind take, in ascending order of their beginnings: what two of them share counts once. */
function bytes_taken(blocks, is_of_kind) {
  let taken = 0, reached = 0;
  for (const block of blocks) {
    if (!is_of_kind(block)) continue;
    taken += Math.max(0, block.end_byte - Math.max(block.begin_byte, reached));
    reached = Math.max(reached, block.end_byte);
  }
  return taken;
}
/**
 * Bytes in use from each cycle on: {cycle, maps, constants}. Two blocks can have the same bytes for some cycles: a place is kept
 * until the commands that may run beside its last use have ended, whichever ends first.
 */
function use_of_sram() {
  const alive = sram_blocks.filter((block) => block.end_cycle > block.first_cycle);
  const births = [...alive].sort((a, b) => a.first_cycle - b.first_cycle), deaths = [...alive].sort((a, b) => a.end_cycle - b.end_cycle);
  const steps = [], live = [];  // by their beginnings
  for (let born = 0, dead = 0; dead < deaths.length;) {
    const cycle = Math.min(born < births.length ? births[born].first_cycle : Infinity, deaths[dead].end_cycle);
    for (; dead < deaths.length && deaths[dead].end_cycle === cycle; ++dead) live.splice(live.indexOf(deaths[dead]), 1);
    for (; born < births.length && births[born].first_cycle === cycle; ++born) {
      const at = live.findIndex((block) => block.begin_byte > births[born].begin_byte);
      live.splice(at < 0 ? live.length : at, 0, births[born]);
    }
    const constants = bytes_taken(live, (block) => block.is_constant);
    steps.push({ cycle, constants, maps: bytes_taken(live, () => true) - constants });
  }
  return steps;
}

function make_use_panel() {
  const use = use_of_sram(), height = 96;
  const most = Math.max(1, ...use.map((step) => step.maps + step.constants));
  function at(cycle) {
    let low = 0, high = use.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (use[middle].cycle <= cycle) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
  return {
    id: "sram_use", height: () => height, most,
    /** {maps, constants} in a cycle. */
    at: (cycle) => use[at(cycle)] ?? { maps: 0, constants: 0 },
    draw(pen, frame) {
      const y_of = (amount) => height - 2 - amount / most * (height - 12);
      row_name(pen, "SRAM reserved", 12);
      pen.fillStyle = ink("soft");
      pen.fillText(bytes(most), 6, 28, kGutter - 10);
      // The most within each pixel: there can be hundreds of steps in one.
      const columns = Math.ceil(frame.width), constants = new Float64Array(columns), all = new Float64Array(columns);
      for (let i = Math.max(0, at(frame.from)); i < use.length && use[i].cycle < frame.to; ++i) {
        const left = Math.floor(Math.max(kGutter, frame.x_of(use[i].cycle)));
        const end = Math.ceil(Math.min(frame.width - 8, i + 1 < use.length ? frame.x_of(use[i + 1].cycle) : frame.width));
        for (let x = left; x < end; ++x) {
          constants[x] = Math.max(constants[x], use[i].constants);
          all[x] = Math.max(all[x], use[i].constants + use[i].maps);
        }
      }
      for (const [color, from, to] of [["constants", null, constants], ["maps", constants, all]]) {
        pen.fillStyle = kBlockColors[color];
        for (let x = 0; x < columns; ++x) {
          const bottom = y_of(from ? from[x] : 0), top = y_of(to[x]);
          if (bottom > top) pen.fillRect(x, top, 1, bottom - top);
        }
      }
    },
    tip(frame, x) {
      const step = this.at(frame.cycle_of(x));
      return x < kGutter ? null : `cycle ${whole(frame.cycle_of(x))}: ${whole(step.maps + step.constants)} B reserved\nfeature maps ${whole(step.maps)}, weights and commands ${whole(step.constants)}`;
    }
  };
}

function make_address_panel(choice) {
  const height = 260;
  const wanted = () => sram_blocks.filter((block) => choice.value === "all" || block_kind(block) === choice.value);
  let of = null, list = [], low = 0, high = 1;
  function refresh() {
    if (of === choice.value) return;
    of = choice.value;
    list = wanted();
    low = list.reduce((least, block) => Math.min(least, block.begin_byte), Infinity);
    high = list.reduce((most, block) => Math.max(most, block.end_byte), 0);
    if (!(low < high)) [low, high] = [0, 1];
  }
  const y_of = (address) => height - 8 - (address - low) / (high - low) * (height - 16);
  // Blocks of a pixel or less, of which there can be thousands in one: which pixels of a column they cover.
  function add_narrow(columns, x, top, bottom) {
    if (!columns.has(x)) columns.set(x, new Uint8Array(height + 1));
    columns.get(x).fill(1, Math.max(0, top), Math.min(height, bottom));
  }
  function draw_narrow(pen, columns) {
    for (const [x, covered] of columns) {
      for (let y = 0; y < height; ++y) {
        if (!covered[y]) continue;
        const top = y;
        while (covered[y]) ++y;
        pen.fillRect(x, top, 1, y - top);
      }
    }
  }
  let marked = null;
  return {
    id: "addresses", height: () => height,
    draw(pen, frame) {
      refresh();
      row_name(pen, "SRAM address", 12);
      for (const address of steps(low, high, 5)) {
        pen.fillStyle = ink("soft");
        pen.fillText(short_number(address), 6, Math.max(28, y_of(address)), kGutter - 10);
        pen.fillStyle = ink("line");
        pen.fillRect(kGutter, Math.round(y_of(address)), frame.width - kGutter - 8, 1);
      }
      const alpha = marked === null ? 0.85 : 0.35, narrow = { maps: new Map(), constants: new Map() };
      for (const block of list) {
        if (block.end_cycle <= frame.from || block.first_cycle >= frame.to) continue;
        const x = Math.max(kGutter, frame.x_of(block.first_cycle)), end = Math.min(frame.width - 8, frame.x_of(block.end_cycle));
        const top = y_of(block.end_byte), tall = Math.max(1, y_of(block.begin_byte) - top), wide = Math.max(1, end - x);
        if (wide < 1.5 && marked !== block) {
          add_narrow(narrow[block_kind(block)], Math.floor(x), Math.floor(top), Math.ceil(top + tall));
          continue;
        }
        pen.fillStyle = kBlockColors[block_kind(block)];
        pen.globalAlpha = marked === block ? 0.85 : alpha;
        pen.fillRect(x, top, wide > 3 ? wide - 0.5 : wide, tall > 3 ? tall - 0.5 : tall);
        pen.globalAlpha = 1;
        if (wide < 60 || tall < 12) continue;
        pen.save();
        pen.beginPath();
        pen.rect(x, top, wide - 3, tall);
        pen.clip();
        pen.fillStyle = "#000000";
        pen.fillText(shown(block.name), x + 4, top + Math.min(tall / 2, 10));
        pen.restore();
      }
      pen.globalAlpha = alpha;
      for (const [kind, columns] of Object.entries(narrow)) {
        pen.fillStyle = kBlockColors[kind];
        draw_narrow(pen, columns);
      }
      pen.globalAlpha = 1;
    },
    block_at(frame, x, y) {
      const cycle = frame.cycle_of(x);
      return x < kGutter ? undefined : list.find((block) => block.first_cycle <= cycle && cycle < block.end_cycle && y_of(block.end_byte) <= y && y <= y_of(block.begin_byte));
    },
    tip(frame, x, y) {
      const block = this.block_at(frame, x, y);
      return block ? block_text(block) : null;
    },
    click(frame, x, y) { marked = this.block_at(frame, x, y) ?? null; },
    mark(block) { marked = block; }
  };
}

function blocks_table(on_select) {
  const of_block = (name, value) => ({ name, kind: "number", value, text: (block) => whole(value(block)) });
  return make_table([{ name: "tensor", kind: "name", value: (block) => block.name },
    { name: "kind", kind: "word", value: (block) => block.is_constant ? "weights, tables, commands" : "feature map" },
    of_block("bytes", (block) => block.end_byte - block.begin_byte), of_block("first address", (block) => block.begin_byte), of_block("end address", (block) => block.end_byte),
    of_block("from cycle", (block) => block.first_cycle), of_block("to cycle", (block) => block.end_cycle),
    of_block("cycles", (block) => block.end_cycle - block.first_cycle)],
  sram_blocks, { id: "block_table", words: "places", file: "sram.csv", on_select });
}
