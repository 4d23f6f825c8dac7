import { z } from 'zod';

/** Which data about a visitor events do not contain. Events never contain credentials. */
export const EventPrivacy = z.strictObject({
  /** Addresses are cut to their /24, or to their /48 in IPv6. */
  truncate_ip: z.boolean().default(false),
  /** The names of header fields that events leave out, in lower case. */
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
