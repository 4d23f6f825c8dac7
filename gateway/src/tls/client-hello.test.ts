import { describe, expect, test } from 'vitest';
import { handshakeOf, handshakes } from '../../../test/kit/browsers/handshakes.ts';
import { seededRandom } from '../../../test/kit/seeded-random.ts';
import { MAX_HELLO_BYTES, readHello } from './client-hello.ts';
import { ja4Of } from './ja4.ts';

const codes = (list: string) => list.split(' ').map((code) => parseInt(code, 16));
const publishedHello = {
  version: 0x0304,
  namesServer: true,
  ciphers: codes('002f 0035 009c 009d 1301 1302 1303 c013 c014 c02b c02c c02f c030 cca8 cca9'),
  extensions: codes(
    '0000 0010 0005 000a 000b 000d 0012 0015 0017 001b 0023 002b 002d 0033 4469 ff01',
  ),
  signatureAlgorithms: codes('0403 0804 0401 0503 0805 0501 0806 0601'),
  alpn: Buffer.from('h2'),
};

describe('JA4 as FoxIO publishes it', () => {
  test('the published hello of Chrome has its published JA4', () => {
    expect(ja4Of(publishedHello)).toBe('t13d1516h2_8daaf6152771_e5627efa2ab1');
  });

  test('JA4 does not depend on the order of cipher suites and extensions, but on the order of signature algorithms', () => {
    const reversedHello = {
      ...publishedHello,
      ciphers: publishedHello.ciphers.toReversed(),
      extensions: publishedHello.extensions.toReversed(),
    };
    expect(ja4Of(reversedHello)).toBe(ja4Of(publishedHello));
    const otherHello = {
      ...publishedHello,
      signatureAlgorithms: publishedHello.signatureAlgorithms.toReversed(),
    };
    expect(ja4Of(otherHello)).not.toBe(ja4Of(publishedHello));
  });

  test.each([
    ['no ALPN', { alpn: Buffer.alloc(0) }, /^t13d151600_/],
    ['one letter', { alpn: Buffer.from('h') }, /^t13d1516hh_/],
    [
      'an ALPN that is no text: by its hex form',
      { alpn: Buffer.from('ab01cd', 'hex') },
      /^t13d1516ad_/,
    ],
    ['no server name', { namesServer: false }, /^t13i/],
    ['TLS 1.2', { version: 0x0303 }, /^t12d/],
    ['an unknown version', { version: 0x7f1c }, /^t00d/],
    ['more than 99 cipher suites', { ciphers: Array<number>(120).fill(0x1301) }, /^t13d9916h2_/],
    ['no cipher suites', { ciphers: [] }, /^t13d0016h2_000000000000_/],
    ['no extensions', { extensions: [], signatureAlgorithms: [] }, /_000000000000$/],
  ])('%s', (_what, changes, expected) => {
    expect(ja4Of({ ...publishedHello, ...changes })).toMatch(expected);
  });
});

describe('the ClientHello of real clients (RFC 8446 section 4.1.2)', () => {
  test.each(handshakes)('$client', ({ helloBytes, facts }) => {
    expect(readHello(helloBytes)).toEqual({ kind: 'hello', hello: facts.hello });
  });

  test('the JA4 of four clients is the same as other tools measured', () => {
    const ja4 = (client: string) => handshakeOf(client).facts.hello?.ja4;
    expect(ja4('Chromium 156')).toBe('t13d1517h2_8daaf6152771_cb7bf5808d99');
    expect(ja4('Firefox 153')).toBe('t13d1617h2_86a278354501_3cbfd9057e0d');
    expect(ja4('curl 7.88')).toBe('t13d3112h2_e8f1e7e78f70_b26ce05bbdd6');
    expect(ja4('Python 3.11 urllib')).toBe('t13d181100_85036bcba153_d41ae481755e');
  });
});

describe('a hello can come in any pieces', () => {
  const { helloBytes, facts } = handshakeOf('Chromium 156');
  const whole = { kind: 'hello', hello: facts.hello };

  test('every beginning of a hello is incomplete', () => {
    for (let length = 0; length < helloBytes.length; length++) {
      expect(readHello(helloBytes.subarray(0, length)).kind).toBe('incomplete');
    }
  });

  test.each([1, 3, 4, 5, 100, 1000])(
    'a hello in records of %i bytes is the same hello (RFC 8446 section 5.1)',
    (size) => {
      expect(readHello(splitIntoRecords(helloBytes.subarray(5), size))).toEqual(whole);
    },
  );

  test('bytes after the hello do not change how it is read', () => {
    expect(readHello(Buffer.concat([helloBytes, Buffer.from([20, 3, 3, 0, 1, 1])]))).toEqual(whole);
  });

  test.each([
    ['plain HTTP', Buffer.from('GET / HTTP/1.1\r\n')],
    ['SSL 2', Buffer.from('802e01', 'hex')],
    ['another content type', Buffer.from([23, 3, 3, 0, 1, 0])],
  ])('%s is not read as TLS', (_what, bytes) => {
    expect(readHello(bytes)).toEqual({ kind: 'foreign' });
  });

  test('Guard does not wait for the end of a hello above 16 KiB', () => {
    const huge = Buffer.from([22, 3, 1, 0, 4, 1, 0xff, 0xff, 0xff]);
    expect(readHello(huge)).toEqual({ kind: 'unreadable' });
    const slow = splitIntoRecords(
      Buffer.concat([Buffer.from([1, 0, 0x3f, 0xf0]), Buffer.alloc(16_000)]),
      2,
    );
    expect(readHello(slow.subarray(0, MAX_HELLO_BYTES)).kind).toBe('unreadable');
  });
});

test('bytes that are not a hello never throw: 20,000 mutations', () => {
  const { seed, below } = seededRandom();
  console.log(`seed ${seed}`);
  const kinds = new Set<string>();
  for (let round = 0; round < 20_000; round++) {
    const { helloBytes } = handshakes[below(handshakes.length)] ?? handshakeOf('curl 7.88');
    const bytes = Buffer.from(
      helloBytes.subarray(0, below(4) === 0 ? 1 + below(helloBytes.length - 1) : undefined),
    );
    for (let change = below(6); change >= 0; change--) bytes[below(bytes.length)] = below(256);
    const firstReading = readHello(bytes);
    kinds.add(firstReading.kind);
    if (firstReading.kind === 'hello')
      expect(firstReading.hello.ja4).toMatch(/^t\w\w[di]\d{4}.._[0-9a-f]{12}_[0-9a-f]{12}$/);
  }
  expect([...kinds].sort()).toEqual(['foreign', 'hello', 'incomplete', 'unreadable']);
});

function splitIntoRecords(message: Buffer, size: number): Buffer {
  const records: Buffer[] = [];
  for (let at = 0; at < message.length; at += size) {
    const part = message.subarray(at, at + size);
    records.push(Buffer.from([22, 3, 1, part.length >> 8, part.length & 0xff]), part);
  }
  return Buffer.concat(records);
}
