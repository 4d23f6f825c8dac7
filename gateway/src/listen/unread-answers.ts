import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Log, Metrics } from '@guard/config/contract/ports';
import { ipv6NetworkOf } from '@guard/config/net/network-of';
import type { GatewayLimits } from '../base/limits.ts';
import { type Peer, peerOf, type Trusts } from './connection.ts';

type UnreadLimits = Pick<
  GatewayLimits,
  'unreadAnswers' | 'unreadAnswersPerAddress' | 'unreadAnswersMs'
>;

/** A connection whose answers are counted. */
export interface Reader {
  /** The name under which the answers count: the visitor's IPv4 address, or IPv6 /48. */
  readonly holder: string;
  /** Ends the connection at once. */
  readonly cut: () => void;
}

/** How often old answers are looked for, while an address is over its bound. */
const LOOK_MS = 100;
/** Connections that are cut in one turn of the event loop, because other visitors wait meanwhile. */
const CUTS_IN_A_TURN = 64;

interface Unread {
  readonly reader: Reader;
  readonly sinceMs: number;
}

/**
 * Bounds the answers that visitors do not read, and that need memory here. At the bound of an address, or of all, the
 * connection with the oldest answer is cut. A browser reads an answer in a moment, so the oldest answers are those that
 * no client reads. Many people can share an address, so at its bound an answer of less than `unreadAnswersMs` stays
 * while all addresses together are below theirs.
 */
export class UnreadAnswers {
  readonly #limits: UnreadLimits;
  /** The oldest answer comes first, here and in the maps of `#byHolder`. */
  readonly #all = new Map<object, Unread>();
  readonly #byHolder = new Map<string, Map<object, Unread>>();
  readonly #byReader = new Map<Reader, Set<object>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: UnreadLimits) {
    this.#limits = limits;
  }

  has(answer: object): boolean {
    return this.#all.has(answer);
  }

  /** Counts an answer until `forget` is called with the same object. */
  add(answer: object, reader: Reader): void {
    const unread: Unread = { reader, sinceMs: performance.now() };
    let ofHolder = this.#byHolder.get(reader.holder);
    if (ofHolder === undefined)
      this.#byHolder.set(reader.holder, (ofHolder = new Map<object, Unread>()));
    ofHolder.set(answer, unread);
    this.#all.set(answer, unread);
    const ofReader = this.#byReader.get(reader);
    if (ofReader === undefined) this.#byReader.set(reader, new Set([answer]));
    else ofReader.add(answer);
    if (this.#all.size > this.#limits.unreadAnswers) {
      const [oldest] = this.#isOverBound(ofHolder) ? ofHolder.values() : this.#all.values();
      if (oldest !== undefined) this.#giveUp(oldest.reader);
    }
    if (this.#isOverBound(ofHolder)) this.#cutOld(ofHolder);
  }

  /** Called when the last byte of the answer has left this process. */
  forget(answer: object): void {
    const unread = this.#all.get(answer);
    if (unread === undefined) return;
    const { reader } = unread;
    this.#all.delete(answer);
    removeFrom(this.#byHolder, reader.holder, answer);
    removeFrom(this.#byReader, reader, answer);
  }

  #isOverBound(ofHolder: ReadonlyMap<object, Unread>): boolean {
    return ofHolder.size > this.#limits.unreadAnswersPerAddress;
  }

  /** Cuts the connections of an address whose answers are old, until the address is within its bound. */
  #cutOld(ofHolder: ReadonlyMap<object, Unread>): void {
    const untilMs = performance.now() - this.#limits.unreadAnswersMs;
    let cuts = 0;
    for (const { reader, sinceMs } of ofHolder.values()) {
      if (!this.#isOverBound(ofHolder)) return;
      if (sinceMs > untilMs || cuts === CUTS_IN_A_TURN) break;
      this.#giveUp(reader);
      cuts += 1;
    }
    // The answers that are too young get old, even when no further answer comes.
    this.#timer ??= setTimeout(this.#look, LOOK_MS).unref();
  }

  readonly #look = (): void => {
    this.#timer = undefined;
    for (const ofHolder of this.#byHolder.values()) {
      if (this.#isOverBound(ofHolder)) this.#cutOld(ofHolder);
    }
  };

  /** Cuts a connection, and forgets all its answers at once: its streams close only later. */
  #giveUp(reader: Reader): void {
    for (const answer of [...(this.#byReader.get(reader) ?? [])]) this.forget(answer);
    // Over HTTP/2, a reset of the stream alone would wait in the connection, like the answer.
    reader.cut();
  }
}

/** Removes an answer from the collection of this key. Without its last answer, the key is removed too. */
function removeFrom<Key>(
  collections: Map<Key, Map<object, Unread> | Set<object>>,
  key: Key,
  answer: object,
): void {
  const answers = collections.get(key);
  answers?.delete(answer);
  if (answers?.size === 0) collections.delete(key);
}

interface ReaderOptions {
  readonly trusts: Trusts;
  readonly metrics: Metrics;
  readonly throttledLog: Log;
}

/** The reader of a connection. Undefined for a trusted proxy, which reads the answers of many people. */
export function readerOf(
  socket: Socket,
  { trusts, metrics, throttledLog }: ReaderOptions,
): Reader | undefined {
  const holder = holderOf(peerOf(socket), trusts);
  if (holder === undefined) return undefined;
  const cut = (): void => {
    if (socket.destroyed) return;
    metrics.count('guard_gateway_connections_cut_total', 'answers_unread');
    throttledLog('warn', 'gateway_connection_cut', { reason: 'answers_unread', peer: holder });
    // A reset also frees the bytes that the kernel holds. TLS has none.
    if (socket instanceof TLSSocket) socket.destroy();
    else socket.resetAndDestroy();
  };
  return { holder, cut };
}

/** The IPv4 address, or the widest IPv6 network that one person gets. */
function holderOf(peer: Peer, trusts: Trusts): string | undefined {
  if (peer.kind !== 'address' || trusts(peer)) return undefined;
  return peer.ip.includes(':') ? ipv6NetworkOf(peer.ip, 48) : peer.ip;
}
