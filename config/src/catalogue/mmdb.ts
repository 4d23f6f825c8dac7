import { readFileSync } from 'node:fs';
import { Reader, type Response } from 'maxmind';
import { MmdbTree } from './mmdb-tree.ts';

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
  const { reader, tree } = openFile(path, what);
  const known = WELL_KNOWN.flatMap((ip) => (tree.recordAt(ip) === 0 ? [] : (reader.get(ip) ?? [])));
  if (known.length > 0 && known.every((record) => read(record) === undefined)) {
    throw new Error(`not a ${what}: ${path} holds something else`);
  }
  const decoded = new Map<number, Value | undefined>();
  return (ip) => {
    const at = tree.recordAt(ip);
    if (at === 0) return undefined;
    const value = decoded.get(at);
    if (value !== undefined || decoded.has(at)) return value;
    const record = reader.get(ip);
    const fresh = record === null ? undefined : read(record);
    if (decoded.size < MAX_DECODED) decoded.set(at, fresh);
    return fresh;
  };
}

function openFile(path: string, what: string): { reader: Reader<Response>; tree: MmdbTree } {
  try {
    const bytes = readFileSync(path);
    const reader = new Reader<Response>(bytes);
    return { reader, tree: new MmdbTree(bytes, reader.metadata) };
  } catch (cause) {
    throw new Error(`not a ${what}: ${path}`, { cause });
  }
}
