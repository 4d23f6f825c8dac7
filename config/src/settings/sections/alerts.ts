import { z } from 'zod';
import { Duration, HttpUrl, oneOrMany } from '../values/values.ts';

const MailServer = z.url({
  protocol: /^smtps?$/,
  error: 'expected the URL of a mail server, such as smtp://user:password@mail.example:587',
});

const Mail = z.strictObject({
  server: MailServer,
  from: z.email('expected one mail address'),
  to: oneOrMany(z.email('expected a mail address'), 20),
});
export type MailSettings = Readonly<z.infer<typeof Mail>>;

/** The receivers of alerts (server/src/alerts/). */
export const Alerts = z
  .strictObject({
    /** The URL to which Guard sends a POST with a JSON object. */
    webhook: HttpUrl.optional(),
    mail: Mail.optional(),
    /** A program and its arguments. The program gets the JSON object on standard input. */
    command: z.array(z.string().min(1).max(4096)).min(1).max(32).optional(),
    /** Each condition is reported at most once in this time. */
    cool_down: Duration.default(3_600_000),
  })
  .refine(
    ({ webhook, mail, command }) => (webhook ?? mail ?? command) !== undefined,
    'expected webhook, mail or command',
  );
export type AlertSettings = Readonly<z.infer<typeof Alerts>>;
