import { randomBytes } from 'node:crypto';
import type { Sealer } from './sealer.ts';

/** 80 bits before the MAC: 6 of them say "UUID version 8" (RFC 9562), 74 are random. */
const RANDOM_BYTES = 10;
const MAC_BYTES = 6;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * The value of `_guard`: a UUID whose last 48 bits are a MAC over the first 80 and the organisation.
 * A forged one is told apart without a store, and nothing is stored for a visitor before a pass.
 */
export interface SessionIds {
  mint(organisation: string): string;
  /** True for a UUID this installation made for this organisation. */
  isOurs(organisation: string, id: string): boolean;
}

export function createSessionIds(sealer: Sealer): SessionIds {
  return {
    mint(organisation) {
      const bytes = randomBytes(RANDOM_BYTES);
      bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
      bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
      const random = bytes.toString('hex');
      const mac = sealer.seal([organisation, random], MAC_BYTES).toString('hex');
      return withHyphens(random + mac);
    },
    isOurs(organisation, id) {
      if (!UUID.test(id)) return false;
      const hex = id.toLowerCase().replaceAll('-', '');
      const mac = Buffer.from(hex.slice(2 * RANDOM_BYTES), 'hex');
      return sealer.verify([organisation, hex.slice(0, 2 * RANDOM_BYTES)], mac);
    },
  };
}

function withHyphens(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
