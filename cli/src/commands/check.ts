import { formatProblem, loadSettings } from '@guard/config/settings/load';
import { print } from '../terminal.ts';
import { type Command, readArguments } from './command.ts';

export const check: Command = {
  name: 'check',
  summary: 'Read a settings file and say everything that is wrong with it.',
  help: `Usage: guard check FILE [--json]

Reads FILE as \`guard start\` would, starts nothing, and lists every problem with its
file, line and column, what was found and what is allowed.

  --json   one JSON object: { "valid": …, "problems": [ … ] }

Exit code: 0 when the file is good, 1 when it has problems, 2 when called wrongly.`,
  run(args) {
    const parsed = readArguments(args, { json: { type: 'boolean' } });
    const [file] = parsed?.positionals ?? [];
    if (!parsed || file === undefined) {
      print('guard check: name one settings file, as in: guard check guard.yaml', 'error');
      return Promise.resolve(2);
    }
    const result = loadSettings(file, process.env);
    const problems = result.kind === 'invalid' ? result.problems : [];
    if (parsed.values.json) {
      print(JSON.stringify({ valid: problems.length === 0, problems }));
    } else if (result.kind === 'invalid') {
      print(problems.map(formatProblem).join('\n'), 'error');
    } else {
      const { sites, organisations } = result.settings;
      print(
        `${file} is good: ${count(organisations.length, 'organisation')}, ${count(sites.length, 'site')}.`,
      );
    }
    return Promise.resolve(problems.length === 0 ? 0 : 1);
  },
};

function count(n: number, thing: string): string {
  return `${n} ${thing}${n === 1 ? '' : 's'}`;
}
