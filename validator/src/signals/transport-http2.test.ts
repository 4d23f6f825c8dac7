import { describe, expect, test } from 'vitest';
import { handshakeOf } from '../../../test/kit/handshakes.ts';
import { chromeHttps, curl, firefoxHttps, safariIphone } from '../../../test/kit/visitors.ts';
import { factsOf } from './testing/facts.ts';
import { transportHttp2Signal } from './transport-http2.ts';

const found = (headers: Readonly<Record<string, string>>, client: string) =>
  transportHttp2Signal({ ...factsOf(headers), transport: handshakeOf(client).facts });

const MISMATCH = ['http2_fingerprint_mismatch'];

describe('how HTTP/2 was opened against the claimed browser (contract 2.2, fingerprint_mismatch)', () => {
  test.each([
    ['Chromium 156', chromeHttps],
    ['Firefox 153', firefoxHttps],
  ])('%s opens it as itself', (client, headers) => {
    expect(found(headers, client)).toEqual([]);
  });

  test.each(['curl 7.88', 'Node 24.21 http2'])('%s is none of them', (client) => {
    expect(found(chromeHttps, client)).toEqual(MISMATCH);
    expect(found(firefoxHttps, client)).toEqual(MISMATCH);
  });

  test('one browser is not another', () => {
    expect(found(firefoxHttps, 'Chromium 156')).toEqual(MISMATCH);
    expect(found(chromeHttps, 'Firefox 153')).toEqual(MISMATCH);
    expect(found(safariIphone, 'Chromium 156')).toEqual(MISMATCH);
  });

  test("a library with Chromium's order and settings of its own", () => {
    const settings = new Map([
      [1, 4096],
      [4, 65_535],
    ]);
    const http2 = { fingerprint: '', settings, pseudoHeaders: 'm,a,s,p' };
    const facts = { ...factsOf(chromeHttps), transport: { hello: undefined, http2 } };
    expect(transportHttp2Signal(facts)).toEqual(MISMATCH);
  });

  test.each(['m,s,p,a', 'm,s,a,p'])('Safari has had the order %s', (pseudoHeaders) => {
    const http2 = { fingerprint: '', settings: new Map([[4, 2_097_152]]), pseudoHeaders };
    const facts = { ...factsOf(safariIphone), transport: { hello: undefined, http2 } };
    expect(transportHttp2Signal(facts)).toEqual([]);
  });

  test('HTTP/1.1, a handshake that Guard did not see, and a client that claims no browser: nothing', () => {
    expect(found(chromeHttps, 'curl 7.88 --http1.1')).toEqual([]);
    expect(transportHttp2Signal(factsOf(chromeHttps))).toEqual([]);
    expect(found(curl, 'curl 7.88')).toEqual([]);
  });
});
