import { expect, test } from 'vitest';
import { handshakeOf } from '../../../test/kit/handshakes.ts';
import { clientClass, isSameClient } from './client-class.ts';

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
  expect(clientClass('https', chromium)).toMatch(/^https [0-9a-f]{12}g masp$/);
  expect(isSameClient(clientClass('https', chromium), clientClass('https', resumed))).toBe(true);
  expect(isSameClient(clientClass('https', resumed), clientClass('https', chromium))).toBe(true);
});

test('another TLS library, another order in HTTP/2 and another scheme are another client', () => {
  const judged = clientClass('https', chromium);
  expect(isSameClient(judged, clientClass('https', openssl))).toBe(false);
  expect(isSameClient(judged, clientClass('https', { ...openssl, http2: undefined }))).toBe(false);
  expect(isSameClient(judged, clientClass('https', { ...openssl, hello: undefined }))).toBe(false);
  expect(isSameClient(judged, clientClass('http', undefined))).toBe(false);
});

test('a pass on http goes along to https, and one on https not back', () => {
  const http = clientClass('http', undefined);
  expect(isSameClient(http, clientClass('https', chromium))).toBe(true);
  expect(isSameClient(clientClass('https', undefined), http)).toBe(false);
});

test('what nobody saw is no difference, nor is a session of an earlier version', () => {
  const unseen = clientClass('https', undefined);
  expect(isSameClient(clientClass('https', chromium), unseen)).toBe(true);
  expect(isSameClient(unseen, clientClass('https', chromium))).toBe(true);
  expect(isSameClient('', clientClass('https', chromium))).toBe(true);
  expect(isSameClient(clientClass('https', chromium), '')).toBe(true);
});
