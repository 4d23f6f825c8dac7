/**
 * Writes the tables of docs/guide/ that repeat the code: `npm run docs`. With `--check` it writes nothing, and
 * fails when a page is not what it would write.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { RSL_CATEGORIES } from '@guard/config/catalogue/crawler-file';
import { categories } from '@guard/config/contract/categories';
import { validateErrors } from '@guard/config/contract/errors';
import { metrics } from '@guard/config/contract/metrics';
import { entryOf, type Reason, reasons } from '@guard/config/contract/reasons';
import { GROUPS } from '@guard/config/contract/strengths';
import { format, resolveConfig } from 'prettier';
import { EVENT_COLUMNS } from '../analytics/src/events/columns.ts';
import { wordsOf } from '../cli/src/command-line/help.ts';
import { commands } from '../cli/src/commands/all-commands.ts';

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const guide = new URL('../docs/guide/', import.meta.url);

const code = (text: string) => `\`${text}\``;
const codeOr = (absent: string, text: string | undefined) =>
  text === undefined ? absent : code(text);
const named = (texts: Readonly<Record<string, string>>) =>
  Object.entries(texts).map(([name, text]) => [code(name), text]);

/** Each page, and how its text gets the tables. */
const pages: Readonly<Record<string, (page: string) => string>> = {
  'analytics.md': (page) =>
    withTable(page, '## Columns', [
      ['Column', 'Type', 'What it holds'],
      ...EVENT_COLUMNS.map(({ name, type, comment }) => [code(name), code(type), comment]),
    ]),

  'block-reasons.md': (page) => {
    // Object.keys forgets the names.
    const rows = (Object.keys(reasons) as Reason[]).map((reason) => {
      const { category, strength = '–', group, meaning } = entryOf(reason);
      const link = `[${reason}](block-reasons/${reason}.md)`;
      return [link, code(category), strength, codeOr('–', group), meaning];
    });
    const head = ['Reason', 'Category', 'Strength', 'Group', 'Meaning'];
    const first = withTable(page, '## Reasons', [head, ...rows]);
    const second = withTable(first, '## Categories', [
      ['Category', 'Meaning'],
      ...named(categories),
    ]);
    return withTable(second, '## Groups', [['Group', 'Cause'], ...named(GROUPS)]);
  },

  'commands.md': (page) => {
    const overview = withTable(page, 'order: 22', [
      ['Command', 'What it does'],
      ...commands.map(({ name, summary }) => [`[guard ${name}](#guard-${name})`, summary]),
    ]);
    return commands.reduce((text, { name, summary, usage, options, exits }) => {
      const heading = `## guard ${name}`;
      const rows = Object.entries(options).flatMap(([long, option]) =>
        option.help === undefined
          ? []
          : [[code(wordsOf(long, option).trim()), sentence(option.help)]],
      );
      const called = `\n${summary}\n\n\`\`\`sh\n${usage.join('\n')}\n\`\`\`\n`;
      const withUsage = withBlock(text, heading, /\n.*\n\n```sh\n[^]*?\n```\n/, called);
      const withExits = withBlock(
        withUsage,
        heading,
        /^Exit code: .*$/m,
        `Exit code: ${oneLine(exits)}`,
      );
      return withTable(withExits, heading, [['Option', 'Meaning'], ...rows]);
    }, overview);
  },

  'crawler-verification.md': (page) =>
    withTable(page, '## Categories', [
      ['Category', '`rsl_category`'],
      ...Object.entries(RSL_CATEGORIES).map(([category, key]) => [category, code(key)]),
    ]),

  'errors.md': (page) =>
    withTable(page, '## What a caller does', [
      ['HTTP', '`error.type`', 'Message', 'Caller'],
      ...Object.entries(validateErrors).map(([type, { status, message, fail }]) => [
        String(status),
        code(type),
        message,
        `Fail ${fail}.`,
      ]),
    ]),

  'metrics.md': (page) =>
    withTable(page, 'order: 25', [
      ['Metric', 'Kind', 'Label', 'Meaning'],
      ...Object.entries(metrics).map(([name, { kind, label, help }]) => [
        code(name),
        kind,
        codeOr('none', label),
        help,
      ]),
    ]),
};

/** The page with its table below this line written anew: the first one of this head. The first row is the head. */
function withTable(page: string, below: string, [head = [], ...rows]: readonly string[][]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => oneLine(cell).replaceAll('|', '\\|')).join(' | ')} |`;
  const table = [head, head.map(() => '---'), ...rows].map(line).join('\n');
  return withBlock(page, below, new RegExp(`^\\| ${head[0] ?? ''} .*(?:\\n\\|.*)*`, 'm'), table);
}

/** The page with the first such block below this line, and above the next heading of level two, written anew. */
function withBlock(page: string, below: string, block: RegExp, text: string): string {
  const [before = '', ...rest] = page.split(new RegExp(`^(?=${below}$)`, 'm'));
  const [section = '', ...after] = rest.join('').split(/(?=\n## )/);
  if (!block.test(section)) throw new Error(`below "${below}" is nothing like ${String(block)}`);
  return [before, section.replace(block, () => text), ...after].join('');
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function oneLine(text: string): string {
  return text.replaceAll('\n', ' ');
}

for (const [name, write] of Object.entries(pages)) {
  const file = new URL(name, guide);
  const before = readFileSync(file, 'utf8');
  const options = await resolveConfig(file);
  const after = await format(write(before), { ...options, parser: 'markdown' });
  if (after === before) continue;
  if (!values.check) writeFileSync(file, after);
  else {
    console.error(`docs/guide/${name} is not what the code says: npm run docs`);
    process.exitCode = 1;
  }
}
