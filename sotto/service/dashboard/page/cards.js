// The service line, the list of models and the three cards: one for each role.
import { $, el, fill, none, panel, setText, svg } from "./dom.js";
import { now, store } from "./feed.js";
import { line, path, plot, rect, scale, text } from "./plots.js";
import { bytes, clock, count, duration, milliseconds, parameter, percent, rate, short } from "./text.js";

const STATES = {
  ready: ["●", "running", "good"], starting: ["◔", "replaying", "warn"], halted: ["■", "halted", "warn"],
  draining: ["▽", "draining", "warn"], ended: ["▽", "ended", "warn"], frozen: ["■", "frozen", "bad"],
};

function describeState(figures) {
  if (!store.connected) return ["○", "unknown", "dim"];
  const state = STATES[figures ? figures.state : ""] || ["○", "unknown", "dim"];
  return figures && figures.state === "ready" && !figures.rounds ? ["○", "no rounds", "dim"] : state;
}

export function drawService(paused) {
  const state = store.state;
  const health = !store.connected ? ["↻ reconnecting", "warn"]
    : { ready: ["● ready", "good"], replaying: ["◔ replaying", "warn"], draining: ["▽ draining", "warn"],
      frozen: [`■ ${state.frozen} frozen`, "bad"] }[state.health] || ["○ unknown", "dim"];
  setText("health", store.known || !store.connected ? health[0] : "connecting", `pill ${health[1]}`);
  setText("service", store.service ? `/ ${store.service}` : "");
  setText("version", store.version || "-");
  setText("up", store.connected && state ? duration(now() - store.started) : "unknown");
  const records = [...store.models.values()].reduce((sum, m) => sum + ((m.figures || {}).records || 0), 0);
  const journal = state && state.frozen ? "■ see the frozen model" : `✓ durable, ${count(records)} records`;
  setText("journal", store.connected ? journal : "unknown");
  setText("anchor", store.connected && state ? (state.frozen ? `■ ${state.anchor}` : `✓ ${state.anchor}`) : "unknown");
  setText("disk", store.connected && state && state.disk ? `${bytes(state.disk.free)} free` : "unknown");
  setText("live", !store.connected ? "" : paused ? `paused at ${clock(store.asOf)}` : `live, ${clock(store.asOf)}`);
}

export function drawModels(selected) {
  const models = [...store.models.values()];
  const key = models.map((m) => [m.id, m.id === selected, describeState(m.figures), store.connected,
    m.figures && m.figures.rate, m.figures && m.figures.waiting, m.promise && m.promise.epsilon]);
  fill($("models"), key, () => models.length ? models.map((m) => {
    const [sign, word, level] = describeState(m.figures);
    const promise = m.promise || {};
    const figures = m.figures || {};
    return el("li", {}, el("button", { type: "button", "data-model": m.id, "aria-current": m.id === selected },
      el("span", { class: "row" }, el("b", {}, m.id),
        el("span", { class: `state ${level}` }, el("span", { "aria-hidden": "true" }, `${sign} `), word)),
      el("span", { class: "row" }, el("span", {}, promise.epsilon ?
        `${promise.model}, ε ${promise.epsilon}, δ ${parameter(Number(promise.delta))}` : "promise not read yet"),
      el("span", {}, store.connected ? `${rate(figures.rate || 0)}/s` : "")),
      el("span", { class: "row" }, el("span", {},
        figures.waiting ? `▨ ${count(figures.waiting)} labels waiting` : "▨ no labels waiting"))));
  }) : el("li", { class: "small" }, "None yet"));
  drawTotals(models);
}

function drawTotals(models) {
  const totals = new Map();
  for (const m of models) {
    const p = m.promise && m.promise.population;
    if (p) totals.set(p.name, p);
  }
  fill($("totals"), [...totals.values()], () => [...totals.values()].map((p) =>
    el("p", {}, "Same people, population ", el("b", {}, p.name), ": ",
      el("b", {}, `ε ${p.epsilon}, δ ${parameter(p.delta)}`), ` over ${p.models.length} models. `,
      p.limit ? `Limit ε ${p.limit.epsilon}, δ ${parameter(p.limit.delta)}.` : "No limit is set.")));
}

export function drawPromise(m) {
  const p = m.promise;
  setText("sentence", p ? p.sentence : "The model has not told its promise yet.");
  fill($("promise"), p, () => p ? [
    ["Budget", `ε ${p.epsilon}, δ ${p.delta} for each user, ${p.limit}`],
    ["In words", `A 50% suspicion about a user becomes ${p.suspicion}, plus δ`],
    ["Public", p.public.join("; ")], ["Protected", p.protected.join("; ")],
  ].flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]) : []);
}

