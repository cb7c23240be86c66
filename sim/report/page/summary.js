// SPDX-License-Identifier: Apache-2.0
// What a reader wants to know first: the figures, what they assume, whether the values are right, where the cycles went.

function check_text() {
  const check = report.check;
  if (check.result === "skipped") return ["skipped", "values were not compared"];
  const compared = `${whole(check.elements_compared)} elements of ${whole(check.tensors_compared)} tensors`;
  return check.result === "match" ? ["match", compared] : ["MISMATCH", `${whole(check.elements_different)} of ${compared}`];
}

function summary_tiles() {
  const totals = report.totals, config = report.config;
  const tiles = [];
  if (has_cycles) {
    tiles.push(tile("Cycles", whole(totals.cycles), `${seconds(totals.seconds)} at ${number(config.clock_hz / 1e6)} MHz, ${number(totals.frames_per_second)} fps`));
    tiles.push(tile("MAC utilisation", percent(totals.mac_utilization_percent), `of ${whole(config.macs_per_cycle)} MACs per cycle`));
  }
  const [result, compared] = check_text();
  tiles.push(tile("Check", result, compared));
  tiles.push(tile("MACs", whole(totals.macs), has_cycles ? `${whole(totals.commands)} commands` : null));
  if (has_cycles) {
    tiles.push(tile("SRAM needed", bytes(totals.sram_peak_bytes), `of ${bytes(config.sram_bytes)}; weights of the network ${bytes(totals.weight_bytes)}`));
    tiles.push(tile("SRAM traffic", bytes(totals.sram_read_bytes + totals.sram_write_bytes), `read ${bytes(totals.sram_read_bytes)}, written ${bytes(totals.sram_write_bytes)}`));
    tiles.push(tile("External traffic", bytes(totals.external_read_bytes + totals.external_write_bytes), `read ${bytes(totals.external_read_bytes)}, written ${bytes(totals.external_write_bytes)}`));
    if (totals.first_inference_cycles !== totals.cycles)
      tiles.push(tile("First inference", whole(totals.first_inference_cycles), `cycles: ${bytes(totals.first_inference_loaded_bytes)} come into SRAM before it`));
  }
  return el("div", { class: "tiles", id: "tiles" }, tiles);
}

function difference_text(d) {
  const place = d.command_idx < 0 ? "" : `; layer ${d.layer_idx} ${d.layer_name} (${d.operators}), command ${d.command_idx} on ${d.unit}, cycles ${whole(d.start_cycle)} to ${whole(d.cycle)}`;
  return `First difference: tensor '${d.tensor}' [${d.coordinates.join(", ")}] expected ${d.expected}, found ${d.actual}${place}. ${d.operands}`;
}

function units_table() {
  const rows = Object.entries(report.units).map(([name, unit]) => [words(name),
    parts_bar({ busy: unit.busy_cycles, ...summed([unit.stall_cycles]), idle: unit.idle_cycles }, report.totals.cycles, cause_color),
    whole(unit.busy_cycles), whole(sum(Object.values(unit.stall_cycles), (n) => n)), whole(unit.idle_cycles), counts(unit.stall_cycles)]);
  const names = Object.keys(summed([{ busy: 1, idle: 1 }, ...Object.values(report.units).map((unit) => unit.stall_cycles)]));
  return [el("h3", {}, "Units"), soft("Busy, stalled and idle cycles of each unit; they sum to the cycles of the run."),
    el("div", { id: "units" }, small_table(["unit", "", "busy", "stalled", "idle", "stalls, the largest first"], rows, [2, 3, 4])),
    legend(names.map((name) => [words(name), cause_color(name)]))];
}

function ports_table() {
  const rate = (per_second) => per_second === 0 ? "-" : number(per_second / 1e9);
  const rows = Object.entries(report.bandwidth).filter(([, port]) => port.bytes > 0).map(([name, port]) => [words(name), whole(port.bytes),
    rate(port.average_bytes_per_second), rate(port.peak_bytes_per_second), rate(port.limit_bytes_per_second), port.peak_layer_idx < 0 ? "-" : name_text(layer_name(port.peak_layer_idx), report.layers[port.peak_layer_idx].name)]);
  const need = report.totals.least_external_bytes_per_cycle;
  return [el("h3", {}, "Memory ports"), soft("GB/s, 10^9 bytes per second; the peak is that of the busiest layer."),
    el("div", { id: "ports" }, small_table(["port", "bytes", "average", "peak", "limit", "busiest layer"], rows, [1, 2, 3, 4])),
    need === null ? null : soft(`With the same commands, cycles grow by more than 1 % below ${number(need)} bytes per cycle (${per_second(need)}) of external bandwidth.`)];
}

