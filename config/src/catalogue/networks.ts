import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readPublicRanges } from '../net/bogons.ts';
import type { Refusals, WidthLimit } from '../net/bogons.ts';
import { PrefixSet } from '../net/prefix-set.ts';
import { dataPath } from './data-path.ts';

/** A network that a person's device seldom has. iCloud Private Relay does not count: people are behind it. */
export type NetworkKind = 'datacenter' | 'vpn' | 'tor';

/** The lists, most telling first: an address that stands in several is of the first kind. */
export const NETWORK_LISTS = [
  { kind: 'tor', file: 'tor.txt', widest: { v4: 32, v6: 128 } },
  { kind: 'vpn', file: 'vpn.txt', widest: { v4: 16, v6: 29 } },
  { kind: 'datacenter', file: 'datacenter.txt', widest: { v4: 8, v6: 20 } },
] as const satisfies readonly { kind: NetworkKind; file: string; widest: WidthLimit }[];

interface NetworkList {
  readonly kind: NetworkKind;
  readonly ranges: PrefixSet;
  readonly refused: Refusals;
}

/** Tells hosting providers, commercial VPNs and Tor exits from other networks. */
export class NetworkCatalogue {
  readonly lists: readonly NetworkList[];

  private constructor(lists: readonly NetworkList[]) {
    this.lists = lists;
  }

  /** Reads the three lists of a folder, by default the bundled ones; a missing file is an error. */
  static load(folder: string = dataPath('ip')): NetworkCatalogue {
    return new NetworkCatalogue(
      NETWORK_LISTS.map(({ kind, file, widest }) => {
        const entries = readListFile(join(folder, file));
        const { ranges, refused } = readPublicRanges(entries, widest);
        return { kind, ranges: PrefixSet.fromRanges(ranges), refused };
      }),
    );
  }

  /** `ip` as `parseIp` spells it. Ask after crawlers were verified: their ranges lie in datacenters. */
  kindOf(ip: string): NetworkKind | undefined {
    for (const list of this.lists) {
      if (list.ranges.has(ip)) return list.kind;
    }
    return undefined;
  }
}

/** One range a line; `#` begins a comment line. */
function readListFile(path: string): string[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
}
