// SPDX-License-Identifier: Apache-2.0
// Amounts that move evenly over stretches of cycles: how much has moved until a cycle.

/**
 * stretches: arrays start and end (ascending or not), amounts: an array for each flow. What takes no time moves at once.
 * until(flow, cycle): what has moved before that cycle; the last cycle gives the sum of all amounts.
 */
function make_flows(count, start, end, amounts) {
  const all = new Float64Array(2 * count);
  all.set(start);
  all.set(end, count);
  all.sort();
  let edges = 0;
  for (let i = 0; i < all.length; ++i) if (i === 0 || all[i] !== all[edges - 1]) all[edges++] = all[i];
  const cycles = all.subarray(0, edges);
  function index_of(cycle) {  // the last edge at or before it; -1: none
    let low = 0, high = cycles.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (cycles[middle] <= cycle) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
  const from = new Int32Array(count), to = new Int32Array(count);
  for (let i = 0; i < count; ++i) {
    from[i] = index_of(start[i]);
    to[i] = index_of(end[i]);
  }
  const moved = amounts.map((amount) => {
    const rate_change = new Float64Array(cycles.length + 1), at_once = new Float64Array(cycles.length + 1), total = new Float64Array(cycles.length + 1);
    for (let i = 0; i < count; ++i) {
      const length = end[i] - start[i];
      if (length <= 0) {
        at_once[from[i]] += amount[i];
        continue;
      }
      rate_change[from[i]] += amount[i] / length;
      rate_change[to[i]] -= amount[i] / length;
    }
    let rate = 0;
    for (let i = 0; i < cycles.length; ++i) {
      rate += rate_change[i];
      const length = i + 1 < cycles.length ? cycles[i + 1] - cycles[i] : 0;
      total[i + 1] = total[i] + at_once[i] + rate * length;
    }
    return { total, at_once };
  });
  return {
    until(flow, cycle) {
      const i = index_of(cycle);
      if (i < 0) return 0;
      const { total, at_once } = moved[flow];
      if (i === cycles.length - 1) return total[i + 1];
      const length = cycles[i + 1] - cycles[i];
      return total[i] + at_once[i] + (total[i + 1] - total[i] - at_once[i]) * (cycle - cycles[i]) / length;
    },
    /** The most that moves in a cycle, over the edges between two cycles. */
    most(flow, from, to) {
      const { total, at_once } = moved[flow];
      let most = 0;
      for (let i = Math.max(0, index_of(from)); i + 1 < cycles.length && cycles[i] < to; ++i) {
        most = Math.max(most, (total[i + 1] - total[i] - at_once[i]) / (cycles[i + 1] - cycles[i]));
      }
      return most;
    }
  };
}
