// SPDX-License-Identifier: Apache-2.0
// Numbers and names as text, and elements of the page. Texts that come from files go through shown() and become text nodes,
// never markup.

/** Characters that a reader could not see, or that turn a line around, are written as their number. */
function shown(text) {
  return String(text).replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
}

const kWholeFormat = new Intl.NumberFormat("en-US");  // made once: toLocaleString() makes one for each number
const whole = (value) => kWholeFormat.format(Math.round(value));
/** Three digits or more: "12,345", "12.3", "0.0123". */
function number(value) {
  const size = Math.abs(value);
  if (Number.isInteger(value) || size >= 1000) return whole(value);
  return size === 0 ? "0" : value.toFixed(Math.min(6, Math.max(0, 2 - Math.floor(Math.log10(size)))));
}
const percent = (value) => value > 0 && value < 0.005 ? "< 0.01 %" : value.toFixed(2) + " %";
const signed_percent = (value) => `${value < 0 ? "" : "+"}${value.toFixed(2)} %`;
function bytes(value) {
  for (const [unit, size] of [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10]]) {
    if (Math.abs(value) >= size) return number(value / size) + " " + unit;
  }
  return number(value) + " B";
}
function seconds(value) {
  for (const [unit, size] of [["s", 1], ["ms", 1e-3], ["us", 1e-6]]) {
    if (value >= size) return number(value / size) + " " + unit;
  }
  return number(value * 1e9) + " ns";
}
/** "waiting_for_token" as words. */
const words = (name) => name.replaceAll("_", " ");
/** {array: 3, epilogue: 2}: "array 3, epilogue 2", the largest first. */
const counts = (object) => Object.entries(object).sort((a, b) => b[1] - a[1]).map(([name, n]) => `${words(name)} ${whole(n)}`).join(", ");
const sum = (list, value) => list.reduce((total, entry) => total + value(entry), 0);

/** An element with attributes and children; a child that is no element becomes text, null is left out. */
function el(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}
function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}
function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== null) element.setAttribute(key, value);
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null) element.append(child instanceof Node ? child : shown(child));
  }
  return element;
}

/** A part of the page, in the list of contents too: there with the first word of its heading. One that draw_later() made is filled. */
function section(id, heading, ...children) {
  const empty = document.getElementById(id);
  if (empty) return fill(empty, {}, children);
  document.getElementById("contents").append(el("a", { href: "#" + id }, heading.split(" ")[0].replace(",", "")));
  const part = el("section", { id, "aria-label": heading }, el("h2", {}, heading), children);
  document.getElementById("main").append(part);
  return part;
}
const soft = (...children) => el("p", { class: "soft" }, ...children);
const tile = (name, value, detail) =>
  el("div", { class: "tile" }, el("span", { class: "soft" }, name), el("b", {}, value), detail ? el("span", { class: "soft" }, detail) : null);
/** Names and values; a value that is empty is left out. */
const facts = (pairs) => el("dl", {}, pairs.filter(([, value]) => value !== "" && value !== null).map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));

/** A name in one line, cut where it is too long; its title is all of `full`. */
const name_text = (short, full = short) => el("span", { class: "one_line", title: shown(full) }, short);

const tip = document.getElementById("tip");
function show_tip(event, text) {
  tip.textContent = text;
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  const left = event.clientX + 14 + box.width > innerWidth ? event.clientX - box.width - 10 : event.clientX + 14;
  const top = event.clientY + 14 + box.height > innerHeight ? event.clientY - box.height - 10 : event.clientY + 14;
  tip.style.left = Math.max(0, left) + "px";
  tip.style.top = Math.max(0, top) + "px";
}
const hide_tip = () => { tip.hidden = true; };

/** A file that the reader's browser saves. */
function save(name, text) {
  const link = el("a", { href: URL.createObjectURL(new Blob([text], { type: "text/plain" })), download: name });
  link.click();
  URL.revokeObjectURL(link.href);
}
/** A field of a CSV file (RFC 4180). */
const csv_field = (value) => /[",\r\n]/.test(value) ? `"${String(value).replaceAll('"', '""')}"` : String(value);
/** An argument as a shell takes it. */
const shell_quoted = (text) => /^[A-Za-z0-9_./:=,@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
/** Data that the program put into the page as JSON. */
const data_of = (id) => JSON.parse(document.getElementById(id).textContent);
/** The same of long lists, which it compressed: base64 of the format that zlib writes. */
async function packed_data_of(id) {
  const letters = atob(document.getElementById(id).textContent);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; ++i) bytes[i] = letters.charCodeAt(i);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json();
}

/** What is drawn with sizes and colours of the moment: called again when either changes. */
const drawers = [];
function drawn(draw) {
  drawers.push(draw);
  draw();
}
/** Parts of the page that have their heading only, in the order in which they are drawn once the reader has seen the others. */
const waiting = [];
function draw_later(id, heading, draw) {
  section(id, heading);
  waiting.push(draw);
}
function draw_next() {
  if (waiting.length === 0) return performance.mark("vernier-complete");
  waiting.shift()();
  setTimeout(draw_next);  // so that the page answers between two parts
}
let redraw_is_due = false;
function redraw() {
  if (redraw_is_due) return;
  redraw_is_due = true;
  requestAnimationFrame(() => {
    redraw_is_due = false;
    drawers.forEach((draw) => draw());
  });
}
/** A colour of the style sheet. */
const ink = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();

function start_page(title, draw_all) {
  document.getElementById("title").textContent = shown(title);
  const theme = document.getElementById("theme");
  theme.addEventListener("change", () => {
    if (theme.value) document.documentElement.dataset.theme = theme.value;
    else delete document.documentElement.dataset.theme;
    redraw();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  addEventListener("resize", redraw);
  for (const event of ["beforeprint", "afterprint"]) addEventListener(event, () => {
    while (waiting.length > 0) waiting.shift()();
    drawers.forEach((draw) => draw());
  });
  draw_all();
  performance.mark("vernier-ready");
  requestAnimationFrame(() => setTimeout(draw_next));
}
