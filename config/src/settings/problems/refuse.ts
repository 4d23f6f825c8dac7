import { z } from 'zod';

/**
 * Refuses a value in a transform or a refinement; what is checked behind it is left out. `message` begins with "expected". The nearest of `choices` is suggested for
 * what was written.
 */
export function refuse(
  context: z.RefinementCtx,
  message: string,
  choices: readonly string[] = [],
): never {
  context.addIssue({ code: 'custom', message, params: { choices }, continue: false });
  return z.NEVER;
}

/** The choices that {@link refuse} was given. */
export function choicesIn(issue: z.core.$ZodIssueCustom): readonly string[] {
  const choices: unknown = issue.params?.['choices'];
  // Only refuse() sets them. A copy for each issue would be slow where many names are unknown.
  return Array.isArray(choices) ? (choices as readonly string[]) : [];
}
