import { hash } from 'node:crypto';
import type { Budget } from '@guard/config/contract/ports';

/** One counter in Redis. */
export interface Counter {
  readonly key: string;
  readonly budget: Budget;
}

/**
 * DeadlineTable.takeAll as one step inside Redis, by the clock of Redis: those of the instances differ. A
 * counter is the time at which its budget is whole again, in milliseconds with their fraction. What does not
 * fit is answered with the counter that refuses it longest, and for how long.
 */
const TAKE_SCRIPT = `
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
`;

const SHA1 = hash('sha1', TAKE_SCRIPT, 'hex');

/** Runs the script that Redis should know by now. */
export function takeKnown(counters: readonly Counter[]): readonly string[] {
  return ['EVALSHA', SHA1, ...argumentsOf(counters)];
}

/** Runs the script, and makes it known. */
export function takeUnknown(counters: readonly Counter[]): readonly string[] {
  return ['EVAL', TAKE_SCRIPT, ...argumentsOf(counters)];
}

function argumentsOf(counters: readonly Counter[]): readonly string[] {
  const budgets = counters.flatMap(({ budget }) => [budget.requests, budget.perMs]);
  return [String(counters.length), ...counters.map(({ key }) => key), ...budgets.map(String)];
}

/**
 * Milliseconds until a request fits, and the index of the counter that it does not fit; 0 when it did fit.
 * Undefined for a reply that is not the script's.
 */
export function readTaken(
  reply: unknown,
): { readonly waitMs: number; readonly refusedBy: number } | undefined {
  const [wait = '', index = '0'] = typeof reply === 'string' ? reply.split(' ') : [];
  const waitMs = wait === '' ? Number.NaN : Number(wait);
  return Number.isFinite(waitMs) && waitMs >= 0 ? { waitMs, refusedBy: Number(index) } : undefined;
}
