import { readAddress } from '../net/read-address.ts';

/** What the metadata of a file says about its tree. */
interface TreeShape {
  readonly nodeCount: number;
  /** Bits of one of the two records of a node. */
  readonly recordSize: number;
  readonly ipVersion: number;
}

/**
 * The search tree of an MMDB file (MaxMind DB 2.0, "Binary Search Tree Section"), walked in place and
 * without allocating. What stands at the end of a walk is a number that is the same for every address
 * with the same record, so that a record is decoded once and not once a request.
 */
export class MmdbTree {
  readonly #bytes: Uint8Array;
  readonly #shape: TreeShape;
  /** Where a walk for an IPv4 address begins: in a tree of IPv6 behind 96 zeros. */
  readonly #v4Root: number;

  /** Throws a RangeError for a tree of another record size than the format has. */
  constructor(bytes: Uint8Array, shape: TreeShape) {
    if (![24, 28, 32].includes(shape.recordSize)) throw new RangeError('no such record size');
    this.#bytes = bytes;
    this.#shape = shape;
    let root = 0;
    if (shape.ipVersion === 6) {
      for (let bit = 0; bit < 96 && root < shape.nodeCount; bit += 1) root = this.#child(root, 0);
    }
    this.#v4Root = root;
  }

  /** The record at an address, spelled as `parseIp` returns it; 0 when there is none. */
  recordAt(ip: string): number {
    const { family, v4, v6 } = readAddress(ip);
    if (family === 'v4') return this.#found(this.#walk(this.#v4Root, v4));
    // A tree of IPv4 addresses would take the first bits of an IPv6 address for one.
    if (family === 'none' || this.#shape.ipVersion === 4) return 0;
    let node = 0;
    for (let word = 0; word < 4; word += 1) node = this.#walk(node, v6[word] ?? 0);
    return this.#found(node);
  }

  #found(node: number): number {
    return node > this.#shape.nodeCount ? node : 0;
  }

  /** Follows up to 32 bits. The walk stays where the tree ends. */
  #walk(from: number, bits: number): number {
    const { nodeCount } = this.#shape;
    let node = from;
    for (let shift = 31; shift >= 0 && node < nodeCount; shift -= 1) {
      node = this.#child(node, (bits >>> shift) & 1);
    }
    return node;
  }

  #child(node: number, side: number): number {
    const bytes = this.#bytes;
    switch (this.#shape.recordSize) {
      case 24: {
        const at = node * 6 + side * 3;
        return ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
      }
      case 28: {
        const at = node * 7 + side * 4;
        const shared = bytes[node * 7 + 3] ?? 0;
        const low = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
        return low | ((side === 0 ? shared >>> 4 : shared & 15) << 24);
      }
      default: {
        const at = node * 8 + side * 4;
        const high = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
        return high * 65_536 + (((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0));
      }
    }
  }
}
