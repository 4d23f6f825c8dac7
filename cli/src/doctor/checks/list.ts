import { caching, challengeStatus, cookies, pageUnchanged, policy } from './challenge-page.ts';
import type { Check } from './check.ts';
import { clientAddress, forgedAddress, scheme } from './client-address.ts';
import { clock, database, dataAge, leaks, trace } from './guard-itself.ts';
import { reached, site } from './reached.ts';
import { certificate, httpVersion, https } from './tls.ts';
import { uploadPath, webSocket } from './way-to-guard.ts';

/** Every check in the order of the output: the connection, the visitor's address, the challenge, and the rest. */
export const checks: readonly Check[] = [
  reached,
  site,
  certificate,
  https,
  httpVersion,
  clientAddress,
  forgedAddress,
  scheme,
  challengeStatus,
  caching,
  cookies,
  policy,
  pageUnchanged,
  uploadPath,
  webSocket,
  clock,
  leaks,
  database,
  dataAge,
  trace,
];
