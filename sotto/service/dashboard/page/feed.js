// The stream of events, and what is known from it. Knows no page.
const LOST_AFTER = 25000;  // milliseconds; the service says something every 10 s
const RETRY = 3;           // seconds
const MOST_POINTS = 120;
const MOST_RELEASES = 60;
const MOST_EVENTS = 40;
const MOST_SECONDS = 90;

export const store = {
  connected: false, known: false, service: "", version: "", started: 0, state: null,
  models: new Map(), lastId: null, heard: 0, asOf: 0, retryIn: 0, skew: 0,
};
export const now = () => Date.now() / 1000 + store.skew;

function model(id) {
  if (!store.models.has(id)) {
    store.models.set(id, {
      id, promise: null, figures: null, error: { step: 1, points: [] }, calibration: null,
      release: null, releases: { step: 1, points: [] }, events: [], latency: [],
    });
  }
  return store.models.get(id);
}

// The same rule as the server's: too many points become half as many.
function addPoint(series, point, step, most) {
  series.points.push(point);
  if (series.points.length > most || step > series.step) {
    series.points = series.points.filter((_, i) => i % 2 === 0);
  }
  series.step = step;
}

const handlers = {
  hello(data) {
    store.models.clear();
    Object.assign(store, {
      service: data.service, version: data.version, started: data.started, state: data.state, known: true,
      skew: data.now - Date.now() / 1000,
    });
    for (const entry of data.models) {
      const m = model(entry.id);
      m.promise = entry.promise;
      m.figures = entry.model;
      m.error = { step: entry.error.step, points: entry.error.points };
      m.calibration = entry.calibration;
      m.release = entry.release;
      m.releases = entry.releases || m.releases;
      m.events = entry.events;
    }
  },
  service(data) { store.state = data; store.started = data.started; },
  model(data) {
    const m = model(data.id);
    m.figures = data;
    m.latency.push([data.latency.p50, data.latency.p99]);
    if (m.latency.length > MOST_SECONDS) m.latency.shift();
  },
  promise(data) { model(data.id).promise = data; },
  error(data) { addPoint(model(data.id).error, data.point, data.step, MOST_POINTS); },
  calibration(data) { model(data.id).calibration = data; },
  release(data) {
    const m = model(data.id);
    m.release = data;
    if (data.step && data.columns) addPoint(m.releases, [data.t, data.n, data.columns], data.step, MOST_RELEASES);
  },
  event(data) {
    const m = model(data.id);
    m.events.push(data);
    if (m.events.length > MOST_EVENTS) m.events.shift();
  },
};

// Keeps a connection. `changed(kind, data)` is called after every event and every change of the
// connection.
export class Feed {
  constructor(changed) {
    this.changed = changed;
    this.source = null;
    this.open();
    setInterval(() => this.watch(), 1000);
  }

  open() {
    this.close();
    const last = store.lastId === null ? "" : `?last_event_id=${encodeURIComponent(store.lastId)}`;
    this.source = new EventSource(`/v1/events${last}`);
    store.heard = Date.now();
    this.source.onopen = () => { store.heard = Date.now(); };
    // Events of the service that are named "error" and errors of the connection go by one name.
    const isEvent = (event) => event instanceof MessageEvent;
    this.source.onerror = (event) => { if (!isEvent(event)) this.lose(); };
    for (const kind of Object.keys(handlers)) {
      this.source.addEventListener(kind, (event) => {
        if (isEvent(event)) this.take(kind, event);
      });
    }
  }

  close() {
    if (this.source) this.source.close();
    this.source = null;
  }

  take(kind, event) {
    const data = JSON.parse(event.data);
    store.lastId = event.lastEventId;
    store.heard = Date.now();
    store.asOf = now();
    const before = store.connected;
    store.connected = true;
    handlers[kind](data);
    if (!before) this.changed("connected", data);
    this.changed(kind, data);
  }

  lose() {
    this.close();
    const before = store.connected;
    store.connected = false;
    store.retryIn = RETRY;
    this.changed(before ? "lost" : "waiting", null);
  }

  watch() {
    if (this.source) {
      if (Date.now() - store.heard > LOST_AFTER) this.lose();
      return;
    }
    store.retryIn -= 1;
    this.changed("waiting", null);
    if (store.retryIn <= 0) this.open();
  }
}
