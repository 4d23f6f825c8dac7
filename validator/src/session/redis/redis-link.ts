import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock, Log } from '@guard/config/contract/ports';
import { Backoff } from '@guard/config/time/backoff';
import { Patience } from '@guard/config/time/patience';
import { createClient, ErrorReply, type RedisClientType } from '@redis/client';
import { PROBE_KEY } from './store-keys.ts';

/** For all of it: name, connection, TLS, password, the probe. */
const CONNECT_TIMEOUT_MS = 1_000;
/** A decision asks at most twice, so that two that get no answer are well below its 500 ms (contract 8). */
const COMMAND_TIMEOUT_MS = 150;
/** Commands under way at once; more are not sent. */
const MAX_UNDER_WAY = 10_000;
/** A Redis that hangs is noticed without a request, too. */
const HEARTBEAT_MS = 1_000;
const PAUSE_MS = { first: 50, longest: 5_000 } as const;
/** A connection that lived this long was a good one: after it the first pause is short again. */
const GOOD_AFTER_MS = 10_000;

/** What a command came to that was not sent, not answered in time, or answered with an error. */
export const NO_ANSWER = Symbol('no answer');
/** Redis does not know a script: it has been started since. */
export const NO_SCRIPT = Symbol('no script');

export interface RedisLinkOptions {
  /** `redis[s]://[user:password@]host[:port][/database]`. */
  readonly url: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Another instance changed the value of a key that was read here. Undefined: any key may have changed. */
  readonly onChange: (key: string | undefined) => void;
}

/**
 * A connection to one Redis that is there or away. What gives no answer in time, or an error, is away: it
 * is asked nothing until a new connection has shown that it takes writes again.
 */
export class RedisLink {
  readonly #options: RedisLinkOptions;
  readonly #heartbeat: NodeJS.Timeout;
  readonly #closed = new AbortController();
  readonly #connecting = new Patience(CONNECT_TIMEOUT_MS);
  readonly #asking = new Patience(COMMAND_TIMEOUT_MS);
  #client: RedisClientType | undefined;
  #lose: (reason: string) => void = () => undefined;
  #underWay = 0;
  #awaySince: number | undefined;
  #ended: Promise<void> = Promise.resolve();

