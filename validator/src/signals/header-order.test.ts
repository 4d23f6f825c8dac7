import { describe, expect, test } from 'vitest';
import { chromeHttps, firefoxHttps, safariIphone } from '../../../test/kit/visitors/visitors.ts';
import { headerOrderSignal } from './header-order.ts';
import { factsOf } from './testing/facts.ts';

/** The orders of header fields that these browsers send over HTTP/2, as measured. */
const CHROMIUM_156 =
  'sec-ch-ua sec-ch-ua-mobile sec-ch-ua-platform upgrade-insecure-requests user-agent accept sec-fetch-site sec-fetch-mode sec-fetch-user sec-fetch-dest accept-encoding accept-language priority';
const FIREFOX_153 =
  'user-agent accept accept-language accept-encoding upgrade-insecure-requests sec-fetch-dest sec-fetch-mode sec-fetch-site priority te';
/** The orders that HTTP libraries send, as measured. */
const URLLIB = 'accept-encoding host user-agent connection accept accept-language';
const HTTPX = 'host accept accept-encoding connection user-agent accept-language';
const JAVA = 'user-agent host accept connection accept-encoding accept-language';

function reordered(names: string, values: Readonly<Record<string, string>>) {
  return Object.fromEntries(names.split(' ').map((name) => [name, values[name] ?? '1']));
}

const ACCEPT = { accept: 'text/html,*/*;q=0.8' };

describe('header order (contract 2.2, fingerprint_mismatch)', () => {
  test.each([
    ['Chrome over HTTP/1', chromeHttps],
    ['Chromium 156 over HTTP/2', reordered(CHROMIUM_156, chromeHttps)],
    ['Firefox over HTTP/1', firefoxHttps],
    ['Firefox 153 over HTTP/2', reordered(FIREFOX_153, firefoxHttps)],
    ['Safari, whose order varies', safariIphone],
  ])('the order of %s is no finding', (_name, headers) => {
    expect(headerOrderSignal(factsOf(headers))).toEqual([]);
  });

  test.each([
    ['Chrome', 'urllib', { ...reordered(URLLIB, chromeHttps), ...ACCEPT }],
    ['Chrome', 'httpx', { ...reordered(HTTPX, chromeHttps), ...ACCEPT }],
    ['Chrome', 'HttpURLConnection', { ...reordered(JAVA, chromeHttps), ...ACCEPT }],
    ['Chrome', 'Firefox', { ...reordered(FIREFOX_153, chromeHttps), ...ACCEPT }],
    ['Firefox', 'Chromium', reordered(CHROMIUM_156, firefoxHttps)],
  ])('%s with the order of %s is a finding', (_claimed, _sent, headers) => {
    expect(headerOrderSignal(factsOf(headers))).toEqual(['header_order_mismatch']);
  });

  test('the order is not checked behind a proxy, or for requests of scripts', () => {
    const headers = { ...reordered(HTTPX, chromeHttps), ...ACCEPT };
    expect(headerOrderSignal(factsOf({ ...headers, via: '1.1 proxy' }))).toEqual([]);
    const forwarded = { ...headers, 'x-forwarded-for': '84.115.20.7' };
    expect(headerOrderSignal(factsOf(forwarded, { ipFrom: 'x-forwarded-for' }))).toEqual([]);
    expect(headerOrderSignal(factsOf(forwarded, { ipFrom: 'peer' }))).toEqual([
      'header_order_mismatch',
    ]);
    expect(headerOrderSignal(factsOf({ ...headers, accept: 'application/json' }))).toEqual([]);
  });
});
