/** The name by which events and answers name a temporary decision: it takes the place of a rule. */
export function temporaryRuleName(id: string): string {
  return `temporary ${id}`;
}

/** The id of the temporary decision that a rule of an event stands for; undefined for a rule of guard.yaml. */
export function temporaryDecisionOf(rule: string): string | undefined {
  return /^temporary (t[0-9a-z]{6})$/.exec(rule)?.[1];
}
