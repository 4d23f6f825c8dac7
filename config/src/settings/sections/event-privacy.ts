import { z } from 'zod';

/** What events leave out about a visitor. They never contain credentials. */
export const EventPrivacy = z.strictObject({
  /** Addresses are cut to their /24, or to their /48 in IPv6. */
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
