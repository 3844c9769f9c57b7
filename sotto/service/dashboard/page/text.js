// Numbers and times as people read them.
const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

export const count = (n) => (n === null || n === undefined ? "-" : whole.format(n));
export const percent = (share) => `${(100 * share).toFixed(1)}%`;
export const rate = (n) => (n >= 10 ? whole.format(n) : n.toFixed(1));
// 0.000001 is 1e-6; rounded up, as every number of a promise.
export function parameter(n) {
  if (!(n > 0) || n >= 0.001) return String(n);
  const power = Math.floor(Math.log10(n) + 1e-9);
  return `${Number((Math.ceil((n / 10 ** power) * 100 - 1e-6) / 100).toFixed(2))}e${power}`;
}
// Names as long as plots have room for.
export const short = (name) => (name.length > 11 ? `${name.slice(0, 10)}…` : name);
export const clock = (seconds) => new Date(1000 * seconds).toTimeString().slice(0, 8);
export const milliseconds = (ms) =>
  ms === null || ms === undefined ? "-" : ms >= 100 ? whole.format(ms) : ms.toFixed(1);

export function duration(seconds) {
  const s = Math.max(0, Math.floor(seconds));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min`;
  if (s < 86400) return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
  return `${Math.floor(s / 86400)} d ${Math.floor((s % 86400) / 3600)} h`;
}

export function bytes(n) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let i = 0;
  for (; n >= 1000 && i < units.length - 1; ++i) n /= 1000;
  return `${n >= 10 || i === 0 ? whole.format(n) : n.toFixed(1)} ${units[i]}`;
}

export function shortTime(seconds, span) {
  const date = new Date(1000 * seconds);
  if (span > 2 * 86400) return `${date.getMonth() + 1}/${date.getDate()}`;
  return span > 600 ? date.toTimeString().slice(0, 5) : date.toTimeString().slice(0, 8);
}
