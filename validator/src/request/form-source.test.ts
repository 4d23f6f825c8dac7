import { describe, expect, test } from 'vitest';
import { formSource } from './form-source.ts';

const url = { scheme: 'https', host: 'shop.example' };
const post = (headers: Record<string, string>) => formSource({ method: 'POST', url, headers });

describe('contract 3: a challenged form is sent again only if it is the site’s own', () => {
  test.each(['GET', 'HEAD'])('%s sends no form', (method) => {
    expect(formSource({ method, url, headers: { 'sec-fetch-site': 'cross-site' } })).toBe('none');
  });

  test.each([
    ['same-origin', 'own'],
    ['same-site', 'foreign'],
    ['cross-site', 'foreign'],
    ['none', 'foreign'],
    ['nonsense', 'foreign'],
  ])('Fetch Metadata 2.3: with Sec-Fetch-Site %s the form is %s', (site, source) => {
    // The other headers have no effect.
    const headers = { 'sec-fetch-site': site, origin: 'https://shop.example' };
    expect(post(headers)).toBe(source);
  });

  test.each([
    [{ origin: 'https://shop.example' }, 'own'],
    [{ origin: 'https://shop.example:8443', host: 'shop.example:8443' }, 'own'],
    [{ origin: 'http://shop.example' }, 'foreign'],
    [{ origin: 'https://shop.example:8443' }, 'foreign'],
    [{ origin: 'https://evil.example' }, 'foreign'],
    [{ origin: 'https://shop.example.evil.example' }, 'foreign'],
    [{ origin: 'null', referer: 'https://shop.example/cart' }, 'foreign'],
    [{ referer: 'https://shop.example/cart' }, 'own'],
    [{ referer: 'https://evil.example/?https://shop.example/' }, 'foreign'],
    [{}, 'foreign'],
  ] as const)('RFC 6454, 7: without fetch metadata, a form with %j is %s', (headers, source) => {
    expect(post(headers)).toBe(source);
  });
});
