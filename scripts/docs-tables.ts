/**
 * Writes the tables of docs/guide/ that repeat the code: `npm run docs`. With `--check` it writes nothing, and fails
 * when a page would change.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { RSL_CATEGORIES } from '@guard/config/catalogue/crawler-file';
import { CATEGORY_MEANINGS } from '@guard/config/contract/categories';
import { validateErrors } from '@guard/config/contract/errors';
import { metrics } from '@guard/config/contract/metrics';
import { entryOf, type Reason, reasons } from '@guard/config/contract/reasons';
import { GROUPS } from '@guard/config/contract/strengths';
import { format, resolveConfig } from 'prettier';
import { EVENT_COLUMNS } from '../analytics/src/events/columns/event-columns.ts';
import type { Application } from '../cli/src/applications/application.ts';
import { APPLICATIONS } from '../cli/src/applications/applications.ts';
import { describeSign } from '../cli/src/applications/recognise.ts';
import type { Command } from '../cli/src/command-line/command.ts';
import { optionTextOf } from '../cli/src/command-line/help.ts';
import { commands } from '../cli/src/commands/all-commands.ts';
import { ECS_FIELDS } from '../server/src/process/ecs.ts';
import { withSettingCells } from './setting-cells.ts';

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });

/** A part of a page that is made from the code. */
interface Part {
  readonly page: string;
  /** The heading above the part. The part ends at the next heading of level two. */
  readonly below: string;
  /** Matches the current text of the part. */
  readonly form: RegExp;
  readonly text: string;
}

const parts: readonly Part[] = [
  table('applications.md', '## What `guard init` recognises', [
    ['`--application`', 'Recognised by one of', 'Presets', 'Rules'],
    ...Object.entries(APPLICATIONS).map(
      ([name, { signs, presets, rules }]: [string, Application]) => [
        code(name),
        signs.map((sign) => code(describeSign(sign))).join(', '),
        presets.map(({ preset, why }) => `${code(preset)}: ${why}`).join(' ') || 'none',
        rules.map(({ why, line }) => `${why} ${code(line)}`).join(' ') || 'none',
      ],
    ),
  ]),
  table('analytics.md', '## Columns', [
    ['Column', 'Type', 'What it holds'],
    ...EVENT_COLUMNS.map(({ name, type, comment }) => [code(name), code(type), comment]),
  ]),
  table('block-reasons.md', '## Reasons', [
    ['Reason', 'Category', 'Strength', 'Group', 'Meaning'],
    // Object.keys has the type string[].
    ...(Object.keys(reasons) as Reason[]).map((reason) => {
      const { category, strength = '–', group, meaning } = entryOf(reason);
      const link = `[${reason}](block-reasons/${reason}.md)`;
      return [link, code(category), strength, group === undefined ? '–' : code(group), meaning];
    }),
  ]),
  table('block-reasons.md', '## Categories', [
    ['Category', 'Meaning'],
    ...named(CATEGORY_MEANINGS),
  ]),
  table('block-reasons.md', '## Groups', [['Group', 'Cause'], ...named(GROUPS)]),
  table('commands.md', 'title: Commands', [
    ['Command', 'What it does'],
    ...commands.map(({ name, summary }) => [`[guard ${name}](#guard-${name})`, summary]),
  ]),
  ...commands.flatMap(partsOf),
  table('crawler-verification.md', '## Categories', [
    ['Category', '`rsl_category`'],
    ...Object.entries(RSL_CATEGORIES).map(([category, key]) => [category, code(key)]),
  ]),
  table('errors.md', '## What a caller does', [
    ['HTTP', '`error.type`', 'Message', 'Caller'],
    ...Object.entries(validateErrors).map(([type, { status, message, fail }]) => [
      ...[String(status), code(type), message, `Fail ${fail}.`],
    ]),
  ]),
  table('operations.md', '## Elastic Common Schema', [
    ['Field', 'Name in ECS'],
    ...Object.entries(ECS_FIELDS).map(([field, name]) => [code(field), code(name)]),
  ]),
  table('metrics.md', 'title: Metrics', [
    ['Metric', 'Kind', 'Label', 'Meaning'],
    ...Object.entries(metrics).map(([name, { kind, label, help }]) => [
      ...[code(name), kind, label === undefined ? 'none' : code(label), help],
    ]),
  ]),
];

for (const [page, own] of Map.groupBy(parts, (part) => part.page)) {
  await write(page, (text) => own.reduce(withPart, text));
}
await write('guard-yaml.md', withSettingCells);

async function write(page: string, edit: (text: string) => string): Promise<void> {
  const file = new URL(`../docs/guide/${page}`, import.meta.url);
  const oldText = readFileSync(file, 'utf8');
  const options = await resolveConfig(file);
  const newText = await format(edit(oldText), { ...options, parser: 'markdown' });
  if (newText === oldText) return;
  if (!values.check) writeFileSync(file, newText);
  else {
    console.error(`docs/guide/${page} does not match the code: run npm run docs`);
    process.exitCode = 1;
  }
}

/** The section of a command: usage, options and exit codes. */
function partsOf({ name, summary, usage, options, exits }: Command): readonly Part[] {
  const [page, below] = ['commands.md', `## guard ${name}`];
  const usageText = `\n${summary}\n\n\`\`\`sh\n${usage.join('\n')}\n\`\`\`\n`;
  const rows = Object.entries(options).flatMap(([long, option]) =>
    option.help === undefined
      ? []
      : [[code(optionTextOf(long, option).trim()), sentence(option.help)]],
  );
  return [
    { page, below, form: /\n.*\n\n```sh\n[^]*?\n```\n/, text: usageText },
    table(page, below, [['Option', 'Meaning'], ...rows]),
    { page, below, form: /^Exit code: .*$/m, text: `Exit code: ${oneLine(exits)}` },
  ];
}

/** Returns the first table with this head. The head is the first row. */
function table(page: string, below: string, rows: readonly (readonly string[])[]): Part {
  const [head = []] = rows;
  const text = [head, head.map(() => '---'), ...rows.slice(1)]
    .map((cells) => cells.map((cell) => oneLine(cell).replaceAll('|', '\\|')))
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
  return { page, below, form: new RegExp(`^\\| ${head[0] ?? ''} .*(?:\\n\\|.*)*`, 'm'), text };
}

function withPart(page: string, { below, form, text }: Part): string {
  const [before = '', ...rest] = page.split(new RegExp(`^(?=${below}$)`, 'm'));
  const [section = '', ...after] = rest.join('').split(/(?=\n## )/);
  if (!form.test(section)) throw new Error(`below "${below}" no text matches ${String(form)}`);
  return [before, section.replace(form, () => text), ...after].join('');
}

function code(text: string): string {
  return `\`${text}\``;
}

function named(texts: Readonly<Record<string, string>>): readonly (readonly string[])[] {
  return Object.entries(texts).map(([name, text]) => [code(name), text]);
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function oneLine(text: string): string {
  return text.replaceAll('\n', ' ');
}
