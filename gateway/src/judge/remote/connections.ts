import { Client } from 'undici';

/** Somebody who wants a connection to himself. */
export interface Waiter {
  /** Called once, with a connection that is to be given back. */
  start(connection: Connection): void;
}

interface ConnectionLimits {
  /** Connections that may be open at once. */
  readonly connections: number;
  /** Waiters there may be when all of them are taken. */
  readonly waiting: number;
  readonly connectMs: number;
  readonly maxHeaderBytes: number;
}

/** How long a connection is kept without a question, unless the validator asks for less. */
const KEEP_ALIVE_MS = 55_000;

/** One connection, which is opened when it is used and again after it broke. Carries one question at a time. */
export class Connection {
  readonly client: Client;
  #isOpen = false;

  constructor(origin: string, limits: ConnectionLimits) {
    this.client = new Client(origin, {
      pipelining: 1,
      allowH2: false,
      connect: { timeout: limits.connectMs },
      maxHeaderSize: limits.maxHeaderBytes,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // The question has a deadline of its own, over both of them.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    this.client.on('connect', () => {
      this.#isOpen = true;
    });
    this.client.on('disconnect', () => {
      this.#isOpen = false;
    });
  }

  /** The other end may have closed it already, without this one knowing. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** It failed, and is open no more, though its client says so only later. */
  broke(): void {
    this.#isOpen = false;
  }
}

/**
 * The connections to one validator. The one used last is used first, so that those a peak has needed fall
 * idle and close.
 */
export class Connections {
  readonly #origin: string;
  readonly #limits: ConnectionLimits;
  readonly #all: Connection[] = [];
  readonly #idle: Connection[] = [];
  readonly #waiting = new Set<Waiter>();

  constructor(origin: string, limits: ConnectionLimits) {
    this.#origin = origin;
    this.#limits = limits;
  }

  /** Starts the waiter, now or as soon as it is its turn. False when too many wait already. */
  take(waiter: Waiter): boolean {
    const connection = this.#idle.pop() ?? this.#open();
    if (connection !== undefined) waiter.start(connection);
    else if (this.#waiting.size < this.#limits.waiting) this.#waiting.add(waiter);
    else return false;
    return true;
  }

  giveBack(connection: Connection): void {
    for (const next of this.#waiting) {
      this.#waiting.delete(next);
      next.start(connection);
      return;
    }
    this.#idle.push(connection);
  }

  /** Forgets who does not want a connection any more. */
  leave(waiter: Waiter): void {
    this.#waiting.delete(waiter);
  }

  async destroy(): Promise<void> {
    await Promise.all(this.#all.map(({ client }) => client.destroy()));
  }

  #open(): Connection | undefined {
    if (this.#all.length >= this.#limits.connections) return undefined;
    const connection = new Connection(this.#origin, this.#limits);
    this.#all.push(connection);
    return connection;
  }
}
