// The panels of the public zone and of the operator's zone.
import { $, el, fill, none, panel, setText, svg } from "./dom.js";
import { area, line, niceTop, path, plot, rect, scale, SHAPES, spread, text, timeTicks } from "./plots.js";
import { clock, count, parameter, percent, short, shortTime } from "./text.js";

// The lines of a rule, with those that are new and those that are gone.
function markChanges(text, was) {
  if (!was || was === text) return text;
  const [now, old] = [text.split("\n"), was.split("\n")];
  const gone = old.filter((row) => row && !now.includes(row)).map((row) => `− ${row}`);
  return [...now.map((row) => (row && !old.includes(row) ? `+ ${row}` : `  ${row}`)), ...gone].join("\n");
}

export function drawPublished(m) {
  const r = m.release;
  const f = m.figures || {};
  if (f.estimate) {
    setText("published-note", "");
    const value = f.estimate.estimate ?? (f.estimate.above ? "above" : "below");
    return panel("published", f.estimate, () =>
      el("p", {}, el("span", { class: "big" }, typeof value === "number" ? count(value) : value),
        " with the noise of the promise"));
  }
  if (!r || (!r.columns && !r.text)) {
    setText("published-note", "");
    return panel("published", "none", () => none(f.phase === null || !m.promise ? "Nothing is published yet."
      : m.promise.public.length > 1 ? "Nothing is published yet."
        : "This model publishes nothing. Each user sees only their own prediction."));
  }
  const before = r.earlier && r.earlier.columns ? r.earlier : null;
  setText("published-note", `release ${count(r.n)}${before ? ` against ${count(before.n)}` : ""}`);
  const next = f.next_release_in === null || f.next_release_in === undefined ? ""
    : ` Next release in ${count(f.next_release_in)} rounds.`;
  if (!r.columns) {
    const was = r.earlier && r.earlier.text;
    return panel("published", [r.text, was, next], () => [el("pre", { tabindex: "0" }, markChanges(r.text || "", was)),
      el("p", { class: "small" }, `${was ? "+ new and − gone since about a minute before." : ""}${next}`)]);
  }
  const old = new Map(before ? before.columns : []);
  const rows = r.columns.map(([name, value]) => [name, value, old.has(name) ? old.get(name) : null]);
  panel("published", [rows, next], (width) => {
    const left = 78;
    const right = width - 62;
    const x = scale(0, Math.max(...rows.map((row) => Math.max(row[1], row[2] || 0)), 1e-9), left, right);
    const bars = rows.map(([name, value, was], i) => {
      const y = i * 22;
      const items = [text(left - 8, y + 15, short(name), "", "end"),
        rect(left, y + 5, x(value) - left, 12, "public-pale")];
      if (was === null) return [...items, text(width - 2, y + 15, value.toFixed(2), "", "end")];
      const change = value - was;
      return [...items, rect(Math.min(x(value), x(was)), y + 5, Math.max(1, Math.abs(x(value) - x(was))), 12,
        "public-fill"), line(x(was), y + 2, x(was), y + 20, "tick"),
      text(width - 2, y + 15, `${change < 0 ? "−" : "+"}${Math.abs(change).toFixed(2)}`, "", "end")];
    }).flat();
    return [plot(width, rows.length * 22 + 6, `How far each column can move the score: ${rows.map((row) =>
      `${row[0]} ${row[1].toFixed(2)}`).join(", ")}`, bars),
    el("p", { class: "small" }, `Bar: how far a column can move the score. Tick: about a minute before.${next}`)];
  }, ["column", "now", "before"], () =>
    rows.map(([name, value, was]) => [name, value.toFixed(3), was === null ? "-" : was.toFixed(3)]));
}

const MOST_LINES = 5;

