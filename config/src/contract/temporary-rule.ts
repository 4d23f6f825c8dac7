/** The name by which events and answers name a temporary decision: it takes the place of a rule. */
export function temporaryRuleName(id: string): string {
  return `temporary ${id}`;
}

/** What those names match: a regular expression of JavaScript, and of the database. */
export const TEMPORARY_RULE = '^temporary (t[0-9a-z]{6})$';
const NAME = new RegExp(TEMPORARY_RULE);

/** The id of the temporary decision that a rule of an event stands for; undefined for a rule of guard.yaml. */
export function temporaryDecisionOf(rule: string): string | undefined {
  return NAME.exec(rule)?.[1];
}
