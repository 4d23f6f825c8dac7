import type { Cookie } from '@guard/config/contract/validate-response';

/**
 * What `POST /session` gives to the browser script: a ticket for one upload, and the session it is
 * for, as its cookie (contract 2.3). The browser code takes its types from here; nothing else of this.
 */
export interface OpenedSession {
  readonly ticket: string;
  /** The style sheet that the ticket asks to be applied (challenge/cascade/sheet.ts). */
  readonly sheet: string;
  readonly cookie: Cookie;
}
