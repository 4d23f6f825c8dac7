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
 * look-up. Either takes memory and a moment; the bundled one 7 MB and 90 ms, once for all who open it.
 *
 * Throws an Error that names the file when that cannot be read or is no such database.
 */
export function openAsns(mmdbPath?: string): AsnOf {
  if (mmdbPath !== undefined) {
    const find = openMmdb(mmdbPath, 'database of autonomous systems', asnIn);
    return (ip) => find(ip) ?? 0;
  }
  bundled ??= new AddressMap(decodeAsnFile(readFileSync(dataPath('ip/asn.bin.br'))));
  const map = bundled;
  return (ip) => map.numberAt(ip);
}

/** It never changes while the program runs, and settings may be read again often. */
let bundled: AddressMap | undefined;

function asnIn({ autonomous_system_number, asn }: AsnRecord): number | undefined {
  const number = autonomous_system_number ?? asn;
  const written = typeof number === 'string' ? Number(number.replace(/^AS/i, '')) : number;
  return typeof written === 'number' && Number.isInteger(written) && written > 0
    ? written
    : undefined;
}
