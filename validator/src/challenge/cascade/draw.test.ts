import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { newTicketId } from '../tickets/ticket.ts';
import { Draw } from './draw.ts';
import { createCascadeSheets } from './sheet.ts';

test('FIPS 202: the bytes of a draw are SHAKE256 of the secret and the text, in any length', () => {
  const secret = Buffer.alloc(32, 7);
  const hash = createHash('shake256', { outputLength: 10_000 });
  const bytes = hash.update(secret).update('a ticket').digest();
  const draw = new Draw(secret, 'a ticket');
  for (let at = 0; at < bytes.length; at += 2) {
    expect(draw.int(0, 0xffff)).toBe(bytes.readUInt16LE(at));
  }
});

test('a sheet contains no character that would end its attribute', () => {
  const sheets = createCascadeSheets(['a secret']);
  for (let at = 0; at < 500; at++) expect(sheets.issue(newTicketId())).not.toMatch(/["'<&]/);
});
