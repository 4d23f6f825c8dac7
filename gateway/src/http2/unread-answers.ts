import type { ServerHttp2Stream } from 'node:http2';
import { ipv6NetworkOf } from '@guard/config/net/network-of';
import type { GatewayLimits } from '../base/limits.ts';
import type { Peer, Trusts } from '../listen/connection.ts';

type UnreadLimits = Pick<GatewayLimits, 'http2Unread' | 'http2UnreadPerAddress' | 'http2UnreadMs'>;

/** A connection whose answers are counted. */
export interface Reader {
  /** The result of holderOf. */
  readonly holder: string;
  /** Ends the connection at once. */
  readonly cut: () => void;
}

/**
 * Bounds the answers that are complete here, and that visitors do not read. A visitor of HTTP/2 decides how many bytes
 * of each answer the gateway may send (RFC 9113 section 5.2), and keeps the rest of each answer in memory. At the bound
 * of an address, or of all, the connection with the oldest answer is cut. A browser reads an answer in a moment, so the
 * oldest answers are those that no client reads. Many people can share an address, so at its bound an answer of less
 * than `http2UnreadMs` stays while all addresses together are below theirs.
 */
export class UnreadAnswers {
  readonly #limits: UnreadLimits;
  /** The oldest answer comes first, here and in `#byHolder`. */
  readonly #all = new Map<ServerHttp2Stream, Reader & { readonly since: number }>();
  readonly #byHolder = new Map<string, Set<ServerHttp2Stream>>();

  constructor(limits: UnreadLimits) {
    this.#limits = limits;
  }

  /** Counts an answer until its last byte has left this process. */
  add(stream: ServerHttp2Stream, reader: Reader): void {
    const { holder } = reader;
    let ofHolder = this.#byHolder.get(holder);
    if (ofHolder === undefined) this.#byHolder.set(holder, (ofHolder = new Set()));
    ofHolder.add(stream);
    const since = performance.now();
    this.#all.set(stream, { ...reader, since });
    stream.once('close', () => this.#forget(stream));
    const { http2Unread, http2UnreadPerAddress, http2UnreadMs } = this.#limits;
    const isFull = this.#all.size > http2Unread;
    if (ofHolder.size > http2UnreadPerAddress) {
      this.#giveUpFirst(ofHolder, isFull ? since : since - http2UnreadMs);
    } else if (isFull) {
      this.#giveUpFirst(this.#all.keys(), since);
    }
  }

  /** Cuts the connection with the first answer, unless the answer came after `until`. */
  #giveUpFirst([oldest]: Iterable<ServerHttp2Stream>, until: number): void {
    if (oldest === undefined) return;
    const reader = this.#all.get(oldest);
    if (reader === undefined || reader.since > until) return;
    // Many answers can come before the streams of the connection close.
    this.#forget(oldest);
    // A reset of the stream alone would wait in the connection, like the answer.
    reader.cut();
  }

  #forget(stream: ServerHttp2Stream): void {
    const reader = this.#all.get(stream);
    if (reader === undefined) return;
    this.#all.delete(stream);
    const ofHolder = this.#byHolder.get(reader.holder);
    ofHolder?.delete(stream);
    if (ofHolder?.size === 0) this.#byHolder.delete(reader.holder);
  }
}

/**
 * The name under which the unread answers of a connection count: its IPv4 address, or the widest IPv6 network that one
 * person gets (/48). Undefined for a trusted proxy, which reads the answers of many people.
 */
export function holderOf(peer: Peer, trusts: Trusts): string | undefined {
  if (peer.kind !== 'address' || trusts(peer)) return undefined;
  return peer.ip.includes(':') ? ipv6NetworkOf(peer.ip, 48) : peer.ip;
}
