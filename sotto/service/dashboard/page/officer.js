// The officer's page: what is printed. Operator-only figures are left out, and it says so.
import { $, el, fill, makeTable } from "./dom.js";
import { now, store } from "./feed.js";
import { line, plot, scale, text } from "./plots.js";
import { clock, count, parameter } from "./text.js";

function epsilonScale(epsilon, suspicion) {
  const x = (v) => scale(-1, 1, 20, 640)(Math.log10(v));
  const at = x(Math.min(10, Math.max(0.1, epsilon)));
  const late = epsilon > 1;
  return plot(680, 44, `epsilon ${epsilon} on a scale from 0.1 to 10`, line(20, 20, 640, 20, "axis"),
    [0.1, 0.3, 1, 3, 10].flatMap((v) => [line(x(v), 16, x(v), 24, "axis"), text(x(v), 38, `ε ${v}`, "", "middle")]),
    line(at, 4, at, 20, "tick"),
    text(at + (late ? -8 : 8), 12, `this model: 50% becomes ${suspicion}`, "strong", late ? "end" : "start"));
}

const section = (title, ...content) => [el("h2", {}, title), ...content];
const sentence = (content) => el("p", {}, content.charAt(0).toUpperCase() + content.slice(1) + ".");

function population(p) {
  if (!p) return "No population is named for this model: other releases about the same people add up with this one.";
  const limit = p.limit ? ` Limit: ε ${p.limit.epsilon}, δ ${parameter(p.limit.delta)}.` : " No limit is set.";
  return `Population ${p.name}: ε ${p.epsilon}, δ ${parameter(p.delta)} over ${p.models.length} models.${limit}`;
}

// What the person who signs has to look at.
function openPoints(f) {
  const points = f.trouble ? [f.trouble.title] : [];
  if (!store.connected) points.push(`The service cannot be reached: figures are as of ${clock(store.asOf)}.`);
  return points;
}

export function drawOfficer(m) {
  const p = m.promise;
  const f = m.figures || {};
  const time = new Date(1000 * now()).toISOString().slice(0, 16).replace("T", " ");
  fill($("officer"), [p, f.state, f.rounds, f.records, time, store.service, store.connected], () => {
    if (!p) return el("p", {}, "The model has not told its promise yet.");
    const frozen = f.state === "frozen";
    const open = openPoints(f);
    const sure = store.connected && (f.state === "ready" || f.state === "halted");
    const left = [...p.public.slice(0, -1).map((name) => [name, "yes"]),
      ["one prediction per round, to its own user", "yes, from all others"],
      ["error rates, refusals, waiting labels", "NO: operator only, left out of this page"],
      ["journal, anchor, key file, history", "NO: keep as secret as the data"]];
    return [
      el("div", { class: "row" }, el("h1", {}, "Privacy report"), el("b", {}, frozen ? "FROZEN, not serving" : "PRIVATE")),
      el("div", { class: "row" }, el("span", {}, `Model ${m.id} (${p.model}), Sotto ${store.version}, service ${store.service}`),
        el("span", {}, `${time} UTC`)),
      el("div", { class: "numbers" }, [[`ε ${p.epsilon}`, "epsilon"], [`δ ${p.delta}`, "delta"],
        [p.limit.split(" ")[0], p.limit.split(" ").slice(1).join(" ")], [count(f.rounds), "rounds so far"]]
        .map(([value, name]) => el("div", {}, el("b", {}, value), name))),
      epsilonScale(Number(p.epsilon), p.suspicion),
      el("p", {}, `${p.sentence} A 50% suspicion about a user becomes ${p.suspicion}, plus δ.`),
      ...section("Who is protected", el("p", {}, "One user, by the name of the credential or of the request. Each person is assumed to use one name.")),
      ...section("From whom", sentence(p.from_whom)),
      ...section("What is protected", sentence(p.protected.join("; "))),
      ...section("What is public", sentence(p.public.join("; "))),
      ...section("What left the system", makeTable(["output", "covered by the promise?"], left, false)),
      ...section("Where the budget goes", makeTable(["part", "noise", "epsilon", "delta"], p.parts.map((part) =>
        [`${"\u00a0\u00a0".repeat(part.depth)}${part.name}${part.how ? ` (${part.how})` : ""}`, part.noise, part.epsilon, parameter(Number(part.delta))]), false)),
      ...section("Total over models on the same people", el("p", {}, population(p.population))),
      ...section("Assumptions", el("p", {}, "The noise is ChaCha20 under a secret key (computational). The schema and all "
        + `settings are public knowledge.${sure ? ` Journal and anchor agree at record ${count(f.records)}.` : ""}`)),
      ...section("Open points", ...(open.length ? open : ["None."]).map((point) => el("p", {}, point))),
      el("div", { class: "sign" }, el("div", {}, "Reviewed by (name, signature)"), el("div", {}, "Date")),
    ];
  });
}
