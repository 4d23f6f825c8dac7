import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commands } from '../cli/src/commands/all-commands.ts';

/** The page "Commands" and the table from which `guard --help` is made say the same, both ways. */

const page = readFileSync(join(import.meta.dirname, '../docs/guide/commands.md'), 'utf8');

/** The text below a heading of the page, down to the next one. */
function section(heading: string): string {
  return page.split(`\n## ${heading}\n`)[1]?.split('\n## ', 1)[0] ?? '';
}

/** First and second cells of the table whose head begins with this cell, code marks and links taken away. */
function rows(text: string, head: string): [first: string, second: string][] {
  const table = text.split('\n\n').find((block) => block.startsWith(`| ${head} `)) ?? '';
  const cells = [...table.matchAll(/^\| (.+?) +\| (.+?) +\|$/gm)].slice(2);
  return cells.map(([, first = '', second = '']) => [
    first.replaceAll('`', '').replace(/^\[([^\]]+)\]\([^)]+\)$/, '$1'),
    second,
  ]);
}

test('every command, in the order of guard --help, and no other', () => {
  expect(rows(page, 'Command')).toEqual(
    commands.map(({ name, summary }) => [`guard ${name}`, summary]),
  );
  const headings = [...page.matchAll(/^## guard (.+)$/gm)].map(([, name]) => name);
  expect(headings).toEqual(commands.map(({ name }) => name));
});

test.each(commands)(
  'guard $name: how it is called, and its exit codes',
  ({ name, usage, exits }) => {
    expect(section(`guard ${name}`)).toContain(`\n\`\`\`sh\n${usage.join('\n')}\n\`\`\`\n`);
    expect(section(`guard ${name}`)).toContain(`\nExit code: ${exits.replaceAll('\n', ' ')}\n`);
  },
);

test.each(commands)('guard $name: every option, and no other', ({ name, options }) => {
  const shown = Object.entries(options).filter(([, { help }]) => help !== undefined);
  const words = shown.map(([long, { short, value }]) =>
    [
      short === undefined ? '' : `-${short}, `,
      `--${long}`,
      value === undefined ? '' : ` ${value}`,
    ].join(''),
  );
  const documented = rows(section(`guard ${name}`), 'Option');
  expect(documented.map(([option]) => option)).toEqual(words);
  for (const [option, meaning] of documented) expect(meaning, option).toMatch(/\w{3}/);
});
