import { describe, expect, test } from 'vitest';
import { chromeHttp, chromeHttps, firefoxHttps } from '../../../test/kit/visitors/visitors.ts';
import { clientHintsSignal } from './client-hints.ts';
import { changeHeaders, factsOf, PLAIN_HTTP } from './testing/facts.ts';

const reasonsFor = (changes: Record<string, string | undefined>) =>
  clientHintsSignal(factsOf(changeHeaders(chromeHttps, changes)));

describe('client hints against the User-Agent (contract 2.2, fingerprint_mismatch)', () => {
  test('the hints of Chrome agree with its User-Agent', () => {
    expect(reasonsFor({})).toEqual([]);
  });

  test.each([
    ['"Brave";v="147", "Not.A/Brand";v="8", "Chromium";v="147"'],
    ['"Chromium";v="147", "Not.A/Brand";v="8"'],
    ['"Not.A/Brand";v="8", "Chromium";v="147", "YaBrowser";v="26.4", "Yowser";v="2.5"'],
  ])('the brand list of another Chromium browser is no finding: %s', (brands) => {
    expect(reasonsFor({ 'sec-ch-ua': brands })).toEqual([]);
  });

  test.each([
    [
      'another version',
      { 'sec-ch-ua': '"Google Chrome";v="120", "Not_A Brand";v="8", "Chromium";v="120"' },
    ],
    ['another platform', { 'sec-ch-ua-platform': '"Linux"' }],
    ['a phone', { 'sec-ch-ua-mobile': '?1' }],
    ['a word for mobile', { 'sec-ch-ua-mobile': 'false' }],
    ['another full version', { 'sec-ch-ua-full-version-list': '"Chromium";v="139.0.1.2"' }],
  ])('hints that name %s contradict the User-Agent', (_what, changes) => {
    expect(reasonsFor(changes)).toEqual(['client_hints_mismatch']);
  });

  test('Edge without the brand of Edge contradicts its User-Agent', () => {
    const agent = `${chromeHttps['user-agent'] ?? ''} Edg/147.0.0.0`;
    expect(reasonsFor({ 'user-agent': agent })).toEqual(['client_hints_mismatch']);
  });

  test('Firefox with hints contradicts its User-Agent', () => {
    const headers = { ...firefoxHttps, 'sec-ch-ua': chromeHttps['sec-ch-ua'] ?? '' };
    expect(clientHintsSignal(factsOf(headers))).toEqual(['client_hints_mismatch']);
  });

  test.each([[''], ['Google Chrome 147'], ['"Google Chrome";v="147"']])(
    'a list that Chromium never writes is malformed: %j',
    (brands) => {
      expect(reasonsFor({ 'sec-ch-ua': brands })).toEqual(['client_hints_malformed']);
    },
  );

  test.each([
    ['no GREASE brand', '"Chromium";v="147", "Google Chrome";v="147"'],
    [
      'the GREASE brand of another version',
      '"Google Chrome";v="147", "Not_A Brand";v="24", "Chromium";v="147"',
    ],
    [
      'the order of another version',
      '"Chromium";v="147", "Not.A/Brand";v="8", "Google Chrome";v="147"',
    ],
  ])('a list written by hand is unusual: %s', (_what, brands) => {
    expect(reasonsFor({ 'sec-ch-ua': brands })).toEqual(['client_hints_unusual']);
  });

  test('hints of Chrome are missing on https, but not on plain http or in a WebSocket handshake', () => {
    expect(clientHintsSignal(factsOf(chromeHttp))).toEqual(['client_hints_missing']);
    expect(clientHintsSignal(factsOf(chromeHttp, PLAIN_HTTP))).toEqual([]);
    const handshake = { ...chromeHttp, 'sec-websocket-version': '13' };
    expect(clientHintsSignal(factsOf(handshake))).toEqual([]);
    const post = factsOf(handshake, { method: 'POST' });
    expect(clientHintsSignal(post)).toEqual(['client_hints_missing']);
  });

  test.each([
    ['worker', 'same-origin'],
    ['sharedworker', 'same-origin'],
    ['serviceworker', 'same-origin'],
    ['audioworklet', 'cors'],
    ['script', 'no-cors'],
    ['json', 'cors'],
    ['font', 'cors'],
    // The first row is a fetch in a worker, and the second a link that downloads a file.
    ['empty', 'cors'],
    ['empty', 'navigate'],
  ])('Chrome sends no hints from a worker or with a download: %s, %s', (destination, mode) => {
    const headersWithoutAccept = changeHeaders(chromeHttp, { accept: undefined });
    const headers = {
      ...headersWithoutAccept,
      'sec-fetch-dest': destination,
      'sec-fetch-mode': mode,
    };
    expect(clientHintsSignal(factsOf(headers))).toEqual([]);
  });

  test.each(['document', 'iframe', 'image', 'style', 'empty'])(
    'Chrome sends hints with pages, and with files that only pages load: %s',
    (destination) => {
      const headers = {
        ...chromeHttp,
        'sec-fetch-dest': destination,
        'sec-fetch-mode': 'navigate',
      };
      expect(clientHintsSignal(factsOf(headers))).toEqual(['client_hints_missing']);
    },
  );

  test('a browser inside an app without hints has no finding', () => {
    const agent =
      'Mozilla/5.0 (Linux; Android 15; V2302; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/153.0.8010.36 Mobile Safari/537.36';
    expect(clientHintsSignal(factsOf({ ...chromeHttp, 'user-agent': agent }))).toEqual([]);
  });
});
