/** How long a time that was told stands without being told again: by then its instance is gone. */
const STANDS_MS = 10 * 60_000;

/** The newest of the times told under one name, in milliseconds since the epoch. */
const NEWEST_SCRIPT = `
local held = tonumber(redis.call('GET', KEYS[1]) or '')
if held and held > tonumber(ARGV[1]) then return string.format('%.0f', held) end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return ARGV[1]
`;

export function tellTime(key: string, atMs: number): readonly string[] {
  return ['EVAL', NEWEST_SCRIPT, '1', key, String(Math.round(atMs)), String(STANDS_MS)];
}

/** Undefined for a reply that is not the script's. */
export function readNewest(reply: unknown): number | undefined {
  const atMs = typeof reply === 'string' ? Number(reply) : Number.NaN;
  return Number.isFinite(atMs) ? atMs : undefined;
}
