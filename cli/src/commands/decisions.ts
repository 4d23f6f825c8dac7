import {
  targetText,
  type TemporaryDecision,
} from '@guard/config/settings/derived/temporary-decision';
import { inertJson } from '@guard/config/settings/problems/problems';
import { changeDecisions, currentDecisions } from '../decisions/change-decisions.ts';
import { alignColumns } from '../terminal/layout.ts';
import { toPrintable } from '../terminal/printable.ts';
import { reportFailure, print } from '../terminal/terminal.ts';
import { createCommand } from '../command-line/command.ts';
import { CONFIG_OPTION, switchOption } from '../command-line/options.ts';
import { readSettings, settingsFile } from '../command-line/read-settings.ts';

export const decisions = createCommand({
  name: 'decisions',
  summary: 'List the current temporary decisions, or end one.',
  usage: [
    'guard decisions [--config FILE] [--json]',
    'guard decisions end ID [--config FILE] [--json]',
  ],
  about: `Without an argument it lists the current decisions of guard block and guard allow: target, until
when, who decided, and why.

end      ends the decision ID: a second later no request is decided by it`,
  options: {
    config: CONFIG_OPTION,
    json: switchOption('one JSON value, nothing else'),
  },
  operand: ['end'],
  exits: '0 listed or ended, 1 refused and nothing changed, 2 called wrongly.',
  async run({ values, positionals }) {
    const [action, id, more] = positionals;
    const file = settingsFile(values.config);
    if (typeof file !== 'string') return file.why;
    if (more !== undefined) return `unexpected word: ${more}`;
    if (action !== undefined && action !== 'end') return `unexpected word: ${action}`;
    if (action === 'end' && id === undefined) return 'say which one: guard decisions end ID';
    const settings = readSettings(file)?.settings;
    if (!settings) return 1;
    const now = Date.now();
    const outcome =
      id === undefined
        ? await currentDecisions(settings, now)
        : await changeDecisions(settings, now, (current) => removeDecision(current, id));
    if (typeof outcome === 'string') return reportFailure('decisions', outcome);
    const { result } = outcome;
    if (values.json) print(inertJson(result));
    else print(id === undefined ? describe(result) : `${id} is ended.`);
    return 0;
  },
});

function removeDecision(current: readonly TemporaryDecision[], id: string) {
  const removedDecisions = current.filter((decision) => decision.id === id);
  if (removedDecisions.length > 0) {
    return {
      decisions: current.filter((decision) => decision.id !== id),
      result: removedDecisions,
    };
  }
  const ids = current.map((decision) => decision.id).join(', ') || 'none';
  return `no current decision has the id ${inertJson(id)}; there are ${ids}`;
}

function describe(current: readonly TemporaryDecision[]): string {
  if (current.length === 0) return 'There are no temporary decisions.';
  const rows = current.map((decision) => [
    decision.id,
    decision.organisation,
    decision.verdict,
    targetText(decision.target),
    new Date(decision.until).toISOString().slice(0, 16).replace('T', ' '),
    toPrintable(decision.by),
    toPrintable(decision.because),
  ]);
  const head = ['ID', 'ORGANISATION', 'VERDICT', 'TARGET', 'UNTIL (UTC)', 'BY', 'BECAUSE'];
  return alignColumns([head, ...rows]).join('\n');
}
