import { expect, test } from 'vitest';
import { parseSettings } from '../load.ts';
import { NOT_IN_REVISION, settingsRevision } from './revision.ts';
import { Settings } from '../schema.ts';

const FILE = `version: 1
listen: { gateway: 127.0.0.1:1 }
secret: one-secret-that-is-long-enough
organisations:
  - id: acme
    analytics_keys: [{ id: a, key: sk_api_ro_one_key_of_acme }]
    rules: [{ name: r, match: { path: /login, user_agent: { regex: bot } }, verdict: block }]
sites:
  - hosts: [shop.example]
    organisation: acme
    origin: http://127.0.0.1:2
    validator: { url: http://127.0.0.1:3, key: sk_one_key_of_the_remote }
`;

function revisionOf(text: string): string {
  const result = parseSettings(text, { file: 'guard.yaml', baseDir: '/', env: {} });
  if (result.kind === 'invalid') throw new Error(JSON.stringify(result.problems));
  return settingsRevision(result.settings);
}

test('the revision is the same for the same file, and for a file that decides in the same way', () => {
  const revision = revisionOf(FILE);
  expect(revision).toMatch(/^[0-9a-f]{12}$/);
  expect(revisionOf(`# another comment\n${FILE}`)).toBe(revision);
  expect(revisionOf(`${FILE}log: { decisions: true }\n`)).toBe(revision);
  expect(revisionOf(`${FILE}admin_hosts: ['*.svc']\n`)).toBe(revision);
});

test('each setting either changes the revision or is in the list of settings that do not', () => {
  const deciding = Object.keys(Settings.shape).filter((name) => !NOT_IN_REVISION.has(name));
  expect(deciding).toEqual([
    'version',
    'trusted_proxies',
    'forwarded_header',
    'observe',
    'organisations',
    'sites',
    'databases',
    'crawlers',
    'web_bot_auth',
    'crowdsec',
  ]);
});

test('the revision does not depend on secrets and keys, so the revision does not help to guess them', () => {
  const changedFile = FILE.replace('one-secret', 'two-secret').replaceAll('_one_key', '_two_key');
  expect(changedFile).not.toBe(FILE);
  expect(revisionOf(changedFile)).toBe(revisionOf(FILE));
});

test.each([
  ['regex: bot', 'regex: bat'],
  ['verdict: block', 'verdict: allow'],
  ['/login', '/logon'],
  ['[shop.example]', '[shop.example, a.example]'],
  ['127.0.0.1:3', '127.0.0.1:4'],
  ['sites:', 'observe: true\nsites:'],
  ['sites:', 'trusted_proxies: [10.0.0.1]\nsites:'],
  ['id: acme', 'id: acme\n    challenge: { work: 3 }'],
])('the revision changes with a setting that decides: %s', (before, after) => {
  const changedFile = FILE.replace(before, after);
  expect(changedFile).not.toBe(FILE);
  expect(revisionOf(changedFile)).not.toBe(revisionOf(FILE));
});

test('for a long list, the revision depends only on the entries, and not on their source', () => {
  const settingsWithList = (last: number) => {
    const addresses = Array.from({ length: 2_000 }, (_, at) => `10.0.${at >> 8}.${at & 255}`);
    const ip = [...addresses, `192.0.2.${last}`].join(', ');
    return FILE.replace('path: /login', `path: /login, ip: [${ip}]`);
  };
  expect(revisionOf(settingsWithList(1))).toBe(revisionOf(settingsWithList(1)));
  expect(revisionOf(settingsWithList(2))).not.toBe(revisionOf(settingsWithList(1)));
});
