import { readFileSync } from 'node:fs';
import { AddressMap } from '../net/address-map.ts';
import { decodeAsnFile } from './asn-file.ts';
import { AsnNames } from './asn-names.ts';
import { dataPath } from './data-path.ts';
import { openMmdb } from './mmdb.ts';

/**
 * The names of the two fields differ between databases: MaxMind and DB-IP use the long names, IPinfo uses `AS13335` and
 * `as_name`, or `name` in its older files.
 */
interface AsnRecord {
  readonly autonomous_system_number?: unknown;
  readonly asn?: unknown;
  readonly autonomous_system_organization?: unknown;
  readonly as_name?: unknown;
  readonly name?: unknown;
}

/** The autonomous systems that announce addresses. Addresses are spelled as `parseIp` returns them. */
export interface Asns {
  /** The number of the autonomous system of an address. 0 when none is known. */
  readonly numberOf: (ip: string) => number;
  /** The holder of the system. Empty when it is not known. */
  readonly nameOf: (ip: string) => string;
}

interface AutonomousSystem {
  readonly number: number;
  readonly name: string;
}

/**
 * Opens an MMDB database of autonomous systems from a path or bytes. The default is the bundled tables. Loading them
 * needs 11 MB and 120 ms, once per process.
 *
 * Throws an Error that names the file when it cannot be read or is another kind of database.
 */
export function openAsns(mmdb?: string | Buffer): Asns {
  if (mmdb === undefined) return (bundledAsns ??= openBundled());
  const find = openMmdb(mmdb, 'database of autonomous systems', systemIn);
  return {
    numberOf: (ip) => find(ip)?.number ?? 0,
    nameOf: (ip) => find(ip)?.name ?? '',
  };
}

/** Cached, because the tables do not change while the program runs and settings may be read often. */
let bundledAsns: Asns | undefined;

function openBundled(): Asns {
  const map = new AddressMap(decodeAsnFile(readFileSync(dataPath('ip/asn.bin.br'))));
  const names = new AsnNames(readFileSync(dataPath('ip/asn-names.txt.br')));
  return {
    numberOf: (ip) => map.numberAt(ip),
    nameOf: (ip) => names.nameOf(map.numberAt(ip)),
  };
}

function systemIn(record: AsnRecord): AutonomousSystem | undefined {
  const number = record.autonomous_system_number ?? record.asn;
  const written = typeof number === 'string' ? Number(number.replace(/^AS/i, '')) : number;
  if (typeof written !== 'number' || !Number.isInteger(written) || written <= 0) return undefined;
  const name = record.autonomous_system_organization ?? record.as_name ?? record.name;
  return { number: written, name: typeof name === 'string' ? name : '' };
}
