import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { NETWORK_LISTS } from '../../config/src/catalogue/networks.ts';
import type { NetworkKind } from '../../config/src/catalogue/networks.ts';
import { readPublicRanges } from '../../config/src/net/bogons.ts';
import { readJson } from './crawler-ranges.ts';
import { cidrsOf, spaceOf, subtract } from './intervals.ts';
import { SOURCES } from './sources.ts';
import type { Source } from './sources.ts';

const Clouds = z.record(
  z.string(),
  z.object({ ipv4: z.array(z.string()).default([]), ipv6: z.array(z.string()).default([]) }),
);
const VpnServers = z.record(z.string(), z.array(z.string()));

/**
 * The IPv6 egress of iCloud Private Relay. The published list has thousands of ranges, all in this block, and the
 * operator uses the block only for this service.
 */
const PRIVATE_RELAY_V6 = '2a02:26f7::/32';

const WITHOUT_RELAY = 'iCloud Private Relay is taken out: people are behind it.';

/** Returns the text of each bundled list, by file name. */
export function ipListFiles(folder: string): ReadonlyMap<string, string> {
  const entries: Record<NetworkKind, { from: Source[]; note: string; list: string[] }> = {
    datacenter: {
      from: [SOURCES.x4b, SOURCES.clouds],
      note: `Hosting providers. ${WITHOUT_RELAY}`,
      list: [
        ...readLines(folder, 'ip/x4b-datacenter-v4.txt'),
        ...readLines(folder, 'ip/x4b-datacenter-v6.txt'),
        ...Object.values(Clouds.parse(readJson(join(folder, SOURCES.clouds.file)))).flatMap(
          ({ ipv4, ipv6 }) => [...ipv4, ...ipv6],
        ),
      ],
    },
    vpn: {
      from: [SOURCES.x4b, SOURCES.vpnServers],
      note: `Commercial VPN services. ${WITHOUT_RELAY}`,
      list: [
        ...readLines(folder, 'ip/x4b-vpn-v4.txt'),
        ...readLines(folder, 'ip/x4b-vpn-v6.txt'),
        ...Object.values(VpnServers.parse(readJson(join(folder, SOURCES.vpnServers.file)))).flat(),
      ],
    },
    tor: {
      from: [SOURCES.torExits],
      note: 'Tor exits. They change within days.',
      list: readLines(folder, SOURCES.torExits.file),
    },
  };
  const relayRanges = spaceOf(
    readPublicRanges([...readLines(folder, SOURCES.privateRelay.file), PRIVATE_RELAY_V6], {
      v4: 8,
      v6: 19,
    }).ranges,
  );
  return new Map(
    NETWORK_LISTS.map(({ kind, file, widthLimit }) => {
      const { from, note, list } = entries[kind];
      const { ranges, refusals } = readPublicRanges(list, widthLimit);
      const { v4, v6 } = cidrsOf(subtract(spaceOf(ranges), relayRanges), widthLimit);
      console.log(`${file}: ${v4.length} v4, ${v6.length} v6, refused ${JSON.stringify(refusals)}`);
      const header = [
        `# ${note}`,
        ...from.map(({ origin, date, licence }) => `# ${origin}, ${date}, ${licence}`),
      ];
      return [file, [...header, ...v4, ...v6, ''].join('\n')];
    }),
  );
}

function readLines(folder: string, file: string): string[] {
  return readFileSync(join(folder, file), 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}
