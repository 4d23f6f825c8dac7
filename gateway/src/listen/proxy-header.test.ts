import { describe, expect, test } from 'vitest';
import { crc32cWithBlank, MAX_PROXY_HEADER_BYTES, readProxyHeader } from './proxy-header.ts';
import { addition, binaryHeader, IPV4, IPV6 } from '../testing/proxy-header-bytes.ts';
import { seededRandom } from '../../../test/kit/seeded-random.ts';

const line = (text: string) => Buffer.from(text, 'latin1');
const NO_ADDRESSES = Buffer.alloc(0);
const UNIX = Buffer.alloc(216, 'x');

/** A header with a checksum. The checksum is right when `change` is 0. */
function headerWithChecksum(change: number): Buffer {
  const header = binaryHeader({ additions: addition(0x03, Buffer.alloc(4)) });
  const at = header.length - 4;
  header.writeUInt32BE((crc32cWithBlank(header, at) ^ change) >>> 0, at);
  return header;
}

test('RFC 3720 appendix B.4: CRC32C of 32 zeros', () => {
  expect(crc32cWithBlank(Buffer.alloc(32), 32)).toBe(0x8a9136aa);
});

const WHOLE: readonly [string, Buffer, string | undefined][] = [
  ['TCP4', line('PROXY TCP4 198.51.100.7 192.0.2.1 4711 443\r\n'), '198.51.100.7'],
  ['TCP6', line('PROXY TCP6 2001:DB8::7 fd00::1 4711 443\r\n'), '2001:db8::7'],
  [
    'TCP6 of an IPv4 visitor',
    line('PROXY TCP6 ::ffff:198.51.100.7 ::1 0 65535\r\n'),
    '198.51.100.7',
  ],
  ['UNKNOWN', line('PROXY UNKNOWN\r\n'), undefined],
  ['UNKNOWN with text that is ignored', line(`PROXY UNKNOWN ${'f'.repeat(91)}\r\n`), undefined],
  [
    'the longest line of section 2.1',
    line(`PROXY UNKNOWN ${'ffff:'.repeat(7)}ffff ${'ffff:'.repeat(7)}ffff 65535 65535\r\n`),
    undefined,
  ],
  ['version 2, IPv4', binaryHeader(), '198.51.100.7'],
  ['version 2, IPv6', binaryHeader({ transport: 0x21, addresses: IPV6 }), '2001:db8::7'],
  [
    'version 2, a v4-mapped address',
    binaryHeader({
      transport: 0x21,
      addresses: Buffer.concat([
        Buffer.from('00000000000000000000ffffc6336407', 'hex'),
        IPV6.subarray(16),
      ]),
    }),
    '198.51.100.7',
  ],
  ['version 2, datagrams', binaryHeader({ transport: 0x12 }), '198.51.100.7'],
  ['version 2, a unix socket', binaryHeader({ transport: 0x31, addresses: UNIX }), undefined],
  ['version 2, UNSPEC', binaryHeader({ transport: 0, addresses: NO_ADDRESSES }), undefined],
  ['LOCAL', binaryHeader({ command: 0x20, transport: 0, addresses: NO_ADDRESSES }), undefined],
  ['LOCAL: the block is skipped', binaryHeader({ command: 0x20, transport: 0xff }), undefined],
  [
    'additions of TLS, a name, and one of no length',
    binaryHeader({
      additions: Buffer.concat([
        addition(0x20, Buffer.alloc(300, 1)),
        addition(0x02, line('shop.example')),
        addition(0x04, NO_ADDRESSES),
      ]),
    }),
    '198.51.100.7',
  ],
  ['a checksum', headerWithChecksum(0), '198.51.100.7'],
  [
    'the longest of version 2',
    binaryHeader({ additions: addition(0x04, Buffer.alloc(MAX_PROXY_HEADER_BYTES - 31)) }),
    '198.51.100.7',
  ],
];

describe('proxy-protocol.txt, sections 2.1 and 2.2: the named address, and the end of the header', () => {
  test.each(WHOLE)('%s', (_what, header, source) => {
    const followed = Buffer.concat([header, line('GET / HTTP/1.1\r\n')]);
    expect(readProxyHeader(followed)).toEqual({ kind: 'read', bytes: header.length, source });
  });

  test.each(WHOLE.filter(([, { length }]) => length < 1000))(
    '%s, byte by byte',
    (_what, header) => {
      for (let length = 0; length < header.length; length++) {
        expect(readProxyHeader(header.subarray(0, length)).kind).toBe('incomplete');
      }
    },
  );
});

