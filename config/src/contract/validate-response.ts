import { z } from 'zod';
import { CATEGORIES } from './categories.ts';
import { UUID } from './uuid.ts';

/** The statuses that a visitor can get (contract 2.2). The validator sends no other status. */
export const STATUS_CODES = [200, 302, 401, 403, 404, 418, 429, 451, 460, 503] as const;
// Without this `meta`, zod would write the type `number`.
export const StatusCode = z.literal(STATUS_CODES).meta({ type: 'integer' });
export type StatusCode = z.infer<typeof StatusCode>;

/**
 * A cookie for the visitor (contract 2.3). An empty `domain` means host-only: the caller must not add its own domain.
 */
export const Cookie = z.object({
  name: z.string().min(1),
  value: z.string(),
  domain: z.string(),
  path: z.string(),
  secure: z.boolean(),
  same_site: z.string(),
  max_age: z.int(),
});
export type Cookie = Readonly<z.infer<typeof Cookie>>;

/** A crawler (contract 2.4). `category` and `rsl_category` are open strings, copied from the catalogue. */
export const Crawler = z.object({
  id: z.string(),
  name: z.string(),
  access_allowed: z.boolean(),
  category: z.string().optional(),
  rsl_category: z.string().optional(),
});
export type Crawler = Readonly<z.infer<typeof Crawler>>;

export const Decision = z.enum(['allow', 'block', 'redirect']);
export type Decision = z.infer<typeof Decision>;

export const ReasonCategory = z.enum(CATEGORIES);

/** Contract 2.2: the answer of the validator with HTTP 200. */
export const ValidateResponse = z.object({
  success: z.literal(true),
  decision: Decision,
  status_code: StatusCode.optional(),
  headers: z.record(z.string(), z.string()).optional(),
  response_html: z.string().optional().describe('Base64 of a UTF-8 body.'),
  cookies: z.array(Cookie).optional(),
  crawler: Crawler.optional(),
  block_reasons: z.array(z.string()).optional(),
  block_reason_categories: z.array(ReasonCategory).optional(),
  country_code: z.string().optional(),
  rate_limited: z.boolean().optional(),
  retry_after: z.int().nonnegative().optional(),
  request_id: z.string().optional(),
});
export type ValidateResponse = Readonly<z.infer<typeof ValidateResponse>>;

/**
 * What a caller accepts from another validator: any status code (the caller replaces an unknown one by its fallback),
 * and `not_matched`, which means the same as `allow` (contract 2.2). An id that is not a UUID is treated as missing,
 * because ids are copied into fields and events. A category can be unknown to the caller, because a newer version can
 * have more categories.
 */
export const ForeignValidateResponse = ValidateResponse.extend({
  decision: z.enum(['allow', 'block', 'redirect', 'not_matched']),
  status_code: z.int().optional(),
  block_reason_categories: z.array(z.string()).optional(),
  request_id: z.string().regex(UUID).optional().catch(undefined),
});
export type ForeignValidateResponse = Readonly<z.infer<typeof ForeignValidateResponse>>;
