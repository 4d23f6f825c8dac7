/**
 * Redis forgets a time after this many milliseconds. A running instance repeats its time, and an ended instance does
 * not.
 */
const NEWEST_TTL_MS = 10 * 60_000;

/** Stores a time under a name, unless a newer time is stored there. Returns the newest time, in epoch milliseconds. */
const NEWEST_SCRIPT = `
local held = tonumber(redis.call('GET', KEYS[1]) or '')
if held and held > tonumber(ARGV[1]) then return string.format('%.0f', held) end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return ARGV[1]
`;

export function tellTime(key: string, atMs: number): readonly string[] {
  return ['EVAL', NEWEST_SCRIPT, '1', key, String(Math.round(atMs)), String(NEWEST_TTL_MS)];
}

/** The time in the reply. Undefined when the reply is not from the script. */
export function readNewest(reply: unknown): number | undefined {
  const atMs = typeof reply === 'string' ? Number(reply) : Number.NaN;
  return Number.isFinite(atMs) ? atMs : undefined;
}
