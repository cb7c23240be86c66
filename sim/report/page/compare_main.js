// SPDX-License-Identifier: Apache-2.0
// The page of a comparison: runs beside each other, the first of them the base.

const comparison = data_of("comparison");
const runs = comparison.runs;
const short_name = new Map(data_of("short_names").map((name, i) => [comparison.layers[i], name]));
const all_sram = (figures) => figures.sram_read_bytes + figures.sram_write_bytes;
const all_external = (figures) => figures.external_read_bytes + figures.external_write_bytes;
/** "+12.3 %"; what the base does not have is new. */
function change(base, value) {
  if (base === value) return "=";
  return base === 0 ? "new" : `${value > base ? "+" : ""}${(100 * (value - base) / base).toFixed(1)} %`;
}
const cycles_of = (layer, run) => layer.runs[run] ? layer.runs[run].cycles : 0;

function draw_runs() {
  const base = runs[0];
  const rows = runs.map((run, i) => [String(i), run.file, whole(run.cycles), i ? change(base.cycles, run.cycles) : "base", seconds(run.seconds), percent(run.mac_utilization_percent),
    whole(all_sram(run)), i ? change(all_sram(base), all_sram(run)) : "base", whole(all_external(run)), i ? change(all_external(base), all_external(run)) : "base"]);
  section("runs", "Runs", el("div", { id: "run_table" }, small_table(["run", "report", "cycles", "", "time", "MAC utilisation", "SRAM B", "", "external B", ""], rows, [0, 2, 3, 4, 5, 6, 7, 8, 9])));
}

function draw_differences() {
  const rows = comparison.differences.map((entry) => [entry.name, ...entry.values]);
  section("differences", "What differs", rows.length
    ? el("div", { id: "difference_table" }, small_table(["value", ...runs.map((run, i) => `${i} ${run.file}`)], rows)) : soft("Nothing: network, machine and version are the same."));
}

/** Bars to the left are layers that take fewer cycles than in the base, to the right more. */
function draw_changes(choice) {
  const holder = el("div", { id: "change_chart" });
  section("changes", "Where cycles changed", el("div", { class: "controls" }, el("label", {}, "run ", choice)), soft("The 25 layers that changed most against run 0, in cycles."), holder);
  drawn(() => {
    const run = Number(choice.value);
    const found = comparison.layers.map((layer) => ({ layer, by: cycles_of(layer, run) - cycles_of(layer, 0) })).filter(({ by }) => by !== 0)
      .sort((a, b) => Math.abs(b.by) - Math.abs(a.by)).slice(0, 25);
    if (found.length === 0) return holder.replaceChildren(soft("Every layer takes the same cycles."));
    const width = holder.clientWidth, pitch = 20, left = Math.min(360, width * 0.35), most = Math.abs(found[0].by);
    const middle = left + (width - left) / 2, scale = ((width - left) / 2 - 90) / most;
    const chart = svg("svg", { width, height: found.length * pitch + 4 });
    found.forEach(({ layer, by }, i) => {
      const size = Math.abs(by) * scale, x = by > 0 ? middle : middle - size;
      const name = shown(short_name.get(layer)), most_letters = Math.floor(left / 7);
      chart.append(svg("g", { "data-by": by, onmouseleave: hide_tip, onmousemove: (event) => show_tip(event, `${shown(layer.name)}\n${whole(cycles_of(layer, 0))} to ${whole(cycles_of(layer, run))} cycles`) },
        svg("text", { x: left - 8, y: i * pitch + 14, "text-anchor": "end" }, name.length > most_letters ? "..." + name.slice(3 - most_letters) : name),
        svg("rect", { x, y: i * pitch + 3, width: Math.max(1, size), height: pitch - 6, fill: by > 0 ? "#c2641a" : "#1a9e77" }),
        svg("text", { x: by > 0 ? middle + size + 4 : middle - size - 4, y: i * pitch + 14, "text-anchor": by > 0 ? "start" : "end" }, (by > 0 ? "+" : "") + whole(by))));
    });
    chart.append(svg("line", { class: "axis", x1: middle, x2: middle, y1: 0, y2: found.length * pitch }));
    holder.replaceChildren(chart);
  });
}

function draw_layers() {
  const columns = [{ name: "layer", kind: "name", value: (layer) => layer.name, cell: (layer) => name_text(short_name.get(layer), layer.name), total: (layers) => `${whole(layers.length)} layers` }];
  const figure = (name, of, run, help) => ({ name, kind: "number", help, value: (layer) => layer.runs[run] ? of(layer.runs[run]) : -1,
    text: (layer) => layer.runs[run] ? whole(of(layer.runs[run])) : "none", total: (layers) => whole(sum(layers, (layer) => layer.runs[run] ? of(layer.runs[run]) : 0)) });
  runs.forEach((run, i) => {
    columns.push(figure(`${i} cycles`, (figures) => figures.cycles, i, run.file));
    if (i > 0) {
      columns.push({ name: `${i} more`, kind: "number", help: "cycles more than run 0", value: (layer) => cycles_of(layer, i) - cycles_of(layer, 0),
        text: (layer) => whole(cycles_of(layer, i) - cycles_of(layer, 0)), total: (layers) => whole(sum(layers, (layer) => cycles_of(layer, i) - cycles_of(layer, 0))) },
      { name: `${i} change`, kind: "number", help: "of cycles, against run 0", value: (layer) => cycles_of(layer, 0) ? cycles_of(layer, i) / cycles_of(layer, 0) : Infinity,
        text: (layer) => layer.runs[i] ? change(cycles_of(layer, 0), cycles_of(layer, i)) : "gone" });
    }
    columns.push({ name: `${i} util`, kind: "number", help: run.file, value: (layer) => layer.runs[i]?.mac_utilization_percent ?? -1, text: (layer) => layer.runs[i] ? percent(layer.runs[i].mac_utilization_percent) : "none" },
      figure(`${i} SRAM B`, all_sram, i, run.file), figure(`${i} external B`, all_external, i, run.file),
      { name: `${i} why`, kind: "reason", help: "what it is bound by", value: (layer) => layer.runs[i]?.bound_detail ?? "" });
  });
  section("layers", "Layers", soft("Numbers in headings are those of the runs. Click a heading to sort."),
    make_table(columns, comparison.layers, { id: "layer_table", words: "layers", file: "comparison.csv", search: (layer) => layer.name + " " + layer.runs.map((run) => run?.bound_detail ?? "").join(" ") }).element);
}

start_page(`${runs.length} runs compared`, () => {
  const choice = el("select", { id: "compared_run", onchange: redraw }, runs.slice(1).map((run, i) => el("option", { value: i + 1 }, `${i + 1} ${run.file}`)));
  draw_runs();
  draw_differences();
  draw_changes(choice);
  draw_layers();
  section("made", "Made by", soft(`vernier compare of version ${comparison.tool_version}`));
});
