import { readFileSync } from 'node:fs';
import type { ClientHello, TransportFacts } from '@guard/config/contract/transport';

/** A handshake of a real client, captured before the TLS server. */
export interface Handshake {
  readonly client: string;
  /** The records of the ClientHello. */
  readonly helloBytes: Buffer;
  /** The first decrypted bytes over HTTP/2. */
  readonly openingBytes: Buffer | undefined;
  readonly facts: TransportFacts;
}

interface StoredHandshake {
  readonly client: string;
  readonly helloBytes: string;
  readonly openingBytes?: string;
  readonly pseudoHeaders?: string;
  readonly hello: ClientHello;
  readonly http2?: { readonly fingerprint: string };
}

// The file was written by hand from captures. Tests of the gateway's parsers compare it with them.
const storedHandshakes = JSON.parse(
  readFileSync(new URL('../fixtures/handshakes.json', import.meta.url), 'utf8'),
) as readonly StoredHandshake[];

/** Captured on one machine on 2026-11-21, with ALPN, towards `localhost`. */
export const handshakes: readonly Handshake[] = storedHandshakes.map((entry) => ({
  client: entry.client,
  helloBytes: Buffer.from(entry.helloBytes, 'base64'),
  openingBytes:
    entry.openingBytes === undefined ? undefined : Buffer.from(entry.openingBytes, 'base64'),
  facts: {
    hello: entry.hello,
    http2: entry.http2 && {
      fingerprint: entry.http2.fingerprint,
      settings: settingsOf(entry.http2.fingerprint),
      pseudoHeaders: entry.pseudoHeaders ?? '',
    },
  },
}));

/** The handshake of a client by its name. Throws for an unknown name. */
export function handshakeOf(client: string): Handshake {
  const match = handshakes.find((handshake) => handshake.client === client);
  if (match === undefined) throw new Error(`no handshake of ${client}`);
  return match;
}

function settingsOf(fingerprint: string): Map<number, number> {
  const [settings = ''] = fingerprint.split('|');
  const pairs = settings === '' ? [] : settings.split(';');
  return new Map(
    pairs.map((pair) => {
      const [id = '', value = ''] = pair.split(':');
      return [Number(id), Number(value)] as const;
    }),
  );
}
