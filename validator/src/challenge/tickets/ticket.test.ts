import { describe, expect, test } from 'vitest';
import { createSealer } from '../../session/sealer.ts';
import { readFields, writeFields } from './ticket-fields.ts';
import { hashUserAgent } from '../../request/user-agent-hash.ts';
import { issueTicket, newTicketId, readTicket, type Ticket } from './ticket.ts';

const sealer = createSealer(['the first secret of the tests'], 'ticket');

const ticket: Ticket = {
  id: newTicketId(),
  organisation: 'acme',
  sessionId: '0b6c3d9e-8f4b-4b0e-9a53-0e3a3b9c2f11',
  issuedAt: 1_800_000_000_000,
  expiresAt: 1_800_000_600_000,
  network: '198.51.100.0/24',
  userAgentHash: hashUserAgent('Mozilla/5.0'),
  reference: 'K7QM2X9D',
  ruleSet: 'c2hhMjU2LW9mLXJ1',
  work: 4,
  origin: 'https://shop.example',
  client: 'https 8daaf6152771g masp',
  found: ['header_missing', 'datacenter_ip'],
  witnessed: true,
  program: 'a1b2.3',
};
const text = issueTicket(sealer, ticket);
const now = ticket.issuedAt + 1000;

describe('contract 3: the ticket of an interstitial', () => {
  test('is read with all fields as issued', () => {
    expect(readTicket(sealer, text, now)).toEqual({ kind: 'valid', ticket });
  });

  test('is invalid after a change of any single bit', () => {
    const bytes = Buffer.from(text, 'base64url');
    for (let at = 0; at < bytes.length * 8; at += 1) {
      const changedBytes = Buffer.from(bytes);
      changedBytes[at >> 3] = (changedBytes[at >> 3] ?? 0) ^ (1 << (at & 7));
      const reading = readTicket(sealer, changedBytes.toString('base64url'), now);
      expect(reading, `bit ${at}`).toEqual({ kind: 'invalid' });
    }
  });

  test('is invalid in any other spelling: with padding, blanks, spare bits or another alphabet', () => {
    const last = text.slice(-1);
    const spellings = [`${text}=`, `${text}\n`, ` ${text}`, `${text}!`, text.replaceAll('-', '+')];
    for (const letter of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_') {
      if (letter !== last) spellings.push(text.slice(0, -1) + letter);
    }
    for (const spelling of spellings.filter((candidate) => candidate !== text)) {
      expect(readTicket(sealer, spelling, now), spelling).toEqual({ kind: 'invalid' });
    }
  });

  test('is invalid when a byte moves from one field into the next', () => {
    const bytes = Buffer.from(text, 'base64url');
    const mac = bytes.subarray(0, 32);
    const fields = readFields(bytes.subarray(32)) ?? [];
    expect(fields).toHaveLength(16);
    for (let at = 0; at < fields.length - 1; at += 1) {
      const [leftField = '', rightField = ''] = fields.slice(at);
      const spliced = fields
        .with(at, leftField + rightField.slice(0, 1))
        .with(at + 1, rightField.slice(1));
      const forged = Buffer.concat([mac, writeFields(spliced)]).toString('base64url');
      expect(readTicket(sealer, forged, now)).toEqual({ kind: 'invalid' });
    }
  });

  test('is invalid when the organisation is changed', () => {
    const bytes = Buffer.from(text, 'base64url').toString('latin1');
    expect(bytes).toContain('4:acme');
    const forged = Buffer.from(bytes.replace('4:acme', '4:evil'), 'latin1').toString('base64url');
    expect(readTicket(sealer, forged, now)).toEqual({ kind: 'invalid' });
  });

  test('is early when its time is more than a minute, the allowed clock skew, in the future', () => {
    expect(readTicket(sealer, text, ticket.issuedAt - 60_000).kind).toBe('valid');
    expect(readTicket(sealer, text, ticket.issuedAt - 60_001)).toEqual({ kind: 'early', ticket });
  });

  test('is unknown when it has other fields and a valid MAC', () => {
    const fields = readFields(Buffer.from(text, 'base64url').subarray(32)) ?? [];
    const otherFieldLists = [
      fields.slice(0, -1),
      [...fields, ''],
      fields.with(0, '1'),
      fields.with(4, '-1'),
      fields.with(5, '1e15'),
      fields.with(10, '9'),
      fields.with(10, '-1'),
      fields.with(10, ''),
    ];
    for (const fieldBytes of otherFieldLists.map(writeFields)) {
      const sealed = Buffer.concat([sealer.seal([fieldBytes], 32), fieldBytes]).toString(
        'base64url',
      );
      expect(readTicket(sealer, sealed, now), fieldBytes.toString()).toEqual({ kind: 'unknown' });
    }
  });

  test('is valid until the last millisecond before its expiry', () => {
    expect(readTicket(sealer, text, ticket.expiresAt - 1).kind).toBe('valid');
    expect(readTicket(sealer, text, ticket.expiresAt)).toEqual({ kind: 'expired', ticket });
  });

  test('stays valid after a rotation of secrets while the old secret is still listed', () => {
    const rotated = createSealer(['a new secret', 'the first secret of the tests'], 'ticket');
    const withoutOld = createSealer(['a new secret'], 'ticket');
    expect(readTicket(rotated, text, now).kind).toBe('valid');
    expect(readTicket(withoutOld, text, now)).toEqual({ kind: 'invalid' });
    expect(readTicket(withoutOld, issueTicket(rotated, ticket), now).kind).toBe('valid');
  });

  test('is invalid when the key for another purpose made it', () => {
    const session = createSealer(['the first secret of the tests'], 'session');
    expect(readTicket(sealer, issueTicket(session, ticket), now)).toEqual({ kind: 'invalid' });
  });

  test('is invalid when it is empty, short, or longer than any ticket', () => {
    for (const unknownText of [
      '',
      'A',
      'AAAA'.repeat(10),
      'AAAA'.repeat(600),
      '\u0000',
      '💥'.repeat(50),
    ]) {
      expect(readTicket(sealer, unknownText, now)).toEqual({ kind: 'invalid' });
    }
  });
});