// How far the columns that matter most now could move the score, over the model's life.
export function drawReleases(m) {
  const points = m.releases.points;
  $("releases-card").hidden = points.length < 2;
  if (points.length < 2) return;
  const newest = points[points.length - 1];
  const names = newest[2].slice().sort((a, b) => b[1] - a[1]).slice(0, MOST_LINES).map((column) => column[0]);
  const value = (point, name) => {
    const found = point[2].find((column) => column[0] === name);
    return found ? found[1] : null;
  };
  setText("releases-note", `${names.length} of ${newest[2].length} columns, releases ${count(points[0][1])} to ${count(newest[1])}`);
  panel("releases", [points, names], (width) => {
    const height = 170;
    const left = 40;
    const right = Math.max(left + 60, width - 104);
    const [from, to] = [points[0][0], newest[0]];
    const [top, step] = niceTop(Math.max(...points.flatMap((p) => names.map((name) => value(p, name) || 0))));
    const x = scale(from, to, left, right);
    const y = scale(0, top, height - 24, 10);
    const parts = [];
    for (let v = 0; v <= top + 1e-9; v += step) {
      parts.push(line(left, y(v), right, y(v), "grid-line"), text(left - 6, y(v) + 4, Number(v.toPrecision(3)), "", "end"));
    }
    for (const t of timeTicks(from, to, Math.max(2, (right - left) / 90))) {
      parts.push(text(x(t), height - 6, shortTime(t, to - from), "", "middle"));
    }
    const labels = names.map((name, i) => {
      parts.push(path(points.map((p) => [x(p[0]), value(p, name) === null ? null : y(value(p, name))]), `published dash${i}`));
      return { y: y(value(newest, name)) + 4, name: short(name) };
    });
    for (const label of spread(labels, 15, 14, height - 26)) parts.push(text(right + 6, label.y, label.name, "public-fill"));
    const sentence = names.map((name) => `${name} from ${(value(points[0], name) || 0).toFixed(2)} to ${value(newest, name).toFixed(2)}`);
    return [plot(width, height, `How far columns could move the score, over time: ${sentence.join(", ")}`, parts),
      el("p", { class: "small" }, "How far a column could move the score.")];
  }, ["time", "release", ...names], () => points.map((p) => [clock(p[0]), count(p[1]), ...names.map((name) =>
    (value(p, name) === null ? "-" : value(p, name).toFixed(3)))]));
}

const RULES = {
  max: "each round is in one part: the largest counts, not the sum", sum: "the parts add up",
  joint: "the parts are composed together", alone: "",
};

export function drawBudget(m) {
  const p = m.promise;
  setText("budget-note", p ? `ε ${p.epsilon}, δ ${p.delta} a user` : "");
  fill($("budget"), p && [p.parts, p.total_rule], () => {
    if (!p || !p.parts.length) return none("The parts are not known.");
    const head = ["Part", "Noise", "ε", "δ"].map((h, i) =>
      el("th", { scope: "col", class: i > 1 ? "n" : null }, h));
    const rows = p.parts.map((part) => el("tr", {},
      el("td", { class: `in${Math.min(part.depth, 2)}` }, part.name,
        part.how ? el("span", { class: "small" }, ` (${part.how})`) : null),
      el("td", { class: "small" }, part.noise),
      el("td", { class: "n" }, part.epsilon), el("td", { class: "n" }, parameter(Number(part.delta)))));
    return [el("div", { class: "table" }, el("table", {}, el("thead", {}, el("tr", {}, head)), el("tbody", {}, rows))),
      el("p", { class: "small" }, `${RULES[p.total_rule] ? `Total: ${RULES[p.total_rule]}. ` : ""}`
        + "Set before the first round; does not depend on the data.")];
  });
}

// Half the width of a 95% interval of a rate.
const halfWidth = (p, n) => (n > 0 ? 1.96 * Math.sqrt(Math.max(p * (1 - p), 0.25 / n) / n) : 0);

// Lines of events with their names, as far as the names do not cover each other: the newest first.
function nameMarks(marks, left, right, bottom) {
  const wide = (name) => 8 * name.length;
  let free = right;
  return marks.slice().reverse().flatMap(([x, name]) => {
    const start = Math.min(x + 3, free - wide(name));
    const mark = line(x, 10, x, bottom, "mark");
    if (start < left || start + wide(name) < x) return [mark];
    free = start - 4;
    return [mark, text(start, 20, name, "operator-fill")];
  });
}

function errorSeries(m) {
  const points = m.error.points.filter((p) => p[2] !== null);
  const f = m.figures;
  if (f && f.error && points.length) {
    const last = points[points.length - 1];
    points.push([Math.max(last[0], m.seen || last[0]), f.error.window, f.error.own, f.error.non_private,
      f.error.constant]);
  }
  return points;
}

