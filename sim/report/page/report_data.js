// SPDX-License-Identifier: Apache-2.0
// The run: the JSON report, and its commands and blocks of SRAM, which the page holds as columns.

const report = data_of("report");
const packed = await packed_data_of("commands");
const has_cycles = report.totals.cycles > 0;
const per_second = (bytes_per_cycle) => number(bytes_per_cycle * report.config.clock_hz / 1e9) + " GB/s";
/** Names as people tell them apart; a layer's own name stands in its title and its details. */
const short_names = data_of("short_names");
const layer_name = (layer_idx) => layer_idx < 0 ? "of no layer" : `${layer_idx} ${shown(short_names[layer_idx])}`;

/** Each number is told as the difference from the one before. */
function undelta(list) {
  const result = new Float64Array(list.length);
  for (let i = 0, before = 0; i < list.length; ++i) result[i] = before += list[i];
  return result;
}
const commands = {
  count: packed.count,
  layer_idx: Int32Array.from(packed.layer_idx),
  unit: (i) => packed.units[packed.unit[i]],
  queue: (i) => packed.queues[packed.queue[i]],
  dispatch_cycle: undelta(packed.dispatch_cycle),
  start_cycle: undelta(packed.start_cycle),
  end_cycle: undelta(packed.start_cycle),
  busy_cycles: packed.busy_cycles
};
packed.length_cycles.forEach((length, i) => { commands.end_cycle[i] += length; });
const kPorts = ["sram_read", "sram_write", "external_read", "external_write"];
for (const port of kPorts) commands[port + "_bytes"] = packed[port + "_bytes"];

/** By command: {name: cycles}. */
function named_cycles(columns) {
  const found = new Map();
  for (const [name, column] of Object.entries(columns)) {
    const at = undelta(column.at);
    column.cycles.forEach((cycles, i) => {
      if (!found.has(at[i])) found.set(at[i], {});
      found.get(at[i])[name] = cycles;
    });
  }
  return (i) => found.get(i) ?? {};
}
commands.stall_cycles = named_cycles(packed.stall_cycles);
commands.wait_cycles = named_cycles(packed.wait_cycles);

const kBlockFields = ["name", "is_constant", "begin_byte", "end_byte", "first_cycle", "end_cycle"];
const sram_blocks = (await packed_data_of("sram_blocks")).map((row) => Object.fromEntries(kBlockFields.map((field, i) => [field, row[i]])));

/** A command in words, a line a fact. */
function command_text(i) {
  const lines = [`command ${i}: ${layer_name(commands.layer_idx[i])}`,
    `${commands.unit(i)}${commands.queue(i) ? `, queue ${commands.queue(i)}` : ""}`,
    `cycles ${whole(commands.start_cycle[i])} to ${whole(commands.end_cycle[i])} (${whole(commands.end_cycle[i] - commands.start_cycle[i])}), dispatched ${whole(commands.dispatch_cycle[i])}`,
    `busy ${whole(commands.busy_cycles[i])}`];
  const stalls = counts(commands.stall_cycles(i)), waits = counts(commands.wait_cycles(i));
  if (stalls) lines.push(`stalls: ${stalls}`);
  if (waits) lines.push(`its unit waited before: ${waits}`);
  const moved = kPorts.filter((port) => commands[port + "_bytes"][i] > 0).map((port) => `${words(port)} ${whole(commands[port + "_bytes"][i])} B`);
  if (moved.length) lines.push(moved.join(", "));
  return lines.join("\n");
}

/** What all parts of the page show: one layer, chosen in any of them; and the layers that the table's filter lets through. */
const chosen = { layer: null, found: null, watchers: [] };
function choose_layer(layer) {
  chosen.layer = layer;
  chosen.watchers.forEach((watch) => watch(layer));
  redraw();
}
const is_faded = (layer_idx) => chosen.found !== null && !chosen.found.has(layer_idx);
/** Arrow keys go from layer to layer. */
function layer_keys(event) {
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!by) return;
  event.preventDefault();
  const now = chosen.layer === null ? (by > 0 ? -1 : report.layers.length) : chosen.layer.layer_idx;
  const next = report.layers[now + by];
  if (next) choose_layer(next);
}
