import { describe, expect, test } from 'vitest';
import {
  chromeHttp,
  chromeHttps,
  curl,
  firefoxHttps,
  safariIphone,
} from '../../../test/kit/visitors/visitors.ts';
import { missingHeadersSignal } from './missing-headers.ts';
import { changeHeaders, claimOf, factsOf, PLAIN_HTTP } from './testing/facts.ts';

const reasonsFor = (changes: Record<string, string | undefined>) =>
  missingHeadersSignal(factsOf(changeHeaders(chromeHttps, changes)));

describe('headers missing (contract 2.2, header_anomaly)', () => {
  test.each([
    ['Chrome', chromeHttps],
    ['Firefox', firefoxHttps],
    ['Safari', safariIphone],
  ])('a request of %s has all headers', (_name, headers) => {
    expect(missingHeadersSignal(factsOf(headers))).toEqual([]);
  });

  test.each(['accept', 'accept-language', 'accept-encoding', 'sec-fetch-mode'])(
    'Chrome on https always sends %s',
    (name) => {
      expect(reasonsFor({ [name]: undefined })).toEqual(['header_missing']);
    },
  );

  test('plain http needs no fetch metadata, and a WebSocket handshake needs no Accept', () => {
    expect(missingHeadersSignal(factsOf(chromeHttp, PLAIN_HTTP))).toEqual([]);
    expect(reasonsFor({ accept: undefined, 'sec-websocket-version': '13' })).toEqual([]);
  });

  test('Chromium sends no Accept when it loads the description of a search (OpenSearch)', () => {
    const fields = {
      accept: undefined,
      'accept-encoding': 'identity',
      'sec-fetch-mode': 'no-cors',
      'sec-fetch-dest': 'empty',
      'sec-fetch-site': 'same-origin',
    };
    expect(reasonsFor(fields)).toEqual([]);
    expect(reasonsFor({ ...fields, 'sec-fetch-dest': 'image' })).toEqual(['header_missing']);
    const post = factsOf(changeHeaders(chromeHttps, fields), { method: 'POST' });
    expect(missingHeadersSignal(post)).toEqual(['header_missing']);
  });

  test('a navigation without Upgrade-Insecure-Requests has a weak finding', () => {
    expect(reasonsFor({ 'upgrade-insecure-requests': undefined })).toEqual([
      'navigation_incomplete',
    ]);
  });

  test('Safari without fetch metadata has only a weak finding, because some browsers inside apps send none', () => {
    const headers = Object.entries(safariIphone).filter(([name]) => !name.startsWith('sec-fetch-'));
    expect(missingHeadersSignal(factsOf(Object.fromEntries(headers)))).toEqual([
      'navigation_incomplete',
    ]);
  });

  test('a client that claims no browser, and a crawler, need no headers', () => {
    expect(missingHeadersSignal(factsOf(curl))).toEqual([]);
    const crawler = factsOf(changeHeaders(chromeHttps, { accept: undefined }), {
      crawler: claimOf({}),
    });
    expect(missingHeadersSignal(crawler)).toEqual([]);
  });
});
