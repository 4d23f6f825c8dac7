import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const readme = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8');
const folders = readdirSync(import.meta.dirname, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules')
  .map(({ name }) => name);

test('the README lists every example, and no other', () => {
  const listed = [...readme.matchAll(/^\| \[([a-z-]+)\]\(\1\)/gm)].map(([, name]) => name);
  expect(new Set(listed)).toEqual(new Set(folders));
});

test('every command names existing files, and the README of each example has the command of this example', () => {
  const commands = [...readme.matchAll(/`([^`]*\bexamples\/([a-z-]+)[^`]*)`/g)];
  expect(commands.length).toBeGreaterThan(5);
  for (const [, command = '', folder = ''] of commands) {
    const [, path = ''] = /(examples\/\S+)$/.exec(command) ?? [];
    expect(existsSync(join(import.meta.dirname, '..', path)), path).toBe(true);
    expect(readFileSync(join(import.meta.dirname, folder, 'README.md'), 'utf8')).toContain(command);
  }
});
