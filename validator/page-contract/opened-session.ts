import type { Cookie } from '@guard/config/contract/validate-response';

/**
 * The answer of `POST /session` to the browser script: a ticket for one upload, and the session of this ticket as a
 * cookie (contract 2.3). The browser code uses only the types of this file.
 */
export interface OpenedSession {
  readonly ticket: string;
  /** The style sheet of the ticket (challenge/cascade/sheet.ts). */
  readonly sheet: string;
  readonly cookie: Cookie;
}