function queues_table() {
  const rows = report.queues.map((queue) => [queue.queue, whole(queue.depth_commands), whole(queue.most_commands), whole(queue.full_cycles), whole(queue.holding_cycles),
    queue.least_depth_commands === null ? `more than ${queue.depth_commands}` : whole(queue.least_depth_commands)]);
  return [el("h3", {}, "Queues"), soft("Commands that wait; cycles in which a queue was full, and of these those that held up a command; the depth that would do."),
    el("div", { id: "queues" }, small_table(["queue", "depth", "most", "full", "held up", "enough"], rows, [1, 2, 3, 4, 5]))];
}

// What was measured on RTL of machines like this one; "" for others.
function measured_text() {
  const measured = report.measured;
  if (!measured) return "";
  const what = measured.scope === "core" ? "whole networks on the core with its memory" : "commands alone, with banks and ports";
  const range = `${signed_percent(measured.least_percent)} to ${signed_percent(measured.greatest_percent)}`;
  return `Measured of ${what}: RTL takes ${range} of the model's cycles more, over ${measured.num_networks} networks on ${report.config.name} in memory mode ${measured.memory_mode} (docs/results/fidelity.md). `;
}

// What the model expects of what no RTL shows; "" where that is nothing.
function estimate_text() {
  const sum = report.approximations.reduce((total, entry) => total + (entry.estimate_percent ?? 0), 0);
  return sum > 0 && sum <= most_shown_bound_percent ? `Commands in flight together meet in banks, about ${sum.toFixed(2)} % of the cycles if they meet at random. ` : "";
}

function draw_summary() {
  const config = report.config;
  const shape = `${report.model.name} on ${config.name}, ${whole(config.macs_per_cycle)} MACs per cycle, memory ${config.memory_mode}, optimize ${config.optimize}, backend ${report.backend}`;
  const parts = [soft(shape), summary_tiles()];
  if (report.assumes) parts.push(el("p", { id: "assumes" }, el("b", {}, "The figures assume "), report.assumes + "."));
  if (has_cycles) {
    parts.push(soft("Values are exact, cycles approximate: ", measured_text(), estimate_text(), el("a", { href: "#approximations" }, `${report.approximations.length} approximations`), " have not been measured."));
  }
  const difference = report.check.first_difference;
  if (difference) parts.push(el("p", { class: "bad", id: "difference" }, difference_text(difference)));
  for (const warning of report.warnings) parts.push(el("p", { class: "bad" }, "Warning: ", warning));
  if (report.injected) parts.push(el("p", { class: "note" }, "Fault put in on purpose: ", report.injected));
  for (const note of report.notes) parts.push(el("p", { class: "note" }, note));
  if (has_cycles) {
    const causes = summed(report.layers.map((layer) => layer.attributed_cycles_by));
    parts.push(el("h3", {}, "Where the cycles went"), el("div", { id: "all_causes" }, parts_bar(causes, report.totals.cycles, cause_color)),
      legend(Object.entries(causes).map(([name, cycles]) => [`${words(name)} ${percent(100 * cycles / report.totals.cycles)}`, cause_color(name)])));
    parts.push(el("h3", {}, "Costliest layers"), el("div", { id: "costliest" }, small_table(["layer", "share", "bound by", "why"], report.costliest_layers.map((i) => {
      const layer = report.layers[i];
      return [el("a", { href: "#layers", onclick: () => choose_layer(layer) }, name_text(layer_name(i), layer.name)), percent(layer.share_percent), layer.bound_by, layer.bound_detail];
    }), [1])));
    parts.push(el("div", { class: "columns" }, el("div", {}, ports_table()), el("div", {}, queues_table())), ...units_table());
  }
  section("summary", "Summary", parts);
}
