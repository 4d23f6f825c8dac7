import type {
  Budget,
  Charge,
  Clock,
  MaybePromise,
  Metrics,
  Session,
  SessionStore,
} from '@guard/config/contract/ports';
import { allocateDeadlines, DeadlineTable } from '../deadline-table.ts';
import { readStoredSession, writeStoredSession } from '../stored-session.ts';
import { LateTakes } from './late-takes.ts';
import { readNewest, tellTime } from './newest-script.ts';
import { NO_ANSWER, RedisLink, type RedisLinkOptions } from './redis-link.ts';
import {
  type EditText,
  readCommand,
  readReply,
  replaceCommand,
  type SharedText,
  type TextChange,
} from './shared-text.ts';
import { Refusals } from './refusals.ts';
import { SessionCopies } from './session-copies.ts';
import {
  budgetKey,
  newestKey,
  rememberedKey,
  sessionKey,
  sessionOfKey,
  sharedTextKey,
  spentKey,
} from './store-keys.ts';
import { type Counter, readTaken, takeShared } from './take-script.ts';

/** Maximum number of local counters for the time when Redis is away. The default of MemoryStore is the same. */
const MAX_BUDGETS = 200_000;

/**
 * Limits questions about ids without a MAC of this instance, so that they use at most one percent of a core. During a
 * rotation of secrets, another instance can have made such ids. At other times a client invented them.
 */
const STRANGERS = { name: 'strangers', requests: 1_000, perMs: 2_000 } as const;

export type { EditText, TextChange };

interface RedisStoreOptions extends Omit<RedisLinkOptions, 'onChange'> {
  readonly metrics: Metrics;
  /** Memory for the local counters (allocateDeadlines) that the threads of this process share. */
  readonly budgets?: SharedArrayBuffer | undefined;
}

/**
 * Reasons to refuse a server, by the mode that it reports. Servers in these modes accept only some of Guard's commands.
 */
const REFUSALS: Readonly<Record<string, string>> = {
  cluster:
    'this is a Redis Cluster, which Guard cannot use, because a rate limit and its clock may lie on two servers. Use one primary with replicas, and list its Sentinels in store.sentinels or give its address in store.url',
  sentinel:
    'this is a Sentinel. List it in store.sentinels, and write the name of the primary as the host of store.url: redis://user:password@name/0',
};

/** Maximum number of tries to change a shared text that other instances change at the same time. */
const CHANGE_ATTEMPTS = 20;

/** The label of the metric `guard_store_unanswered_total`. */
type Operation = 'session' | 'keep_session' | 'spend' | 'take' | 'remember';

/**
 * Sessions, spent tickets and budgets in Redis or Valkey, which several instances share.
 *
 * While Redis is away, decisions use the data of this instance, and {@link session} and {@link take} never reject.
 * {@link spend} and {@link keepSession} reject then. Otherwise each instance could spend the same ticket for one more
 * session (contract 3: session storage unavailable).
 */
export class RedisStore implements SessionStore {
  readonly #clock: Clock;
  readonly #metrics: Metrics;
  readonly #link: RedisLink;
  readonly #copies: SessionCopies;
  readonly #refusals = new Refusals();
  /** Local counters. They count even while Redis is connected, so a visitor gets no new budget when Redis goes away. */
  readonly #budgets: DeadlineTable;
  readonly #lateTakes: LateTakes;

  /** Resolves after the first attempt to connect. The store keeps trying when it fails. */
  static async open(options: RedisStoreOptions): Promise<RedisStore> {
    const copies = new SessionCopies(options.clock);
    const link = await RedisLink.open({
      ...options,
      onChange(key) {
        const id = key === undefined ? undefined : sessionOfKey(key);
        if (id !== undefined) copies.doubt(id);
        else if (key === undefined) copies.doubtAll();
      },
    });
    return new RedisStore(options, link, copies);
  }