  /** Resolves after the first attempt, however that ended: {@link isAway} says so. */
  static async open(options: RedisLinkOptions): Promise<RedisLink> {
    const link = new RedisLink(options);
    const tried = Promise.withResolvers<undefined>();
    link.#ended = link.#stayConnected(() => {
      tried.resolve(undefined);
    });
    await tried.promise;
    return link;
  }

  private constructor(options: RedisLinkOptions) {
    this.#options = options;
    this.#heartbeat = setInterval(() => void this.ask(['PING']), HEARTBEAT_MS);
    this.#heartbeat.unref();
  }

  get isAway(): boolean {
    return this.#client === undefined;
  }

  /** The reply to a command. Never rejects. */
  ask(command: readonly string[]): Promise<unknown> {
    const client = this.#client;
    if (client === undefined || this.#underWay >= MAX_UNDER_WAY) return Promise.resolve(NO_ANSWER);
    this.#underWay += 1;
    return new Promise((resolve) => {
      const wait = this.#asking.begin((why) => {
        // The one who asked goes on without it. A Redis taken for gone by a process that is busy makes a flood worse.
        if (why === 'busy') resolve(NO_ANSWER);
        else if (client === this.#client) this.#lose('timeout');
      });
      const settle = (reply: unknown): void => {
        this.#asking.end(wait);
        this.#underWay -= 1;
        resolve(reply);
      };
      client.sendCommand<unknown>(command).then(settle, (error: unknown) => {
        settle(this.#failed(error, client));
      });
    });
  }

  async close(): Promise<void> {
    clearInterval(this.#heartbeat);
    this.#closed.abort();
    this.#lose('closed');
    await this.#ended;
  }

  #failed(error: unknown, client: RedisClientType): symbol {
    const reason = reasonOf(error);
    if (reason === 'NOSCRIPT') return NO_SCRIPT;
    if (client === this.#client) this.#lose(reason);
    return NO_ANSWER;
  }

  /** Connects, waits until that is lost, connects again, until it is closed. */
  async #stayConnected(onTried: () => void): Promise<void> {
    const backoff = new Backoff(PAUSE_MS.first, PAUSE_MS.longest);
    while (!this.#isClosed()) {
      const startedAt = performance.now();
      const reason = await this.#connectOnce(onTried);
      if (this.#isClosed()) return;
      this.#noteAway(reason);
      onTried();
      if (performance.now() - startedAt > GOOD_AFTER_MS) backoff.reset();
      // Instances that lost one Redis together must not come back in step.
      const jittered = backoff.next() * (0.5 + Math.random() / 2);
      await sleep(jittered, undefined, { signal: this.#closed.signal, ref: false }).catch(
        () => undefined,
      );
    }
  }

  /** One connection from its beginning to its end; resolves with the reason of that. */
  async #connectOnce(onConnected: () => void): Promise<string> {
    const { promise: lost, resolve: lose } = Promise.withResolvers<string>();
    this.#lose = lose;
    const client = this.#createClient(lose);
    const fault = await this.#connecting.within(
      Promise.race([lost, this.#probe(client)]),
      () => 'timeout',
    );
    if (fault === undefined) {
      this.#noteBack(client);
      onConnected();
    }
    const reason = fault ?? (await lost);
    this.#client = undefined;
    // What is under way ends with it, at once.
    client.destroy();
    this.#options.onChange(undefined);
    return reason;
  }

  /**
   * Whether a new connection takes reads and writes, and as promptly as a decision needs; else the reason. A
   * replica or a full Redis does not, and one that is slow would be lost again with the next command.
   */
  async #probe(client: RedisClientType): Promise<string | undefined> {
    try {
      await client.connect();
      const command = client.sendCommand(['SET', PROBE_KEY, '1', 'PX', '1000']);
      const written: Promise<string | undefined> = command.then(() => undefined);
      // Where this process was busy, the answer still counts; the whole attempt has a limit of its own.
      return await this.#asking.within(written, (why) => (why === 'silent' ? 'slow' : written));
    } catch (error) {
      return reasonOf(error);
    }
  }

  #createClient(lose: (reason: string) => void): RedisClientType {
    const { url, onChange } = this.#options;
    const client: RedisClientType = createClient({
      url,
      // A new client for each connection: so there is one place that knows whether there is one.
      socket: { reconnectStrategy: false, connectTimeout: CONNECT_TIMEOUT_MS },
      disableOfflineQueue: true,
      // Kept here, because the client's own ends when a command is written, not when it is answered.
      commandOptions: { timeout: 0 },
      maintNotifications: 'disabled',
      emitInvalidate: true,
    });
    client.on('error', (error: unknown) => lose(reasonOf(error)));
    client.on('end', () => lose('closed'));
    client.on('invalidate', (key: string | Buffer | null) => {
      onChange(key === null ? undefined : key.toString());
    });
    return client;
  }

  #noteBack(client: RedisClientType): void {
    this.#client = client;
    if (this.#awaySince === undefined) return;
    const awayMs = this.#options.clock() - this.#awaySince;
    this.#awaySince = undefined;
    this.#options.log('info', 'store_back', { awayMs });
  }

  #noteAway(reason: string): void {
    if (this.#awaySince !== undefined) return;
    this.#awaySince = this.#options.clock();
    this.#options.log('error', 'store_away', { reason });
  }

  #isClosed(): boolean {
    return this.#closed.signal.aborted;
  }
}

/**
 * A code or a name, never the message: Redis quotes in it what it was sent, and Node the address.
 */
function reasonOf(error: unknown): string {
  if (error instanceof ErrorReply) return error.message.split(' ', 1)[0] ?? 'error';
  if (!(error instanceof Error)) return 'error';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.constructor.name;
}
