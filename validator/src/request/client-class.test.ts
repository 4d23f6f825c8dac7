import { expect, test } from 'vitest';
import { handshakeOf } from '../../../test/kit/browsers/handshakes.ts';
import {
  chromeHttp,
  chromeHttps,
  curl,
  firefoxHttps,
  safariIphone,
  scriptFetch,
} from '../../../test/kit/visitors/visitors.ts';
import { clientClass, connectionClass, isSameClient } from './client-class.ts';

const chromium = handshakeOf('Chromium 156').facts;
const resumed = {
  ...chromium,
  // Another hash of extensions and no ALPN, as in a resumed connection for a WebSocket.
  hello: chromium.hello && {
    ...chromium.hello,
    ja4: chromium.hello.ja4.replace(/^t13d....h2/, 't13d151700').replace(/[^_]+$/, '0123456789ab'),
  },
  http2: undefined,
};
const openssl = {
  hello: chromium.hello && {
    ...chromium.hello,
    ja4: 't13d3112h2_e8f1e7e78f70_b26ce05bbdd6',
    greased: false,
  },
  http2: chromium.http2 && { ...chromium.http2, pseudoHeaders: 'm,p,a,s' },
};

test('a new and a resumed connection of one browser are the same client, over HTTP/2 and HTTP/1.1', () => {
  expect(connectionClass('https', chromium)).toMatch(/^https [0-9a-f]{12}g masp$/);
  expect(isSameClient(connectionClass('https', chromium), connectionClass('https', resumed))).toBe(
    true,
  );
  expect(isSameClient(connectionClass('https', resumed), connectionClass('https', chromium))).toBe(
    true,
  );
});

test('another TLS library, another order in HTTP/2 or another scheme is another client, in both directions', () => {
  const judged = connectionClass('https', chromium);
  const others = [
    connectionClass('https', openssl),
    connectionClass('https', { ...openssl, http2: undefined }),
    connectionClass('https', { ...openssl, hello: undefined }),
    connectionClass('http', undefined),
  ];
  for (const other of others) {
    expect(isSameClient(judged, other)).toBe(false);
    expect(isSameClient(other, judged)).toBe(false);
  }
});

test('an unseen part, and a session of an earlier version, are no difference', () => {
  const unseen = connectionClass('https', undefined);
  expect(isSameClient(connectionClass('https', chromium), unseen)).toBe(true);
  expect(isSameClient(unseen, connectionClass('https', chromium))).toBe(true);
  expect(isSameClient('', connectionClass('https', chromium))).toBe(true);
  expect(isSameClient(connectionClass('https', chromium), '')).toBe(true);
});

const ofEngine = (
  headers: Readonly<Record<string, string>>,
  scheme: 'http' | 'https' = 'https',
  ipFrom: 'peer' | 'x-forwarded-for' = 'peer',
) =>
  clientClass({
    ipFrom,
    method: 'GET',
    url: { scheme, host: 'shop.example', path: '/', query: '' },
    headers,
    transport: undefined,
  });

function without(name: string, headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([field]) => field !== name));
}

test('a client is another one when Accept-Language or Accept-Encoding is missing, or has another place', () => {
  const judged = ofEngine(chromeHttps);
  const lacking = without('accept-language', chromeHttps);
  for (const other of [lacking, firefoxHttps, curl]) {
    expect(isSameClient(judged, ofEngine(other))).toBe(false);
  }
  expect(isSameClient(ofEngine(chromeHttp, 'http'), ofEngine(curl, 'http'))).toBe(false);
  expect(isSameClient(judged, ofEngine({ ...chromeHttps }))).toBe(true);
  // Safari sometimes does not send Upgrade-Insecure-Requests.
  expect(isSameClient(ofEngine(safariIphone), ofEngine(curl))).toBe(false);
});

test('requests of scripts are compared only by their connection, also when only Accept shows a script', () => {
  const swapped = { 'accept-language': 'de', ...scriptFetch };
  expect(isSameClient(ofEngine(chromeHttps), ofEngine(swapped))).toBe(true);
  for (const accept of ['*/*', 'text/html']) {
    const others = without('upgrade-insecure-requests', chromeHttp);
    const onHttp = { 'accept-language': 'de', ...others, accept };
    expect(isSameClient(ofEngine(chromeHttp, 'http'), ofEngine(onHttp, 'http'))).toBe(true);
  }
});

test('behind a CDN that changes fields of some paths, all pages have the shape `proxied`', () => {
  const via: Readonly<Record<string, string>> = { ...chromeHttps, via: '1.1 cdn' };
  const lacking = without('accept-language', via);
  const behind = (headers: typeof via) => ofEngine(headers, 'https', 'x-forwarded-for');
  expect(isSameClient(behind(via), behind(lacking))).toBe(true);
  expect(isSameClient(ofEngine(chromeHttps), behind({ ...curl, via: '1.1 me' }))).toBe(false);
});

test('a Via that the visitor sent does not prevent the comparison', () => {
  const via: Readonly<Record<string, string>> = { ...chromeHttps, via: '1.1 me' };
  expect(isSameClient(ofEngine(via), ofEngine(chromeHttps))).toBe(true);
  for (const other of [without('accept-language', via), { ...curl, via: '1.1 me' }]) {
    expect(isSameClient(ofEngine(via), ofEngine(other))).toBe(false);
  }
});