  private constructor(
    { clock, metrics, budgets = allocateDeadlines(MAX_BUDGETS) }: RedisStoreOptions,
    link: RedisLink,
    copies: SessionCopies,
  ) {
    this.#clock = clock;
    this.#metrics = metrics;
    this.#link = link;
    this.#copies = copies;
    this.#budgets = new DeadlineTable(budgets);
    this.#lateTakes = new LateTakes(this.#budgets, link, clock, () =>
      this.#countUnanswered('take'),
    );
    metrics.gauge('guard_store_away', () => (link.isAway ? 1 : 0));
    metrics.gauge('guard_sessions', () => copies.size);
  }

  /** Why the server at this address can never be the store, as a sentence. Undefined when it can be the store. */
  get refusal(): string | undefined {
    return this.awayFor === undefined ? undefined : REFUSALS[this.awayFor];
  }

  /** Why there is no connection, in the words of the log line `store_away`. Undefined while there is a connection. */
  get awayFor(): string | undefined {
    return this.#link.awayFor;
  }

  session(id: string): MaybePromise<Session | undefined> {
    return this.#copies.fresh(id) ?? this.#askForSession(id);
  }

  sessionOfStranger(id: string): MaybePromise<Session | undefined> {
    // The limit does not apply to a session that this instance has seen before.
    const maybeKnown = this.#copies.lastCopy(id) !== undefined || this.#mayAskForStranger();
    return maybeKnown ? this.session(id) : undefined;
  }

  async keepSession(id: string, session: Session, ttlMs: number): Promise<void> {
    const expiresAt = this.#clock() + ttlMs;
    const value = writeStoredSession(session, expiresAt);
    const command = ['SET', sessionKey(id), value, 'PX', lifetime(ttlMs)];
    await this.#askOrThrow('keep_session', command);
    this.#copies.keep(id, session, expiresAt);
  }

  async spend(id: string, ttlMs: number): Promise<boolean> {
    const command = ['SET', spentKey(id), '1', 'NX', 'PX', lifetime(ttlMs)];
    return (await this.#askOrThrow('spend', command)) === 'OK';
  }

  take(name: string, subject: string, budget: Budget): MaybePromise<number> {
    return this.takeAll(name, [{ subject, budget }]);
  }

  takeSync(name: string, subject: string, budget: Budget): number {
    if (!this.#link.isAway) return this.#lateTakes.take(name, subject, budget);
    this.#countUnanswered('take');
    return this.takeInProcess(name, [{ subject, budget }]);
  }

  takeInProcess(name: string, charges: readonly Charge[]): number {
    return this.#budgets.takeAll(name, charges, this.#clock());
  }

  giveBackInProcess(name: string, charges: readonly Charge[]): void {
    this.#budgets.giveBackAll(name, charges, this.#clock());
  }

  takeAll(name: string, charges: readonly Charge[]): MaybePromise<number> {
    const nowMs = this.#clock();
    const counters = charges.map(({ subject, budget }) => ({
      key: budgetKey(name, subject),
      budget,
    }));
    const refusedMs = counters.map(({ key, budget }) =>
      this.#refusals.waitMs(key, nowMs, budget.perMs),
    );
    const longestMs = Math.max(0, ...refusedMs);
    if (longestMs > 0) return longestMs;
    // A budget that this instance alone has used up is not asked for, because Redis can have lost its counters.
    const localMs = this.#budgets.takeAll(name, charges, nowMs);
    if (localMs === 0 && !this.#link.isAway) return this.#takeShared(name, charges, counters);
    if (this.#link.isAway) this.#countUnanswered('take');
    return localMs;
  }

  async remember(name: string, subject: string, ttlMs: number): Promise<void> {
    this.#budgets.remember(name, subject, this.#clock() + ttlMs);
    const command = ['SET', rememberedKey(name, subject), '1', 'PX', lifetime(ttlMs)];
    if ((await this.#link.ask(command)) === NO_ANSWER) this.#countUnanswered('remember');
  }

  remembers(name: string, subject: string): MaybePromise<boolean> {
    return this.#budgets.remembers(name, subject, this.#clock) || this.#isShared(name, subject);
  }

  async #isShared(name: string, subject: string): Promise<boolean> {
    // GET and not EXISTS, because some accounts allow only the documented commands.
    const reply = await this.#link.ask(['GET', rememberedKey(name, subject)]);
    if (reply === NO_ANSWER) this.#countUnanswered('remember');
    return reply === '1';
  }

  /**
   * Tells the other instances the time at which this instance made the data with this name (such as `crawler-ranges`).
   * Returns the newest time that any instance has told recently, in epoch milliseconds. Undefined while Redis is away.
   * Never rejects.
   */
  async newest(name: string, atMs: number): Promise<number | undefined> {
    return readNewest(await this.#link.ask(tellTime(newestKey(name), atMs)));
  }

  /**
   * A text that all instances share. Returns `known` itself when the text has not changed. Undefined while Redis is
   * away. Never rejects. `name` is one of a few words.
   */
  async sharedText(name: string, known?: SharedText): Promise<SharedText | undefined> {
    const key = sharedTextKey(name);
    return readReply(await this.#link.ask(readCommand(key, known)), known);
  }

  /**
   * Atomically replaces the shared text by the result of `edit`. When another instance changes the text meanwhile,
   * `edit` is called again. When `edit` returns undefined, the text stays. `lost`: Redis is away, or other instances
   * change the text too often. Never rejects.
   */
  async changeSharedText(name: string, edit: EditText, ttlMs: number): Promise<TextChange> {
    const key = sharedTextKey(name);
    for (let attempt = 0; attempt < CHANGE_ATTEMPTS; attempt += 1) {
      const heldText = await this.sharedText(name);
      if (heldText === undefined) return 'lost';
      const text = edit(heldText.text);
      if (text === undefined) return 'left';
      const reply = await this.#link.ask(replaceCommand(key, heldText, text, lifetime(ttlMs)));
      if (reply === 1) return 'changed';
      if (reply === NO_ANSWER) return 'lost';
    }
    return 'lost';
  }

  close(): Promise<void> {
    return this.#link.close();
  }

  #mayAskForStranger(): boolean {
    return this.#budgets.take(STRANGERS.name, '', this.#clock(), STRANGERS) === 0;
  }

  #askForSession(id: string): MaybePromise<Session | undefined> {
    if (!this.#link.isAway) return this.#readSession(id);
    this.#countUnanswered('session');
    return this.#copies.lastCopy(id);
  }

  async #readSession(id: string): Promise<Session | undefined> {
    const { changes } = this.#copies;
    const reply = await this.#link.ask(['GET', sessionKey(id)]);
    if (reply === NO_ANSWER) {
      this.#countUnanswered('session');
      return this.#copies.lastCopy(id);
    }
    const session = typeof reply === 'string' ? readStoredSession(reply) : undefined;
    if (session) this.#copies.confirm(id, session, session.expiresAt, changes);
    else this.#copies.forget(id);
    return session;
  }

  async #takeShared(
    name: string,
    charges: readonly Charge[],
    counters: readonly Counter[],
  ): Promise<number> {
    const result = readTaken(await takeShared(this.#link, counters));
    if (result === undefined) this.#countUnanswered('take');
    if (result === undefined || result.waitMs === 0) return 0;
    const refusing = counters[result.refusedBy];
    if (refusing) this.#refusals.remember(refusing.key, this.#clock() + result.waitMs);
    // A refused request takes nothing, also not in this instance.
    this.giveBackInProcess(name, charges);
    return result.waitMs;
  }

  /** The reply to a command that needs Redis. Rejects when there is no reply. */
  async #askOrThrow(operation: Operation, command: readonly string[]): Promise<unknown> {
    const reply = await this.#link.ask(command);
    if (reply !== NO_ANSWER) return reply;
    this.#countUnanswered(operation);
    throw new Error('the shared store is away');
  }

  #countUnanswered(operation: Operation): void {
    this.#metrics.count('guard_store_unanswered_total', operation);
  }
}

/** The lifetime of a key in whole milliseconds, at least one, as Redis requires. */
function lifetime(ttlMs: number): string {
  return String(Math.max(1, Math.ceil(ttlMs)));
}
