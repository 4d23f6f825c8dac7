import { describe, expect, test } from 'vitest';
import { handshakes } from '../../../test/kit/browsers/handshakes.ts';
import { describeOpening, readOpening } from './opening.ts';

const captured = handshakes.flatMap(({ client, openingBytes, facts }) =>
  openingBytes !== undefined && facts.http2 !== undefined
    ? [{ client, bytes: openingBytes, expected: facts.http2 }]
    : [],
);

describe('the opening of HTTP/2 by real clients (RFC 9113 section 3.4)', () => {
  test('browsers and libraries were captured', () => {
    expect(captured.map(({ client }) => client)).toEqual(
      expect.arrayContaining(['Chromium 156', 'Firefox 153', 'curl 7.88', 'Node 24.21 http2']),
    );
  });

  test.each(captured)('$client', ({ bytes, expected }) => {
    const opening = readOpening(bytes);
    const initials = { m: ':method', a: ':authority', s: ':scheme', p: ':path' };
    const raw = expected.pseudoHeaders
      .split(',')
      .flatMap((initial) => [initials[initial as keyof typeof initials], '']);
    expect(opening.kind).toBe('read');
    if (opening.kind === 'read') {
      expect(describeOpening(opening.frames, [...raw, 'user-agent', 'x'])).toEqual(expected);
    }
  });

  test.each(captured)(
    '$client, byte by byte: the opening is incomplete until the SETTINGS are complete',
    ({ bytes }) => {
      const settingsEnd = 24 + 9 + bytes.readUIntBE(24, 3);
      for (let length = 0; length < settingsEnd; length++) {
        expect(readOpening(bytes.subarray(0, length)).kind).toBe('incomplete');
      }
      expect(readOpening(bytes.subarray(0, settingsEnd)).kind).toBe('read');
    },
  );
});

const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const settings = Buffer.from('000006040000000000000400100000', 'hex');

/** The fingerprint of an opening with these frames (hexadecimal) after its SETTINGS. */
function fingerprint(...frames: string[]): string {
  const opening = readOpening(
    Buffer.concat([preface, settings, ...frames.map((hex) => Buffer.from(hex, 'hex'))]),
  );
  return opening.kind === 'read'
    ? describeOpening(opening.frames, [':method', 'GET']).fingerprint
    : '';
}

test('a fingerprint has the first 16 PRIORITY frames, so a client cannot make it long', () => {
  const priority = '000005020000000003' + '80000005' + '0f';
  const sixteen = new Array<string>(16).fill('3:1:5:16').join(',');
  expect(fingerprint(...new Array<string>(280).fill(priority))).toBe(`4:1048576|?|${sixteen}|m`);
});

test('a missing WINDOW_UPDATE is unknown until the first request', () => {
  expect(fingerprint()).toBe('4:1048576|?|0|m');
  expect(fingerprint('000000010500000001')).toBe('4:1048576|0|0|m');
  expect(fingerprint('0000040800000000000000ffff')).toBe('4:1048576|65535|0|m');
  expect(fingerprint('000005020000000003' + '80000005' + '0f', '000000010500000001')).toBe(
    '4:1048576|0|3:1:5:16|m',
  );
});

test.each([
  ['HTTP/1.1', Buffer.from('GET / HTTP/1.1\r\nHost: shop.example\r\n')],
  ['another first frame', Buffer.concat([preface, Buffer.from('000000010500000001', 'hex')])],
  [
    'a SETTINGS frame of half a setting',
    Buffer.concat([preface, Buffer.from('000003040000000000000400', 'hex')]),
  ],
])('%s is left to the HTTP/2 library', (_what, bytes) => {
  expect(readOpening(bytes)).toEqual({ kind: 'unreadable' });
});
