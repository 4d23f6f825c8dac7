import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readPublicRanges } from '../net/bogons.ts';
import type { Refusals, WidthLimit } from '../net/bogons.ts';
import { PrefixSet } from '../net/prefix-set.ts';
import { dataPath } from './data-path.ts';

/** A network that people's devices rarely use. iCloud Private Relay is not included, because people use it. */
export type NetworkKind = 'datacenter' | 'vpn' | 'tor';

/** The lists in order of priority: an address in several lists has the kind of the first one. */
export const NETWORK_LISTS = [
  { kind: 'tor', file: 'tor.txt', widthLimit: { v4: 32, v6: 128 } },
  { kind: 'vpn', file: 'vpn.txt', widthLimit: { v4: 16, v6: 29 } },
  { kind: 'datacenter', file: 'datacenter.txt', widthLimit: { v4: 8, v6: 20 } },
] as const satisfies readonly { kind: NetworkKind; file: string; widthLimit: WidthLimit }[];

interface NetworkList {
  readonly kind: NetworkKind;
  readonly ranges: PrefixSet;
  readonly refusals: Refusals;
}

export class NetworkCatalogue {
  readonly lists: readonly NetworkList[];

  /** The day of the oldest part of these lists, in milliseconds since the epoch. Infinity when none has a day. */
  readonly asOf: number;

  private constructor(lists: readonly NetworkList[], asOf: number) {
    this.lists = lists;
    this.asOf = asOf;
  }

  /**
   * Reads the three lists of a folder, by default the bundled lists, which are read once. Throws when a file is
   * missing.
   */
  static load(folder?: string): NetworkCatalogue {
    return folder === undefined
      ? (bundledCatalogue ??= NetworkCatalogue.#readFolder(dataPath('ip')))
      : NetworkCatalogue.#readFolder(folder);
  }

  static #readFolder(folder: string): NetworkCatalogue {
    const days: number[] = [];
    const lists = NETWORK_LISTS.map(({ kind, file, widthLimit }) => {
      const text = readFileSync(join(folder, file), 'utf8');
      days.push(...daysOf(text));
      // Each line has one range. `#` starts a comment line.
      const entries = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
      const { ranges, refusals } = readPublicRanges(entries, widthLimit);
      return { kind, ranges: PrefixSet.fromRanges(ranges), refusals };
    });
    return new NetworkCatalogue(lists, Math.min(...days));
  }

  /** `ip` is spelled as `parseIp` returns it. Check crawlers first, because their ranges are in datacenters. */
  kindOf(ip: string): NetworkKind | undefined {
    for (const list of this.lists) {
      if (list.ranges.has(ip)) return list.kind;
    }
    return undefined;
  }
}

/** Cached, because the bundled lists do not change while the program runs. Reading them takes 150 ms. */
let bundledCatalogue: NetworkCatalogue | undefined;

/** The days in the comments. Each source has a comment with its day: `# github.com/owner/name, 2026-08-22, MIT`. */
function daysOf(text: string): number[] {
  return [...text.matchAll(/^#.*, (\d{4}-\d{2}-\d{2}), /gm)].map(([, day = '']) => Date.parse(day));
}
