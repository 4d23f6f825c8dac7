import { parse } from 'yaml';
import { Organisation } from '@guard/config/settings/schema';

/** An organisation from the YAML a user would write for its rules. */
export function organisationWith(rules: string, over: Readonly<Record<string, unknown>> = {}) {
  return Organisation.parse({ id: 'acme', rules: parse(rules) as unknown, ...over });
}
