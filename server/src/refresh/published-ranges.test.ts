import { describe, expect, test } from 'vitest';
import { parsePublished } from './published-ranges.ts';

describe('a published list is parsed', () => {
  test.each([
    [
      'prefixes, as Google writes them',
      '{"creationTime":"2026-11-20","prefixes":[{"ipv6Prefix":"2001:4860:4801:10::/64"},{"ipv4Prefix":"66.249.64.0/27"}]}',
      ['2001:4860:4801:10::/64', '66.249.64.0/27'],
    ],
    ['prefixes as text', '{"prefixes":["66.249.64.0/27"]}', ['66.249.64.0/27']],
    ['an array', '["9.9.9.9","2620:fe::fe"]', ['9.9.9.9', '2620:fe::fe']],
    ['addresses in objects', '{"ips":[{"ip_address":"9.9.9.9"}]}', ['9.9.9.9']],
    [
      'arrays by place',
      '{"version":3,"Dublin":["9.9.9.9"],"Tokyo":["8.8.8.0/24"]}',
      ['9.9.9.9', '8.8.8.0/24'],
    ],
    ['lines', '# probes\n9.9.9.9\r\n\n8.8.8.0/24 # two\n', ['9.9.9.9', '8.8.8.0/24']],
    ['a byte order mark', '\uFEFF9.9.9.9\n', ['9.9.9.9']],
  ])('%s', (_form, text, entries) => {
    expect(parsePublished(text)).toEqual({ kind: 'parsed', entries });
  });
});

describe('a list with one invalid entry is refused', () => {
  test.each([
    ['<!doctype html><title>Maintenance</title>', 'a web page'],
    ['We will be back soon.', 'entry 1 of 1 is no address'],
    ['9.9.9.9\nToo many requests\n', 'entry 2 of 2'],
    ['', 'without entries'],
    ['# nothing\n', 'without entries'],
    ['[]', 'without entries'],
    ['{"prefixes":[]}', 'without entries'],
    ['{"prefixes":[{"ipv4Prefix":"66.249.64.0/27"}', 'cut off'],
    ['{"error":"unavailable"}', 'form that is not known'],
    ['{"prefixes":[{"range":"66.249.64.0/27"}]}', 'form that is not known'],
    ['{"a":["9.9.9.9"],"errors":["none"]}', 'entry 2 of 2'],
    ['["9.9.9.9",7]', 'form that is not known'],
    ['["9.9.9.999"]', 'entry 1 of 1'],
    ['["9.9.9.9/33"]', 'entry 1 of 1'],
    [JSON.stringify(Array.from({ length: 100_001 }, () => '9.9.9.9')), 'more than 100000'],
  ])('%.60s', (text, reason) => {
    const result = parsePublished(text);
    expect(result.kind === 'refused' ? result.reason : result).toContain(reason);
  });
});
