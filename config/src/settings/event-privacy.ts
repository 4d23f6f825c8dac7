import { z } from 'zod';

/** What of a visitor events are kept without, beyond the credentials that never enter them. */
export const EventPrivacy = z.strictObject({
  /** Addresses lose what lies behind /24, or /48 of IPv6. */
  truncate_ip: z.boolean().default(false),
  /** Header fields, in lower case. */
  drop_headers: z
    .array(
      z
        .string()
        .max(256)
        .regex(/^[!#$%&'*+.^_`|~0-9a-z-]+$/i, 'expected the name of a header field')
        .toLowerCase(),
    )
    .max(100)
    .default([]),
});
export type EventPrivacy = Readonly<z.infer<typeof EventPrivacy>>;
