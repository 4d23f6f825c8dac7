import type { Answers } from '../evidence.ts';
import { fieldsOf } from '../exchange.ts';
import { ok, type Outcome, unchecked, warning } from '../finding.ts';
import { isLocal } from '../own-address.ts';
import { type Check, ofAnswers } from './check.ts';

export const https: Check = { name: 'https', judge: ofAnswers(judge) };

function judge({ url, page, plain }: Answers): Outcome {
  if (plain === undefined) {
    return isLocal(page.remoteAddress)
      ? unchecked('the URL is one without TLS, on a local address')
      : warning(
          'the site is served without TLS',
          'The session cookie can be read and taken over on the way, and browsers tell Guard less about themselves.',
          'Serve it over https, by the proxy in front or with tls and listen.gateway_tls.',
        );
  }
  if (plain.kind === 'failed') return ok(`over http nobody answers (${plain.why})`);
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