export function drawError(m) {
  const points = errorSeries(m);
  const numbers = m.figures && m.figures.measure !== "wrong";
  const show = numbers ? (v) => v.toPrecision(3) : percent;
  if (points.length < 2) return panel("error", "none", () => none("No labelled round yet."));
  const names = [[2, m.id, "own"], [3, "non-private", "plain"], [4, "constant", "constant"]];
  panel("error", [points, m.events], (width) => {
    const height = 220;
    const left = 44;
    const right = Math.max(left + 60, width - 104);
    const [from, to] = [points[0][0], points[points.length - 1][0]];
    const band = (p) => (numbers ? 0 : halfWidth(p[2], p[1]));
    const [top, step] = niceTop(Math.max(...points.flatMap((p) => [p[2] + (p[1] > 200 ? band(p) : 0), p[3] || 0, p[4] || 0])));
    const x = scale(from, to, left, right);
    const y = scale(0, top, height - 24, 10);
    const parts = [];
    for (let v = 0; v <= top + 1e-9; v += step) {
      parts.push(line(left, y(v), right, y(v), "grid-line"),
        text(left - 6, y(v) + 4, numbers ? Number(v.toPrecision(3)) : `${Number((100 * v).toPrecision(3))}%`, "", "end"));
    }
    for (const t of timeTicks(from, to, Math.max(2, (right - left) / 90))) {
      parts.push(text(x(t), height - 6, shortTime(t, to - from), "", "middle"));
    }
    const clamp = (v) => y(Math.min(top, Math.max(0, v)));
    parts.push(area(points.map((p) => [x(p[0]), clamp(p[2] + band(p))]),
      points.map((p) => [x(p[0]), clamp(p[2] - band(p))]), "band"));
    const marks = m.events.filter((e) => e.t >= from && e.t <= to && e.kind !== "refusals").slice(-6);
    parts.push(...nameMarks(marks.map((e) => [x(e.t), e.kind]), left, right, height - 24));
    const labels = [];
    for (const [i, name, kind] of names) {
      const known = points.filter((p) => p[i] !== null && p[i] !== undefined);
      if (!known.length) continue;
      parts.push(path(points.map((p) => [x(p[0]), p[i] === null ? null : y(p[i])]), kind));
      const value = known[known.length - 1][i];
      labels.push({ y: y(value) + 4, name: short(name), value, kind });
    }
    for (const label of spread(labels, 30, 14, height - 40)) {
      parts.push(text(right + 6, label.y - 6, label.name, `${label.kind}-fill`),
        text(right + 6, label.y + 8, show(label.value), `${label.kind}-fill`));
    }
    const sentence = names.map(([i, name]) => {
      const v = points[points.length - 1][i];
      return `${name} ${v === null || v === undefined ? "not measured" : show(v)}`;
    }).join(", ");
    return plot(width, height, `Error over time. Now: ${sentence}.`, parts);
  }, ["time", "labelled rounds", m.id, "non-private", "constant"], () => points.map((p) => [clock(p[0]), count(p[1]),
    ...[2, 3, 4].map((i) => (p[i] === null || p[i] === undefined ? "not measured" : show(p[i])))]));
}

export function drawCalibration(m) {
  const bins = ((m.calibration && m.calibration.bins) || []).filter((b) => b[2] > 0)
    .map(([said, positive, n]) => [said / n, positive / n, n]);
  if (!bins.length) {
    return panel("calibration", "none", () => none("No labelled round with a probability yet."));
  }
  panel("calibration", bins, (width) => {
    const height = 220;
    const left = 44;
    const right = width - 12;
    const x = scale(0, 1, left, right);
    const y = scale(0, 1, 160, 10);
    const most = Math.max(...bins.map((b) => b[2]));
    const parts = [0, 0.5, 1].flatMap((v) => [line(left, y(v), right, y(v), "grid-line"),
      text(left - 6, y(v) + 4, `${100 * v}%`, "", "end"), text(x(v), height - 6, `${100 * v}%`, "", v === 1 ? "end" : "middle")]);
    parts.push(line(x(0), y(0), x(1), y(1), "line constant"));
    for (const [said, seen, n] of bins) {
      const half = halfWidth(seen, n);
      parts.push(line(x(said), y(Math.min(1, seen + half)), x(said), y(Math.max(0, seen - half)), "line own"),
        svg("circle", { cx: x(said), cy: y(seen), r: 4, class: "own-fill" }),
        rect(x(said) - 6, 198 - (28 * n) / most, 12, (28 * n) / most, "constant-fill"));
    }
    return [plot(width, height, `Calibration: ${bins.map((b) => `predicted ${percent(b[0])}, observed ${percent(b[1])}`)
      .join("; ")}`, parts), el("p", { class: "small" }, "Dots on the line: probabilities are right. Bars: how many rounds.")];
  }, ["predicted", "observed", "rounds"], () => bins.map((b) => [percent(b[0]), percent(b[1]), count(b[2])]));
}

