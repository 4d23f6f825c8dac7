import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { testFolder } from '../../../../test/kit/test-folder.ts';
import { formatProblem, parseSettings } from '../load.ts';

const folder = testFolder();

function makeCertificate(name: string, ...furtherArguments: readonly string[]): void {
  const request = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -days 2'.split(' ');
  const files = ['-keyout', join(folder, `${name}.key`), '-out', join(folder, `${name}.pem`)];
  const names = [
    '-subj',
    '/CN=ignored.example',
    '-addext',
    'subjectAltName=DNS:Shop.example,DNS:*.shop.example,IP:10.0.0.1',
  ];
  execFileSync('openssl', [...request, ...files, ...names, ...furtherArguments], {
    stdio: 'ignore',
  });
}

beforeAll(() => {
  makeCertificate('shop', '-nodes');
  makeCertificate('other', '-nodes');
  makeCertificate('locked', '-passout', 'pass:secret');
  writeFileSync(join(folder, 'text.pem'), 'no certificate\n');
});

const BASE = `version: 1
secret: 9f2c7b1e5a8d4036c1e7f4b2a9d85036
organisations: [{ id: acme }]
sites: [{ hosts: [shop.example], organisation: acme, origin: "http://127.0.0.1:3000" }]
`;

function parse(text: string) {
  return parseSettings(BASE + text, { file: 'guard.yaml', baseDir: folder, env: {} });
}

function problemsOf(text: string): string[] {
  const result = parse(text);
  return result.kind === 'invalid' ? result.problems.map(formatProblem) : [];
}

const LISTEN = 'listen: { gateway_tls: 127.0.0.1:8443 }\n';
const yamlOfPair = (cert: string, key: string) =>
  `${LISTEN}tls:\n  certificates:\n    - cert: ${cert}\n      key: ${key}\n`;

describe('certificates are read with the settings', () => {
  test('the hosts are the DNS names of the certificate (RFC 6125 section 6.4), and changes of the files are noticed', () => {
    const result = parse(yamlOfPair('shop.pem', './shop.key'));
    expect(result.kind).toBe('loaded');
    if (result.kind !== 'loaded') return;
    expect(result.settings.listen.gateway_tls).toEqual({
      kind: 'tcp',
      host: '127.0.0.1',
      port: 8443,
    });
    const [certificate] = result.settings.tls?.certificates ?? [];
    expect(certificate?.hosts).toEqual(['shop.example', '*.shop.example']);
    expect(certificate?.cert.toString()).toContain('BEGIN CERTIFICATE');
    expect(certificate?.expiresAt).toBeGreaterThan(Date.now());
    expect(result.files).toEqual([join(folder, 'shop.pem'), join(folder, 'shop.key')]);
  });

  test('`hosts` replaces the names of the certificate', () => {
    const result = parse(`${yamlOfPair('shop.pem', 'shop.key')}      hosts: [elsewhere.example]\n`);
    const certificates = result.kind === 'loaded' ? result.settings.tls?.certificates : [];
    expect(certificates?.[0]?.hosts).toEqual(['elsewhere.example']);
  });
});

describe('a mistake is reported with its position, and without any part of a key', () => {
  test.each([
    [
      'a missing file',
      yamlOfPair('missing.pem', 'shop.key'),
      '8:13',
      'cert',
      'a PEM file of certificates, relative to this file; there is no such file',
    ],
    [
      'a file without a certificate',
      yamlOfPair('text.pem', 'shop.key'),
      '8:13',
      'cert',
      'there is a file that holds no certificate in PEM',
    ],
    [
      'a file without a key',
      yamlOfPair('shop.pem', 'text.pem'),
      '9:12',
      'key',
      'there is a file that holds no private key in PEM without a passphrase',
    ],
    [
      'a key with a passphrase',
      yamlOfPair('locked.pem', 'locked.key'),
      '9:12',
      'key',
      'there is a file that holds no private key in PEM without a passphrase',
    ],
    [
      'the key of another certificate',
      yamlOfPair('shop.pem', 'other.key'),
      '9:12',
      'key',
      'the private key of the certificate in `cert`, relative to this file; there is the key of another one',
    ],
  ])('%s', (_what, text, place, name, message) => {
    const foundProblems = problemsOf(text);
    expect(foundProblems).toHaveLength(1);
    expect(foundProblems[0]).toContain(`tls.certificates[0].${name}`);
    expect(foundProblems[0]).toContain(message);
    expect(foundProblems[0]).toMatch(new RegExp(`^guard\\.yaml:${place}:`));
    expect(foundProblems.join()).not.toContain('PRIVATE KEY');
  });

  test('a listener without certificates is a mistake, and certificates without a listener are a mistake too', () => {
    const message =
      'expected both or neither: listen.gateway_tls, and tls with its certificates or acme';
    expect(problemsOf(LISTEN).join()).toContain(message);
    const certificatesWithoutListener = yamlOfPair('shop.pem', 'shop.key').replace(
      LISTEN,
      'listen: { gateway: 127.0.0.1:8080 }\n',
    );
    expect(problemsOf(certificatesWithoutListener).join()).toContain(message);
  });
});
