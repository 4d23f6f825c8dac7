import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSettings } from '@guard/config/settings/load';
import { expect, onTestFinished, test } from 'vitest';
import { loadPages } from './pages/load-pages.ts';
import { reasonPages } from './pages/reason-pages.ts';

const FRAME = `version: 1
listen: {}
secret: a7f3c1e95b8d2046a7f3c1e95b8d2047
organisations:
  - id: acme
`;

/** The YAML examples of all pages. An example that is only a part of the settings is completed to a whole file. */
const examples = [...loadPages(), ...reasonPages()].flatMap(({ path, markdown }) =>
  [...markdown.matchAll(/^```yaml\n([\s\S]+?)^```$/gm)].map(([, yaml = ''], index) => ({
    name: `${path}, example ${index + 1}`,
    yaml: wholeFile(yaml),
  })),
);

/** The JSON example of a key directory, which YAML examples name as keys.json. */
const keyDirectory = loadPages()
  .flatMap(({ markdown }) => [...markdown.matchAll(/^```json\n([\s\S]+?)^```$/gm)])
  .map(([, json = '']) => json)
  .find((json) => json.includes('"kty"'));

test('examples are found', () => {
  expect(examples.length).toBeGreaterThanOrEqual(4);
});

test.each(examples)('Guard accepts $name', ({ yaml }) => {
  const folder = mkdtempSync(join(tmpdir(), 'guard-docs-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'guard.yaml');
  writeFileSync(file, yaml);
  writeFileSync(join(folder, 'logo.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  writeFileSync(join(folder, 'keys.json'), keyDirectory ?? '');
  mkdirSync(join(folder, 'lists'));
  for (const list of ['banned.txt', 'ja4.txt']) writeFileSync(join(folder, 'lists', list), '');
  const outcome = loadSettings(file, {
    GUARD_SECRET: 'b8d2046a7f3c1e95b8d2047a7f3c1e95',
    ANALYTICS_KEY: 'sk_api_ro_3c1e95b8d2047a7f3c1e95b8',
    OIDC_SECRET: 'c8d2047a7f3c1e95b8d2047a',
    CHAT_WEBHOOK: 'https://chat.example/hooks/1',
    CROWDSEC_KEY: '9f2b7c1e95b8d2047a7f3c1e',
    MAIL_SERVER: 'smtp://guard:c8d2047a7f3c@mail.example:587',
  });
  expect(outcome).toMatchObject({ kind: 'loaded' });
});

function wholeFile(yaml: string): string {
  if (yaml.startsWith('version:')) return yaml;
  // These settings are not part of an organisation.
  if (/^(crawlers|web_bot_auth|store|crowdsec):/.test(yaml)) return FRAME + yaml;
  return FRAME + indent(withRules(yaml));
}

/** Puts a single rule, or the match of a rule, into the settings around it. */
function withRules(yaml: string): string {
  if (yaml.startsWith('- name:')) return `rules:\n${indent(yaml)}`;
  if (yaml.startsWith('match:')) {
    return `rules:\n  - name: example\n    detect: true\n${indent(yaml)}`;
  }
  return yaml;
}

function indent(yaml: string): string {
  return yaml.replaceAll(/^(?=.)/gm, '    ');
}
