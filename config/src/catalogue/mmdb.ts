import { readFileSync, statSync } from 'node:fs';
import { Reader, type Response } from 'maxmind';
import { readAddress } from '../net/read-address.ts';
import { bounded, decodedSize } from './mmdb-bounds.ts';

/** Addresses that every database of the whole Internet knows: public resolvers of four operators. */
const WELL_KNOWN = ['8.8.8.8', '1.1.1.1', '9.9.9.9', '208.67.222.222'];
/**
 * Values and characters of all records that are kept decoded: more than those of all countries or autonomous systems,
 * and some 130 MB at the very most. A record that does not fit is decoded each time.
 */
const MAX_DECODED = 4 * 2 ** 20;
/** What it takes to keep a record, in the same measure. */
const KEPT_RECORD = 4;
/** Networks whose record is kept: a power of two. 256 KiB. */
const RECENT = 16_384;
/** This many bits of an address say which network it is kept with. Smaller networks are not kept. */
const KEPT_BITS = { v4: 24, v6: 48 } as const;
/** Most files kept open: a database of countries, and one of autonomous systems. */
const MAX_OPEN = 2;

/**
 * Opens a database in MMDB form, of a path or of bytes, and returns its look-up: an address, as `parseIp`
 * spells it, to what `read` finds in its record, or undefined. `what` names the kind of database, for errors.
 * A record that is damaged, or too large for one, counts as none.
 *
 * Throws an Error that names the file when that cannot be read, is no MMDB, or is one of another kind:
 * well-known addresses have records, and `read` finds nothing in them.
 */
export function openMmdb<Value>(
  source: string | Buffer,
  what: string,
  read: (record: object) => Value | undefined,
): (ip: string) => Value | undefined {
  const refusal = `not a ${what}: ${typeof source === 'string' ? source : 'what was fetched'}`;
  const reader = openReader(source, refusal);
  /** With the length of the network that it is for; what cannot be read is for one address. */
  const recordOf = (ip: string): [Response | null, number] => {
    try {
      return bounded(() => reader.getWithPrefixLength(ip));
    } catch {
      return [null, Infinity];
    }
  };
  const known = WELL_KNOWN.flatMap((ip) => recordOf(ip)[0] ?? []);
  if (known.length > 0 && known.every((record) => read(record) === undefined)) {
    throw new Error(`${refusal} holds something else`);
  }
  // A tree of IPv4 addresses would take the first bits of an IPv6 address for one.
  const isOfIpv4 = reader.metadata.ipVersion === 4;
  // A visitor asks often, and has neighbours. The library reads each address and walks the tree anew.
  const networks = new Float64Array(RECENT).fill(NaN);
  const values = new Array<Value | undefined>(RECENT).fill(undefined);
  return (ip) => {
    const { family, v4, v6 } = readAddress(ip);
    if (family === 'none' || (family === 'v6' && isOfIpv4)) return undefined;
    const network = family === 'v4' ? ipv4Network(v4) : ipv6Network(v6);
    // One place for each: the network that was asked for last has it.
    const place = network & (RECENT - 1);
    if (networks[place] === network) return values[place];
    const [record, bits] = recordOf(ip);
    const value = record === null ? undefined : read(record);
    if (bits <= KEPT_BITS[family]) {
      networks[place] = network;
      values[place] = value;
    }
    return value;
  };
}

/** Negative, which no number of an IPv6 network is. */
function ipv4Network(address: number): number {
  return -1 - (address >>> (32 - KEPT_BITS.v4));
}

/** The first bits as one number. */
function ipv6Network([high = 0, low = 0]: Uint32Array): number {
  return high * 2 ** (KEPT_BITS.v6 - 32) + (low >>> (64 - KEPT_BITS.v6));
}

/**
 * When a file says that its database was built, in milliseconds since the epoch; 0 where it does not say so.
 * Undefined where no such file can be read.
 */
export function mmdbBuiltAt(path: string): number | undefined {
  try {
    const at = openReader(path, '').metadata.buildEpoch.getTime();
    return at > 0 ? at : 0;
  } catch {
    return undefined;
  }
}

function openReader(source: string | Buffer, refusal: string): Reader<Response> {
  try {
    return typeof source === 'string' ? openFile(source) : readerOf(source);
  } catch (cause) {
    throw new Error(refusal, { cause });
  }
}

interface OpenFile {
  readonly state: string;
  readonly reader: Reader<Response>;
}

/** Settings are read often, and a file of many megabytes is read when it has changed. */
const open = new Map<string, OpenFile>();

function openFile(path: string): Reader<Response> {
  const { ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
  const state = [ino, size, mtimeNs, ctimeNs].join(' ');
  const before = open.get(path);
  open.delete(path);
  const file = before?.state === state ? before : { state, reader: readerOf(readFileSync(path)) };
  open.set(path, file);
  const [oldest] = open.keys();
  if (open.size > MAX_OPEN && oldest !== undefined) open.delete(oldest);
  return file.reader;
}

function readerOf(bytes: Buffer): Reader<Response> {
  const decoded = new Map<string | number, unknown>();
  let room = MAX_DECODED;
  // The library asks by the place of a record, so a record that many addresses share is decoded once.
  const cache = {
    get: (at: string | number) => decoded.get(at),
    set: (at: string | number, value: unknown) => {
      const size = decodedSize() + KEPT_RECORD;
      if (size > room) return;
      room -= size;
      decoded.set(at, value);
    },
  };
  return bounded(() => new Reader<Response>(bytes, { cache }));
}
