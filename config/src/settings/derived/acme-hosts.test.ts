import { describe, expect, test } from 'vitest';
import { acmeHosts, redirectsToHttps } from './acme-hosts.ts';
import type { AcmeSettings } from '../sections/acme.ts';
import type { Settings } from '../schema.ts';
import type { TlsCertificate } from '../sections/tls.ts';

type Sites = Settings['sites'];

function hostsOf(
  sites: readonly (readonly string[])[],
  acme: Partial<AcmeSettings> = {},
  files: readonly (readonly string[])[] = [],
): readonly string[] {
  const certificates = files.map((hosts) => ({ hosts }) as unknown as TlsCertificate);
  const tls = {
    certificates,
    acme: {
      email: 'ops@shop.example',
      accept_terms: true,
      directory: 'https://ca.example',
      ...acme,
    },
  };
  return acmeHosts({
    tls,
    sites: sites.map((hosts) => ({ hosts })) as unknown as Sites,
  });
}

describe('the hosts that get a certificate from the authority', () => {
  test('are the exact names of all sites, each once, but no wildcards, addresses and names without a dot', () => {
    const names = ['shop.example', '*.shop.example', '127.0.0.1', '[::1]', 'localhost', '*'];
    expect(hostsOf([names, ['blog.example', 'shop.example']])).toEqual([
      'shop.example',
      'blog.example',
    ]);
  });

  test('are the hosts of tls.acme.hosts if there are any; without tls.acme there are no such hosts', () => {
    expect(hostsOf([['*.shop.example']], { hosts: ['a.shop.example'] })).toEqual([
      'a.shop.example',
    ]);
    expect(acmeHosts({ tls: undefined, sites: [] })).toEqual([]);
  });

  test('do not include hosts with a certificate file, also when the file has a wildcard', () => {
    const sites = [['shop.example', 'a.shop.example', 'blog.example']];
    expect(hostsOf(sites, {}, [['*.shop.example'], ['blog.example']])).toEqual(['shop.example']);
    expect(hostsOf(sites, { hosts: ['blog.example'] }, [['blog.example']])).toEqual([]);
  });
});

describe('http is redirected to https', () => {
  const address = { kind: 'tcp', host: '0.0.0.0', port: 80 } as const;
  const bothListeners = { gateway: address, gateway_tls: address, proxy_protocol: false };
  const acme = { certificates: [], acme: {} } as unknown as Settings['tls'];
  const files = { certificates: [] } as unknown as Settings['tls'];

  test.each([
    ['with tls.acme and both listeners', bothListeners, acme, true],
    ['not without a plain listener', { ...bothListeners, gateway: undefined }, acme, false],
    ['not with certificates from files', bothListeners, files, false],
    ['not when the settings say false', { ...bothListeners, redirect_https: false }, acme, false],
    [
      'also with files when the settings say true',
      { ...bothListeners, redirect_https: true },
      files,
      true,
    ],
  ])('%s', (_what, listen, tls, expected) => {
    expect(redirectsToHttps({ listen, tls })).toBe(expected);
  });
});
