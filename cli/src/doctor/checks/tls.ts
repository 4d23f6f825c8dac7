import type { Answers, Evidence } from '../evidence.ts';
import { fieldsOf } from '../../exchange/exchange.ts';
import { ok, type Outcome, problem, unchecked, warning } from '../outcome.ts';
import { isLocalAddress } from '../own-address.ts';
import { type Check, judgeAnswers } from './check.ts';

const DAY_MS = 86_400_000;
/**
 * With ACME, certificates are renewed weeks before they expire. So the renewal of a certificate that expires sooner
 * than this has failed.
 */
const SOON_DAYS = 14;

export const certificate: Check = { name: 'certificate', judge: judgeAnswers(judgeCertificate) };

function judgeCertificate({ tls }: Answers, { nowMs }: Evidence): Outcome {
  switch (tls.kind) {
    case 'plain':
      return unchecked('the URL is one without TLS');
    case 'failed':
      return problem(
        `no TLS handshake: ${tls.why}`,
        'Browsers show an error page.',
        'Look at the TLS settings of the server that answers there.',
      );
    case 'spoken': {
      const days = tls.expiresAtMs === undefined ? undefined : (tls.expiresAtMs - nowMs) / DAY_MS;
      const remainingTime = days === undefined ? '' : `ends in ${Math.floor(days)} days`;
      if (days !== undefined && days < 0) return certificateProblem('the certificate has expired');
      if (tls.distrust !== undefined)
        return certificateProblem(`browsers do not trust it: ${tls.distrust}`);
      if (days !== undefined && days < SOON_DAYS) {
        return warning(remainingTime, 'Browsers show an error page after the end.', 'Renew it.');
      }
      return ok(remainingTime);
    }
  }
}

function certificateProblem(found: string): Outcome {
  return problem(
    found,
    'Browsers show an error page.',
    'Renew the certificate, with every host name in it and the chain after it.',
  );
}

export const https: Check = { name: 'https', judge: judgeAnswers(judgeHttps) };

function judgeHttps({ url, page, plain }: Answers): Outcome {
  if (plain === undefined) {
    return isLocalAddress(page.remoteAddress)
      ? unchecked('the URL is one without TLS, on a local address')
      : warning(
          'the site is served without TLS',
          'The session cookie can be read and taken over on the way, and browsers tell Guard less about themselves.',
          'Serve it over https, by the proxy in front or with tls and listen.gateway_tls.',
        );
  }
  if (plain.kind === 'failed') return ok(`over http there is no answer (${plain.why})`);
  const [location = ''] = fieldsOf(plain, 'location');
  const target = URL.canParse(location, plain.url) ? new URL(location, plain.url) : undefined;
  if (plain.status >= 300 && plain.status < 400 && target?.protocol === 'https:') {
    return ok(`http leads to https (${plain.status})`);
  }
  return warning(
    `${plain.url} answers ${plain.status} over http`,
    'A visitor who comes by http stays there: cookie and page can be read on the way.',
    `Redirect http to ${new URL(url).origin} in the proxy in front.`,
  );
}

export const httpVersion: Check = { name: 'http version', judge: judgeAnswers(judgeVersion) };

function judgeVersion({ page, tls }: Answers): Outcome {
  if (tls.kind === 'spoken' && tls.alpn === 'h2') return ok('HTTP/2');
  if (page.httpVersion !== '1.0') return ok(`HTTP/${page.httpVersion}`);
  return warning(
    'HTTP/1.0',
    'Each request takes a connection of its own, and no WebSocket can be opened.',
    'Let the proxy speak HTTP/1.1 or HTTP/2.',
  );
}
