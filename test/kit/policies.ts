import { parse } from 'yaml';
import { Organisation } from '@guard/config/settings/schema';

/** Settings of an organisation for one program that plays many visitors, who have not used their free pages. */
export const ENDLESS_FREE_PAGES = { challenge: { free_pages: false } } as const;

/** An organisation from the YAML a user would write for its rules. */
export function organisationWith(rules: string, over: Readonly<Record<string, unknown>> = {}) {
  return Organisation.parse({ id: 'acme', rules: parse(rules) as unknown, ...over });
}
