import type { Http2Opening } from '@guard/config/contract/transport';
import type { Engine } from '../request/agent.ts';
import { NO_REASONS, type Signal } from './signal.ts';
import { isKnown } from './transport-tls.ts';

/** Identifiers of HTTP/2 settings (RFC 9113 section 6.5.2). */
const HEADER_TABLE_SIZE = 1;
const INITIAL_WINDOW_SIZE = 4;

/**
 * Compares the opening of HTTP/2 with the browser of the User-Agent: the order of the pseudo-header fields, and the
 * settings that are the same for all users and versions.
 */
export const transportHttp2Signal: Signal = ({ transport, agent, crawler }) => {
  const opening = transport?.http2;
  if (opening === undefined || crawler || !isKnown(agent)) return NO_REASONS;
  return contradicts(opening, agent.engine) ? ['http2_fingerprint_mismatch'] : NO_REASONS;
};

function contradicts({ settings, pseudoHeaders }: Http2Opening, engine: Engine): boolean {
  const tableSize = settings.get(HEADER_TABLE_SIZE);
  switch (engine) {
    case 'chromium':
      return (
        pseudoHeaders !== 'm,a,s,p' ||
        tableSize !== 65_536 ||
        settings.get(INITIAL_WINDOW_SIZE) !== 6_291_456
      );
    case 'gecko':
      return pseudoHeaders !== 'm,p,a,s' || tableSize !== 65_536;
    case 'webkit':
      // For Safari only the first two fields are compared, because its versions differ in the order of the other
      // fields.
      return !pseudoHeaders.startsWith('m,s,');
  }
}
