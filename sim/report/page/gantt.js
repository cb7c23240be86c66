// SPDX-License-Identifier: Apache-2.0
// The schedule: a row a queue, a bar a command from its start to its end.

const kRowHeight = 22;

/** Commands of a queue by their start; those in flight together (an array command drains while the next one works) lie in rows. */
function queue_rows(queue) {
  const list = [];
  for (let i = 0; i < commands.count; ++i) if (commands.queue(i) === queue && commands.start_cycle[i] >= 0) list.push(i);
  list.sort((a, b) => commands.start_cycle[a] - commands.start_cycle[b]);
  const rows = [];
  for (const i of list) {
    const free = rows.find((row) => commands.end_cycle[row.at(-1)] <= commands.start_cycle[i]);
    if (free) free.push(i);
    else rows.push([i]);
  }
  return { queue, rows };
}
/** The first place in a row whose command ends after the cycle. */
function first_after(row, cycle) {
  let low = 0, high = row.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (commands.end_cycle[row[middle]] > cycle) high = middle;
    else low = middle + 1;
  }
  return low;
}

function make_gantt(on_choose) {
  const lanes = report.queues.map((entry) => queue_rows(entry.queue)).filter((lane) => lane.rows.length > 0);
  const rows = lanes.flatMap((lane) => lane.rows.map((row, i) => ({ row, name: i === 0 ? lane.queue : "", is_last: i + 1 === lane.rows.length })));
  let command = -1;

  function draw_row(pen, frame, { row, name }, y) {
    row_name(pen, name, y + kRowHeight / 2);
    const width = Math.ceil(frame.width), narrow = new Map();  // by colour: how much of each pixel is covered
    for (let k = first_after(row, frame.from); k < row.length && commands.start_cycle[row[k]] < frame.to; ++k) {
      const i = row[k], layer_idx = commands.layer_idx[i];
      const x = Math.max(kGutter, frame.x_of(commands.start_cycle[i])), end = Math.min(frame.width - 8, frame.x_of(commands.end_cycle[i]));
      const is_marked = chosen.layer && chosen.layer.layer_idx === layer_idx;
      const is_pale = is_faded(layer_idx) || (chosen.layer && !is_marked);
      if (end - x < 1.5) {
        const key = is_pale ? "pale" : layer_color(layer_idx);
        if (!narrow.has(key)) narrow.set(key, new Float32Array(width + 2));
        narrow.get(key)[Math.floor(x)] += end - x;
        continue;
      }
      pen.globalAlpha = is_pale ? 0.25 : 1;
      pen.fillStyle = layer_color(layer_idx);
      pen.fillRect(x, y + 2, Math.max(1, end - x - (end - x > 4 ? 0.5 : 0)), kRowHeight - 6);
      // Below, how much of it was busy; the rest are stalls. An amount, not a place.
      const busy = commands.busy_cycles[i] / Math.max(1, commands.end_cycle[i] - commands.start_cycle[i]);
      pen.fillStyle = kCauseColors.busy;
      pen.fillRect(x, y + kRowHeight - 4, (end - x) * busy, 3);
      pen.fillStyle = kCauseColors.external_memory;
      pen.fillRect(x + (end - x) * busy, y + kRowHeight - 4, (end - x) * (1 - busy), 3);
      if (i === command) {
        pen.strokeStyle = ink("ink");
        pen.lineWidth = 2;
        pen.strokeRect(x + 1, y + 2, Math.max(1, end - x - 2), kRowHeight - 6);
      }
      if (end - x > 46 && layer_idx >= 0) {
        pen.save();
        pen.beginPath();
        pen.rect(x, y, end - x - 3, kRowHeight);
        pen.clip();
        pen.fillStyle = "#000000";
        pen.fillText(layer_name(layer_idx), x + 4, y + kRowHeight / 2 - 1);
        pen.restore();
      }
      pen.globalAlpha = 1;
    }
    for (const [color, covered] of narrow) {
      pen.fillStyle = color === "pale" ? ink("soft") : color;
      for (let x = 0; x < width; ++x) {
        if (covered[x] === 0) continue;
        pen.globalAlpha = Math.min(1, Math.max(0.12, covered[x]) * (color === "pale" ? 0.25 : 1));
        pen.fillRect(x, y + 2, 1, kRowHeight - 6);
      }
    }
    pen.globalAlpha = 1;
  }
  function command_at(frame, x, y) {
    const place = rows[Math.floor(y / kRowHeight)];
    if (!place || x < kGutter) return -1;
    const at = first_after(place.row, frame.cycle_of(x)), slack = 2 / (frame.x_of(1) - frame.x_of(0));
    const i = place.row[at];
    if (i !== undefined && commands.start_cycle[i] <= frame.cycle_of(x) + slack) return i;
    const before = place.row[at - 1];
    return before !== undefined && commands.end_cycle[before] >= frame.cycle_of(x) - slack ? before : -1;
  }
  function choose(i) {
    command = i;
    on_choose(i);
    if (i >= 0 && commands.layer_idx[i] >= 0) choose_layer(report.layers[commands.layer_idx[i]]);
  }
  return {
    id: "gantt", height: () => rows.length * kRowHeight + 4, lanes,
    draw(pen, frame) {
      rows.forEach((place, i) => {
        draw_row(pen, frame, place, i * kRowHeight);
        pen.fillStyle = ink("line");
        if (place.is_last) pen.fillRect(0, (i + 1) * kRowHeight, frame.width, 1);
      });
    },
    tip(frame, x, y) {
      const i = command_at(frame, x, y);
      return i < 0 ? null : command_text(i);
    },
    click(frame, x, y) { choose(command_at(frame, x, y)); },
    /** The next command of the same row, or the one before. */
    step(by) {
      if (command < 0) return choose(rows[0].row[0]);
      const place = rows.find(({ row }) => row.includes(command));
      const next = place.row[place.row.indexOf(command) + by];
      if (next !== undefined) choose(next);
    },
    command: () => command
  };
}
