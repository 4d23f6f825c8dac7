import { parse } from 'yaml';
import { Organisation } from '@guard/config/settings/schema';

/** Settings of an organisation for one program that plays many visitors: none of them has reached a limit. */
export const ONE_PLAYS_ALL = { challenge: { free_pages: false, session_limits: false } } as const;

/** An organisation from the YAML a user would write for its rules. */
export function organisationWith(rules: string, over: Readonly<Record<string, unknown>> = {}) {
  return Organisation.parse({ id: 'acme', rules: parse(rules) as unknown, ...over });
}
