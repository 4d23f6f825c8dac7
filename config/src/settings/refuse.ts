import { z } from 'zod';

/** Refuses a value in a transform. `message` begins with "expected". */
export function refuse(context: z.RefinementCtx, message: string): never {
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
}
