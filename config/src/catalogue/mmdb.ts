import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { Reader, type Response } from 'maxmind';

/** Addresses that every database of the whole Internet knows: public resolvers of four operators. */
const WELL_KNOWN = ['8.8.8.8', '1.1.1.1', '9.9.9.9', '208.67.222.222'];
/** Most records kept decoded: far more than there are countries or autonomous systems. */
const MAX_DECODED = 200_000;

/**
 * Opens a database in MMDB form and returns its look-up: an address, as `parseIp` spells it, to what
 * `read` finds in its record, or undefined. `what` names the kind of database, for errors.
 *
 * Throws an Error that names the file when that cannot be read, is no MMDB, or is one of another kind:
 * well-known addresses have records, and `read` finds nothing in them.
 */
export function openMmdb<Value>(
  path: string,
  what: string,
  read: (record: object) => Value | undefined,
): (ip: string) => Value | undefined {
  const reader = openFile(path, what);
  const known = WELL_KNOWN.flatMap((ip) => reader.get(ip) ?? []);
  if (known.length > 0 && known.every((record) => read(record) === undefined)) {
    throw new Error(`not a ${what}: ${path} holds something else`);
  }
  // A tree of IPv4 addresses would take the first bits of an IPv6 address for one.
  const families = reader.metadata.ipVersion === 4 ? [4] : [4, 6];
  return (ip) => {
    const record = families.includes(isIP(ip)) ? reader.get(ip) : null;
    return record === null ? undefined : read(record);
  };
}

function openFile(path: string, what: string): Reader<Response> {
  const decoded = new Map<string | number, unknown>();
  // The library asks by the place of a record, so a record that many addresses share is decoded once.
  const cache = {
    get: (at: string | number) => decoded.get(at),
    set: (at: string | number, value: unknown) => {
      if (decoded.size < MAX_DECODED) decoded.set(at, value);
    },
  };
  try {
    return new Reader<Response>(readFileSync(path), { cache });
  } catch (cause) {
    throw new Error(`not a ${what}: ${path}`, { cause });
  }
}
