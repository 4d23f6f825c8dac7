import { describe, expect, test } from 'vitest';
import { compileHosts } from './host.ts';
import { seededRandom } from '../../../test/kit/seeded-random.ts';

describe('hosts match without their port, exact before wildcard, longest wildcard first', () => {
  const find = compileHosts([
    { hosts: ['*.example'], value: 'wide' },
    { hosts: ['shop.example', '*.shop.example'], value: 'shop' },
    { hosts: ['api.shop.example'], value: 'api' },
    { hosts: ['[2001:db8::1]', '192.0.2.7', 'localhost'], value: 'literal' },
    { hosts: ['shop.example'], value: 'second claim' },
  ]);

  test.each([
    ['shop.example', 'shop'],
    ['SHOP.Example', 'shop'],
    ['shop.example:8080', 'shop'],
    ['shop.example:', 'shop'],
    ['shop.example.', 'shop'],
    ['shop.example.:443', 'shop'],
    ['a.shop.example', 'shop'],
    ['a.b.shop.example', 'shop'],
    ['api.shop.example', 'api'],
    ['b.api.shop.example', 'shop'],
    ['other.example', 'wide'],
    ['localhost:3000', 'literal'],
    ['192.0.2.7:80', 'literal'],
    ['[2001:db8::1]', 'literal'],
    ['[2001:DB8:0:0::1]:8443', 'literal'],
  ])('%s is found', (header, value) => {
    expect(find(header)).toBe(value);
  });

  test.each([
    'example',
    'evilshop.test',
    'shop.example.evil.test',
    'shop.example:80:80',
    'shop.example:http',
    'evil/x.shop.example',
    'user@shop.example',
    'a b.shop.example',
    '2001:db8::1',
    '[2001:db8::2]',
    '[2001:db8::1',
    '[::zz]',
    '',
    `${'a.'.repeat(140)}shop.example`,
  ])('%s is no host', (header) => {
    expect(find(header)).toBeUndefined();
  });
});

test('`*` matches every host that no other entry names, but no header that is not a host', () => {
  const find = compileHosts([
    { hosts: ['*'], value: 'any' },
    { hosts: ['*.shop.example'], value: 'shop' },
  ]);
  expect(find('a.shop.example')).toBe('shop');
  expect(find('shop.example')).toBe('any');
  expect(find('[::1]:80')).toBe('any');
  expect(find('')).toBe('any');
  expect(find('a/b')).toBeUndefined();
});

test('case, port and a trailing dot never change which entry matches', () => {
  const random = seededRandom();
  console.log(`host property: seed ${random.seed}`);
  const labels = ['a', 'b', 'shop', 'example', 'x-1'] as const;
  const name = () =>
    Array.from({ length: 1 + random.below(4) }, () => random.pick(labels)).join('.');
  for (let round = 0; round < 2000; round++) {
    const find = compileHosts(
      Array.from({ length: 4 }, (_, value) => ({
        hosts: [random.below(2) === 0 ? name() : `*.${name()}`],
        value,
      })),
    );
    const host = name();
    const expected = find(host);
    expect([random.seed, find(`${host.toUpperCase()}.:${random.below(65_536)}`)]).toEqual([
      random.seed,
      expected,
    ]);
  }
});
