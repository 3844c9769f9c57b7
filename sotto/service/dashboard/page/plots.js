// Plots, drawn at the width they are shown at: text never scales. Lines have labels at their ends.
import { svg } from "./dom.js";

export const line = (x1, y1, x2, y2, className) => svg("line", { x1, y1, x2, y2, class: className });
export const text = (x, y, content, className, anchor) =>
  svg("text", { x, y, class: className, "text-anchor": anchor }, content);
export const rect = (x, y, width, height, className) =>
  svg("rect", { x, y, width: Math.max(0, width), height: Math.max(0, height), class: className });
export const scale = (from, to, low, high) => (v) =>
  low + (to > from ? (v - from) / (to - from) : 0) * (high - low);

export function plot(width, height, sentence, ...children) {
  return svg("svg", { class: "plot", width, height, viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": sentence }, ...children);
}

export function path(points, className) {
  let d = "";
  let pen = "M";
  for (const [x, y] of points) {
    if (y === null) { pen = "M"; continue; }
    d += `${pen}${x.toFixed(1)} ${y.toFixed(1)}`;
    pen = "L";
  }
  return svg("path", { d, class: `line ${className}` });
}

export function area(upper, lower, className) {
  const all = [...upper, ...lower.slice().reverse()];
  const d = all.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
  return svg("path", { d: d ? `${d}Z` : "", class: className });
}

// The end of a nice scale from 0, and its step: at most five lines.
export function niceTop(most) {
  if (!(most > 0)) return [1, 0.25];
  const raw = most / 4;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((f) => f * power).find((s) => s >= raw * 0.999);
  return [Math.ceil(most / step - 1e-9) * step, step];
}

// Moves labels apart, so that none covers another.
export function spread(labels, gap, low, high) {
  labels.sort((a, b) => a.y - b.y);
  let next = low;
  for (const label of labels) { label.y = Math.max(label.y, next); next = label.y + gap; }
  next = high;
  for (const label of labels.slice().reverse()) { label.y = Math.min(label.y, next); next = label.y - gap; }
  return labels;
}

// Times at round places: at most `most`.
export function timeTicks(from, to, most) {
  const steps = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 43200, 86400, 172800];
  const step = steps.find((s) => (to - from) / s <= most) || 604800;
  const ticks = [];
  for (let t = Math.ceil(from / step) * step; t <= to; t += step) ticks.push(t);
  return ticks;
}

export const SHAPES = {
  restart: (x, y) => svg("path", { d: `M${x} ${y - 6}l6 11h-12z`, class: "public-fill" }),
  rollback: (x, y) => svg("path", { d: `M${x} ${y + 6}l6-11h-12z`, class: "bad-fill" }),
  freeze: (x, y) => rect(x - 5, y - 5, 10, 10, "bad-fill"),
  halt: (x, y) => rect(x - 5, y - 5, 10, 10, "bad-fill"),
  handover: (x, y) => svg("path", { d: `M${x} ${y - 6}l6 6-6 6-6-6z`, class: "public-fill" }),
  refusals: (x, y) => svg("path", { d: `M${x - 5} ${y - 5}l10 10m0-10l-10 10`, class: "mark line" }),
};
