import { z } from 'zod';
import { VALIDATE } from './limits.ts';

/**
 * Spec 2.1: one visitor request, as a caller describes it to the validator.
 *
 * The gateway builds the same shape in process, so the two ways to ask cannot drift apart.
 */
export const ValidateRequest = z.object({
  url: z.string().min(1).max(VALIDATE.maxUrlLength).describe('Full URL the visitor requested.'),
  ip: z.string().describe('Client address: one IPv4 or IPv6 address.'),
  method: z.string().max(32).optional().describe('HTTP method.'),
  headers: z
    .record(z.string(), z.string())
    .optional()
    .describe('All request headers, name to value, in the order they were sent.'),
  referrer: z.string().optional().describe('Value of the Referer header.'),
  cookie: z.string().optional().describe('Bare value of the _guard cookie.'),
});
export type ValidateRequest = Readonly<z.infer<typeof ValidateRequest>>;
