/** Formats numbers and times for people. Times are in the browser's time zone. */

const wholeNumber = new Intl.NumberFormat('en');
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** A number with separators: 12,345. */
export function count(value: number): string {
  return wholeNumber.format(value);
}

/** A short form from a million on, such as 1.2M, for small spaces. */
export function shortCount(value: number): string {
  return value < 1_000_000 ? wholeNumber.format(value) : short.format(value);
}

/** The share of a whole, such as 3.2 %. Small shares have more digits. */
export function percent(part: number, total: number): string {
  if (total === 0) return '0 %';
  const share = (100 * part) / total;
  if (share === 0 || share >= 99.95) return `${Math.round(share)} %`;
  return share < 0.1 ? '< 0.1 %' : `${share < 10 ? share.toFixed(1) : Math.round(share)} %`;
}

/** The change compared with an earlier number, such as +12 %. */
export function change(now: number, earlier: number): string {
  if (earlier === 0) return now === 0 ? 'no change' : 'none before';
  const share = Math.round((100 * (now - earlier)) / earlier);
  if (share === 0) return 'no change';
  if (share >= 900) return `${Math.round(now / earlier)} times as many`;
  return `${share > 0 ? '+' : '−'}${Math.abs(share)} %`;
}

/** A number with its noun: 1 request, 2 requests. */
export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

const timeOf = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});
const hourOf = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const dayOf = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const fullOf = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
});

/** A date and time: 24 Nov 2026, 14:02:07 UTC. */
export function fullTime(ms: number): string {
  return fullOf.format(ms);
}

/** The time of an event: 14:02:07 for today, else 24 Nov 14:02:07. */
export function eventTime(ms: number, now: number): string {
  const day = dayOf.format(ms);
  return day === dayOf.format(now) ? timeOf.format(ms) : `${day} ${timeOf.format(ms)}`;
}

const DAY = 86_400_000;

/**
 * A time on an axis. It is the day if a step is a day, the day and the hour if the range is several days, else only the
 * hour.
 */
export function axisTime(ms: number, rangeMs: number, stepMs: number): string {
  if (stepMs >= DAY) return dayOf.format(ms);
  if (rangeMs > 2 * DAY) return `${dayOf.format(ms)} ${hourOf.format(ms)}`;
  return rangeMs <= 10 * 60_000 ? timeOf.format(ms) : hourOf.format(ms);
}

/** A duration in words: 4 minutes, 3 days. */
export function duration(ms: number): string {
  const units = [
    [DAY, 'day'],
    [3_600_000, 'hour'],
    [60_000, 'minute'],
  ] as const;
  const [size, name] = units.find(([unit]) => ms >= unit * 2 || (ms === unit && unit !== DAY)) ?? [
    1000,
    'second',
  ];
  return plural(Math.max(0, Math.round(ms / size)), name);
}

/** Microseconds as 340 µs, 1.2 ms or 3.4 s. */
export function micros(us: number): string {
  if (us < 1000) return `${Math.round(us)} µs`;
  return us < 1_000_000
    ? `${(us / 1000).toFixed(us < 10_000 ? 1 : 0)} ms`
    : `${(us / 1e6).toFixed(1)} s`;
}
