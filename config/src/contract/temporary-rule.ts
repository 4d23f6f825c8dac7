/** The rule name of a temporary decision in events and answers. */
export function temporaryRuleName(id: string): string {
  return `temporary ${id}`;
}

/** A regular expression for these names, valid in JavaScript and in the database. */
export const TEMPORARY_RULE = '^temporary (t[0-9a-z]{6})$';
const NAME = new RegExp(TEMPORARY_RULE);

/** The id of the temporary decision for a rule name of an event. Undefined for a rule of guard.yaml. */
export function temporaryDecisionOf(rule: string): string | undefined {
  return NAME.exec(rule)?.[1];
}
