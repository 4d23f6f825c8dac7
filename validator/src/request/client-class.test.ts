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
  // A hello with another hash of extensions and no ALPN, as a browser sends in a resumed connection for a WebSocket.
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

test('another TLS library, another order in HTTP/2 or another scheme is another client, whichever request comes first', () => {
  const classOfChrome = connectionClass('https', chromium);
  const otherClasses = [
    connectionClass('https', openssl),
    connectionClass('https', { ...openssl, http2: undefined }),
    connectionClass('https', { ...openssl, hello: undefined }),
    connectionClass('http', undefined),
  ];
  for (const other of otherClasses) {
    expect(isSameClient(classOfChrome, other)).toBe(false);
    expect(isSameClient(other, classOfChrome)).toBe(false);
  }
});

test('a part that Guard did not see is no difference, and neither is the empty class in a session of an earlier version of Guard', () => {
  const unseen = connectionClass('https', undefined);
  expect(isSameClient(connectionClass('https', chromium), unseen)).toBe(true);
  expect(isSameClient(unseen, connectionClass('https', chromium))).toBe(true);
  expect(isSameClient('', connectionClass('https', chromium))).toBe(true);
  expect(isSameClient(connectionClass('https', chromium), '')).toBe(true);
});

const classOf = (
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

function withoutField(
  name: string,
  headers: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([field]) => field !== name));
}

test('a missing Accept-Language or Accept-Encoding, or another order of both, makes another client', () => {
  const classOfChrome = classOf(chromeHttps);
  const headersWithoutLanguage = withoutField('accept-language', chromeHttps);
  for (const other of [headersWithoutLanguage, firefoxHttps, curl]) {
    expect(isSameClient(classOfChrome, classOf(other))).toBe(false);
  }
  expect(isSameClient(classOf(chromeHttp, 'http'), classOf(curl, 'http'))).toBe(false);
  expect(isSameClient(classOfChrome, classOf({ ...chromeHttps }))).toBe(true);
  // Safari sometimes does not send Upgrade-Insecure-Requests.
  expect(isSameClient(classOf(safariIphone), classOf(curl))).toBe(false);
});

test('requests of scripts are compared only by their connection, even when only Accept shows a script', () => {
  const headersInOtherOrder = { 'accept-language': 'de', ...scriptFetch };
  expect(isSameClient(classOf(chromeHttps), classOf(headersInOtherOrder))).toBe(true);
  for (const accept of ['*/*', 'text/html']) {
    const headersWithoutUpgrade = withoutField('upgrade-insecure-requests', chromeHttp);
    const headersOfScript = { 'accept-language': 'de', ...headersWithoutUpgrade, accept };
    expect(isSameClient(classOf(chromeHttp, 'http'), classOf(headersOfScript, 'http'))).toBe(true);
  }
});

test('behind a CDN that changes fields for some paths, all pages have the value `proxied`', () => {
  const headersWithVia: Readonly<Record<string, string>> = { ...chromeHttps, via: '1.1 cdn' };
  const headersWithoutLanguage = withoutField('accept-language', headersWithVia);
  const classBehindCdn = (headers: typeof headersWithVia) =>
    classOf(headers, 'https', 'x-forwarded-for');
  expect(isSameClient(classBehindCdn(headersWithVia), classBehindCdn(headersWithoutLanguage))).toBe(
    true,
  );
  expect(isSameClient(classOf(chromeHttps), classBehindCdn({ ...curl, via: '1.1 me' }))).toBe(
    false,
  );
});

test('a Via that the visitor sent does not prevent the comparison', () => {
  const headersWithVia: Readonly<Record<string, string>> = { ...chromeHttps, via: '1.1 me' };
  expect(isSameClient(classOf(headersWithVia), classOf(chromeHttps))).toBe(true);
  for (const other of [
    withoutField('accept-language', headersWithVia),
    { ...curl, via: '1.1 me' },
  ]) {
    expect(isSameClient(classOf(headersWithVia), classOf(other))).toBe(false);
  }
});
