import { describe, expect, test } from 'vitest';
import { handshakeOf, handshakes } from '../../../test/kit/handshakes.ts';
import { chromeHttps, curl, firefoxHttps, safariIphone } from '../../../test/kit/visitors.ts';
import { factsOf } from './testing/facts.ts';
import { transportTlsSignal } from './transport-tls.ts';

type Headers = Readonly<Record<string, string>>;

const found = (headers: Headers, client: string) => {
  const facts = { ...factsOf(headers), transport: handshakeOf(client).facts };
  return transportTlsSignal(facts);
};

const TLS = 'tls_fingerprint_mismatch';

describe('the handshake against the claimed browser (contract 2.2, fingerprint_mismatch)', () => {
  test('browsers make their own', () => {
    expect(found(chromeHttps, 'Chromium 156')).toEqual([]);
    expect(found(firefoxHttps, 'Firefox 153')).toEqual([]);
  });

  const libraries = handshakes
    .map(({ client }) => client)
    .filter((c) => !/Chromium|Firefox/.test(c));

  test.each(libraries)('%s is no browser, whichever it claims', (client) => {
    expect(found(chromeHttps, client)).toEqual([TLS]);
    expect(found(firefoxHttps, client)).toEqual([TLS]);
    expect(found(safariIphone, client)).toEqual([TLS]);
  });

  test('one browser is not another', () => {
    expect(found(firefoxHttps, 'Chromium 156')).toEqual([TLS]);
    expect(found(chromeHttps, 'Firefox 153')).toEqual([TLS]);
    expect(found(safariIphone, 'Chromium 156')).toEqual([TLS]);
    expect(found(safariIphone, 'Firefox 153')).toEqual([TLS]);
  });

  test('Safari has reserved values, too', () => {
    const { hello } = handshakeOf('Chromium 156').facts;
    const transport = {
      // Without what Chromium alone sends, as Apple's library writes it.
      hello: hello && { ...hello, extensions: hello.extensions.filter((type) => type !== 17613) },
      http2: undefined,
    };
    const facts = { ...factsOf(safariIphone), transport };
    expect(transportTlsSignal(facts)).toEqual([]);
  });
});

test('a browser of 2016 may have any handshake of a browser', () => {
  const agent =
    'Mozilla/5.0 (Windows NT 6.1) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/49.0.2623.112 Safari/537.36';
  const old = { ...chromeHttps, 'user-agent': agent };
  expect(found(old, 'curl 7.88')).toEqual(['tls_fingerprint_mismatch']);
  expect(found(old, 'Firefox 153')).toEqual([]);
});

test('an app on a Mac names no browser, only a browser’s library', () => {
  const agent =
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)';
  const app = { ...chromeHttps, 'user-agent': agent };
  expect(found(app, 'curl 7.88')).toEqual(['tls_fingerprint_mismatch']);
  expect(found(app, 'Firefox 153')).toEqual([]);
});

describe('what is not known is no finding', () => {
  test('Guard did not see the handshake: another proxy ended TLS, or POST /validate asks', () => {
    expect(transportTlsSignal(factsOf(chromeHttps))).toEqual([]);
  });

  test('a hello that could not be read', () => {
    const facts = { ...factsOf(chromeHttps), transport: { hello: undefined, http2: undefined } };
    expect(transportTlsSignal(facts)).toEqual([]);
  });

  test('a client that claims no browser has its own reasons', () => {
    expect(found(curl, 'curl 7.88')).toEqual([]);
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
  ])('%s may have any handshake', (_what, agent) => {
    expect(found({ ...chromeHttps, 'user-agent': agent }, 'curl 7.88')).toEqual([]);
  });
});
