import { describe, expect, test } from 'vitest';
import { chromeHttps, firefoxHttps, safariIphone } from '../../../test/kit/visitors/visitors.ts';
import { scriptLikeValuesSignal } from './script-like-values.ts';
import { changeHeaders, factsOf } from './testing/facts.ts';

const reasonsFor = (
  changes: Record<string, string>,
  factChanges: Parameters<typeof factsOf>[1] = {},
) => scriptLikeValuesSignal(factsOf(changeHeaders(chromeHttps, changes), factChanges));

describe('script-like values (contract 2.2, header_anomaly)', () => {
  test.each([
    ['Chrome', chromeHttps],
    ['Firefox over HTTP/2', { ...firefoxHttps, te: 'trailers' }],
    ['Safari', safariIphone],
    ['an old Safari', { ...safariIphone, 'accept-encoding': 'br, gzip, deflate' }],
  ])('the headers of %s have no finding', (_name, headers) => {
    expect(scriptLikeValuesSignal(factsOf(headers))).toEqual([]);
  });

  test.each([
    ["the language of Node's fetch", { 'accept-language': '*' }],
    ['an empty language', { 'accept-language': '' }],
    ['an empty Accept', { accept: '' }],
    ['the TE of libwww-perl', { te: 'deflate,gzip;q=0.3' }],
    ['the encodings of libcurl', { 'accept-encoding': 'deflate, gzip, br, zstd' }],
    ['the encodings of Ruby', { 'accept-encoding': 'gzip;q=1.0,deflate;q=0.6,identity;q=0.3' }],
  ])('%s is a finding', (_what, changes) => {
    expect(reasonsFor(changes)).toEqual(['header_script_like']);
  });

  test('an unusual Accept-Encoding is a weak finding', () => {
    expect(reasonsFor({ 'accept-encoding': 'br, gzip, deflate' })).toEqual([
      'accept_encoding_unusual',
    ]);
    expect(reasonsFor({ 'accept-encoding': 'gzip' })).toEqual(['accept_encoding_unusual']);
  });

  test('an unusual Accept-Encoding is no finding behind a CDN, or for a range of a video', () => {
    const forwarded = { 'accept-encoding': 'gzip', 'x-forwarded-for': '84.115.20.7' };
    expect(reasonsFor(forwarded, { ipFrom: 'x-forwarded-for' })).toEqual([]);
    expect(reasonsFor(forwarded)).toEqual(['accept_encoding_unusual']);
    expect(reasonsFor({ 'accept-encoding': 'gzip', via: '1.1 proxy.corp.example' })).toEqual([]);
    expect(reasonsFor({ 'accept-encoding': 'identity;q=1, *;q=0', range: 'bytes=0-' })).toEqual([]);
  });
});
