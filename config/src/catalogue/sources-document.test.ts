import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { dataPath } from './data-path.ts';

const document = readFileSync(dataPath('SOURCES.md'), 'utf8');

test('SOURCES.md names every bundled folder and every list of addresses', () => {
  const folders = readdirSync(dataPath('.'), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  expect(folders.length).toBeGreaterThan(0);
  for (const { name } of folders) expect(document).toContain(`${name}/`);
  for (const name of readdirSync(dataPath('ip'))) expect(document).toContain(`\`${name}\``);
});

test('SOURCES.md names every origin that the lists name, with the same day', () => {
  const lists = readdirSync(dataPath('ip')).filter((name) => name.endsWith('.txt'));
  expect(lists.length).toBeGreaterThan(0);
  for (const name of lists) {
    const head = readFileSync(dataPath(`ip/${name}`), 'utf8').matchAll(
      /^# (github\S+), (\S+), (\S+)$/gm,
    );
    const origins = [...head];
    expect(origins.length, name).toBeGreaterThan(0);
    for (const [, origin = '', day = '', licence = ''] of origins) {
      const row = document.split('\n').find((line) => line.includes(origin) && line.includes(day));
      expect(row, origin).toContain(licence);
    }
  }
});

test('SOURCES.md gives the attribution of the country database (CC BY 4.0)', () => {
  expect(document).toContain('[IP Geolocation by DB-IP](https://db-ip.com)');
});

test('SOURCES.md gives the attributions of the table of autonomous systems (CC BY 4.0)', () => {
  for (const source of ['RouteViews', 'NRO', 'DB-IP']) {
    expect(document).toMatch(new RegExp(`asn\\.bin\\.br.*${source}`));
  }
});

test('SOURCES.md names the licence texts of the table of autonomous systems', () => {
  for (const file of readdirSync(dataPath('licences')).filter(
    (name) => name.includes('CC-BY') || name.includes('asn'),
  )) {
    expect(document).toContain(`\`${file}\``);
  }
});
