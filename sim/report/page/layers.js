// SPDX-License-Identifier: Apache-2.0
// The layers as a table, and what there is to know of the chosen one.

const sram_bytes = (layer) => layer.sram_read_bytes + layer.sram_write_bytes;
const external_bytes = (layer) => layer.external_read_bytes + layer.external_write_bytes;
function operator_text(layer) {
  const op = layer.main_operator, others = layer.operators.length - 1;
  const kernel = op.kernel.length ? " " + op.kernel.join("x") : "", stride = op.stride.some((s) => s !== 1) ? "/" + op.stride.join("x") : "";
  return `${op.name}${kernel}${stride}${op.output_channels ? " " + op.output_channels : ""}${others > 0 ? " +" + others : ""}`;
}
const of_layer = (name, field, help) => ({
  name, kind: "number", help, value: (layer) => layer[field], text: (layer) => whole(layer[field]),
  total: (layers) => whole(sum(layers, (layer) => layer[field]))
});

function layer_columns() {
  const most = Math.max(1, ...report.layers.map((layer) => layer.attributed_cycles));
  const columns = [
    { name: "#", kind: "number", value: (layer) => layer.layer_idx, total: () => "" },
    { name: "layer", kind: "name", value: (layer) => layer.name, cell: (layer) => name_text(short_names[layer.layer_idx], layer.name), total: (layers) => `${whole(layers.length)} layers` },
    { name: "operator", kind: "word", help: "the main operator with kernel/stride and output channels; +n: with n more in the same commands", value: operator_text }];
  if (has_cycles) {
    columns.push(of_layer("cycles", "attributed_cycles", "that belong to the layer; they sum to the cycles of the run"),
      { name: "by cause", kind: "text", help: "the same by what they count for; as long as the cycles", value: (layer) => counts(layer.attributed_cycles_by),
        cell: (layer) => parts_bar(layer.attributed_cycles_by, most, cause_color) },
      { name: "share", kind: "number", help: "of all cycles", value: (layer) => layer.share_percent, text: (layer) => percent(layer.share_percent),
        total: (layers) => percent(100 * sum(layers, (layer) => layer.attributed_cycles) / report.totals.cycles) });
  }
  if (!has_cycles) return [...columns, of_layer("MACs", "macs")];
  columns.push({ name: "util", kind: "number", help: "MACs / (cycles in which a command of the layer was at work x MACs per cycle)",
    value: (layer) => layer.mac_utilization_percent, text: (layer) => layer.macs ? percent(layer.mac_utilization_percent) : "-" },
  { name: "bound by", kind: "word", value: (layer) => layer.bound_by }, { name: "why", kind: "reason", value: (layer) => layer.bound_detail },
  of_layer("MACs", "macs"), of_layer("SRAM read B", "sram_read_bytes"), of_layer("SRAM written B", "sram_write_bytes"));
  if (report.layers.some((layer) => external_bytes(layer) > 0)) columns.push(of_layer("external read B", "external_read_bytes"), of_layer("external written B", "external_write_bytes"));
  columns.push({ name: "first cycle", kind: "number", help: "of its commands at work", value: (layer) => layer.first_cycle, text: (layer) => whole(layer.first_cycle) },
    { name: "last cycle", kind: "number", value: (layer) => layer.last_cycle, text: (layer) => whole(layer.last_cycle) });
  return columns;
}

function layer_details(layer) {
  if (!layer) return [soft("Choose a layer in any table or chart: its figures stand here, and the other charts mark it.")];
  const per_byte = (amount) => amount > 0 && layer.macs > 0 ? `, ${number(layer.macs / amount)} MACs per byte` : "";
  return [el("h3", {}, layer_name(layer.layer_idx)), facts([
    ["name in the source", layer.source_name], ["operators", layer.operators.join(", ")], ["main operator", operator_text(layer)],
    ["cycles", `${whole(layer.attributed_cycles)} (${percent(layer.share_percent)}): ${counts(layer.attributed_cycles_by)}`],
    ["bound by", `${layer.bound_by}${layer.bound_detail ? ": " + layer.bound_detail : ""}`],
    ["its commands' cycles", counts(layer.spent_cycles)],
    ["at work", `cycles ${whole(layer.first_cycle)} to ${whole(layer.last_cycle)}; ${whole(layer.working_cycles)} with a command at work, ${whole(layer.in_flight_cycles)} with one in flight`],
    ["MACs", layer.macs ? `${whole(layer.macs)}, utilisation ${percent(layer.mac_utilization_percent)}` : "none"],
    ["SRAM", `${whole(layer.sram_read_bytes)} B read, ${whole(layer.sram_write_bytes)} B written${per_byte(sram_bytes(layer))}`],
    ["external memory", external_bytes(layer) ? `${whole(layer.external_read_bytes)} B read, ${whole(layer.external_write_bytes)} B written${per_byte(external_bytes(layer))}` : "not used"],
    ["its whole story", [el("code", {}, `vernier explain ${shell_quoted(report.model.file)} --layer ${layer.layer_idx}`), ", with the options of this run that choose the machine"]]])];
}

function draw_layers() {
  const table = make_table(layer_columns(), report.layers, {
    id: "layer_table", words: "layers", file: "layers.csv", on_select: choose_layer,
    search: (layer) => `${layer.layer_idx} ${layer.name} ${layer.operators.join(" ")} ${operator_text(layer)} ${layer.bound_by} ${layer.bound_detail}`,
    on_filter: (found) => {
      chosen.found = found.length === report.layers.length ? null : new Set(found.map((layer) => layer.layer_idx));
      redraw();
    }
  });
  const details = el("div", { class: "details", id: "layer", "aria-live": "polite" }, has_cycles ? layer_details(null) : soft("No machine ran: only MACs are known."));
  section("layers", "Layers", soft("Click a heading to sort, a row to choose the layer. The filter looks at names, operators, bounds and reasons; the last line sums what it finds, and the charts fade the rest."),
    table.element, details);
  if (!has_cycles) return;
  chosen.watchers.push((layer) => {
    table.select(layer);
    details.replaceChildren(...layer_details(layer));
  });
}
