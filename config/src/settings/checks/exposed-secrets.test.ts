import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { findExposedSecrets, isPublished } from './exposed-secrets.ts';
import { parseSettings } from '../load.ts';
import { weaknessOf } from '../values/weak-secret.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');
const PUBLISHED_SECRET = '5f0c2b7d9e41a86371d4c0be52f9a687';
const OWN_SECRET = '0c5d1b7e9a3f48261d0e5c7b';

const pathsOf = (settings: unknown) =>
  findExposedSecrets(settings).map(({ path }) => path.join('.'));

describe('a secret that only programs on the same machine can use may be short or published', () => {
  test.each([
    '127.0.0.1:8080',
    '[::1]:8080',
    'localhost:8080',
    'unix:/run/guard.sock',
    'not an address',
  ])('%s', (address) => {
    expect(pathsOf({ listen: { gateway: address }, secret: PUBLISHED_SECRET })).toEqual([]);
  });

  test.each(['0.0.0.0:8080', '[::]:8080', '192.0.2.1:8080', 'guard.internal:8080'])(
    'must be strong when a service listens at %s',
    (address) => {
      for (const service of [
        'gateway',
        'forward_auth',
        'ext_authz',
        'validator',
        'api',
        'admin',
        'docs',
      ]) {
        const listen = { collector: '127.0.0.1:1', [service]: address };
        expect(pathsOf({ listen, secret: PUBLISHED_SECRET })).toEqual(['secret']);
        expect(findExposedSecrets({ listen, secret: 'x'.repeat(23) })[0]?.message).toContain(
          `at least 24 characters drawn at random, since others reach listen.${service};`,
        );
      }
      expect(pathsOf({ listen: { gateway: address }, secret: OWN_SECRET })).toEqual([]);
    },
  );
});

test('a published key is refused, also when it is written as SHA-256, and a hashed key may have any length', () => {
  const sha256 = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;
  const keys = [PUBLISHED_SECRET, OWN_SECRET].map((key) => ({ id: 'a', key: sha256(key) }));
  const listen = { gateway: '0.0.0.0:8080' };
  expect(pathsOf({ listen, organisations: [{ secret_keys: keys }] })).toEqual([
    'organisations.0.secret_keys.0.key',
  ]);
  expect(isPublished(sha256(PUBLISHED_SECRET).toUpperCase().replace('SHA256', 'sha256'))).toBe(
    true,
  );
});

test('every secret that the documentation and the examples show in plain text is refused', () => {
  const files = globSync(['README.md', 'docs/guide/**/*.md', 'examples/**/*.{md,yaml}'], {
    cwd: ROOT,
    exclude: (name) => name === 'node_modules',
  });
  const shownSecrets = files.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    const blocks = file.endsWith('.md')
      ? [...text.matchAll(/^```yaml\n([\s\S]+?)^```$/gm)].map(([, yaml = '']) => yaml)
      : [text];
    return blocks.flatMap((yaml) =>
      parseAllDocuments(yaml).flatMap((document) => secretsIn(document.toJS())),
    );
  });
  expect(shownSecrets).toContain(PUBLISHED_SECRET);
  expect(
    shownSecrets.filter((secret) => !isPublished(secret) && weaknessOf(secret) === undefined),
  ).toEqual([]);
});

/** All texts of at least 16 characters in settings that have the names of secrets, without ${NAME} and hashes. */
function secretsIn(value: unknown, name = ''): string[] {
  if (typeof value === 'string') {
    const isSecretName = ['secret', 'key', 'health_check_token'].includes(name);
    return isSecretName && value.length >= 16 && !/^\$\{\w+\}$|^sha256:/.test(value) ? [value] : [];
  }
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item) => secretsIn(item, name));
  return Object.entries(value).flatMap(([inner, item]) => secretsIn(item, inner));
}

describe('a service listens only at the address in the settings', () => {
  const settings = (listen: string) =>
    parseSettings(
      `version: 1\nsecret: ${OWN_SECRET}\norganisations: [{ id: acme }]\nlisten: ${listen}`,
      {
        file: 'guard.yaml',
        baseDir: ROOT,
        env: {},
      },
    );

  test('a service without its line in the settings does not listen', () => {
    const loadedSettings = settings('{ docs: 127.0.0.1:0 }');
    expect(loadedSettings.kind === 'loaded' && Object.keys(loadedSettings.settings.listen)).toEqual(
      ['docs', 'proxy_protocol'],
    );
  });

  test.each(['9090', ':9090', '"9090"', '"*:9090"'])(
    '%s, a port without a host, is refused',
    (port) => {
      const outcome = settings(`{ admin: ${port}, api: 127.0.0.1:0 }`);
      expect(outcome).toMatchObject({ kind: 'invalid', problems: [{ path: 'listen.admin' }] });
    },
  );

  test('every settings file of the examples has the admin page and the API on loopback', () => {
    const files = globSync('examples/*/guard.yaml', { cwd: ROOT });
    const addresses = files.flatMap((file) => {
      // The cast is safe: other tests load this file, so its listeners are texts.
      const { listen } = parse(readFileSync(join(ROOT, file), 'utf8')) as {
        listen: Readonly<Record<string, string>>;
      };
      return [listen['admin'], listen['api']].filter((address) => address !== undefined);
    });
    expect(addresses.length).toBeGreaterThanOrEqual(3);
    // The demo reads its addresses from the environment, and cli/src/demo/demo.test.ts tests these addresses.
    for (const address of addresses)
      expect(address).toMatch(/^(127\.0\.0\.1:|\$\{DEMO_(ADMIN|API)\}$)/);
  });
});
