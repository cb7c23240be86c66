// SPDX-License-Identifier: Apache-2.0
// A table that can be sorted by each column and filtered by words.

const kMostRows = 500;  // in the page at once; the filter finds the others

/**
 * columns: {name, value(row), text(row)?, cell(row)?, kind: "number" | "text" | "word" | "reason" | "name", total(rows)?, help?}. `value` is what
 * is sorted by and saved as CSV, `text` is how it is written, `cell` an element in its place. options: {id, file, words, search(row),
 * on_select(row), on_filter(rows), choice}. Returns {element, select(row), rows()}.
 */
function make_table(columns, rows, options) {
  let sorted_by = null, is_descending = false, chosen = null;
  const order = new Map(rows.map((row, i) => [row, i]));
  const head_cells = columns.map((column) => el("th", { scope: "col", class: column.kind, title: column.help ?? null },
    el("button", { type: "button", onclick: () => sort_by(column) }, column.name)));
  const body = el("tbody"), foot = el("tfoot");
  const search = el("input", { type: "search", placeholder: "filter: words, all of them", "aria-label": `Filter ${options.words}`, oninput: () => render(true) });
  const count = el("span", { class: "soft", role: "status" });
  const by_row = new Map();

  function matching() {
    const wanted = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const text_of = options.search ?? ((row) => columns.map((column) => column.value(row)).join(" "));
    const found = wanted.length === 0 ? [...rows] : rows.filter((row) => {
      const text = text_of(row).toLowerCase();
      return wanted.every((word) => text.includes(word));
    });
    if (!sorted_by) return found;
    const sign = is_descending ? -1 : 1, value = sorted_by.value;
    const compare = (a, b) => typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
    return found.sort((a, b) => sign * compare(value(a), value(b)) || order.get(a) - order.get(b));
  }
  function sort_by(column) {
    is_descending = sorted_by === column ? !is_descending : column.kind === "number";
    sorted_by = column;
    columns.forEach((one, i) => head_cells[i].setAttribute("aria-sort", one !== column ? "none" : is_descending ? "descending" : "ascending"));
    render(false);
  }
  function make_row(row) {
    const cells = columns.map((column) => el("td", { class: column.kind }, column.cell ? column.cell(row) : (column.text ?? column.value)(row)));
    if (!options.on_select) return el("tr", {}, cells);
    return el("tr", {
      tabindex: 0, onclick: () => options.on_select(row),
      onkeydown: (event) => {
        const next = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
        if (next) event.currentTarget[next]?.focus();
        else if (event.key === "Enter" || event.key === " ") options.on_select(row);
        else return;
        event.preventDefault();
      }
    }, cells);
  }
  function render(is_filtered) {
    const found = matching();
    body.replaceChildren(...found.slice(0, kMostRows).map((row) => {
      if (!by_row.has(row)) by_row.set(row, make_row(row));
      return by_row.get(row);
    }));
    foot.replaceChildren(...(columns.some((column) => column.total)
      ? [el("tr", {}, columns.map((column) => el("td", { class: column.kind }, column.total ? column.total(found) : "")))] : []));
    const is_cut = found.length > kMostRows ? `, the first ${whole(kMostRows)} shown` : "";
    count.textContent = `${whole(found.length)} of ${whole(rows.length)} ${options.words}${is_cut}`;
    if (is_filtered && options.on_filter) options.on_filter(found);
  }
  function as_csv() {
    const lines = [columns.map((column) => csv_field(column.name))];
    for (const row of matching()) lines.push(columns.map((column) => csv_field(column.value(row))));
    return lines.map((line) => line.join(",") + "\r\n").join("");
  }

  const element = el("div", { id: options.id },
    el("div", { class: "controls" }, search, count, el("button", { type: "button", onclick: () => save(options.file, as_csv()) }, "Save as CSV")),
    el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, head_cells)), body, foot)));
  render(false);
  return {
    element,
    select(row) {
      by_row.get(chosen)?.classList.remove("selected");
      chosen = row;
      by_row.get(row)?.classList.add("selected");
    }
  };
}

/** A table without controls: headings, rows of cells; columns of numbers by their index. */
function small_table(headings, rows, numbers = []) {
  const kind = (i) => numbers.includes(i) ? "number" : "text";
  return el("div", { class: "scroll cards" }, el("table", {}, el("thead", {}, el("tr", {}, headings.map((text, i) => el("th", { scope: "col", class: kind(i) }, text)))),
    el("tbody", {}, rows.map((row) => el("tr", {}, row.map((cell, i) => el("td", { class: kind(i), "data-label": headings[i] }, cell)))))));
}
