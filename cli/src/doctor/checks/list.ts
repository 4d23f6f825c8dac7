import { caching } from './caching.ts';
import { certificate } from './certificate.ts';
import { challengeStatus } from './challenge-status.ts';
import type { Check } from './check.ts';
import { clientAddress, forgedAddress } from './client-address.ts';
import { clock } from './clock.ts';
import { cookies } from './cookies.ts';
import { database } from './database.ts';
import { httpVersion } from './http-version.ts';
import { https } from './https.ts';
import { leaks } from './leaks.ts';
import { pageUnchanged } from './page-unchanged.ts';
import { policy } from './policy.ts';
import { reached } from './reached.ts';
import { scheme } from './scheme.ts';
import { site } from './site.ts';
import { trace } from './trace.ts';
import { uploadPath } from './upload-path.ts';
import { webSocket } from './web-socket.ts';

/** Every check, in the order in which it is told: the way in, who comes, the challenge, the rest. */
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
  trace,
];