const LINES: readonly string[] = [
  'GET / HTTP/1.1\r\n',
  'proxy TCP4 198.51.100.7 192.0.2.1 1 2\r\n',
  ' PROXY TCP4 198.51.100.7 192.0.2.1 1 2\r\n',
  'PROXY\tTCP4 198.51.100.7 192.0.2.1 1 2\r\n',
  'PROXY  TCP4 198.51.100.7 192.0.2.1 1 2\r\n',
  'PROXY TCP4  198.51.100.7 192.0.2.1 1 2\r\n',
  'PROXY TCP4 198.51.100.7 192.0.2.1 1 2 \r\n',
  'PROXY TCP4 198.51.100.7 192.0.2.1 1 2 3\r\n',
  'PROXY TCP4 198.51.100.7 192.0.2.1 1\r\n',
  'PROXY TCP4 198.51.100.7\r\n',
  'PROXY TCP4\r\n',
  'PROXY \r\n',
  'PROXY tcp4 198.51.100.7 192.0.2.1 1 2\r\n',
  'PROXY UDP4 198.51.100.7 192.0.2.1 1 2\r\n',
  'PROXY UNKNOWNS\r\n',
  'PROXY TCP4 2001:db8::7 fd00::1 1 2\r\n',
  'PROXY TCP6 198.51.100.7 192.0.2.1 1 2\r\n',
  'PROXY TCP6 fe80::7%eth0 fd00::1 1 2\r\n',
  'PROXY TCP6 [2001:db8::7] fd00::1 1 2\r\n',
  'PROXY TCP6 2001:db8:::7 fd00::1 1 2\r\n',
  'PROXY TCP4 198.51.100.07 192.0.2.1 1 2\r\n',
  'PROXY TCP4 0x7f.1 192.0.2.1 1 2\r\n',
  'PROXY TCP4 198.51.100.256 192.0.2.1 1 2\r\n',
  'PROXY TCP4 198.51.100.7 nonsense 1 2\r\n',
  'PROXY TCP4 198.51.100.7 192.0.2.1 01 2\r\n',
  'PROXY TCP4 198.51.100.7 192.0.2.1 1 65536\r\n',
  'PROXY TCP4 198.51.100.7 192.0.2.1 -1 2\r\n',
  'PROXY TCP4 198.51.100.7 192.0.2.1 1 2\n',
  'PROXY TCP4 198.51.100.7 192.0.2.1 1 2\rGET / HTTP/1.1\r\n',
  'PROXY TCP4 198.51.100.7\0 192.0.2.1 1 2\r\n',
  'PROXY UNKNOWN\nGET / HTTP/1.1\r\n',
  // CVE-2019-10097: a line filled the buffer and had no end.
  `PROXY TCP4 ${'1'.repeat(200)}`,
  `PROXY UNKNOWN ${'f'.repeat(92)}\r\n`,
];

describe('section 2.1: a line with any other form is refused', () => {
  test.each(LINES)('%j', (text) => {
    expect(readProxyHeader(line(text)).kind).toBe('malformed');
  });
});

const BLOCKS: readonly [string, Buffer][] = [
  ['version 1 in binary', binaryHeader({ command: 0x11 })],
  ['version 3', binaryHeader({ command: 0x31 })],
  ['an unknown command', binaryHeader({ command: 0x22 })],
  ['an unknown family', binaryHeader({ transport: 0x41 })],
  ['an unknown transport', binaryHeader({ transport: 0x13 })],
  ['a family without a transport', binaryHeader({ transport: 0x10 })],
  ['no room for IPv4', binaryHeader({ addresses: IPV4.subarray(1) })],
  ['no room for IPv6', binaryHeader({ transport: 0x21, addresses: IPV6.subarray(1) })],
  ['no room for unix', binaryHeader({ transport: 0x31, addresses: UNIX.subarray(1) })],
  ['a length of zero', binaryHeader({ length: 0 })],
  // A known bug of other programs: they read this length as a negative number, and accepted everything.
  ['a length above the limit', binaryHeader({ length: MAX_PROXY_HEADER_BYTES - 15 })],
  ['the greatest length', binaryHeader({ length: 0xffff })],
  ['an addition of one byte', binaryHeader({ additions: Buffer.from([4]) })],
  ['an addition of two bytes', binaryHeader({ additions: Buffer.from([4, 0]) })],
  ['an addition beyond the end', binaryHeader({ additions: Buffer.from([4, 0, 1]) })],
  ['an addition far beyond it', binaryHeader({ additions: Buffer.from([4, 255, 255, 0]) })],
  ['a wrong checksum', headerWithChecksum(1)],
  ['a short checksum', binaryHeader({ additions: addition(0x03, Buffer.alloc(3)) })],
  ['another signature', Buffer.from('0d0a0d0a000d0a515549540b2111000c', 'hex')],
];

describe('section 2.2: a block of any other form is refused', () => {
  test.each(BLOCKS)('%s', (_what, block) => {
    expect(readProxyHeader(block).kind).toBe('malformed');
  });
});

test('property: any bytes cause no exception, no header is longer than its bytes, and more bytes do not change a header', () => {
  const random = seededRandom();
  console.log(`seed ${random.seed}`);
  const kinds = new Set<string>();
  for (let round = 0; round < 20_000; round++) {
    const [, header] = WHOLE[random.below(WHOLE.length)] ?? [];
    const bytes = Buffer.concat([header ?? NO_ADDRESSES, line('GET / HTTP/1.1\r\n')]);
    for (let change = random.below(3); change > 0; change--) {
      bytes[random.below(Math.min(bytes.length, 64))] = random.below(256);
    }
    const whole = readProxyHeader(bytes);
    const part = readProxyHeader(bytes.subarray(0, random.below(bytes.length)));
    if (whole.kind === 'read') expect(whole.bytes).toBeLessThanOrEqual(bytes.length);
    if (part.kind !== 'incomplete') expect(part).toEqual(whole);
    kinds.add(whole.kind);
  }
  expect([...kinds].toSorted()).toEqual(['incomplete', 'malformed', 'read']);
});
