// SPDX-License-Identifier: Apache-2.0
// What charts share: colours, steps of an axis, legends, bars made of parts.

/** Work is blue, green and violet, waiting for memory orange and red, the rest grey and brown. */
const kCauseColors = {
  array: "#2f6fde", epilogue: "#86aef2", vector_unit: "#1a9e77", dma_in_sram: "#8f6fd8", dma_external: "#c2641a",
  waiting_for_load: "#e89b3c", waiting_for_copy: "#b99be6", nothing_at_work: "#9aa3ad", waiting_for_token: "#c9b037",
  dma: "#d98a2b", command_issue: "#6b7785", pipeline_fill: "#b4bec8", weight_load: "#d6478f", bank_conflict: "#a82020",
  port_contention: "#e46a6a", rescale_contention: "#4fb0a8", external_memory: "#b5432a", control_cpu: "#4d5a66",
  queue_full: "#a0785a", waiting_for_operands: "#88a04a", busy: "#2f6fde", idle: "#d3d9df"
};
const kBoundColors = { compute: "#2f6fde", vector: "#1a9e77", sram: "#c23b3b", external: "#e08a2c", control: "#7d8894" };
const cause_color = (name) => kCauseColors[name] ?? "#7d8894";
/** Neighbours in the network differ. */
const layer_color = (layer_idx) => `hsl(${(layer_idx * 137.508) % 360}, 52%, 52%)`;

/** Round numbers from 0 or `from` to `to`, about `count` of them. */
function steps(from, to, count) {
  if (!(to > from)) return [from];
  const rough = (to - from) / count, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough * 0.999);
  const list = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to * (1 + 1e-12); ++i) list.push(i * step + 0);
  return list;
}
/** Powers of `base` that lie around least and most, both above 0. */
function powers(least, most, base) {
  const list = [], exponent = (value) => Math.log(value) / Math.log(base);
  for (let e = Math.floor(exponent(least) + 1e-9); e <= Math.ceil(exponent(most) - 1e-9); ++e) list.push(base ** e);
  return list;
}
const short_number = (value) => {
  for (const [unit, size] of [["G", 1e9], ["M", 1e6], ["k", 1e3]]) if (Math.abs(value) >= size) return number(value / size) + unit;
  return number(value);
};

const legend = (entries) => el("ul", { class: "legend" }, entries.map(([name, color]) => el("li", {}, el("i", { style: `background:${color}` }), name)));

/** A bar whose parts {name: amount} fill `whole_amount`; the title says each. */
function parts_bar(parts, whole_amount, color_of) {
  const entries = Object.entries(parts).filter(([, amount]) => amount > 0);
  return el("div", { class: "bar", title: entries.map(([name, amount]) => `${words(name)} ${whole(amount)} (${percent(100 * amount / whole_amount)})`).join("\n") },
    entries.map(([name, amount]) => el("i", { "data-name": name, style: `width:${100 * amount / whole_amount}%;background:${color_of(name)}` })));
}
/** Sums of the objects' entries by name, in the order of the colours. */
function summed(objects) {
  const total = {};
  for (const name of Object.keys(kCauseColors)) {
    const amount = sum(objects, (object) => object[name] ?? 0);
    if (amount > 0) total[name] = amount;
  }
  for (const object of objects) for (const [name, amount] of Object.entries(object)) if (!(name in kCauseColors)) total[name] = (total[name] ?? 0) + amount;
  return total;
}
