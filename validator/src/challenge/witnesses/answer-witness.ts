import { CHALLENGE } from '@guard/config/contract/limits';
import type { CollectAnswer, CollectRequest, SessionStore } from '@guard/config/contract/ports';
import { connectionClass, handshakeOf } from '../../request/client-class.ts';
import { emptyAnswer, headerOf } from '../exchange.ts';
import { fontFile, UNITS_PER_EM } from './font-file.ts';
import { imageFile } from './image-file.ts';
import { type Witness, TEXT_PX } from './witness-page.ts';
import type { Witnesses } from './witnesses.ts';

/** Prefix under which Guard remembers tickets whose page loaded a decoy (SessionStore.remember). */
export const DECOY_PREFIX = 'witness-decoy';

const HEADERS = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex, nofollow',
};

/**
 * `GET /witness?token`: answers with one file of the challenge page. Guard reads and stores nothing before the token
 * has proved that the URL was made for this handshake. The URL is valid for any User-Agent, because some extensions
 * change the User-Agent only for pages. Only the visitor with the page has its URLs, so no visitor can spoil the ticket
 * of another visitor.
 */
export function createWitnessAnswerer(
  witnesses: Pick<Witnesses, 'read'>,
  store: Pick<SessionStore, 'remember'>,
): (request: CollectRequest) => Promise<CollectAnswer> {
  return async (request) => {
    const { method, query = '', connection } = request;
    if (method !== 'GET') return emptyAnswer(405, { Allow: 'GET' });
    const client = connection && connectionClass(connection.scheme, connection.transport);
    const askedFile = witnesses.read(query, client === undefined ? '' : handshakeOf(client));
    if (!askedFile) return emptyAnswer(404);
    const { witness, ticketId, isDecoy } = askedFile;
    // When a person opens a URL by hand, this check gives no file and does not spoil the ticket. On http browsers send
    // no Sec-Fetch-Dest. When a service worker forwards the request, Chromium sends `empty`.
    const destination = headerOf(request, 'sec-fetch-dest');
    if (!['', 'empty', witness.kind].includes(destination)) return emptyAnswer(404);
    if (isDecoy) {
      await store.remember(DECOY_PREFIX, ticketId, CHALLENGE.ticketTtlMs + CHALLENGE.clockSkewMs);
    }
    return { status: 200, ...fileOf(witness) };
  };
}

function fileOf(witness: Witness): Pick<CollectAnswer, 'headers' | 'body'> {
  switch (witness.kind) {
    case 'image':
      return {
        headers: { ...HEADERS, 'Content-Type': 'image/gif' },
        body: imageFile(witness.width, witness.height),
      };
    case 'font':
      return {
        headers: { ...HEADERS, 'Content-Type': 'font/ttf' },
        body: fontFile(witness.character, (witness.width * UNITS_PER_EM) / TEXT_PX),
      };
  }
}
