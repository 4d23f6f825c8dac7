import { readFileSync, statSync } from 'node:fs';
import { Reader, type Response } from 'maxmind';
import { readAddress } from '../net/read-address.ts';
import { withBounds, decodedSize } from './mmdb-bounds.ts';

/** Addresses that every complete database contains: public DNS resolvers of four operators. */
const WELL_KNOWN = ['8.8.8.8', '1.1.1.1', '9.9.9.9', '208.67.222.222'];
/**
 * Maximum number of values and characters in all cached records. All countries or all autonomous systems fit. They need
 * at most about 130 MB of memory. A record that does not fit is decoded each time.
 */
const MAX_CACHED_SIZE = 4 * 2 ** 20;
/** The overhead of a cached record, in the same unit. */
const RECORD_OVERHEAD = 4;
/** The number of networks with a cached record. It must be a power of two. The cache of networks needs 256 KiB. */
const CACHE_SLOTS = 16_384;
/** Records are cached per network with this prefix length. Records of smaller networks are not cached. */
const CACHED_PREFIX_BITS = { v4: 24, v6: 48 } as const;
/** Maximum number of open files: a database of countries and one of autonomous systems. */
const MAX_OPEN_FILES = 2;

/**
 * Opens an MMDB database from a path or bytes and returns its look-up. The look-up maps an address, spelled as
 * `parseIp` returns it, to the result of `read` for its record, or to undefined. `what` names the kind of database in
 * errors. A damaged or too large record is treated as missing.
 *
 * Throws an Error that names the file when it cannot be read, is not an MMDB, or is another kind of database. A
 * database is of another kind when `read` finds nothing for well-known addresses that have records.
 */
export function openMmdb<Value>(
  source: string | Buffer,
  what: string,
  read: (record: object) => Value | undefined,
): (ip: string) => Value | undefined {
  const refusal = `not a ${what}: ${typeof source === 'string' ? source : 'the fetched file'}`;
  const reader = openReader(source, refusal);
  /** Returns the record and the prefix length of its network. For an unreadable record the network is one address. */
  const recordOf = (ip: string): [Response | null, number] => {
    try {
      return withBounds(() => reader.getWithPrefixLength(ip));
    } catch {
      return [null, Infinity];
    }
  };
  const wellKnownRecords = WELL_KNOWN.flatMap((ip) => recordOf(ip)[0] ?? []);
  if (
    wellKnownRecords.length > 0 &&
    wellKnownRecords.every((record) => read(record) === undefined)
  ) {
    throw new Error(`${refusal} contains other data`);
  }
  // With a tree of IPv4 addresses, the library would read the first bits of an IPv6 address as an IPv4 address.
  const isOfIpv4 = reader.metadata.ipVersion === 4;
  // Results are cached per network, because visitors send many requests and have neighbours. The library parses the
  // address and walks the tree for each look-up.
  const networks = new Float64Array(CACHE_SLOTS).fill(NaN);
  const values = new Array<Value | undefined>(CACHE_SLOTS).fill(undefined);
  return (ip) => {
    const { family, v4, v6 } = readAddress(ip);
    if (family === 'none' || (family === 'v6' && isOfIpv4)) return undefined;
    const network = family === 'v4' ? ipv4Network(v4) : ipv6Network(v6);
    // Each cache slot has one entry: the network that used this slot last.
    const slot = network & (CACHE_SLOTS - 1);
    if (networks[slot] === network) return values[slot];
    const [record, bits] = recordOf(ip);
    const value = record === null ? undefined : read(record);
    if (bits <= CACHED_PREFIX_BITS[family]) {
      networks[slot] = network;
      values[slot] = value;
    }
    return value;
  };
}

/** The number is negative, so that it differs from the number of every IPv6 network. */
function ipv4Network(address: number): number {
  return -1 - (address >>> (32 - CACHED_PREFIX_BITS.v4));
}

/** The first 48 bits of the address as one number. */
function ipv6Network([high = 0, low = 0]: Uint32Array): number {
  return high * 2 ** (CACHED_PREFIX_BITS.v6 - 32) + (low >>> (64 - CACHED_PREFIX_BITS.v6));
}

/**
 * The build time in the metadata of a file, in milliseconds since the epoch. 0 when the metadata has no build time.
 * Undefined when the file cannot be read.
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

/** Settings are read often, so a large file is read again only when it has changed. */
const openFiles = new Map<string, { readonly state: string; readonly reader: Reader<Response> }>();

function openFile(path: string): Reader<Response> {
  const { ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
  const state = [ino, size, mtimeNs, ctimeNs].join(' ');
  const earlierFile = openFiles.get(path);
  openFiles.delete(path);
  const file =
    earlierFile?.state === state ? earlierFile : { state, reader: readerOf(readFileSync(path)) };
  openFiles.set(path, file);
  const [oldest] = openFiles.keys();
  if (openFiles.size > MAX_OPEN_FILES && oldest !== undefined) openFiles.delete(oldest);
  return file.reader;
}

function readerOf(bytes: Buffer): Reader<Response> {
  const decodedRecords = new Map<string | number, unknown>();
  let bytesLeft = MAX_CACHED_SIZE;
  // The library looks records up by their position, so a record that many addresses share is decoded once.
  const cache = {
    get: (at: string | number) => decodedRecords.get(at),
    set: (at: string | number, value: unknown) => {
      const size = decodedSize() + RECORD_OVERHEAD;
      if (size > bytesLeft) return;
      bytesLeft -= size;
      decodedRecords.set(at, value);
    },
  };
  return withBounds(() => new Reader<Response>(bytes, { cache }));
}
