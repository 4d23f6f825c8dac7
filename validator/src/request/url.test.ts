import { describe, expect, test } from 'vitest';
import { splitUrl } from './url.ts';

describe('policy sees the bytes the origin sees', () => {
  test.each([
    ['https://shop.example/a?b=c', 'https', 'shop.example', '/a', 'b=c'],
    ['HTTPS://Shop.Example:8443/', 'https', 'shop.example', '/', ''],
    ['http://[2001:db8::1]:8080/x', 'http', '[2001:db8::1]', '/x', ''],
    ['http://shop.example', 'http', 'shop.example', '/', ''],
    ['http://shop.example?q', 'http', 'shop.example', '/', 'q'],
    ['http://shop.example/public/%2e%2e/admin', 'http', 'shop.example', '/public/%2e%2e/admin', ''],
    ['http://shop.example//admin/./x', 'http', 'shop.example', '//admin/./x', ''],
    ['http://shop.example\\admin', 'http', 'shop.example', '/\\admin', ''],
    ['http://shop.example/a#b?c', 'http', 'shop.example', '/a', ''],
    ['http://shop.example/a?b#c', 'http', 'shop.example', '/a', 'b'],
  ])('%s', (url, scheme, host, path, query) => {
    expect(splitUrl(url)).toEqual({ scheme, host, path, query });
  });

  test.each([
    '',
    '/path',
    'shop.example/',
    'ftp://shop.example/',
    'javascript://shop.example/',
    'http://',
    'http:///path',
    'http://user:password@shop.example/',
    'http://shop example/',
    'http://:80/',
  ])('%j is no URL of a request', (url) => {
    expect(splitUrl(url)).toBeUndefined();
  });
});
