import { z } from 'zod';
import { FINDINGS, type Finding } from '../contract/reasons.ts';
import { STRENGTHS } from '../contract/strengths.ts';

/** `detection`: how much each finding counts for an organisation, where that is not the default. */

const StrengthOf = z.enum(STRENGTHS).optional();

// Each name is an own one, so that a misspelt one is a problem with the nearest name. fromEntries forgets the names.
const byFinding = Object.fromEntries(FINDINGS.map((name) => [name, StrengthOf])) as Record<
  Finding,
  typeof StrengthOf
>;

export const Detection = z.strictObject({ reasons: z.strictObject(byFinding).prefault({}) });
