import { describe, expect, test } from 'vitest';
import { handshakeOf } from '../../../test/kit/browsers/handshakes.ts';
import {
  chromeHttps,
  curl,
  firefoxHttps,
  safariIphone,
} from '../../../test/kit/visitors/visitors.ts';
import { factsOf } from './testing/facts.ts';
import { transportHttp2Signal } from './transport-http2.ts';

const reasonsFor = (headers: Readonly<Record<string, string>>, client: string) =>
  transportHttp2Signal({ ...factsOf(headers), transport: handshakeOf(client).facts });

const MISMATCH = ['http2_fingerprint_mismatch'];

describe('the opening of HTTP/2 and the claimed browser (contract 2.2, fingerprint_mismatch)', () => {
  test.each([
    ['Chromium 156', chromeHttps],
    ['Firefox 153', firefoxHttps],
  ])('the opening of %s agrees with its User-Agent', (client, headers) => {
    expect(reasonsFor(headers, client)).toEqual([]);
  });

  test.each(['curl 7.88', 'Node 24.21 http2'])(
    '%s is a mismatch as Chrome and as Firefox',
    (client) => {
      expect(reasonsFor(chromeHttps, client)).toEqual(MISMATCH);
      expect(reasonsFor(firefoxHttps, client)).toEqual(MISMATCH);
    },
  );

  test('a browser that claims to be another browser is a mismatch', () => {
    expect(reasonsFor(firefoxHttps, 'Chromium 156')).toEqual(MISMATCH);
    expect(reasonsFor(chromeHttps, 'Firefox 153')).toEqual(MISMATCH);
    expect(reasonsFor(safariIphone, 'Chromium 156')).toEqual(MISMATCH);
  });

  test('the order of Chromium with the settings of a library is a mismatch', () => {
    const settings = new Map([
      [1, 4096],
      [4, 65_535],
    ]);
    const http2 = { fingerprint: '', settings, pseudoHeaders: 'm,a,s,p' };
    const facts = { ...factsOf(chromeHttps), transport: { hello: undefined, http2 } };
    expect(transportHttp2Signal(facts)).toEqual(MISMATCH);
  });

  test.each(['m,s,p,a', 'm,s,a,p'])(
    'some versions of Safari have the order %s',
    (pseudoHeaders) => {
      const http2 = { fingerprint: '', settings: new Map([[4, 2_097_152]]), pseudoHeaders };
      const facts = { ...factsOf(safariIphone), transport: { hello: undefined, http2 } };
      expect(transportHttp2Signal(facts)).toEqual([]);
    },
  );

  test('there is no finding over HTTP/1.1, without a handshake that Guard saw, or for a client that claims no browser', () => {
    expect(reasonsFor(chromeHttps, 'curl 7.88 --http1.1')).toEqual([]);
    expect(transportHttp2Signal(factsOf(chromeHttps))).toEqual([]);
    expect(reasonsFor(curl, 'curl 7.88')).toEqual([]);
  });
});
