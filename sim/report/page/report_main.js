// SPDX-License-Identifier: Apache-2.0
// The page of a run, part by part.

// A larger bound says nothing about a run; the JSON report has it.
const most_shown_bound_percent = 20;

function shown_bound(entry) {
  return entry.bound_percent === null || entry.bound_percent > most_shown_bound_percent ? "not measured" : percent(entry.bound_percent);
}

function draw_approximations() {
  const rows = report.approximations.map((entry) => [entry.what, entry.error, shown_bound(entry)]);
  section("approximations", "Approximations", soft("What the cycles of this run leave out or simplify, the most important first; at most so much of this run's cycles, all commands added up."),
    el("div", { id: "approximation_table" }, small_table(["what", "error", "at most"], rows, [2])));
}

function draw_configuration() {
  const value_text = (value) => typeof value === "number" ? number(value) : String(value);
  section("configuration", "Configuration", soft(`Every value of the machine; vernier config show ${report.config.name} prints them with their ranges.`),
    el("dl", { class: "wide", id: "config" }, Object.entries(report.config).map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value_text(value))))));
}

function draw_run() {
  const run = report.run, host = report.host_seconds;
  const command = el("pre", { id: "command_line" }, run.command_line);
  const copy = el("button", { type: "button", onclick: () => {
    getSelection().selectAllChildren(command);
    document.execCommand("copy");  // works in a file, where the clipboard's own interface may not
  } }, "Copy");
  const parts = [command, el("div", { class: "controls" }, copy), facts([
    ["version", report.tool_version], ["model", `${report.model.file}, sha256 ${report.model.sha256}`], ["inputs", run.inputs.join("; ")], ["seed", String(run.seed)],
    ["iterations", String(run.iterations)],
    ["host time", `${seconds(host.total)}: ${["import", "compile", "simulate", "check", "report"].map((phase) => `${phase} ${seconds(host[phase])}`).join(", ")}`]])];
  if (report.outputs.length) {
    parts.push(el("h3", {}, "Outputs"), small_table(["tensor", "shape", "type", "file"], report.outputs.map((output) =>
      [output.tensor, output.shape.join(" x "), output.dtype, [output.file, output.float_file].filter(Boolean).join(", ") || "not written"])));
  }
  if ((report.variables || []).length) {
    parts.push(el("h3", {}, "Variables"), small_table(["variable", "shape", "type", "bytes", "first value"], report.variables.map((variable) =>
      [variable.name, variable.shape.join(" x "), variable.dtype, String(variable.num_bytes), variable.first_value])));
  }
  if (report.check.folded.length) {
    parts.push(el("h3", {}, "Tensors that no command makes"), small_table(["tensor", "why"], report.check.folded.map((entry) => [entry.tensor, entry.reason])));
  }
  section("reproduce", "Reproduce", parts);
}

start_page(`${report.model.name} on ${report.config.name}`, () => {
  draw_summary();
  if (report.rtl) draw_rtl();
  draw_layers();
  if (has_cycles) {
    draw_causes();
    draw_roofline();
    let time = null;
    draw_later("time", kTimeHeading, () => { time = draw_time(); });
    if (sram_blocks.length > 0) draw_later("tensors", kTensorsHeading, () => draw_tensors(time));
    draw_approximations();
  }
  draw_configuration();
  draw_run();
});
