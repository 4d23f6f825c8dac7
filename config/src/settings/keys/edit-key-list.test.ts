import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { addKey, type KeyEdit, type KeyList, removeKey } from './edit-key-list.ts';
import { readFixtures } from '../testing/fixtures.ts';
import { parseSettings } from '../load.ts';

const KEY = `sha256:${createHash('sha256').update('a key').digest('hex')}`;
const HEAD = `version: 1
listen: {}
secret: 9f2c7b1e5a8d4036c1e7f4b2a9d85036
`;

const place = { organisation: 'acme', list: 'analytics_keys' as KeyList, id: 'grafana' };

function textOf(edit: KeyEdit): string {
  if (edit.kind === 'impossible') throw new Error(edit.reason);
  return edit.text;
}

function settingsOf(text: string, baseDir = '/', env: Readonly<Record<string, string>> = {}) {
  const result = parseSettings(text, { file: 'guard.yaml', baseDir, env });
  if (result.kind === 'invalid') throw new Error(JSON.stringify(result.problems));
  return result.settings;
}

const add = (text: string) => textOf(addKey(text, { ...place, key: KEY }));
const remove = (text: string) => textOf(removeKey(text, place));
const ENTRY = `{ id: grafana, key: "${KEY}" }`;
const OTHER_KEY = '"sha256:0000000000000000000000000000000000000000000000000000000000000001"';

describe('adding and removing an entry changes no other character', () => {
  test.each([
    [
      'a block list',
      `organisations:
  - id: acme   # the shop
    analytics_keys:      # bearer tokens
      # of the board
      - { id: board, key: ${OTHER_KEY} } # until spring
    # and the rules
    rules: []
`,
      `      - { id: board, key: ${OTHER_KEY} } # until spring\n      - ${ENTRY}\n    # and the rules`,
    ],
    [
      'a block list of block entries, below its name without indent',
      `organisations:
- id: acme
  analytics_keys:
  - id: board
    key: ${OTHER_KEY} # until spring

sites: []
`,
      `    key: ${OTHER_KEY} # until spring\n  - ${ENTRY}\n\nsites: []`,
    ],
    [
      'a list on one line',
      `organisations: [{ id: acme, analytics_keys: [{ id: board, key: ${OTHER_KEY} }] }] # short`,
      `${OTHER_KEY} }, ${ENTRY}] }] # short`,
    ],
    [
      'an empty list',
      `organisations:\n  - id: acme\n    analytics_keys: [ ] # none yet\n`,
      `analytics_keys: [${ENTRY} ] # none yet`,
    ],
    [
      'Windows line ends',
      `organisations:\r\n  - id: acme\r\n    analytics_keys:\r\n      - { id: board, key: ${OTHER_KEY} }\r\n`,
      `\r\n      - ${ENTRY}\r\n`,
    ],
  ])('%s', (_how, writtenYaml, expected) => {
    const before = HEAD + writtenYaml;
    const after = add(before);
    expect(after).toContain(expected);
    expect(settingsOf(after).organisations[0]?.analytics_keys.at(-1)).toEqual({
      id: 'grafana',
      key: createHash('sha256').update('a key').digest(),
    });
    expect(remove(after)).toBe(before);
  });

  test.each([
    [
      'an organisation of several lines',
      'organisations:\n  - id: acme # shop\n    rules: []\n',
      `  - id: acme # shop\n    analytics_keys: [${ENTRY}]\n    rules: []\n`,
    ],
    [
      'an organisation on one line',
      'organisations: [{ id: acme, rules: [] }]\n',
      `[{ id: acme, analytics_keys: [${ENTRY}], rules: [] }]\n`,
    ],
    [
      'a name without a value',
      'organisations:\n  - id: acme\n    analytics_keys: # none\n',
      `    analytics_keys: [${ENTRY}] # none\n`,
    ],
    [
      'a file without a line end at its end',
      'organisations:\n  - id: acme',
      `  - id: acme\n    analytics_keys: [${ENTRY}]`,
    ],
  ])('a missing list is created: %s', (_how, writtenYaml, expected) => {
    const after = add(HEAD + writtenYaml);
    expect(after).toContain(expected);
    expect(settingsOf(after).organisations[0]?.analytics_keys).toMatchObject([{ id: 'grafana' }]);
    expect(settingsOf(remove(after)).organisations[0]?.analytics_keys).toEqual([]);
  });

  test('removing the last entry leaves an empty list and the comments around it', () => {
    const before = `${HEAD}organisations:
  - id: acme
    analytics_keys: # bearer: tokens
      # of the board
      - id: grafana
        key: ${OTHER_KEY}
    rules: [] # none
`;
    expect(remove(before)).toBe(`${HEAD}organisations:
  - id: acme
    analytics_keys: [] # bearer: tokens
      # of the board
    rules: [] # none
`);
  });

  test('an id that YAML would not read as text is quoted', () => {
    for (const id of ['007', 'true', 'Null', '1e5']) {
      const text = textOf(
        addKey(`${HEAD}organisations: [{ id: acme }]`, { ...place, id, key: KEY }),
      );
      expect(settingsOf(text).organisations[0]?.analytics_keys[0]?.id).toBe(id);
    }
  });
});

test('adding and removing a key restores every good settings file', () => {
  let triedCount = 0;
  for (const { name, text, path, env } of readFixtures('good')) {
    const before = settingsOf(text, dirname(path), env);
    for (const { id: organisation } of before.organisations) {
      for (const list of ['analytics_keys', 'secret_keys'] as const) {
        const addedPlace = { organisation, list, id: 'added-by-test' };
        const addition = addKey(text, { ...addedPlace, key: KEY, expires: '2099-12-31' });
        if (addition.kind === 'impossible') continue;
        triedCount += 1;
        expect(addition.text, name).toContain(
          addition.text.split('\n')[addition.line - 1] ?? 'no line',
        );
        const ids = settingsOf(addition.text, dirname(path), env)
          .organisations.find(({ id }) => id === organisation)
          ?.[list].map(({ id }) => id);
        expect(ids, name).toContain('added-by-test');
        const removedText = textOf(removeKey(addition.text, addedPlace));
        expect(settingsOf(removedText, dirname(path), env), name).toEqual(before);
      }
    }
  }
  expect(triedCount).toBeGreaterThan(20);
});

test('a list that only a person should change stays unchanged, and the result says why', () => {
  const alias = `${HEAD}organisations:
  - { id: acme, analytics_keys: &keys [{ id: board, key: ${OTHER_KEY} }] }
  - { id: other, analytics_keys: *keys }
`;
  expect(addKey(alias, { ...place, organisation: 'other', key: KEY })).toMatchObject({
    kind: 'impossible',
  });
  expect(addKey(`${HEAD}organisations: []`, { ...place, key: KEY })).toMatchObject({
    kind: 'impossible',
  });
  expect(removeKey(`${HEAD}organisations: [{ id: acme }]`, place)).toMatchObject({
    kind: 'impossible',
  });
});
