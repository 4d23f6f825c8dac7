import type { Answers, Evidence } from '../evidence.ts';
import { ok, type Outcome, problem, unchecked, warning } from '../finding.ts';
import { type Check, ofAnswers } from './check.ts';

const DAY_MS = 86_400_000;
/** Renewal by ACME happens weeks before the end: who comes closer has no renewal that works. */
const SOON_DAYS = 14;

export const certificate: Check = { name: 'certificate', judge: ofAnswers(judge) };

function judge({ tls }: Answers, { nowMs }: Evidence): Outcome {
  switch (tls.kind) {
    case 'plain':
      return unchecked('the URL is one without TLS');
    case 'failed':
      return problem(
        `no TLS handshake: ${tls.why}`,
        'Browsers show an error page.',
        'Look at the TLS settings of whatever answers there.',
      );
    case 'spoken': {
      const days = tls.expiresAtMs === undefined ? undefined : (tls.expiresAtMs - nowMs) / DAY_MS;
      const until = days === undefined ? '' : `ends in ${Math.floor(days)} days`;
      if (days !== undefined && days < 0) return bad('the certificate has expired');
      if (tls.distrust !== undefined) return bad(`browsers do not trust it: ${tls.distrust}`);
      if (days !== undefined && days < SOON_DAYS) {
        return warning(until, 'Browsers show an error page from then on.', 'Renew it.');
      }
      return ok(until);
    }
  }
}

function bad(found: string): Outcome {
  return problem(
    found,
    'Browsers show an error page.',
    'Renew the certificate, with every host name in it and the chain behind it.',
  );
}
