import type { Budget } from '@guard/config/contract/ports';
import type { RedisLink } from './redis-link.ts';
import { Script } from './script.ts';

/** One counter in Redis. */
export interface Counter {
  readonly key: string;
  readonly budget: Budget;
}

/**
 * The counterpart of DeadlineTable.takeAll in Redis, as one atomic step. It uses the clock of Redis, because the clocks
 * of instances differ. A counter is the time at which its budget is full again, in milliseconds with a fraction. When a
 * request does not fit, the reply has the longest wait and the index of its counter.
 */
const TAKE = new Script(`
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local whole, refusing, longest = {}, 0, 0
for index, key in ipairs(KEYS) do
  local requests, per = tonumber(ARGV[2 * index - 1]), tonumber(ARGV[2 * index])
  local interval = per / requests
  local held = tonumber(redis.call('GET', key) or '0') or 0
  -- A time beyond a whole budget from now means that the clock was set back: ignore it.
  if held > now + per + 1 then held = now end
  local arrival = math.max(held, now)
  local wait = arrival - now - (per - interval)
  -- Half a millisecond of tolerance, for intervals that are fractions.
  if wait > 0.5 and wait > longest then refusing, longest = index, wait end
  whole[index] = arrival + interval
end
if refusing > 0 then return string.format('%.3f %d', longest, refusing - 1) end
for index, key in ipairs(KEYS) do
  redis.call('SET', key, string.format('%.3f', whole[index]), 'PX', math.ceil(whole[index] - now))
end
return '0'
`);

/** Takes one request from all counters, or from none. See {@link readTaken} for the reply. */
export function takeShared(
  link: Pick<RedisLink, 'ask'>,
  counters: readonly Counter[],
): Promise<unknown> {
  return TAKE.run(
    link,
    counters.map(({ key }) => key),
    counters.flatMap(({ budget }) => [budget.requests, budget.perMs]),
  );
}

/**
 * Reads a reply: the milliseconds until a request fits, and the index of the counter that refused the request. The wait
 * is 0 when the request fits. Undefined when the reply is not from the script.
 */
export function readTaken(
  reply: unknown,
): { readonly waitMs: number; readonly refusedBy: number } | undefined {
  const [wait = '', index = '0'] = typeof reply === 'string' ? reply.split(' ') : [];
  const waitMs = wait === '' ? Number.NaN : Number(wait);
  return Number.isFinite(waitMs) && waitMs >= 0 ? { waitMs, refusedBy: Number(index) } : undefined;
}
