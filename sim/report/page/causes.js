// SPDX-License-Identifier: Apache-2.0
// Cycles by layer: a column each, in the order of the network, stacked by what the cycles count for.

function draw_causes() {
  const causes = Object.keys(summed(report.layers.map((layer) => layer.attributed_cycles_by)));
  const holder = el("div", { id: "causes_chart", tabindex: 0, role: "img", "aria-label": "Cycles by layer, stacked by cause; arrow keys go from layer to layer", onkeydown: layer_keys });
  section("causes", "Causes of the cycles, by layer", legend(causes.map((name) => [words(name), cause_color(name)])), holder);
  drawn(() => {
    const width = holder.clientWidth, height = 260, left = 60, bottom = 24, top = 22;
    const most = Math.max(1, ...report.layers.map((layer) => layer.attributed_cycles));
    const y_of = (cycles) => height - bottom - cycles / most * (height - bottom - top);
    const pitch = (width - left - 6) / report.layers.length;
    const chart = svg("svg", { width, height });
    for (const cycles of steps(0, most, 5)) {
      chart.append(svg("line", { class: "axis", x1: left, x2: width, y1: y_of(cycles), y2: y_of(cycles) }),
        svg("text", { class: "tick", "data-value": cycles, x: left - 6, y: y_of(cycles) + 4, "text-anchor": "end" }, short_number(cycles)));
    }
    chart.append(svg("text", { class: "soft", x: 4, y: 10 }, "cycles"));
    const every = Math.max(1, Math.ceil(34 / pitch));
    report.layers.forEach((layer, i) => {
      const x = left + i * pitch, is_chosen = chosen.layer === layer;
      const column = svg("g", { "data-layer": i, class: is_faded(i) ? "faded" : null, onclick: () => choose_layer(layer), onmouseleave: hide_tip,
        onmousemove: (event) => show_tip(event, `${layer_name(i)}\n${operator_text(layer)}\n${whole(layer.attributed_cycles)} cycles, ${percent(layer.share_percent)}\n${counts(layer.attributed_cycles_by)}`) },
      svg("rect", { x, y: top, width: pitch, height: height - bottom - top, fill: is_chosen ? ink("mark") : "transparent" }));
      let below = 0;
      for (const name of causes) {
        const cycles = layer.attributed_cycles_by[name] ?? 0;
        if (cycles === 0) continue;
        column.append(svg("rect", { "data-name": name, x: x + pitch * 0.1, width: pitch * 0.8, y: y_of(below + cycles), height: y_of(below) - y_of(below + cycles), fill: cause_color(name) }));
        below += cycles;
      }
      chart.append(column);
      if (i % every === 0) chart.append(svg("text", { x: x + pitch / 2, y: height - 8, "text-anchor": "middle" }, i));
    });
    holder.replaceChildren(chart);
  });
}
