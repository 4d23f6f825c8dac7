import { readFileSync } from 'node:fs';
import { formatProblem, loadSettings } from '@guard/config/settings/load';
import { askValidator } from '../explain/ask.ts';
import { choosePolicy } from '../explain/choose-policy.ts';
import { describeExplanation } from '../explain/describe-explanation.ts';
import { type Asked, readRequest } from '../explain/read-request.ts';
import { print } from '../terminal.ts';
import type { Command } from './command.ts';

export const explain: Command = {
  name: 'explain',
  summary: 'Say why a request gets the answer it gets, and which rule decides.',
  help: `Usage: guard explain --config FILE URL --ip ADDRESS [-X METHOD] [-H 'Name: value'] …
       guard explain --config FILE REQUEST.json
       guard explain --config FILE -              (the same JSON on standard input)

Makes the decision that a running Guard with these settings would make, and shows the
facts, the findings, every rule, the verdict and the answer. Needs no running server,
changes nothing, records nothing, takes nothing from a budget.

  -c, --config FILE        the settings file
      --ip ADDRESS         the visitor's address
  -X, --request METHOD     default GET, or POST with -d
  -H, --header LINE        a header; they are taken as given, only Host is added
  -A, --user-agent TEXT    the same as -H 'User-Agent: TEXT'
  -e, --referer URL        the same as -H 'Referer: URL'
  -b, --cookie-header TEXT the same as -H 'Cookie: TEXT'
  -d, --data TEXT          makes it a POST; the body itself is not looked at
      --cookie ID          the value of the _guard cookie
      --session STATE      as if the session was: verified, issued
      --over-budget        as if every rate limit was used up
      --site HOST          the rules of this site, whatever host the URL has
      --organisation ID    the rules of this organisation
      --json               one JSON object

REQUEST.json is the body of POST /validate:
  { "url": "https://shop.example/login", "ip": "203.0.113.9", "headers": { … } }

Exit code: 0 explained, whatever the decision; 1 the settings or the request are refused;
2 called wrongly.`,
  async run(args) {
    const reading = readRequest(args, () => readFileSync(0, 'utf8'));
    if (reading.kind === 'wrong') return fail(reading.message, 2);
    return explainAsked(reading.asked);
  },
};

async function explainAsked(asked: Asked): Promise<number> {
  const loaded = loadSettings(asked.config, process.env);
  if (loaded.kind === 'invalid') {
    print(loaded.problems.map(formatProblem).join('\n'), 'error');
    return 1;
  }
  const chosen = choosePolicy(loaded.settings, asked, requestedIn(asked.body));
  if (chosen.kind === 'wrong') return fail(chosen.message, 2);
  const { organisation, site, notes } = chosen;
  const { body, session, overBudget } = asked;
  try {
    const question = { body, site, session, overBudget };
    const explained = await askValidator(loaded.settings, organisation, question);
    if (explained.kind === 'error') return fail(`${explained.type}: ${explained.message}`, 1);
    const { explanation } = explained;
    print(
      asked.json
        ? JSON.stringify({ ...explanation, notes }, undefined, 2)
        : describeExplanation(explanation, notes),
    );
    return 0;
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error), 1);
  }
}

function fail(message: string, code: 1 | 2): number {
  const hint = code === 2 ? '\nguard explain --help shows how it is called.' : '';
  print(`guard explain: ${message}${hint}`, 'error');
  return code;
}

/** Host and path of a body's URL; undefined when it has none, which the validator will say better. */
function requestedIn(body: string): { readonly host: string; readonly path: string } | undefined {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return undefined;
  }
  const url = typeof value === 'object' && value !== null && 'url' in value ? value.url : undefined;
  const parts = typeof url === 'string' ? /^https?:\/\/([^/?#\\]+)([^?#]*)/i.exec(url) : null;
  return parts === null ? undefined : { host: parts[1] ?? '', path: parts[2] || '/' };
}
