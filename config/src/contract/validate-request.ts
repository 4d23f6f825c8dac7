import { z } from 'zod';
import { VALIDATE } from './limits.ts';

/** A method is a token (RFC 9110 sections 9.1 and 5.6.2). */
export const METHOD_TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** A URL cannot contain unescaped C0 control characters or DEL. A space is allowed, as in most servers. */
export const URL_TEXT = /^[^\x00-\x1f\x7f]+$/;

/**
 * Contract 2.1: one visitor request, as a caller describes it to the validator.
 *
 * The gateway builds an object with the same shape for a validator in its own process. So both kinds of callers ask the
 * same question. validator/src/request/parse.ts reads the JSON of callers within the same bounds. This schema describes
 * it in the documentation.
 */
export const ValidateRequest = z.object({
  url: z
    .string()
    .max(VALIDATE.maxUrlLength)
    .regex(URL_TEXT)
    .describe('Full URL the visitor requested.'),
  ip: z.string().max(VALIDATE.maxIpLength).describe('Client address: one IPv4 or IPv6 address.'),
  method: z
    .string()
    .max(VALIDATE.maxMethodLength)
    .regex(METHOD_TOKEN)
    .optional()
    .describe('HTTP method.'),
  headers: z
    .record(
      z.string().min(1).max(VALIDATE.maxHeaderNameLength),
      z.string().max(VALIDATE.maxHeaderValueLength),
    )
    .meta({ maxProperties: VALIDATE.maxHeaders })
    .optional()
    .describe(
      `All request headers, name to value, in the order they were sent; names and values together at most ${VALIDATE.maxHeadersLength} characters.`,
    ),
  referrer: z
    .string()
    .max(VALIDATE.maxHeaderValueLength)
    .optional()
    .describe('Value of the Referer header.'),
  cookie: z.string().optional().describe('Bare value of the _guard cookie.'),
});
export type ValidateRequest = Readonly<z.infer<typeof ValidateRequest>>;
