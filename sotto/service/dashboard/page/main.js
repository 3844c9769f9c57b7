// Draws the page from what the feed knows, a few times a second and not while hidden or paused.
import { drawGroups, drawHealthy, drawModels, drawPromise, drawService, drawWorking } from "./cards.js";
import { $, el, fill, setText } from "./dom.js";
import { Feed, store } from "./feed.js";
import { drawOfficer } from "./officer.js";
import { drawBudget, drawCalibration, drawError, drawPublished, drawReleases, drawTimeline, drawWaiting } from "./panels.js";
import { clock } from "./text.js";

let selected = new URLSearchParams(location.hash.slice(1)).get("model");
let paused = false;
let pending = false;
let waiting = false;
let drawn = 0;             // when
const PAUSE = 200;         // milliseconds between drawings, however many events come
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
  drawn = performance.now();
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
    drawTimeline, drawWaiting, drawReleases, drawGroups, drawOfficer]) part(m);
}

// What a person did is drawn with the next frame.
function schedule(force) {
  if (pending || document.hidden || (paused && !force)) return;
  const early = drawn + PAUSE - performance.now();
  if (!force && early > 0) {
    if (!waiting) setTimeout(() => { waiting = false; schedule(false); }, early);
    waiting = true;
    return;
  }
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
    button.toggleAttribute("data-paused", paused);
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
