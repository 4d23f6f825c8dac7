import { describe, expect, test } from 'vitest';
import {
  chromeHttp,
  chromeHttps,
  firefoxHttps,
  safariIphone,
} from '../../../test/kit/visitors/visitors.ts';
import { fetchMetadataSignal } from './fetch-metadata.ts';
import { changeHeaders, factsOf } from './testing/facts.ts';

const reasonsFor = (headers: Readonly<Record<string, string>>, changes = {}) =>
  fetchMetadataSignal(factsOf(headers, changes));

describe('fetch metadata (W3C Fetch Metadata Request Headers)', () => {
  test.each([
    ['a navigation of Chrome', chromeHttps],
    ['a navigation of Firefox', firefoxHttps],
    ['a navigation of Safari', safariIphone],
    ['a request without the fields', chromeHttp],
    [
      'a fetch',
      changeHeaders(chromeHttps, {
        'sec-fetch-mode': 'cors',
        'sec-fetch-dest': 'empty',
        'sec-fetch-user': undefined,
        accept: '*/*',
      }),
    ],
    ['a frame', changeHeaders(chromeHttps, { 'sec-fetch-dest': 'iframe' })],
    [
      'a destination of a later standard',
      changeHeaders(chromeHttps, { 'sec-fetch-dest': 'hologram' }),
    ],
  ])('%s is possible', (_what, headers) => {
    expect(reasonsFor(headers)).toEqual([]);
  });

  test.each([
    ['the mode alone', { 'sec-fetch-site': undefined, 'sec-fetch-dest': undefined }],
    ['no destination', { 'sec-fetch-dest': undefined }],
    ['an unknown mode', { 'sec-fetch-mode': 'document' }],
    ['an unknown site', { 'sec-fetch-site': 'same' }],
    ['a document without a navigation', { 'sec-fetch-mode': 'cors' }],
    ['a navigation to a script', { 'sec-fetch-dest': 'script' }],
    ['a fetch by the user', { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }],
  ])('%s is impossible', (_what, changes) => {
    expect(reasonsFor(changeHeaders(chromeHttps, changes))).toEqual(['fetch_metadata_impossible']);
  });

  test('a navigation is a GET or a POST', () => {
    expect(reasonsFor(chromeHttps, { method: 'POST' })).toEqual([]);
    expect(reasonsFor(chromeHttps, { method: 'HEAD' })).toEqual(['fetch_metadata_impossible']);
  });

  test('a navigation that does not accept HTML is contradictory', () => {
    expect(reasonsFor(changeHeaders(chromeHttps, { accept: '*/*' }))).toEqual([
      'header_contradiction',
    ]);
  });
});
