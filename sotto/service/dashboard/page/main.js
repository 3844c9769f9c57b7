// Draws the page from what the feed knows, at most once a frame and not while hidden or paused.
import { drawHealthy, drawModels, drawPromise, drawService, drawWorking } from "./cards.js";
import { $, el, fill, setText } from "./dom.js";
import { Feed, store } from "./feed.js";
import { drawOfficer } from "./officer.js";
import { drawBudget, drawCalibration, drawError, drawPublished, drawTimeline, drawWaiting } from "./panels.js";
import { clock } from "./text.js";

let selected = new URLSearchParams(location.hash.slice(1)).get("model");
let paused = false;
let pending = false;
const seen = new Map();  // when figures of a model were last current

function current() {
  if (selected && store.models.has(selected)) return store.models.get(selected);
  return store.models.values().next().value || null;
}

function say(message) {
  setText("say", message);
}

function drawBanner(m) {
  const trouble = m && m.figures && m.figures.trouble;
  const lost = !store.connected && store.asOf > 0;
  fill($("banner"), lost ? ["lost", store.retryIn, store.asOf] : trouble, () => {
    if (lost) {
      return el("div", { class: "banner warn" }, el("b", {}, "↻ No connection to the service."),
        el("div", {}, `Next attempt in ${Math.max(0, store.retryIn)} s. Figures are as of ${clock(store.asOf)}. `
          + "What is promised does not depend on this connection. ",
        el("button", { type: "button", id: "retry" }, "Try now")));
    }
    if (!trouble) return [];
    return el("div", { class: `banner ${trouble.level}` },
      el("b", {}, `${trouble.level === "bad" ? "■" : "◔"} ${trouble.title}`), el("div", {}, trouble.text),
      trouble.steps ? el("ol", {}, trouble.steps.map((step) => el("li", {}, step))) : null);
  });
}

function draw() {
  pending = false;
  const m = current();
  drawService(paused);
  drawModels(m ? m.id : null);
  drawBanner(m);
  $("empty").hidden = !(store.known && !m);
  $("model").hidden = !m;
  document.title = m ? `${m.id}: Sotto ${store.service}` : "Sotto";
  if (!m) return;
  const fresh = store.connected && m.figures && (m.figures.state === "ready" || m.figures.state === "halted");
  if (fresh && !paused) seen.set(m.id, store.asOf);
  m.seen = seen.get(m.id);
  document.documentElement.classList.toggle("stale", !fresh || paused);
  setText("as-of", fresh && !paused ? "" : m.seen ? `Figures as of ${clock(m.seen)}` : "Figures of an earlier start");
  setText("name", m.id);
  setText("kind", m.promise ? m.promise.summary : "");
  for (const part of [drawPromise, drawWorking, drawHealthy, drawPublished, drawBudget, drawError, drawCalibration,
    drawTimeline, drawWaiting, drawOfficer]) part(m);
}

function schedule(force) {
  if (pending || document.hidden || (paused && !force)) return;
  pending = true;
  requestAnimationFrame(draw);
}

const feed = new Feed((kind, data) => {
  if (kind === "lost") say("Connection to the service lost");
  if (kind === "connected") say("Connected to the service");
  if (kind === "event") say(`${data.id}: ${data.kind}. ${data.text}`);
  schedule(kind === "lost" || kind === "connected" || kind === "waiting");
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.dataset.model) {
    selected = button.dataset.model;
    history.replaceState(null, "", `#model=${encodeURIComponent(selected)}`);
    say(`Showing ${selected}`);
  } else if (button.id === "pause") {
    paused = !paused;
    button.setAttribute("aria-pressed", String(paused));
    button.textContent = paused ? "Resume" : "Pause";
  } else if (button.id === "print") {
    window.print();
  } else if (button.id === "retry") {
    feed.open();
  }
  schedule(true);
});
addEventListener("hashchange", () => {
  selected = new URLSearchParams(location.hash.slice(1)).get("model");
  schedule(true);
});
addEventListener("resize", () => schedule(true));
addEventListener("beforeprint", draw);
document.addEventListener("visibilitychange", () => schedule(true));
