// Checks of a page by script: contrast of texts, names of controls, headings. Returns a list of
// problems. Run inside a function body.
const problems = [];
const seen = (e) => e.getClientRects().length > 0 && !e.closest(".hidden, .skip");
const numbers = (color) => (color.match(/[\d.]+/g) || []).map(Number);
function background(e) {
  for (let at = e; at; at = at.parentElement) {
    const c = numbers(getComputedStyle(at).backgroundColor);
    if (c.length < 4 || c[3] > 0.99) return c.slice(0, 3);
  }
  return [255, 255, 255];
}
const part = (v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
const light = ([r, g, b]) => 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
let texts = 0;
for (const e of document.querySelectorAll("#screen *")) {
  const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
  if (!own || !seen(e)) continue;
  texts += 1;
  const style = getComputedStyle(e);
  const inPlot = e instanceof SVGElement;
  const color = numbers(inPlot ? style.fill : style.color).slice(0, 3);
  const contrast = ratio(color, background(inPlot ? e.ownerSVGElement.parentElement : e));
  if (contrast < 4.5) problems.push(`contrast ${contrast.toFixed(2)} of "${e.textContent.slice(0, 40)}"`);
  if (parseFloat(style.fontSize) < 12) problems.push(`small text "${e.textContent.slice(0, 40)}"`);
}
if (texts < 30) problems.push(`only ${texts} texts`);
for (const e of document.querySelectorAll("#screen button, #screen a, #screen summary")) {
  if (!e.textContent.trim() && !e.getAttribute("aria-label")) problems.push("a control without a name");
}
for (const e of document.querySelectorAll("svg.plot")) {
  if (e.getAttribute("role") !== "img" || (e.getAttribute("aria-label") || "").length < 15) {
    problems.push("a plot without a sentence");
  }
}
for (const e of document.querySelectorAll("th")) if (!e.scope) problems.push("a heading without a scope");
for (const e of document.querySelectorAll("[aria-labelledby]")) {
  if (!document.getElementById(e.getAttribute("aria-labelledby"))) problems.push("a label that is missing");
}
for (const name of ["header", "nav", "main", "[aria-live]"]) {
  if (!document.querySelector(name)) problems.push(`no ${name}`);
}
if (!document.documentElement.lang) problems.push("no language");
const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
if (new Set(ids).size !== ids.length) problems.push("an id occurs twice");
if (document.documentElement.scrollWidth > innerWidth + 1) problems.push(`wider than the screen: ${document.documentElement.scrollWidth}`);
return problems;
