import { Client } from 'undici';
import type { Window } from './window.ts';

/** Somebody who wants a connection to himself. */
export interface Waiter {
  /** What it is going to send. */
  readonly bytes: number;
  /** Whether there is time for an answer. One that is told so may leave. */
  isInTime(): boolean;
  /** Called once, with a connection that is to be given back. */
  start(connection: Connection): void;
}

interface ConnectionLimits {
  /** Connections that may be open at once. */
  readonly connections: number;
  /** Waiters there may be beside those who have one each. */
  readonly waiting: number;
  readonly maxHeaderBytes: number;
}

/** How long a connection is kept without a question, unless the validator asks for less. */
const KEEP_ALIVE_MS = 55_000;

/** One connection, which is opened when it is used and again after it broke. Carries one question at a time. */
export class Connection {
  readonly #origin: string;
  readonly #maxHeaderBytes: number;
  #attempt = new AbortController();
  #client: Client;
  #isOpen = false;

  constructor(origin: string, { maxHeaderBytes }: ConnectionLimits) {
    this.#origin = origin;
    this.#maxHeaderBytes = maxHeaderBytes;
    this.#client = this.#createClient();
  }

  get client(): Client {
    return this.#client;
  }

  /** The other end may have closed it already, without this one knowing. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** It failed, and is open no more, though its client says so only later. */
  broke(): void {
    this.#isOpen = false;
  }

  /** Ends the attempt to open it, which its question waits for no longer; the next question makes a new one. */
  abandon(): void {
    const attempt = this.#attempt;
    this.#attempt = new AbortController();
    this.#client = this.#createClient();
    attempt.abort();
  }

  async destroy(): Promise<void> {
    const destroyed = this.#client.destroy();
    this.#attempt.abort();
    await destroyed;
  }

  #createClient(): Client {
    const client = new Client(this.#origin, {
      pipelining: 1,
      allowH2: false,
      // The question has a deadline of its own, over all of them.
      connect: { timeout: 0, signal: this.#attempt.signal },
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: this.#maxHeaderBytes,
      keepAliveTimeout: KEEP_ALIVE_MS,
    });
    const becomes = (isOpen: boolean) => () => {
      if (client === this.#client) this.#isOpen = isOpen;
    };
    client.on('connect', becomes(true));
    client.on('disconnect', becomes(false));
    return client;
  }
}

/**
 * The connections to one validator. The one used last is used first, so that those a peak has needed fall
 * idle and close.
 */
export class Connections {
  readonly #origin: string;
  readonly #limits: ConnectionLimits;
  readonly #window: Window;
  readonly #all: Connection[] = [];
  readonly #idle: Connection[] = [];
  readonly #waiting = new Set<Waiter>();

  constructor(origin: string, limits: ConnectionLimits, window: Window) {
    this.#origin = origin;
    this.#limits = limits;
    this.#window = window;
  }

  get areWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** Starts the waiter, now or as soon as it is its turn. False when too many wait already. */
  take(waiter: Waiter): boolean {
    const { connections, waiting } = this.#limits;
    // With nothing under way no connection comes back, so the ones that wait have no time left: see giveBack.
    const isNext = !this.areWaiting || this.#inUse === 0;
    if (isNext && this.#hasRoomFor(waiter)) this.#start(waiter);
    else if (this.#inUse + this.#waiting.size < connections + waiting) this.#waiting.add(waiter);
    else return false;
    return true;
  }

  giveBack(connection: Connection, { bytes }: Waiter): void {
    this.#idle.push(connection);
    this.#window.ended(bytes, this.areWaiting);
    for (const next of this.#waiting) {
      if (!next.isInTime()) continue;
      if (!this.#hasRoomFor(next)) return;
      this.#waiting.delete(next);
      this.#start(next);
    }
  }

  /** Forgets who does not want a connection any more. */
  leave(waiter: Waiter): void {
    this.#waiting.delete(waiter);
  }

  async destroy(): Promise<void> {
    await Promise.all(this.#all.map((connection) => connection.destroy()));
  }

  get #inUse(): number {
    return this.#all.length - this.#idle.length;
  }

  #hasRoomFor({ bytes }: Waiter): boolean {
    return this.#inUse < this.#limits.connections && this.#window.fits(bytes);
  }

  #start(waiter: Waiter): void {
    this.#window.sent(waiter.bytes);
    waiter.start(this.#idle.pop() ?? this.#open());
  }

  #open(): Connection {
    const connection = new Connection(this.#origin, this.#limits);
    this.#all.push(connection);
    return connection;
  }
}
