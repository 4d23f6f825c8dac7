import { readFileSync } from 'node:fs';
import { AddressMap } from '../net/address-map.ts';
import { decodeAsnFile } from './asn-file.ts';
import { AsnNames } from './asn-names.ts';
import { dataPath } from './data-path.ts';
import { openMmdb } from './mmdb.ts';

/**
 * Where a database keeps number and name: MaxMind and DB-IP in long fields, IPinfo as `AS13335` and
 * `as_name`, or `name` in its older files.
 */
interface AsnRecord {
  readonly autonomous_system_number?: unknown;
  readonly asn?: unknown;
  readonly autonomous_system_organization?: unknown;
  readonly as_name?: unknown;
  readonly name?: unknown;
}

/** The autonomous systems that announce addresses, as `parseIp` spells them. */
export interface Asns {
  /** 0 when none is known. */
  readonly numberOf: (ip: string) => number;
  /** Its holder; empty when that is not known. */
  readonly nameOf: (ip: string) => string;
}

interface AutonomousSystem {
  readonly number: number;
  readonly name: string;
}

/**
 * Opens a database of autonomous systems in MMDB form, of a path or of bytes, by default the bundled tables. The
 * bundled ones take 11 MB and 120 ms, once in a process.
 *
 * Throws an Error that names the file when that cannot be read or is no such database.
 */
export function openAsns(mmdb?: string | Buffer): Asns {
  if (mmdb === undefined) return (bundled ??= openBundled());
  const find = openMmdb(mmdb, 'database of autonomous systems', systemIn);
  return {
    numberOf: (ip) => find(ip)?.number ?? 0,
    nameOf: (ip) => find(ip)?.name ?? '',
  };
}

/** The tables do not change while the program runs, and settings may be read often. */
let bundled: Asns | undefined;

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
