import { escapeUnsafeInLines } from '@guard/config/contract/printable';
import { readFileSync } from 'node:fs';
import { parseJson } from '@guard/config/contract/json';
import { currentDecisions } from '../decisions/change-decisions.ts';
import { EXPLAIN_OPTIONS } from '../explain/options.ts';
import { choosePolicy, type ExplainTarget } from '../explain/choose-policy.ts';
import { describeExplanation } from '../explain/describe-explanation.ts';
import { type ExplainCall, readRequest } from '../explain/read-request.ts';
import { messageOf } from '../terminal/faults.ts';
import { reportWrongCall, reportFailure, print } from '../terminal/terminal.ts';
import type { Command } from '../command-line/command.ts';
import { readSettings } from '../command-line/read-settings.ts';

export const explain: Command = {
  name: 'explain',
  summary: 'Explain the answer to a request, and show the rule that decides.',
  usage: [
    "guard explain URL --ip ADDRESS [-X METHOD] [-H 'Name: value'] … [--config FILE]",
    'guard explain REQUEST.json [--config FILE]',
    'guard explain - [--config FILE]            (the same JSON on standard input)',
  ],
  about: `Makes the decision that a running Guard with these settings would make, and shows the
facts, the findings, every rule, the verdict and the answer. Needs no running server,
changes nothing, records nothing, takes nothing from a budget.`,
  options: EXPLAIN_OPTIONS,
  operand: 'file',
  notes: `REQUEST.json is the body of POST /validate:
  { "url": "https://shop.example/login", "ip": "203.0.113.9", "headers": { … } }`,
  exits: `0 explained, with any decision; 1 the settings or the request are refused;
2 called wrongly.`,
  async run(args) {
    const call = readRequest(args, () => readFileSync(0, 'utf8'));
    return typeof call === 'string' ? reportWrongCall('explain', call) : explainRequest(call);
  },
};

async function explainRequest(call: ExplainCall): Promise<number> {
  const settings = readSettings(call.config)?.settings;
  if (!settings) return 1;
  const policy = choosePolicy(settings, call, targetIn(call.body));
  if (typeof policy === 'string') return reportWrongCall('explain', policy);
  const { organisation, site, notes } = policy;
  const { body, session, overBudget } = call;
  try {
    const question = { body, site, session, overBudget };
    // The module is loaded on demand: the validator and its lists are large, and `guard --help` does not need them.
    const { askValidator } = await import('../explain/ask.ts');
    const decisions = await currentDecisions(settings, Date.now());
    if (typeof decisions === 'string') return reportFailure('explain', decisions);
    const answer = await askValidator(settings, organisation, question, decisions.result);
    if (answer.kind === 'error')
      return reportFailure('explain', `${answer.type}: ${answer.message}`);
    const { explanation } = answer;
    const { agentNames } = await import('@guard/analytics/agent-names');
    const { user_agent, crawler } = explanation.facts;
    const names = agentNames(user_agent, crawler !== null);
    print(
      call.json
        ? escapeUnsafeInLines(
            JSON.stringify({ ...explanation, recorded_as: names, notes }, undefined, 2),
          )
        : describeExplanation(explanation, names, notes),
    );
    return 0;
  } catch (error) {
    return reportFailure('explain', messageOf(error));
  }
}

/**
 * The method of a body, and the host and the path of its URL. Undefined when there is no URL: the validator has a better
 * message for this mistake.
 */
function targetIn(body: string): ExplainTarget | undefined {
  const value = parseJson(body);
  if (typeof value !== 'object' || value === null || !('url' in value)) return undefined;
  const { url } = value;
  const parts = typeof url === 'string' ? /^https?:\/\/([^/?#\\]+)([^?#]*)/i.exec(url) : null;
  const method = 'method' in value ? String(value.method).toUpperCase() : 'GET';
  return parts === null ? undefined : { method, host: parts[1] ?? '', path: parts[2] || '/' };
}
