import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock, Log } from '@guard/config/contract/ports';
import { Backoff } from '@guard/config/time/backoff';
import { Patience } from '@guard/config/time/patience';
import { createClient, ErrorReply, type RedisClientType } from '@redis/client';
import { primaryOf } from './sentinels.ts';
import { PROBE_KEY } from './store-keys.ts';

export interface RedisLimits {
  /** Time limit for all steps of a connection attempt: name, connection, TLS, password, probe. */
  readonly connectMs: number;
  /**
   * Time limit for one command. A decision sends at most two commands. Even when both get no answer, the decision ends
   * well within its 500 ms (contract 8).
   */
  readonly commandMs: number;
}
const REDIS_LIMITS: RedisLimits = { connectMs: 1_000, commandMs: 150 };
/** Maximum number of commands that wait for an answer. Further commands are not sent. */
const MAX_UNDER_WAY = 10_000;
/** Time between two PINGs, which detect a Redis that hangs while there are no requests. */
const HEARTBEAT_MS = 1_000;
const PAUSE_MS = { first: 50, longest: 5_000 } as const;
/** After a connection that lasted this long, the pauses start short again. */
const GOOD_AFTER_MS = 10_000;

/** The result of a command that was not sent, not answered in time, or answered with an error. */
export const NO_ANSWER = Symbol('no answer');
/** Redis does not have the script, because it was restarted. */
export const NO_SCRIPT = Symbol('no script');

export interface RedisLinkOptions {
  /** `redis[s]://[user:password@]host[:port][/database]`: one server, not a Redis Cluster. */
  readonly url: string;
  /** Addresses of Sentinels that watch the primary. With Sentinels, the host of `url` is the name of the primary. */
  readonly sentinels?: readonly string[] | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * Called when another instance has changed a key that this instance read. Undefined means that any key can have
   * changed.
   */
  readonly onChange: (key: string | undefined) => void;
  readonly limits?: RedisLimits | undefined;
}

/**
 * A connection to one Redis. Redis is away when it answers with an error, or not in time. Then it gets no commands
 * until a new connection has shown that it accepts writes.
 */
export class RedisLink {
  readonly #options: RedisLinkOptions;
  readonly #heartbeat: NodeJS.Timeout;
  readonly #closed = new AbortController();
  readonly #connecting: Patience;
  readonly #asking: Patience;
  #client: RedisClientType | undefined;
  #lose: (reason: string) => void = () => undefined;
  #underWay = 0;
  #awaySince: number | undefined;
  #awayFor: string | undefined;
  #connectionLoop: Promise<void> = Promise.resolve();

