import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rounds, seededRandom } from '../../../test/kit/seeded-random.ts';
import { testFolder } from '../../../test/kit/test-folder.ts';
import { atOnce } from '../time/slices.ts';
import { fetchedListsOf } from './derived/fetched-lists.ts';
import { settingsRevision } from './derived/revision.ts';
import { linesOf } from './derived/rule-lines.ts';
import { parseSettings } from './load.ts';
import { type KeptEntries, readByEntry } from './read-by-entry.ts';
import { readFixtures } from './testing/fixtures.ts';

/**
 * A reload reads the settings entry by entry and keeps old entries. It has to give the same settings as a reading of
 * the whole file.
 */

const folder = testFolder();
writeFileSync(join(folder, 'systems.txt'), '64496\n64497\n');
writeFileSync(join(folder, 'block.html'), '<p>{{reference}}</p>');

const TOP = `version: 1 # the only one
listen: { gateway: 127.0.0.1:8080, api: 127.0.0.1:8081 }
secret: "b8d2046a7f3c1e95
  b8d2047a7f3c1e95"
trusted_proxies: [10.0.0.0/8]
store: { engine: memory, path: ./store }
`;

const ORGANISATIONS = `organisations: # two

  # the first
  - id: acme
    secret_keys:
      - { id: a, key: '\${KEY}' }
    branding: { name: "A: # b",
      support: help@acme.example }
    rules:
      - name: one
        match: { path: [/a/**, "/b - c"] }
        verdict: block # for a reason
      - name: >-
          two
          lines
        match:
          user_agent:
          - '*x*'
          - "- name: no rule"
        detect: true

      # a comment
      -
        name: three
        match: { asn: { file: systems.txt } }
        rate_limit: { requests: 10, per: 1m }
      - { name: fetched, match: { ip: { url: 'https://lists.example/drop' } }, verdict: block }
    monitor: true
  - id: other
    presets:
    - feeds
    block_page: block.html
    rules:
    - { name: a, match: { any: [ { path: /x },
        { not: { country: DE } } ] }, detect: true }
    - name: |
        b
      match: {}
      challenge: never
  - { id: third, rules: [ { name: r, match: {}, detect: true } ] }
`;

const SITES = `sites:
- hosts: [shop.example]
  organisation: acme
  origin: http://127.0.0.1:3000
- { hosts: ['*.other.example'], organisation: other, origin: "http://127.0.0.1:3001" }
`;

const FILE = TOP + ORGANISATIONS + SITES;

type Source = Parameters<typeof parseSettings>[1];

const SOURCE: Source = {
  file: 'guard.yaml',
  baseDir: folder,
  env: { KEY: 'sk_by_entry_0123456789' },
};

function readEntries(text: string, kept?: KeptEntries, source = SOURCE) {
  return atOnce(readByEntry(text, { ...source, kept, maxBytes: 10_000 }));
}

/** The results of a reading that must be the same for both. */
function comparableParts(read: ReturnType<typeof readEntries> | ReturnType<typeof parseSettings>) {
  if (read?.kind !== 'loaded') return undefined;
  const { settings, positionOf, lists } = read;
  return {
    settings,
    lists,
    files: read.files.toSorted(),
    revision: settingsRevision(settings),
    lines: settings.organisations.map(({ rules }) => linesOf(rules)),
    fetched: fetchedListsOf(settings),
    places: Object.keys(settings).map((name) => positionOf([name])),
  };
}

/** The line with its last number or word changed. */
function change(line: string): string {
  return line.replace(/[a-z0-9](?=[^a-z0-9]*$)/, (last) => (last === '1' ? '2' : '1'));
}

test.each([
  ['the usual order', 0, FILE],
  ['sites first', 2, SITES + TOP + ORGANISATIONS],
  ['the line ends of Windows', 1, FILE.replaceAll('\n', '\r\n')],
  ['a document start line', 2, `---\n${FILE}`],
])('a reload with a change in any line equals a fresh start: %s', (_what, turn, text) => {
  const kept = readEntries(text)?.kept;
  expect(kept?.rules.size).toBe(4);
  const lines = text.split('\n');
  let loadedCount = 0;
  for (const [at, line] of lines.entries()) {
    const linesWithoutOne = lines.toSpliced(at, 1);
    const changes = [linesWithoutOne, lines.with(at, change(line)), lines.toSpliced(at, 0, line)];
    const changedText = (changes[(at + turn) % 3] ?? linesWithoutOne).join('\n');
    const fresh = comparableParts(parseSettings(changedText, SOURCE));
    expect(comparableParts(readEntries(changedText, kept)), `line ${at + 1}`).toEqual(fresh);
    if (fresh !== undefined) loadedCount += 1;
  }
  expect(loadedCount).toBeGreaterThan(10);
});

