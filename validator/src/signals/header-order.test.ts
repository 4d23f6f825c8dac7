import { describe, expect, test } from 'vitest';
import { chromeHttps, firefoxHttps, safariIphone } from '../../../test/kit/visitors.ts';
import { headerOrderSignal } from './header-order.ts';
import { factsOf } from './testing/facts.ts';

/** Orders over HTTP/2 measured from the browsers themselves, as names in one line. */
const CHROMIUM_156 =
  'sec-ch-ua sec-ch-ua-mobile sec-ch-ua-platform upgrade-insecure-requests user-agent accept sec-fetch-site sec-fetch-mode sec-fetch-user sec-fetch-dest accept-encoding accept-language priority';
const FIREFOX_153 =
  'user-agent accept accept-language accept-encoding upgrade-insecure-requests sec-fetch-dest sec-fetch-mode sec-fetch-site priority te';
/** Orders of libraries, measured as well. */
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
  ])('%s has its own', (_name, headers) => {
    expect(headerOrderSignal(factsOf(headers))).toEqual([]);
  });

  test.each([
    ['urllib', URLLIB],
    ['httpx', HTTPX],
    ['HttpURLConnection', JAVA],
    ["Firefox's", FIREFOX_153],
  ])("the order of %s under Chrome's name", (_name, order) => {
    expect(headerOrderSignal(factsOf({ ...reordered(order, chromeHttps), ...ACCEPT }))).toEqual([
      'header_order_mismatch',
    ]);
  });

  test("Chromium's order under Firefox's name", () => {
    expect(headerOrderSignal(factsOf(reordered(CHROMIUM_156, firefoxHttps)))).toEqual([
      'header_order_mismatch',
    ]);
  });

  test('the order is not checked behind a proxy, nor for requests of scripts', () => {
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
