import { z } from 'zod';

/**
 * Refuses a value in a transform or a refinement, and skips later checks of it. `message` begins with "expected".
 * The choice that is most like the value is suggested.
 */
export function refuse(
  context: z.RefinementCtx,
  message: string,
  choices: readonly string[] = [],
): never {
  context.addIssue({ code: 'custom', message, params: { choices }, continue: false });
  return z.NEVER;
}

/** The choices that were passed to {@link refuse}. */
export function choicesIn(issue: z.core.$ZodIssueCustom): readonly string[] {
  const choices: unknown = issue.params?.['choices'];
  // Only refuse() sets them. A copy for each issue would be slow with many unknown names.
  return Array.isArray(choices) ? (choices as readonly string[]) : [];
}
