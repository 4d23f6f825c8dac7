import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PrefixSet } from '@guard/config/net/prefix-set';
import { fetchedListsOf } from '@guard/config/settings/derived/fetched-lists';
import { settingsRevision } from '@guard/config/settings/derived/revision';
import { linesOf } from '@guard/config/settings/derived/rule-lines';
import { type LoadedSettings, loadSettings } from '@guard/config/settings/load';
import type { Settings } from '@guard/config/settings/schema';
import { atOnce } from '@guard/config/time/slices';
import { expect, test } from 'vitest';
import { testFolder } from '../../../test/kit/test-folder.ts';
import { fromPieces, toPieces } from './settings-pieces.ts';

const folder = testFolder();

/** Settings that need several pieces of each kind, and two long lists. */
function manySettings(): LoadedSettings {
  mkdirSync(folder, { recursive: true });
  const addresses = Array.from({ length: 25_000 }, (_, at) => `10.${at >> 8}.${at & 255}.0/24`);
  writeFileSync(join(folder, 'networks.txt'), addresses.join('\n'));
  const systems = Array.from({ length: 1_500 }, (_, at) => String(at + 1));
  writeFileSync(join(folder, 'systems.txt'), systems.join('\n'));
  const listMatch =
    '{ any: [{ ip: { file: networks.txt } }, { not: { asn: { file: systems.txt } } }] }';
  const organisations = Array.from(
    { length: 120 },
    (_, number) => `
  - id: org-${number}
    secret_keys: [{ id: main, key: sk_of_organisation_${number}_0123456789 }]
    rules:
      - { name: listed, match: ${listMatch}, verdict: block }
      - { name: own, match: { path: /${number}, ip: 192.0.2.${number} }, detect: true }
      - { name: fetched, match: { ip: { url: 'https://lists.example/drop' } }, verdict: block }`,
  );
  const sites = Array.from(
    { length: 250 },
    (_, number) =>
      `\n  - { hosts: [s${number}.example], organisation: org-1, origin: 'http://127.0.0.1:1' }`,
  );
  const file = join(folder, 'guard.yaml');
  writeFileSync(
    file,
    `version: 1
listen: { gateway: 127.0.0.1:2 }
secret: b8d2046a7f3c1e95b8d2047a7f3c1e95
store: { engine: memory, path: ./store }
organisations:${organisations.join('')}
sites:${sites.join('')}
`,
  );
  const result = loadSettings(file, {});
  if (result.kind === 'invalid') throw new Error(JSON.stringify(result.problems[0]));
  return result;
}

test('settings that were built from pieces equal the original, and rules still share their list', async () => {
  const { settings: sentSettings, lists: knownLists } = manySettings();
  const pieces = atOnce(toPieces(sentSettings, knownLists));
  let pauses = 0;
  const copiedSettings = await fromPieces(pieces, () => void (pauses += 1));
  const receivedSettings = copiedSettings.settings;
  expect(receivedSettings).toEqual(sentSettings);
  expect(settingsRevision(receivedSettings)).toBe(settingsRevision(sentSettings));
  expect(fetchedListsOf(receivedSettings)).toEqual(fetchedListsOf(sentSettings));
  const linesIn = ({ organisations }: Settings) => organisations.map(({ rules }) => linesOf(rules));
  expect(linesIn(sentSettings)[1]?.rules).toHaveLength(3);
  expect(linesIn(receivedSettings)).toEqual(linesIn(sentSettings));
  const lists = receivedSettings.organisations.map(
    ({ rules }) => rules[0]?.match.any?.[0]?.ip ?? [],
  );
  expect(new Set(lists).size).toBe(1);
  expect(PrefixSet.of(lists[0] ?? []).has('10.3.2.1')).toBe(true);
  expect(PrefixSet.of(lists[0] ?? []).has('11.3.2.1')).toBe(false);
  expect(pauses).toBe(pieces.length);
  expect([...copiedSettings.lists.keys()]).toEqual([...knownLists.keys()]);
  const networks = `ip ${join(folder, 'networks.txt')}`;
  expect(copiedSettings.lists.get(networks)?.entries).toBe(lists[0]);
});

test('each piece is short, so that requests do not wait for it', () => {
  const longest = Math.max(
    ...atOnce(toPieces(manySettings().settings)).map(({ length }) => length),
  );
  expect(longest).toBeLessThan(256 * 1024);
});
