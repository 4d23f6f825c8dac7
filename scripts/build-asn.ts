/**
 * Builds config/data/ip/asn.bin.br, asn-names.txt.br and their licence texts from the unpacked npm package
 * @ip-location-db/asn:
 *
 *   node scripts/build-asn.ts <package folder>
 *
 * The same package gives the same bytes.
 */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import {
  type AsnRun,
  encodeAsnFile,
  encodeAsnNames,
} from '../config/src/catalogue/testing/encode-asns.ts';
import { dataPath } from '../config/src/catalogue/data-path.ts';

/** The licence texts of the package, and their file names in this repository. */
const LICENCES = {
  'ROUTEVIEWS-LICENSE': 'routeviews-CC-BY-4.0.txt',
  NRO_LICENSE: 'nro-CC-BY-4.0.txt',
  'DBIP-LICENSE': 'db-ip-asn-CC-BY-4.0.txt',
  MODIFICATIONS: 'ip-location-db-asn-modifications.txt',
} as const;

/** The number of low bits of an IPv6 address that are left out, because no network smaller than a /64 is routed. */
const V6_SHIFT = 64n;

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error('usage: node scripts/build-asn.ts <folder of @ip-location-db/asn>');
  process.exit(2);
}
const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));

const v4Csv = readFileSync(join(folder, 'asn-ipv4-num.csv'), 'utf8');
const v6Csv = readFileSync(join(folder, 'asn-ipv6-num.csv'), 'utf8');
const v4 = runsOf(v4Csv, 0n);
const v6 = runsOf(v6Csv, V6_SHIFT);
const fileBytes = encodeAsnFile(v4, v6);
writeFileSync(dataPath('ip/asn.bin.br'), fileBytes);
const names = new Map([...namesOf(v4Csv), ...namesOf(v6Csv)]);
const packedNames = encodeAsnNames(names);
writeFileSync(dataPath('ip/asn-names.txt.br'), packedNames);
for (const [from, to] of Object.entries(LICENCES)) {
  copyFileSync(join(folder, from), join(dataPath('licences'), to));
}
console.log(
  `@ip-location-db/asn ${version}: ${v4.length} runs of IPv4, ${v6.length} of IPv6, ${fileBytes.length} bytes; ${names.size} names, ${packedNames.length} bytes`,
);

/**
 * Converts ascending rows of `first,last,number,"name"` to runs. Adjacent rows of one system become one run. Some rows
 * of the source overlap. Then the later row gets only the rest of its range.
 */
function runsOf(csv: string, shift: bigint): AsnRun[] {
  const runs: AsnRun[] = [];
  let end = 0n;
  const put = (start: bigint, asn: number) => {
    if (runs.at(-1)?.asn !== asn) runs.push({ start, asn });
  };
  for (const row of csv.split('\n').filter(Boolean)) {
    const [firstText = '', lastText = '', asn = ''] = row.split(',', 3);
    const last = BigInt(lastText) >> shift;
    if (last < end) continue;
    const first = BigInt(firstText) >> shift;
    if (first > end) put(end, 0);
    put(first > end ? first : end, Number(asn));
    end = last + 1n;
  }
  put(end, 0);
  return runs;
}

/** Returns the last column of each row (the name), by the number before it. A name with a comma is in quotes. */
function* namesOf(csv: string): Iterable<[number, string]> {
  for (const row of csv.split('\n').filter(Boolean)) {
    const [, asn = '', written = ''] = /^\d+,\d+,(\d+),(.*)$/.exec(row) ?? [];
    const name = written.startsWith('"') ? written.slice(1, -1).replaceAll('""', '"') : written;
    yield [Number(asn), name];
  }
}
