import { readFileSync } from 'node:fs';
import { AddressMap } from '../net/address-map.ts';
import { decodeAsnFile } from './asn-file.ts';
import { dataPath } from './data-path.ts';
import { openMmdb } from './mmdb.ts';

/** Where a database keeps the number: MaxMind and DB-IP as a number, IPinfo as `AS13335`. */
interface AsnRecord {
  readonly autonomous_system_number?: unknown;
  readonly asn?: unknown;
}

/** The autonomous system that announces an address, as `parseIp` spells it; 0 when none is known. */
export type AsnOf = (ip: string) => number;

/**
 * Opens a database of autonomous systems in MMDB form, by default the bundled table, and returns its
 * look-up. Either takes memory (the bundled one 6 MB) and a moment, so it is opened when something asks.
 *
 * Throws an Error that names the file when that cannot be read or is no such database.
 */
export function openAsns(mmdbPath?: string): AsnOf {
  if (mmdbPath !== undefined) {
    const find = openMmdb(mmdbPath, 'database of autonomous systems', asnIn);
    return (ip) => find(ip) ?? 0;
  }
  const map = new AddressMap(decodeAsnFile(readFileSync(dataPath('ip/asn.bin.br'))));
  return (ip) => map.numberAt(ip);
}

function asnIn({ autonomous_system_number, asn }: AsnRecord): number | undefined {
  const number = autonomous_system_number ?? asn;
  const written = typeof number === 'string' ? Number(number.replace(/^AS/i, '')) : number;
  return typeof written === 'number' && Number.isInteger(written) && written > 0
    ? written
    : undefined;
}
