import type { Budget, Clock } from '@guard/config/contract/ports';
import type { DeadlineTable } from '../deadline-table.ts';
import type { RedisLink } from './redis-link.ts';
import { Script } from './script.ts';
import { budgetKey } from './store-keys.ts';

/**
 * Takes several requests from each counter. It refuses none, because they have already passed. Requests above the
 * budget are a debt. The debt of a counter is at most one budget, less one request. After the largest debt, one request
 * fits after a whole period. For each counter, the reply has the milliseconds until the budget is full again.
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

/** Maximum number of counters that wait for Redis. Further counters are counted only in this process. */
const MAX_COUNTERS = 10_000;

/**
 * While the reply of Redis is awaited, this thread can take this share of a budget, or UNTOLD_MIN requests if that is
 * more.
 */
const UNTOLD_PART = 1 / 20;
const UNTOLD_MIN = 20;

/** The requests that were taken from one counter, and that Redis has not confirmed yet. */
interface Untold {
  readonly name: string;
  readonly subject: string;
  readonly budget: Budget;
  /** `waiting` requests are for the next command, and `sent` requests are in the command that is under way. */
  waiting: number;
  sent: number;
}

/**
 * Takes from counters in Redis after the requests have passed, so no request waits for Redis. A copy of each counter in
 * this process decides. Each reply updates the copy, so that it includes the requests of all instances.
 *
 * Only one command is under way at a time. Requests that are taken meanwhile go into the next command, so that a busy
 * thread sends few commands. Several instances together can exceed a budget by the requests between two replies, and
 * their number is limited. These requests are a debt in Redis, so they are missing later.
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

  /** Takes one request. Returns 0 when the request fits, and otherwise the milliseconds until a request fits. */
  take(name: string, subject: string, budget: Budget): number {
    const intervalMs = budget.perMs / budget.requests;
    // The subject is remembered while its budget is in debt.
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

  /** Starts to send in a later turn of the event loop, so that all requests of this turn go into one command. */
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
        // The counter goes to the end of the map, after counters that have waited longer.
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
    // The fraction is rounded off, because it is below the precision of Redis's own sum and could look like a debt.
    const left =
      typeof reply === 'string' ? reply.split(' ').map((ms) => Math.floor(Number(ms))) : [];
    if (left.length !== batch.length || !left.every(Number.isFinite)) {
      this.#onUnanswered();
      return;
    }
    const nowMs = this.#clock();
    batch.forEach((untold, index) => this.#learn(untold, nowMs, left[index] ?? 0));
  }

  /** Updates the copy of a counter, so that it includes the requests of all instances. */
  #learn({ name, subject, budget }: Untold, nowMs: number, leftMs: number): void {
    const debtMs = leftMs - budget.perMs;
    // The copy itself cannot show a debt: a counter that is more than a period ahead means that the clock was set back.
    // So the debt is remembered separately. When it is over, the value that `raise` sets is within a period.
    if (debtMs > 0) this.#copies.remember(name, subject, nowMs + debtMs);
    this.#copies.raise(name, subject, nowMs + leftMs);
  }
}

/** Maximum number of requests of one budget that pass in this thread before Redis has confirmed them. */
function maxUntold({ requests }: Budget): number {
  return Math.max(UNTOLD_MIN, requests * UNTOLD_PART);
}
