import { describe, expect, test } from 'vitest';
import { createSealer } from '../../session/sealer.ts';
import { newReference } from './reference-code.ts';
import { SECRETS, aChallengedVisitor } from '../testing/challenged-visitor.ts';
import { readTicket } from './ticket.ts';

describe('contract 3: an uncertain visitor gets an interstitial', () => {
  test('its ticket names the organisation, the session, the network and the reference code of the page', () => {
    const { challenge, upload, sessionId, time } = aChallengedVisitor();
    const sealer = createSealer(SECRETS, 'ticket');
    expect(readTicket(sealer, upload.ticket, time.nowMs)).toMatchObject({
      kind: 'valid',
      ticket: {
        organisation: 'acme',
        sessionId,
        network: '198.51.100.0/24',
        reference: challenge.reference,
        issuedAt: time.nowMs,
        expiresAt: time.nowMs + 600_000,
      },
    });
    expect(challenge.html).toContain(`<code>${challenge.reference}</code>`);
  });

  test('its reference code has eight characters that people do not confuse', () => {
    const codes = Array.from({ length: 500 }, newReference);
    for (const code of codes) expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{8}$/);
    expect(new Set(codes).size).toBe(500);
  });
});
