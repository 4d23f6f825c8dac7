import { stringify } from 'yaml';
import { validatorWith } from './validator.ts';
import { visit } from '../visitors/visitors.ts';

/** Whether a rule with this match blocks a visit, in the real validator. */
export async function matches(
  match: unknown,
  changes: Parameters<typeof visit>[0] = {},
  organisation: Readonly<Record<string, unknown>> = {},
): Promise<boolean> {
  const rules = stringify([{ name: 'rule', match, verdict: 'block' }]);
  const { ask, events } = validatorWith(rules, { organisation });
  await ask(visit(changes));
  return events[0]?.decision === 'block' && events[0].rule === 'rule';
}

export const at = (path: string, host = 'shop.example') => ({ url: `https://${host}${path}` });
