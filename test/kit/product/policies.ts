import { parse } from 'yaml';
import { Organisation } from '@guard/config/settings/schema';

/** Settings with which a test program that plays many visitors reaches no limit. */
export const ONE_PLAYS_ALL = { challenge: { free_pages: false, session_limits: false } } as const;

/** An organisation with rules in YAML. */
export function organisationWith(rules: string, changes: Readonly<Record<string, unknown>> = {}) {
  return Organisation.parse({ id: 'acme', rules: parse(rules) as unknown, ...changes });
}
