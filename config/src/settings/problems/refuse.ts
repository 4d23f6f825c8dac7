import { z } from 'zod';

/**
 * Refuses a value in a transform or a refinement, and skips later checks of it. `message` begins with "expected". The
 * message suggests the choice that is most similar to the value.
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
  // The cast is safe, because only refuse() sets the choices. With many unknown names, a checked copy for each issue
  // would be slow.
  return Array.isArray(choices) ? (choices as readonly string[]) : [];
}
