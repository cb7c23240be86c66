// SPDX-License-Identifier: Apache-2.0
// The panels over time: one window of cycles for all of them, moved by mouse, keys and buttons.

const kGutter = 96, kLeastWindow = 8;  // pixels for names at the left; cycles

/**
 * panels: {id, draw(pen, frame), height(), tip(frame, x, y)?, click(frame, x, y)?}. A frame has from, to, width, height, x_of(cycle),
 * cycle_of(x). Returns {canvas(id), window, go(from, to), watch(call)}.
 */
function make_time_view(panels, cycles) {
  const view = { from: 0, to: cycles };
  const watchers = [];
  let drag = null;
  const canvases = new Map(panels.map((panel) => [panel.id, el("canvas", { id: panel.id, "data-from": 0, "data-to": cycles })]));

  function frame_of(panel) {
    const canvas = canvases.get(panel.id), width = canvas.clientWidth, height = panel.height();
    const scale = (width - kGutter - 8) / (view.to - view.from);
    return { ...view, width, height, x_of: (cycle) => kGutter + (cycle - view.from) * scale, cycle_of: (x) => view.from + (x - kGutter) / scale };
  }
  function draw(panel) {
    const canvas = canvases.get(panel.id), frame = frame_of(panel), ratio = devicePixelRatio || 1;
    canvas.width = Math.round(frame.width * ratio);
    canvas.height = Math.round(frame.height * ratio);
    canvas.style.height = frame.height + "px";
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    pen.font = '12px system-ui, "DejaVu Sans", sans-serif';
    pen.textBaseline = "middle";
    pen.strokeStyle = pen.fillStyle = ink("line");
    for (const cycle of steps(view.from, view.to, frame.width / 130)) pen.fillRect(Math.round(frame.x_of(cycle)), 0, 1, frame.height);
    panel.draw(pen, frame);
    if (drag && drag.to !== drag.from) {
      pen.globalAlpha = 0.2;
      pen.fillStyle = ink("accent");
      pen.fillRect(Math.min(drag.from, drag.to), 0, Math.abs(drag.to - drag.from), frame.height);
      pen.globalAlpha = 1;
    }
    canvas.dataset.from = view.from;
    canvas.dataset.to = view.to;
  }
  function go(from, to) {
    const length = Math.min(cycles, Math.max(Math.min(kLeastWindow, cycles), to - from));
    const middle = (from + to) / 2;
    view.from = Math.min(cycles - length, Math.max(0, middle - length / 2));
    view.to = view.from + length;
    watchers.forEach((watch) => watch());
    redraw();
  }
  const zoom = (factor, at = (view.from + view.to) / 2) => go(at - (at - view.from) * factor, at + (view.to - at) * factor);
  const pan = (part) => go(view.from + part * (view.to - view.from), view.to + part * (view.to - view.from));
  const keys = { "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), ArrowLeft: () => pan(-0.2), ArrowRight: () => pan(0.2), Home: () => go(0, cycles), 0: () => go(0, cycles) };

  function bind(panel) {
    const canvas = canvases.get(panel.id);
    const inside = (event) => Math.max(kGutter, Math.min(canvas.clientWidth - 8, event.offsetX));
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      canvas.setPointerCapture(event.pointerId);
      drag = { from: inside(event), to: inside(event), is_pan: event.shiftKey, view: { ...view }, panel };
      hide_tip();
    });
    canvas.addEventListener("pointermove", (event) => {
      const frame = frame_of(panel);
      if (!drag) {
        const text = panel.tip?.(frame, event.offsetX, event.offsetY);
        return text ? show_tip(event, text) : hide_tip();
      }
      if (drag.is_pan) {
        const by = (drag.from - event.offsetX) / (frame.width - kGutter - 8) * (drag.view.to - drag.view.from);
        return go(drag.view.from + by, drag.view.to + by);
      }
      drag.to = inside(event);
      redraw();
    });
    canvas.addEventListener("pointerup", (event) => {
      if (!drag) return;
      const frame = frame_of(panel), { from, to, is_pan } = drag;
      drag = null;
      if (is_pan) return;
      if (Math.abs(to - from) >= 4) return go(frame.cycle_of(Math.min(from, to)), frame.cycle_of(Math.max(from, to)));
      panel.click?.(frame, event.offsetX, event.offsetY);
      redraw();
    });
    canvas.addEventListener("pointercancel", () => { drag = null; });
    canvas.addEventListener("pointerleave", hide_tip);
    canvas.addEventListener("dblclick", () => go(0, cycles));
    canvas.addEventListener("wheel", (event) => {
      if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) pan(event.deltaX / 1000);
      else if (event.ctrlKey || event.metaKey || event.altKey) zoom(event.deltaY > 0 ? 1.25 : 0.8, frame_of(panel).cycle_of(inside(event)));
      else return;
      event.preventDefault();
    }, { passive: false });
    drawn(() => draw(panel));
  }
  const button = (text, id, act) => el("button", { type: "button", id, onclick: act }, text);
  return {
    window: view, go, watch: (call) => watchers.push(call), canvas: (id) => canvases.get(id),
    start: () => panels.forEach(bind),
    on_key: (event) => {
      if (!(event.key in keys) || event.ctrlKey || event.metaKey || /INPUT|SELECT/.test(event.target.tagName)) return;
      event.preventDefault();
      keys[event.key]();
    },
    buttons: [button("Zoom in", "zoom_in", keys["+"]), button("Zoom out", "zoom_out", keys["-"]), button("Earlier", "earlier", keys.ArrowLeft),
      button("Later", "later", keys.ArrowRight), button("Whole run", "whole_run", keys[0]),
      button("Chosen layer", "chosen_layer", () => {
        const layer = chosen.layer;
        if (layer) go(layer.first_cycle - 0.05 * (layer.last_cycle - layer.first_cycle), layer.last_cycle + 0.05 * (layer.last_cycle - layer.first_cycle));
      })]
  };
}

/** The name of a panel's row, at the left. */
function row_name(pen, text, y) {
  pen.fillStyle = ink("ink");
  pen.fillText(text, 6, y, kGutter - 10);
}
/** Cycles along the top. */
const axis_panel = {
  id: "time_axis", height: () => 22,
  draw(pen, frame) {
    row_name(pen, "cycles", 11);
    pen.fillStyle = ink("ink");
    for (const cycle of steps(frame.from, frame.to, frame.width / 130)) pen.fillText(whole(cycle), frame.x_of(cycle) + 4, 11);
  }
};