test('a reload with the text of another good file equals a fresh start, or the loader reads it', () => {
  const random = seededRandom();
  console.log(`read by entry: seed ${random.seed}`);
  const files = readFixtures('good');
  const pieces = [
    '"',
    "'",
    '- ',
    '\n',
    '  ',
    '\n- ',
    '{',
    ']',
    ' #',
    ': |\n',
    '&a ',
    '*a',
    '---\n',
  ] as const;
  let kept: KeptEntries | undefined;
  let readCount = 0;
  for (let round = 0; round < rounds(300, 20_000); round++) {
    const { text = '', env = {}, name = '' } = files[round % files.length] ?? {};
    const at = random.below(text.length);
    const changedText =
      round % 2 === 0 ? text : text.slice(0, at) + random.pick(pieces) + text.slice(at);
    const source = { ...SOURCE, baseDir: join(import.meta.dirname, '../../fixtures/good'), env };
    const reloadedEntries = readEntries(changedText, kept, source);
    if (reloadedEntries === undefined) continue;
    readCount += 1;
    kept = reloadedEntries.kept;
    const clue = `seed ${random.seed}, round ${round}, ${name}`;
    expect(comparableParts(reloadedEntries), clue).toEqual(
      comparableParts(parseSettings(changedText, source)),
    );
  }
  expect(readCount).toBeGreaterThan(100);
});

test('only new entries are read; other entries are the same objects', () => {
  const before = readEntries(FILE);
  const after = readEntries(FILE.replace('verdict: block #', 'verdict: allow #'), before?.kept);
  const rulesOf = (read: typeof before) => read?.settings.organisations[0]?.rules ?? [];
  expect(rulesOf(after)[0]).not.toEqual(rulesOf(before)[0]);
  expect(rulesOf(after)[1]).toBe(rulesOf(before)[1]);
  expect(after?.settings.sites[0]).toBe(before?.settings.sites[0]);
});

test('an entry is read again when a file or a variable that it names has changed', () => {
  const kept = readEntries(FILE)?.kept;
  writeFileSync(join(folder, 'systems.txt'), '64496\n64499\n');
  writeFileSync(join(folder, 'block.html'), '<b>{{reference}}</b>');
  const source = { ...SOURCE, env: { KEY: 'sk_by_entry_9876543210' } };
  const reloadedEntries = readEntries(FILE, kept, source);
  expect(comparableParts(reloadedEntries)).toEqual(comparableParts(parseSettings(FILE, source)));
  expect(reloadedEntries?.settings.organisations[0]?.rules[2]?.match.asn).toEqual([64496, 64499]);
});

test.each([
  ['a dollar sign', String.raw`"/\x24{KEY}"`],
  ['a brace', String.raw`"/$\u007bKEY}"`],
  ['a line that continues on the next line', `"/$\\\n          {KEY}"`],
])(
  'an entry is read again when its variable has changed, also when the variable is written with an escape for %s',
  (_of, value) => {
    const text = FILE.replace('"/b - c"', value);
    const kept = readEntries(text, undefined)?.kept;
    const source = { ...SOURCE, env: { KEY: 'sk_by_entry_9876543210' } };
    expect(comparableParts(readEntries(text, kept, source))).toEqual(
      comparableParts(parseSettings(text, source)),
    );
  },
);

const RULE = '- { name: r, match: {}, detect: true }';
const SITE = "sites: [{ hosts: ['*.example'], organisation: acme, origin: 'http://127.0.0.1:1' }]";

test.each([
  ['directives', `%TAG !! tag:example.com,2000:\n---\n${FILE.replace('help@', '!!str help@')}`],
  [
    'a list in braces',
    `{ version: 1, listen: { api: 127.0.0.1:1 }, secret: b8d2046a7f3c1e95,\norganisations:\n- id: a\n}`,
  ],
  [
    'a list in an entry in braces',
    `${TOP}${SITE}\norganisations:\n  - {\n    id: acme,\n    rules:\n    ${RULE}\n    }\n`,
  ],
])('the loader reads a file with %s', (_what, text) => {
  expect(readEntries(text)).toBeUndefined();
});

test.each([
  [
    'a text like a list in an entry in braces',
    `${TOP}${SITE}\norganisations:\n  - { id: acme, branding: { name: "a\n    rules:\n    ${RULE}\n    b" } }\n`,
  ],
  [
    'a text like a list in an entry that begins with a comment',
    `${TOP}${SITE}\norganisations:\n  -    # c\n    id: acme\n    branding: { name: "a\n       rules:\n       ${RULE}\n       b" }\n`,
  ],
])('the entries are found correctly: %s', (_what, text) => {
  const reloadedEntries = readEntries(text);
  expect(reloadedEntries).toBeDefined();
  expect(comparableParts(reloadedEntries)).toEqual(comparableParts(parseSettings(text, SOURCE)));
});

test('the loader reads an organisation whose rules contradict each other, also when the rules were added one by one', () => {
  const kept = readEntries(FILE)?.kept;
  const fileWithRuleTwice = FILE.replace(/ {6}- name: one\n.*\n.*\n/, '$&$&');
  expect(readEntries(fileWithRuleTwice, kept)).toBeUndefined();
});

test('the loader reads a long entry, and an entry with an alias', () => {
  const long = FILE.replace('/a/**', `/a/**, ${'/path, '.repeat(2_000)}`);
  expect(readEntries(long)).toBeUndefined();
  expect(readEntries(FILE.replace('[ { path: /x }', '[ &x { path: /x }, *x'))).toBeUndefined();
});
