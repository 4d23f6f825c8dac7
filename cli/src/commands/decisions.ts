import {
  targetText,
  type TemporaryDecision,
} from '@guard/config/settings/derived/temporary-decision';
import { changeDecisions, standingDecisions } from '../decisions/change-decisions.ts';
import { columns } from '../terminal/layout.ts';
import { printable, printableJson } from '../terminal/printable.ts';
import { calledWrongly, failed, print } from '../terminal/terminal.ts';
import type { Command } from '../command-line/command.ts';
import { CONFIG_OPTION, type Options, readCommandLine } from '../command-line/options.ts';
import { readSettings } from '../command-line/read-settings.ts';

const OPTIONS = {
  config: CONFIG_OPTION,
  json: { type: 'boolean', default: false, help: 'one JSON value, nothing else' },
} as const satisfies Options;

export const decisions: Command = {
  name: 'decisions',
  summary: 'List the temporary decisions that stand, or end one.',
  usage: [
    'guard decisions --config FILE [--json]',
    'guard decisions end ID --config FILE [--json]',
  ],
  about: `Without a word it lists what guard block and guard allow decided and is not over yet: whom, until
when, who decided, and why.

end      ends the decision ID: a second later no request is decided by it`,
  options: OPTIONS,
  operand: ['end'],
  exits: '0 listed or ended, 1 refused and nothing changed, 2 called wrongly.',
  async run(args) {
    const line = readCommandLine(args, OPTIONS);
    if (line.kind === 'wrong') return wrong(line.message);
    const { values, positionals } = line;
    const [action, id, more] = positionals;
    if (values.config === undefined) return wrong('name the settings file: --config guard.yaml');
    if (more !== undefined) return wrong(`unexpected word: ${more}`);
    if (action !== undefined && action !== 'end') return wrong(`${action} is not end`);
    if (action === 'end' && id === undefined) return wrong('say which one: guard decisions end ID');
    const settings = readSettings(values.config)?.settings;
    if (!settings) return 1;
    const now = Date.now();
    const changed =
      id === undefined
        ? await standingDecisions(settings, now)
        : await changeDecisions(settings, now, (standing) => withoutOne(standing, id));
    if (changed.kind === 'refused') {
      return failed('decisions', changed.reason);
    }
    const { result } = changed;
    if (values.json) print(printableJson(result));
    else print(id === undefined ? describe(result) : `${id} is ended.`);
    return 0;
  },
};

/** All but the one with this id; the result is that one. */
function withoutOne(standing: readonly TemporaryDecision[], id: string) {
  const gone = standing.filter((one) => one.id === id);
  if (gone.length > 0) {
    return { decisions: standing.filter((one) => one.id !== id), result: gone };
  }
  const ids = standing.map((one) => one.id).join(', ') || 'none';
  return `no decision that stands has the id ${JSON.stringify(id)}; there are ${ids}`;
}

function describe(standing: readonly TemporaryDecision[]): string {
  if (standing.length === 0) return 'No temporary decision stands.';
  const rows = standing.map((one) => [
    one.id,
    one.organisation,
    one.verdict,
    targetText(one.target),
    new Date(one.until).toISOString().slice(0, 16).replace('T', ' '),
    printable(one.by),
    printable(one.because),
  ]);
  const head = ['ID', 'ORGANISATION', 'VERDICT', 'TARGET', 'UNTIL (UTC)', 'BY', 'BECAUSE'];
  return columns([head, ...rows]).join('\n');
}

function wrong(message: string): 2 {
  return calledWrongly('decisions', message);
}