// Error of the model, of the learner without privacy and of a constant, side by side.
function compare(width, m, error, show) {
  const rows = [[m.id, error.own, "own"], ["non-private", error.non_private, "plain"],
    ["constant", error.constant, "constant"]];
  const left = 86;
  const right = width - 92;
  const most = Math.max(...rows.map((r) => r[1] || 0)) * 1.02 || 1;
  const x = scale(0, most, left, right);
  return plot(width, 80, rows.map(([name, value]) =>
    `${name}: ${value === null ? "not measured" : show(value)}`).join("; "), rows.map(([name, value, kind], i) => {
    const y = 14 + i * 25;
    const items = [text(left - 8, y + 4, short(name), `${kind}-fill`, "end")];
    if (value === null) return [...items, text(left, y + 4, "not measured")];
    const end = x(value);
    const mark = kind === "own" ? svg("circle", { cx: end, cy: y, r: 5.5, class: "own-fill" })
      : kind === "plain" ? svg("path", { d: `M${end} ${y - 6}l6 6-6 6-6-6z`, class: "plain-fill" })
        : rect(end - 4.5, y - 4.5, 9, 9, "constant-fill");
    return [...items, line(left, y, end, y, `line ${kind}`), mark,
      text(width - 2, y + 4, show(value), `${kind}-fill`, "end")];
  }).flat());
}

export function drawWorking(m) {
  const f = m.figures;
  const error = f && f.error;
  const numbers = f && f.measure !== "wrong";
  const show = numbers ? (v) => v.toPrecision(4) : percent;
  const key = [error, f && f.rounds, f && f.rate, f && f.estimate];
  panel("working", key, (width) => {
    const rounds = el("p", { class: "small" }, `${count(f && f.rounds)} rounds, ${rate((f && f.rate) || 0)} a second.`);
    if (f && f.estimate) {
      return [el("p", {}, el("span", { class: "big" }, count(f.estimate.estimate ?? 0)), " counted"),
        el("p", { class: "small" }, "A count predicts nothing; its value is public."), rounds];
    }
    if (!error) return [none("No labelled round yet."), rounds];
    const cost = error.non_private === null
      ? "Not measured beside the learner without privacy: make the model with \"compare\": true."
      : numbers ? `Privacy costs ${show(error.own - error.non_private)}.`
        : `Privacy costs ${(100 * (error.own - error.non_private)).toFixed(1)} points.`;
    return [el("p", {}, el("span", { class: "big" }, show(error.own)),
      numbers ? " mean absolute error" : " of predictions wrong"),
    el("p", { class: "small" }, `Over the last ${count(error.window)} labelled rounds. ${cost}`),
    compare(width, m, error, show), rounds];
  });
}

function spark(width, m) {
  const right = width - 34;
  const known = m.latency.filter((l) => l[1] !== null);
  if (known.length < 2) return null;
  const most = Math.max(...known.map((l) => l[1]));
  const x = scale(0, 89, 0, right);
  const y = scale(0, most, 44, 4);
  const points = (i) => m.latency.map((l, k) => [x(k + 90 - m.latency.length), l[i] === null ? null : y(l[i])]);
  const [p50, p99] = known[known.length - 1];
  return plot(width, 48, `Latency of the last 90 seconds: p50 ${milliseconds(p50)} ms, p99 ${milliseconds(p99)} ms`,
    line(0, 44, right, 44, "grid-line"), path(points(1), "constant"), path(points(0), "tick"),
    text(right + 6, Math.min(y(p99) + 4, 30), "p99"), text(right + 6, 46, "p50", "strong"));
}

// The clock of groups: what a group buys and costs, in the service's words, and who came.
export function drawGroups(m) {
  const c = m.figures && m.figures.clock;
  $("groups-card").hidden = !c;
  if (!c) return;
  setText("groups-note", `${count(c.rounds)} places every ${c.seconds} s`);
  const facts = [["Full groups", `${count(c.full_groups)} of ${count(c.groups)}`],
    ["Last group", `${count(c.last_taken)} of ${count(c.rounds)} places taken`],
    ["Turned away", `${count(m.figures.turned_away)} requests since the start`]];
  panel("groups", [c, m.figures.turned_away], () => [el("p", {}, c.text), el("p", {}, c.buys), el("p", {}, c.costs),
    el("dl", { class: "facts" }, facts.flatMap(([n, v]) => [el("dt", {}, n), el("dd", {}, v)]))]);
}

export function drawHealthy(m) {
  const f = m.figures;
  panel("healthy-body", [f && f.latency, f && f.refusals, f && f.queue, m.latency.length], (width) => {
    if (!f) return none("No figures yet.");
    const r = f.refusals || {};
    const total = Object.values(r).reduce((a, b) => a + b, 0);
    const facts = [
      ["Durable lag", `${milliseconds(f.durable_lag_ms)} ms to journal and anchor`],
      ["Queue", `${count(f.queue)} waiting`],
      ["Refusals", `${count(total)} since the start: 401 ${count(r["401"])}, 429 ${count(r["429"])}, `
        + `503 ${count(r["503"])}, ticket ${count(r.ticket)}`],
    ];
    return [el("p", {}, el("span", { class: "big" }, milliseconds(f.latency.p50)),
      el("span", { class: "dim" }, ` / ${milliseconds(f.latency.p99)} ms`)),
    el("p", { class: "small" }, "Reply latency, p50 / p99, last minute"), spark(width, m),
    el("dl", { class: "facts" }, facts.flatMap(([n, v]) => [el("dt", {}, n), el("dd", {}, v)]))]
      .filter((node) => node !== null);
  });
}