  /** Resolves after the first attempt to connect. {@link isAway} is false when the attempt succeeded. */
  static async open(options: RedisLinkOptions): Promise<RedisLink> {
    const link = new RedisLink(options);
    const firstAttempt = Promise.withResolvers<undefined>();
    link.#connectionLoop = link.#stayConnected(() => {
      firstAttempt.resolve(undefined);
    });
    await firstAttempt.promise;
    return link;
  }

  private constructor(options: RedisLinkOptions) {
    const { connectMs, commandMs } = options.limits ?? REDIS_LIMITS;
    this.#options = options;
    this.#connecting = new Patience(connectMs);
    this.#asking = new Patience(commandMs);
    this.#heartbeat = setInterval(() => void this.ask(['PING']), HEARTBEAT_MS);
    this.#heartbeat.unref();
  }

  get isAway(): boolean {
    return this.#client === undefined;
  }

  /** Why the last attempt to connect failed. Undefined while there is a connection. */
  get awayFor(): string | undefined {
    return this.isAway ? this.#awayFor : undefined;
  }

  /** The reply to a command, or NO_ANSWER, or NO_SCRIPT. Never rejects. */
  ask(command: readonly string[]): Promise<unknown> {
    const client = this.#client;
    if (client === undefined || this.#underWay >= MAX_UNDER_WAY) return Promise.resolve(NO_ANSWER);
    this.#underWay += 1;
    return new Promise((resolve) => {
      const wait = this.#asking.begin((why) => {
        // This process was busy, so the fault can be here and not in Redis. The caller continues without an answer, and
        // the connection stays open.
        if (why === 'busy') resolve(NO_ANSWER);
        else if (client === this.#client) this.#lose('timeout');
      });
      const settle = (reply: unknown): void => {
        this.#asking.end(wait);
        this.#underWay -= 1;
        resolve(reply);
      };
      client.sendCommand<unknown>(command).then(settle, (error: unknown) => {
        settle(this.#handleError(error, client));
      });
    });
  }

  async close(): Promise<void> {
    clearInterval(this.#heartbeat);
    this.#closed.abort();
    this.#lose('closed');
    await this.#connectionLoop;
  }

  #handleError(error: unknown, client: RedisClientType): symbol {
    const reason = reasonOf(error);
    if (reason === 'NOSCRIPT') return NO_SCRIPT;
    if (client === this.#client) this.#lose(reason);
    return NO_ANSWER;
  }

  /** Connects again after each lost connection, until `close`. */
  async #stayConnected(onTried: () => void): Promise<void> {
    const backoff = new Backoff(PAUSE_MS.first, PAUSE_MS.longest);
    while (!this.#isClosed()) {
      const startedAt = performance.now();
      const reason = await this.#connectOnce(onTried);
      if (this.#isClosed()) return;
      this.#awayFor = reason;
      this.#noteAway(reason);
      onTried();
      if (performance.now() - startedAt > GOOD_AFTER_MS) backoff.reset();
      // Add a random part, so that instances that lost Redis together do not reconnect together.
      const pauseMs = backoff.next() * (0.5 + Math.random() / 2);
      await sleep(pauseMs, undefined, { signal: this.#closed.signal, ref: false }).catch(
        () => undefined,
      );
    }
  }

  /** Runs one connection from its beginning to its end. Resolves with the reason why it ended. */
  async #connectOnce(onConnected: () => void): Promise<string> {
    const { promise: lost, resolve: lose } = Promise.withResolvers<string>();
    this.#lose = lose;
    const url = await this.#findServer();
    if (url === undefined) return 'no_primary';
    const client = this.#createClient(url, lose);
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
    // This ends all commands that wait for an answer.
    client.destroy();
    this.#options.onChange(undefined);
    return reason;
  }

  /** The URL of the server. With Sentinels it is the URL of the current primary. */
  #findServer(): Promise<string | undefined> {
    const { url, sentinels } = this.#options;
    if (sentinels === undefined) return Promise.resolve(url);
    return this.#connecting.within(primaryOf(url, sentinels), () => undefined);
  }

  /**
   * Tests a new connection: Redis must accept a write within the time limit of one command. Returns undefined when it
   * does, and otherwise the reason. A replica or a full Redis refuses writes. A slow Redis would be lost again with the
   * next command.
   */
  async #probe(client: RedisClientType): Promise<string | undefined> {
    try {
      await client.connect();
      const mode = await modeOf(client);
      if (mode === 'cluster' || mode === 'sentinel') return mode;
      const command = client.sendCommand(['SET', PROBE_KEY, '1', 'PX', '1000']);
      const probeWrite: Promise<string | undefined> = command.then(() => undefined);
      // When this process was busy, the answer is still awaited. The whole attempt has its own time limit.
      return await this.#asking.within(probeWrite, (why) =>
        why === 'silent' ? 'slow' : probeWrite,
      );
    } catch (error) {
      return reasonOf(error);
    }
  }

  #createClient(url: string, lose: (reason: string) => void): RedisClientType {
    const { onChange } = this.#options;
    const client: RedisClientType = createClient({
      url,
      // Each connection has a new client, so the client itself must not reconnect.
      socket: { reconnectStrategy: false, connectTimeout: this.#connecting.limitMs },
      disableOfflineQueue: true,
      // `ask` has the time limit. The client's own limit would end when a command is written, and not when it is
      // answered.
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
 * The mode that a server reports: `standalone`, `cluster` or `sentinel`. `standalone` when a server reports no mode.
 */
async function modeOf(client: RedisClientType): Promise<string> {
  const hello = await client.sendCommand<unknown>(['HELLO']).catch(() => undefined);
  const isTold = typeof hello === 'object' && hello !== null && 'mode' in hello;
  return isTold && typeof hello.mode === 'string' ? hello.mode : 'standalone';
}

/**
 * A code or a name of the error. The message is never used, because Redis quotes the command in it, and Node quotes the
 * address.
 */
function reasonOf(error: unknown): string {
  if (error instanceof ErrorReply) return error.message.split(' ', 1)[0] ?? 'error';
  if (!(error instanceof Error)) return 'error';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.constructor.name;
}
