import { hash } from 'node:crypto';
import type { Budget } from '@guard/config/contract/ports';

/**
 * DeadlineTable.take as one step inside Redis, by the clock of Redis: those of the instances differ. The
 * counter is the time at which the budget is whole again, in milliseconds with their fraction.
 */
export const TAKE_SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local requests, per = tonumber(ARGV[1]), tonumber(ARGV[2])
local interval = per / requests
local held = tonumber(redis.call('GET', KEYS[1]) or '0') or 0
-- Further ahead than a whole budget is nobody: the clock was set back, and must not lock out.
if held > now + per + 1 then held = now end
local arrival = math.max(held, now)
local wait = arrival - now - (per - interval)
-- Half a millisecond of tolerance, for intervals that are fractions.
if wait > 0.5 then return string.format('%.3f', wait) end
local whole = arrival + interval
redis.call('SET', KEYS[1], string.format('%.3f', whole), 'PX', math.ceil(whole - now))
return '0'
`;

const SHA1 = hash('sha1', TAKE_SCRIPT, 'hex');

/** Runs the script that Redis should know by now. */
export function takeKnown(key: string, budget: Budget): readonly string[] {
  return ['EVALSHA', SHA1, '1', key, String(budget.requests), String(budget.perMs)];
}

/** Runs the script, and makes it known. */
export function takeUnknown(key: string, budget: Budget): readonly string[] {
  return ['EVAL', TAKE_SCRIPT, '1', key, String(budget.requests), String(budget.perMs)];
}

/** Milliseconds until a request fits, 0 when this one did; undefined for a reply that is not the script's. */
export function readTaken(reply: unknown): number | undefined {
  const waitMs = typeof reply === 'string' ? Number(reply) : Number.NaN;
  return Number.isFinite(waitMs) && waitMs >= 0 ? waitMs : undefined;
}
