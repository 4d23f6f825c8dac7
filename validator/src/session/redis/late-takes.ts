import type { Budget, Clock } from '@guard/config/contract/ports';
import type { DeadlineTable } from '../deadline-table.ts';
import type { RedisLink } from './redis-link.ts';
import { Script } from './script.ts';
import { budgetKey } from './store-keys.ts';

/**
 * Takes several requests from each counter, without refusing any: they have passed already. What is above the budget is
 * a debt. A counter goes to one budget of debt at most. Then one request fits after a whole period. The reply has, for
 * each counter, in how many milliseconds the budget is full again.
 */
const LATE_TAKE = new Script(`
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local left = {}
for index, key in ipairs(KEYS) do
  local requests, per = tonumber(ARGV[3 * index - 2]), tonumber(ARGV[3 * index - 1])
  local interval = per / requests
  local held = tonumber(redis.call('GET', key) or '0') or 0
  -- A time beyond the largest debt means that the clock was set back: ignore it.
  if held > now + 2 * per then held = now end
  local whole = math.max(held, now) + tonumber(ARGV[3 * index]) * interval
  whole = math.min(whole, now + 2 * per - interval)
  redis.call('SET', key, string.format('%.3f', whole), 'PX', math.ceil(whole - now))
  left[index] = string.format('%.3f', whole - now)
end
return table.concat(left, ' ')
`);

/** Maximum number of counters in one command, so that the script delays no other command for long. */
const COUNTERS_A_COMMAND = 100;

/** Maximum number of counters that wait for Redis. Further ones are counted only here. */
const MAX_COUNTERS = 10_000;

/** This part of a budget may be taken here while the reply of Redis is awaited, or this number if it is more. */
const UNTOLD_PART = 1 / 20;
const UNTOLD_MIN = 20;

/** What was taken from one counter, and Redis has not confirmed. */
interface Untold {
  readonly name: string;
  readonly subject: string;
  readonly budget: Budget;
  /** Requests that wait for the next command, and those in the command that is under way. */
  waiting: number;
  sent: number;
}

/**
 * Takes from counters in Redis after the requests have passed, so no request waits for Redis. The decision is made by a
 * copy of each counter in this process. Each reply moves the copy to what all instances took.
 *
 * One command is under way at a time. What is taken meanwhile goes into the next one, so that a busy thread sends few
 * commands. Several instances exceed a budget by what they take between two replies, which is limited. The excess is a
 * debt in Redis, so it is missing later.
 */
export class LateTakes {
  readonly #copies: DeadlineTable;
  readonly #link: Pick<RedisLink, 'ask'>;
  readonly #clock: Clock;
  readonly #onUnanswered: () => void;
  readonly #untold = new Map<string, Untold>();
  #isTelling = false;

  constructor(
    copies: DeadlineTable,
    link: Pick<RedisLink, 'ask'>,
    clock: Clock,
    onUnanswered: () => void,
  ) {
    this.#copies = copies;
    this.#link = link;
    this.#clock = clock;
    this.#onUnanswered = onUnanswered;
  }

  /** Milliseconds until a request fits, 0 when it fits. */
  take(name: string, subject: string, budget: Budget): number {
    const intervalMs = budget.perMs / budget.requests;
    // The budget is in debt.
    if (this.#copies.remembers(name, subject, this.#clock)) return intervalMs;
    const key = `${name} ${subject}`;
    const untold = this.#untold.get(key);
    if (untold && untold.waiting + untold.sent >= maxUntold(budget)) return intervalMs;
    const waitMs = this.#copies.take(name, subject, this.#clock(), budget);
    if (waitMs > 0) return waitMs;
    if (untold) untold.waiting += 1;
    else if (this.#untold.size < MAX_COUNTERS) {
      this.#untold.set(key, { name, subject, budget, waiting: 1, sent: 0 });
    } else this.#onUnanswered();
    this.#tellSoon();
    return 0;
  }

  /** Begins in a later turn, after the requests of this turn. */
  #tellSoon(): void {
    if (this.#isTelling) return;
    this.#isTelling = true;
    setImmediate(() => void this.#tell());
  }

  async #tell(): Promise<void> {
    while (this.#untold.size > 0) {
      const batch: [string, Untold][] = [];
      for (const entry of this.#untold) {
        if (batch.push(entry) === COUNTERS_A_COMMAND) break;
      }
      for (const [, untold] of batch) {
        untold.sent = untold.waiting;
        untold.waiting = 0;
      }
      await this.#send(batch.map(([, untold]) => untold));
      for (const [key, untold] of batch) {
        untold.sent = 0;
        this.#untold.delete(key);
        // It goes behind the counters that have waited longer.
        if (untold.waiting > 0) this.#untold.set(key, untold);
      }
    }
    this.#isTelling = false;
  }

  async #send(batch: readonly Untold[]): Promise<void> {
    const reply = await LATE_TAKE.run(
      this.#link,
      batch.map(({ name, subject }) => budgetKey(name, subject)),
      batch.flatMap(({ budget, sent }) => [budget.requests, budget.perMs, sent]),
    );
    // The fraction is below the precision of Redis's own sum, so it could look like a debt.
    const left =
      typeof reply === 'string' ? reply.split(' ').map((ms) => Math.floor(Number(ms))) : [];
    if (left.length !== batch.length || !left.every(Number.isFinite)) {
      this.#onUnanswered();
      return;
    }
    const nowMs = this.#clock();
    batch.forEach((untold, index) => this.#learn(untold, nowMs, left[index] ?? 0));
  }

  /** Moves the copy of a counter to what all instances took. */
  #learn({ name, subject, budget }: Untold, nowMs: number, leftMs: number): void {
    const debtMs = leftMs - budget.perMs;
    // The copy itself cannot show a debt, because a counter beyond its period means that the clock was set back. When
    // the debt is paid, the time below is within the period.
    if (debtMs > 0) this.#copies.remember(name, subject, nowMs + debtMs);
    this.#copies.raise(name, subject, nowMs + leftMs);
  }
}

/** Requests of one budget that may pass in this thread before Redis has confirmed them. */
function maxUntold({ requests }: Budget): number {
  return Math.max(UNTOLD_MIN, requests * UNTOLD_PART);
}
