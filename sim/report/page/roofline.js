// SPDX-License-Identifier: Apache-2.0
// Roofline: what a layer reaches, MACs per cycle at work, over what it gets out of a byte of a memory.

/** Each memory by the bytes of it, and what it can move in a cycle. */
function roofline_memories() {
  const config = report.config, external = config.external_bytes_per_cycle;
  const memories = config.external_is_full_duplex
    ? [["external memory, read", (layer) => layer.external_read_bytes, external], ["external memory, written", (layer) => layer.external_write_bytes, external]]
    : [["external memory", external_bytes, external]];
  memories.push(["SRAM, read", (layer) => layer.sram_read_bytes, config.sram_read_bytes_per_cycle], ["SRAM, written", (layer) => layer.sram_write_bytes, config.sram_write_bytes_per_cycle]);
  return memories.filter(([, bytes_of]) => report.layers.some((layer) => layer.macs > 0 && bytes_of(layer) > 0));
}

function draw_roofline() {
  const memories = roofline_memories();
  if (memories.length === 0) return;
  const choice = el("select", { id: "roofline_memory", onchange: redraw }, memories.map(([name], i) => el("option", { value: i }, name)));
  const holder = el("div", { id: "roofline_chart", tabindex: 0, role: "img", "aria-label": "Roofline; arrow keys go from layer to layer", onkeydown: layer_keys });
  const left_out = el("p", { class: "soft" });
  section("roofline", "Roofline", el("div", { class: "controls" }, el("label", {}, "bytes of ", choice)), legend(Object.entries(kBoundColors).map(([name, color]) => [`bound by ${name}`, color])),
    holder, left_out, soft("A point is a layer, its area the share of all cycles. Bytes that came ahead, before the layer's first command, count too: such a point can lie above the slope. "
      + "The flat roof is that of int8; int16 x int8 takes two passes and reaches half of it, int16 x int16 a quarter."));
  drawn(() => {
    const [name, bytes_of, bytes_per_cycle] = memories[Number(choice.value)];
    const roof = report.config.macs_per_cycle;
    const points = report.layers.filter((layer) => layer.macs > 0 && bytes_of(layer) > 0 && layer.working_cycles > 0)
      .map((layer) => ({ layer, x: layer.macs / bytes_of(layer), y: layer.macs / layer.working_cycles }));
    const width = holder.clientWidth, height = 380, left = 60, bottom = 40, top = 28, right = 24;
    const knee = roof / bytes_per_cycle;
    const x_ticks = powers(Math.min(knee / 2, ...points.map((p) => p.x)), Math.max(knee * 2, ...points.map((p) => p.x)), 2);
    const y_ticks = powers(Math.min(roof / 2, ...points.map((p) => p.y)), roof, 2);
    const scale = (ticks, from, to) => (value) => from + (Math.log(value) - Math.log(ticks[0])) / (Math.log(ticks.at(-1)) - Math.log(ticks[0])) * (to - from);
    const x_of = scale(x_ticks, left, width - right), y_of = scale(y_ticks, height - bottom, top);
    const chart = svg("svg", { width, height });
    const every = Math.ceil(x_ticks.length / (width / 60));
    x_ticks.forEach((value, i) => {
      chart.append(svg("line", { class: "axis", x1: x_of(value), x2: x_of(value), y1: top, y2: height - bottom }));
      if (i % every === 0) chart.append(svg("text", { class: "x tick", "data-value": value, x: x_of(value), y: height - bottom + 16, "text-anchor": "middle" }, number(value)));
    });
    for (const value of y_ticks) {
      chart.append(svg("line", { class: "axis", x1: left, x2: width - right, y1: y_of(value), y2: y_of(value) }),
        svg("text", { class: "y tick", "data-value": value, x: left - 6, y: y_of(value) + 4, "text-anchor": "end" }, number(value)));
    }
    chart.append(svg("text", { class: "soft", x: width - right, y: height - 6, "text-anchor": "end" }, `MACs per byte of ${name}`),
      svg("text", { class: "soft", x: 4, y: 10 }, "MACs per cycle"));
    // The slope from where it enters the picture to the knee, then flat.
    const x_in = Math.max(x_ticks[0], y_ticks[0] / bytes_per_cycle);
    chart.append(svg("polyline", { class: "roof", points: [[x_in, x_in * bytes_per_cycle], [knee, roof], [x_ticks.at(-1), roof]].map(([x, y]) => `${x_of(x)},${y_of(y)}`).join(" ") }),
      svg("text", { class: "soft", x: width - right, y: y_of(roof) - 8, "text-anchor": "end" }, `${whole(roof)} MACs per cycle, ${number(bytes_per_cycle)} bytes per cycle`));
    for (const { layer, x, y } of points.sort((a, b) => b.layer.attributed_cycles - a.layer.attributed_cycles)) {
      const classes = [is_faded(layer.layer_idx) ? "faded" : "", chosen.layer === layer ? "selected" : ""].join(" ").trim();
      chart.append(svg("circle", { "data-layer": layer.layer_idx, class: classes || null, cx: x_of(x), cy: y_of(y), r: 4 + 26 * Math.sqrt(layer.attributed_cycles / report.totals.cycles),
        fill: kBoundColors[layer.bound_by] ?? "#7d8894", "fill-opacity": 0.75, onclick: () => choose_layer(layer), onmouseleave: hide_tip,
        onmousemove: (event) => show_tip(event, `${layer_name(layer.layer_idx)}\n${operator_text(layer)}\n${number(x)} MACs per byte, ${number(y)} MACs per cycle\nbound by ${layer.bound_by}${layer.bound_detail ? ": " + layer.bound_detail : ""}`) }));
    }
    holder.replaceChildren(chart);
    const others = report.layers.length - points.length;
    left_out.textContent = others ? `${others} layers have no MACs, or move no byte there, and are no points.` : "";
  });
}
