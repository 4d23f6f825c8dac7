import { createHash } from 'node:crypto';

/** The namespace of crawler ids. A change of the namespace would give every crawler a new identity. */
const NAMESPACE = Buffer.from('5f0a6f1ed3c14b8e9a476b1f2c7d0e93', 'hex');

/** The id of a crawler: UUIDv5 (RFC 9562 section 5.5) of its name. So the id stays the same while the name does. */
export function crawlerId(name: string): string {
  const hash = createHash('sha1').update(NAMESPACE).update(name, 'utf8').digest();
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x50, 6);
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = hash.toString('hex', 0, 16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-');
}
