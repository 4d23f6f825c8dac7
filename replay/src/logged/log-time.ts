const MONTHS = 'JanFebMarAprMayJunJulAugSepOctNovDec';

let lastMinute = '';
let lastZone = '';
let lastMinuteMs = 0;

/**
 * Converts `21/Nov/2026:10:15:30 +0100`, the format of nginx and Apache, to milliseconds since the epoch. The last
 * parsed minute is kept, because consecutive lines nearly always have the same minute.
 */
export function readLogTime(text: string): number | undefined {
  const minute = text.slice(0, 17);
  const zone = text.slice(21);
  const seconds = Number(text.slice(18, 20));
  if (text.length !== 26 || !(seconds >= 0 && seconds <= 60)) return undefined;
  if (minute !== lastMinute || zone !== lastZone) {
    const ms = readMinute(minute, zone);
    if (ms === undefined) return undefined;
    [lastMinute, lastZone, lastMinuteMs] = [minute, zone, ms];
  }
  return lastMinuteMs + seconds * 1000;
}

function readMinute(minute: string, zone: string): number | undefined {
  const parts = /^(\d\d)\/([A-Z][a-z]{2})\/(\d{4}):(\d\d):(\d\d)$/.exec(minute);
  const offset = /^([+-])(\d\d)(\d\d)$/.exec(zone);
  const month = MONTHS.indexOf(parts?.[2] ?? '-') / 3;
  if (!parts || !offset || !Number.isInteger(month) || month < 0) return undefined;
  const [, day, , year, hour, minutes] = parts.map(Number);
  const offsetMinutes = (Number(offset[2]) * 60 + Number(offset[3])) * (offset[1] === '-' ? -1 : 1);
  return Date.UTC(year ?? 0, month, day, hour, (minutes ?? 0) - offsetMinutes);
}

/**
 * Parses a time in a JSON log: ISO 8601, the format of `readLogTime`, ClickHouse's `2026-11-21 10:15:30.123`, or Unix
 * seconds.
 */
export function readAnyTime(value: unknown): number | undefined {
  if (typeof value === 'number') return secondsToMs(value);
  if (typeof value !== 'string') return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return secondsToMs(Number(value));
  const isUtcText = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?$/.test(value);
  const ms = Date.parse(isUtcText ? `${value.replace(' ', 'T')}Z` : value);
  return Number.isNaN(ms) ? readLogTime(value) : ms;
}

/** Some loggers write milliseconds. A number that would be in the far future as seconds is read as milliseconds. */
function secondsToMs(value: number): number | undefined {
  if (!(value > 0)) return undefined;
  return Math.round(value > 1e11 ? value : value * 1000);
}
