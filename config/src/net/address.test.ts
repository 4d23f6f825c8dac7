import { describe, expect, test } from 'vitest';
import { readIpv4, readIpv6, readRange } from './address.ts';

function wordsOf(text: string): string | undefined {
  const groups = new Uint32Array(4);
  if (!readIpv6(text, text.length, groups)) return undefined;
  return [...groups].map((word) => word.toString(16).padStart(8, '0')).join('');
}

describe('reading addresses', () => {
  test('reads a dotted tail', () => {
    expect(wordsOf('::ffff:192.0.2.1')).toBe('00000000000000000000ffffc0000201');
    expect(wordsOf('64:ff9b::192.0.2.1')).toBe('0064ff9b0000000000000000c0000201');
    expect(wordsOf('1:2:3:4:5:6:1.2.3.4')).toBe('00010002000300040005000601020304');
  });

  test.each([
    ['', ':', ':::', '1', '1:', ':1', '1:2:3:4:5:6:7', '1:2:3:4:5:6:7:8:9', '1::2::3', '12345::'],
    [
      'g::',
      '1:2:3:4:5:6:7:8::',
      '::1:2:3:4:5:6:7:8',
      '1:2:3:4:5:6:7:1.2.3.4',
      '::1.2.3',
      '::1.2.3.4:5',
    ],
    ['1.2.3.4', '[::1]', '::1%eth0', '::-1', ' ::1', '1:::2'],
  ])('does not read these texts as IPv6: %s, %s, …', (...texts) => {
    for (const text of texts) expect(wordsOf(text), text).toBeUndefined();
  });

  test('reads only dotted quads without leading zeros as IPv4 addresses', () => {
    expect(readIpv4('255.255.255.255', 0, 15)).toBe(4_294_967_295);
    expect(readIpv4('0.0.0.0', 0, 7)).toBe(0);
    for (const text of [
      '1.2.3',
      '1.2.3.',
      '.1.2.3',
      '1..2.3',
      '00.1.2.3',
      '1.2.3.4.5',
      '1.2.3.256',
    ]) {
      expect(readIpv4(text, 0, text.length), text).toBe(-1);
    }
  });

  test('gives first and last address of a range', () => {
    expect(readRange('192.0.2.130/25')).toEqual({
      family: 4,
      first: 0xc0000280,
      last: 0xc00002ff,
      length: 25,
    });
    expect(readRange('2001:db8::1/127')).toMatchObject({ family: 6, length: 127 });
  });
});