export function drawTimeline(m) {
  const points = m.error.points;
  const events = m.events;
  if (points.length < 2) return panel("timeline", "none", () => none("No events yet."));
  const from = points[0][0];
  const to = Math.max(points[points.length - 1][0], ...events.map((e) => e.t));
  const lanes = [["Public", null, true], ["Releases", "release"], ["Hand-overs", "handover"], ["Restarts", "restart"],
    ["Roll-backs", "rollback"], ["Freeze, halt", "freeze"], ["Operator only", null, false], ["Refusals", "refusals"]];
  const start = Math.max(from, Math.min(from, to));
  panel("timeline", [points.length, points[points.length - 1], events], (width) => {
    const left = 96;
    const right = width - 10;
    const x = scale(start, to, left, right);
    const height = lanes.length * 22 + 24;
    const parts = timeTicks(start, to, Math.max(2, (right - left) / 90)).flatMap((t) => [
      line(x(t), 0, x(t), height - 24, "grid-line"), text(x(t), height - 8, shortTime(t, to - start), "", "middle")]);
    lanes.forEach(([name, kind, isPublic], i) => {
      const y = i * 22 + 12;
      parts.push(text(0, y + 4, name, kind ? "" : isPublic ? "public-fill" : "operator-fill"));
      if (!kind) return;
      parts.push(line(left, y + 10, right, y + 10, "grid-line"));
      if (kind === "release") {
        const counts = points.slice(1).map((p, k) => [points[k][0], p[0], p[6] - points[k][6]]);
        const most = Math.max(1, ...counts.map((c) => c[2]));
        for (const [a, b, n] of counts) {
          if (m.release && n > 0) parts.push(rect(x(a), y + 10 - (18 * n) / most, Math.max(1, x(b) - x(a) - 0.5), (18 * n) / most, "public-fill"));
        }
        return;
      }
      for (const e of events) {
        const match = e.kind === kind || (kind === "freeze" && e.kind === "halt");
        if (match && e.t >= start) parts.push(SHAPES[e.kind](x(e.t), y + 2));
      }
    });
    const list = events.slice(-5).reverse().map((e) => el("li", {}, el("time", {}, clock(e.t)), el("b", {}, e.kind),
      el("span", {}, `${e.text} (${e.visible === "public" ? "public" : "operator only"})`)));
    return [plot(width, height, `Events from ${clock(start)} to ${clock(to)}; the list below has the last of them`, parts),
      list.length ? el("ul", { class: "list" }, list) : el("p", { class: "small" }, "No events besides releases.")];
  }, ["time", "what", "who may see it"], () => events.map((e) => [clock(e.t), `${e.kind}: ${e.text}`,
    e.visible === "public" ? "public" : "operator only"]));
}

export function drawWaiting(m) {
  const f = m.figures || {};
  setText("waiting-note", f.waiting ? `${count(f.waiting)} open` : "");
  const rows = f.waiting_by_age || [];
  if (!f.waiting) return panel("waiting", "none", () => none("No labels waiting."));
  panel("waiting", [f.waiting, rows], (width) => {
    const most = Math.max(1, ...rows.map((r) => r[1]));
    const left = 112;
    const x = scale(0, most, left, width - 52);
    const bars = rows.flatMap(([name, n], i) => [text(left - 8, i * 26 + 17, name, "", "end"),
      rect(left, i * 26 + 5, Math.max(1, x(n) - left), 16, "constant-fill"), text(x(n) + 6, i * 26 + 17, count(n), "strong")]);
    const life = f.ticket_rounds ? `A ticket takes its label for ${count(f.ticket_rounds)} rounds. ` : "";
    const note = el("p", { class: "small" }, `${life}${rows.length ? "Age in rounds since the answer." : "Rounds without a label so far."}`);
    return rows.length ? [plot(width, rows.length * 26 + 6, `Waiting labels by age in rounds: ${rows.map((r) =>
      `${r[0]} ${r[1]}`).join(", ")}`, bars), note] : [el("p", { class: "big" }, count(f.waiting)), note];
  }, rows.length ? ["age in rounds", "labels"] : null, () => rows.map((r) => [r[0], count(r[1])]));
}
