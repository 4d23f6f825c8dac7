import { describe, expect, test } from 'vitest';
import { handshakeOf, handshakes } from '../../../test/kit/browsers/handshakes.ts';
import {
  chromeHttps,
  curl,
  firefoxHttps,
  safariIphone,
} from '../../../test/kit/visitors/visitors.ts';
import { factsOf } from './testing/facts.ts';
import { transportTlsSignal } from './transport-tls.ts';

type Headers = Readonly<Record<string, string>>;

const reasonsFor = (headers: Headers, client: string) =>
  transportTlsSignal({ ...factsOf(headers), transport: handshakeOf(client).facts });

const TLS = 'tls_fingerprint_mismatch';

describe('the handshake and the claimed browser (contract 2.2, fingerprint_mismatch)', () => {
  test('the handshake of a browser agrees with its User-Agent', () => {
    expect(reasonsFor(chromeHttps, 'Chromium 156')).toEqual([]);
    expect(reasonsFor(firefoxHttps, 'Firefox 153')).toEqual([]);
  });

  const libraries = handshakes.filter(({ client }) => !/Chromium|Firefox/.test(client));

  test.each(libraries)('$client is a mismatch, whichever browser it claims to be', ({ client }) => {
    expect(reasonsFor(chromeHttps, client)).toEqual([TLS]);
    expect(reasonsFor(firefoxHttps, client)).toEqual([TLS]);
    expect(reasonsFor(safariIphone, client)).toEqual([TLS]);
  });

  test('a browser that claims to be another browser is a mismatch', () => {
    expect(reasonsFor(firefoxHttps, 'Chromium 156')).toEqual([TLS]);
    expect(reasonsFor(chromeHttps, 'Firefox 153')).toEqual([TLS]);
    expect(reasonsFor(safariIphone, 'Chromium 156')).toEqual([TLS]);
    expect(reasonsFor(safariIphone, 'Firefox 153')).toEqual([TLS]);
  });

  test('reserved values (GREASE) in a hello of Safari are no finding', () => {
    const { hello } = handshakeOf('Chromium 156').facts;
    const transport = {
      // This is the hello of Chromium without the extension that only Chromium sends.
      hello: hello && { ...hello, extensions: hello.extensions.filter((type) => type !== 17613) },
      http2: undefined,
    };
    expect(transportTlsSignal({ ...factsOf(safariIphone), transport })).toEqual([]);
  });
});

test.each([
  [
    'a browser of 2016',
    'Mozilla/5.0 (Windows NT 6.1) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/49.0.2623.112 Safari/537.36',
  ],
  [
    'an app on a Mac that names only WebKit',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)',
  ],
])(
  '%s can have the handshake of any browser, but not the handshake of a library',
  (_what, agent) => {
    const headers = { ...chromeHttps, 'user-agent': agent };
    expect(reasonsFor(headers, 'curl 7.88')).toEqual([TLS]);
    expect(reasonsFor(headers, 'Firefox 153')).toEqual([]);
  },
);

describe('there is no finding', () => {
  test('when another proxy ended TLS, or when Guard could not read the hello', () => {
    const transport = { hello: undefined, http2: undefined };
    expect(transportTlsSignal(factsOf(chromeHttps))).toEqual([]);
    expect(transportTlsSignal({ ...factsOf(chromeHttps), transport })).toEqual([]);
  });

  test('for a client that claims no browser', () => {
    expect(reasonsFor(curl, 'curl 7.88')).toEqual([]);
  });

  test.each([
    [
      'a television',
      'Mozilla/5.0 (SMART-TV; Linux; Tizen 6.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/76.0.3809.146 Safari/537.36',
    ],
    [
      'a crawler',
      'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Googlebot/2.1; +http://www.google.com/bot.html) Chrome/156.0.0.0 Safari/537.36',
    ],
  ])('for %s with any handshake', (_what, agent) => {
    expect(reasonsFor({ ...chromeHttps, 'user-agent': agent }, 'curl 7.88')).toEqual([]);
  });
});
