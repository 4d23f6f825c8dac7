import { describe, expect, test } from 'vitest';
import { createSiteKeys } from './site-keys.ts';

const findTenant = createSiteKeys(
  [
    { id: 'acme', site_key: 'site_acme', script_origins: ['https://app.acme.example:8443'] },
    { id: 'globex', site_key: 'site globex&co', script_origins: [] },
    { id: 'keyless', site_key: undefined, script_origins: ['https://keyless.example'] },
  ],
  [
    { organisation: 'acme', hosts: ['shop.example', '*.shop.example', '[::1]'] },
    { organisation: 'keyless', hosts: ['*'] },
  ],
);

describe('contract 2.8: the site key "identifies the tenant in the browser script URL"', () => {
  test('a key in the query, percent-encoded or not, identifies its tenant', () => {
    expect(findTenant('site_key=site_acme')?.organisation).toBe('acme');
    expect(findTenant('v=2&site_key=site_acme')?.organisation).toBe('acme');
    expect(findTenant('site_key=site+globex%26co')?.organisation).toBe('globex');
  });

  test.each([undefined, '', 'site_key', 'site_key=', 'site_key=SITE_ACME', 'key=site_acme'])(
    'a missing or wrong key identifies no tenant: %s',
    (query) => expect(findTenant(query)).toBeUndefined(),
  );

  test.each(['__proto__', 'constructor', 'keyless', 'undefined'])(
    'the key %s identifies no tenant',
    (key) => expect(findTenant(`site_key=${key}`)).toBeUndefined(),
  );
});

describe('the browser script of an organisation', () => {
  const acme = findTenant('site_key=site_acme');

  test.each([
    'https://shop.example',
    'http://shop.example',
    'https://shop.example:8443',
    'https://www.shop.example',
    'http://[::1]:8080',
    'https://app.acme.example:8443',
  ])('runs on pages of %s', (origin) => expect(acme?.allows(origin)).toBe(true));

  test.each([
    '',
    'null',
    'https://app.acme.example',
    'https://evilshop.example',
    'https://shop.example.evil.example',
    'https://shop.example@evil.example',
    'https://evil.example/shop.example',
    'https://evil.example#shop.example',
    'chrome-extension://shop.example',
    'shop.example',
    `https://${'a.'.repeat(200)}shop.example`,
  ])('does not run on pages of %s', (origin) => expect(acme?.allows(origin)).toBe(false));

  test('runs on no page when the organisation has no site and no script_origins', () => {
    const globex = findTenant('site_key=site+globex%26co');
    expect(globex?.allows('https://globex.example')).toBe(false);
  });
});
