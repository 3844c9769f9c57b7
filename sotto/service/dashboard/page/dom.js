// Builds elements. Texts become text nodes, so that names need no escaping.
const SVG = "http://www.w3.org/2000/svg";

function build(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

export const $ = (id) => document.getElementById(id);
export const el = (name, attributes, ...children) =>
  build(document.createElement(name), attributes, children);
export const svg = (name, attributes, ...children) =>
  build(document.createElementNS(SVG, name), attributes, children);

const keys = new WeakMap();

// Replaces the children only if the key changed: selections, focus and screen readers are left
// alone otherwise. Focus on a button inside moves to the button at the same place.
export function fill(node, key, make) {
  const text = JSON.stringify(key);
  if (keys.get(node) === text) return;
  keys.set(node, text);
  const buttons = () => [...node.querySelectorAll("button, summary, [tabindex]")];
  const focused = buttons().indexOf(document.activeElement);
  const made = make();
  node.replaceChildren(...(Array.isArray(made) ? made : [made]));
  if (focused >= 0 && buttons()[focused]) buttons()[focused].focus();
}

export function setText(id, text, className) {
  const node = $(id);
  if (node.textContent !== text) node.textContent = text;
  if (className !== undefined && node.className !== className) node.className = className;
}

export function none(text) {
  return el("p", { class: "none" }, text);
}

export function makeTable(headings, rows, numeric = true) {
  const cell = (name) => (value, i) =>
    el(name, { class: numeric && i > 0 ? "n" : null, scope: name === "th" ? "col" : null }, String(value));
  return el("table", {},
    el("thead", {}, el("tr", {}, headings.map(cell("th")))),
    el("tbody", {}, rows.map((row) => el("tr", {}, row.map(cell("td"))))));
}

const tables = new WeakMap();

// A table behind a plot, in a <details> that stays as its reader left it. Rows are made only while
// it is open.
export function tableBehind(panel, headings, makeRows) {
  let entry = tables.get(panel);
  if (!entry) {
    const heading = panel.parentElement.querySelector("h2, h3").textContent;
    const body = el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Table: ${heading}` });
    const details = el("details", {}, el("summary", {}, "Show as table"), body);
    entry = { details, body };
    tables.set(panel, entry);
    details.addEventListener("toggle", () => entry.update());
  }
  entry.update = () => {
    if (!entry.details.open) return;
    const rows = makeRows();
    fill(entry.body, rows, () => makeTable(headings, rows));
  };
  entry.update();
  return entry.details;
}

// A panel: what changes, and a table that stays.
export function panel(id, key, make, headings, makeRows) {
  const node = $(id);
  if (!node.firstElementChild || !node.firstElementChild.matches(".changing")) {
    node.replaceChildren(el("div", { class: "changing" }));
  }
  fill(node.firstElementChild, [key, node.clientWidth], () => make(node.clientWidth || 300));
  if (!headings) {
    while (node.childElementCount > 1) node.lastElementChild.remove();
    return;
  }
  const details = tableBehind(node, headings, makeRows);
  if (details.parentNode !== node) node.append(details);
}
