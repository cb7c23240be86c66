// SPDX-License-Identifier: Apache-2.0
// The run over time: schedule, bandwidth and memory above each other, over the same window of cycles.

/** How many bytes a port moves in a cycle, drawn as a curve below its limit. */
function make_port_panel(name, limit, flows, flow) {
  const height = 64, most = flows.most(flow, 0, report.totals.cycles);
  const top = Math.max(limit, most) * 1.05;
  const rate = (frame, x) => {
    const from = Math.max(frame.from, frame.cycle_of(x)), to = Math.min(frame.to, frame.cycle_of(x + 1));
    return to > from ? (flows.until(flow, to) - flows.until(flow, from)) / (to - from) : 0;
  };
  return {
    id: name.replaceAll(" ", "_"), height: () => height,
    draw(pen, frame) {
      const y_of = (value) => height - 2 - value / top * (height - 6);
      row_name(pen, name, 14);
      pen.fillStyle = ink("soft");
      pen.fillText(`limit ${number(limit)} B`, 6, 32, kGutter - 10);
      pen.fillText("per cycle", 6, 47, kGutter - 10);
      pen.fillStyle = ink("accent");
      for (let x = kGutter; x < frame.width - 8; ++x) pen.fillRect(x, y_of(rate(frame, x)), 1, y_of(0) - y_of(rate(frame, x)));
      pen.fillStyle = ink("bad");
      pen.fillRect(kGutter, y_of(limit), frame.width - kGutter - 8, 1);
      pen.fillStyle = ink("line");
      pen.fillRect(0, height - 1, frame.width, 1);
    },
    tip(frame, x) {
      if (x < kGutter) return null;
      const value = rate(frame, Math.floor(x));
      return `cycle ${whole(frame.cycle_of(x))}: ${name}\n${number(value)} bytes per cycle, ${per_second(value)}`;
    }
  };
}

function port_panels() {
  const config = report.config, external = config.external_bytes_per_cycle;
  const amounts = kPorts.map((port) => commands[port + "_bytes"]);
  const both = amounts[2].map((amount, i) => amount + amounts[3][i]);
  const flows = make_flows(commands.count, commands.start_cycle, commands.end_cycle, [...amounts, both]);
  const ports = [["SRAM read", config.sram_read_bytes_per_cycle, 0], ["SRAM written", config.sram_write_bytes_per_cycle, 1],
    ...(config.external_is_full_duplex ? [["outside read", external, 2], ["outside written", external, 3]] : [["outside", external, 4]])];
  const used = ports.filter(([, , flow]) => flows.until(flow, Infinity) > 0);
  return { flows, panels: used.map(([name, limit, flow]) => make_port_panel(name, limit, flows, flow)) };
}

/** What is in the window, in figures. */
function window_facts(view, gantt, in_flight, flows, use) {
  const { from, to } = view.window, length = to - from;
  const rows = gantt.lanes.map((lane, i) => {
    const cycles = in_flight[i].until(0, to) - in_flight[i].until(0, from);
    return [lane.queue, `${percent(100 * cycles / length)} of the cycles with a command in flight`];
  });
  kPorts.forEach((port, flow) => {
    const moved = flows.until(flow, to) - flows.until(flow, from);
    if (flows.until(flow, Infinity) > 0) rows.push([words(port), `${whole(moved)} B, ${number(moved / length)} per cycle, ${per_second(moved / length)}`]);
  });
  const step = use.at(from);
  rows.push(["SRAM reserved", `${whole(step.maps + step.constants)} B at the first of these cycles`]);
  return [el("b", {}, `cycles ${whole(from)} to ${whole(to)}`), ` (${whole(length)}, ${seconds(length / report.config.clock_hz)})`, facts(rows)];
}

/** Cycles with a command of the queue in flight, each counted once. */
function in_flight_of(lane) {
  const list = lane.rows.flat().sort((a, b) => commands.start_cycle[a] - commands.start_cycle[b]);
  const starts = [], ends = [];
  for (const i of list) {
    const start = Math.max(commands.start_cycle[i], ends.at(-1) ?? 0);
    if (commands.end_cycle[i] <= start) continue;
    starts.push(start);
    ends.push(commands.end_cycle[i]);
  }
  return make_flows(starts.length, starts, ends, [ends.map((end, i) => end - starts[i])]);
}

const kTimeHeading = "Schedule, bandwidth and memory over time", kTensorsHeading = "Tensors in SRAM";

/** Returns what a table of the tensors steers: {view, addresses, choice}. */
function draw_time() {
  const told = el("div", { class: "details", id: "command", "aria-live": "polite" }, soft("Click a bar of the schedule: its command stands here. The keys n and p go to the next and the previous one of its row."));
  const gantt = make_gantt((i) => told.replaceChildren(i < 0 ? soft("No command there.") : el("pre", {}, command_text(i))));
  const { flows, panels } = port_panels();
  const use = make_use_panel();
  const choice = el("select", { id: "address_choice", onchange: redraw }, [["maps", "feature maps"], ["constants", "weights, tables, commands"], ["all", "all"]].map(([value, text]) => el("option", { value }, text)));
  if (!sram_blocks.some((block) => !block.is_constant)) choice.value = "all";
  const addresses = make_address_panel(choice);
  const view = make_time_view([axis_panel, gantt, ...panels, use, addresses], report.totals.cycles);
  const in_flight = gantt.lanes.map(in_flight_of);
  const window_text = el("div", { class: "details", id: "window", "aria-live": "polite" });
  const refresh = () => window_text.replaceChildren(...window_facts(view, gantt, in_flight, flows, use));
  view.watch(refresh);
  refresh();
  section("time", kTimeHeading,
    soft("Drag to zoom into a stretch, shift-drag to move, double-click for the whole run; ctrl and the wheel zoom too. Keys, once the picture has the focus: + and - zoom, arrows move, 0 shows the whole run. "
      + "Bars have the colour of their layer; the line below a bar says how much of its flight was busy (blue) and stalled (brown). A command's bytes are spread evenly over its flight, so a port can seem to move more than its limit (red) for a moment."),
    el("div", { class: "controls" }, view.buttons, el("label", {}, "addresses of ", choice)),
    el("div", { class: "time", id: "time_panels", tabindex: 0, role: "group", "aria-label": "Schedule, bandwidth and memory over time",
      onkeydown: (event) => {
        if (event.key === "n" || event.key === "p") gantt.step(event.key === "n" ? 1 : -1);
        view.on_key(event);
      } }, [axis_panel, gantt, ...panels, use, addresses].map((panel) => view.canvas(panel.id))),
    legend([["feature maps", kBlockColors.maps], ["weights, tables, commands", kBlockColors.constants]]),
    el("div", { class: "columns" }, window_text, told));
  view.start();
  return { view, addresses, choice };
}

function draw_tensors({ view, addresses, choice }) {
  const table = blocks_table((block) => {
    table.select(block);
    addresses.mark(block);
    choice.value = choice.value === "all" ? "all" : block_kind(block);
    const margin = 0.1 * (block.end_cycle - block.first_cycle) + 1;
    view.go(block.first_cycle - margin, block.end_cycle + margin);
  });
  section("tensors", kTensorsHeading, soft("Each place that the schedule gives to a tensor, a part of one, or weights: where, and from the start of its first command to the end of the last one that it is kept for. Choose one to see it above."), table.element);
}
