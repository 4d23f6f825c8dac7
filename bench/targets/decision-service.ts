/**
 * A service such as a user could write for an existing proxy: plain node:http makes the same decision with our
 * validator in process, and records nothing. A proxy asks it with X-Forwarded-Method, -Proto, -Host, -Uri and -For. The
 * answer 204 lets the request pass, and 403 denies it. Prints its URL.
 */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ValidateOutcome } from '@guard/config/contract/ports';
import type { ValidateRequest } from '@guard/config/contract/validate-request';
import { ONE_PLAYS_ALL, organisationWith } from '../../test/kit/product/policies.ts';
import { INSTALLATION_SECRET } from '../../test/kit/product/product-settings.ts';
import { validateFor } from '../in-process.ts';

const ORGANISATION = organisationWith('- { name: everybody, match: {}, detect: true }', {
  ...ONE_PLAYS_ALL,
  features: { crawler_metadata: true, country: true },
});
/** Fields that the proxy adds. The visitor did not send them. */
const ASKING = /^x-forwarded-(?:method|proto|host|uri|for)$/;

const validate = validateFor(ORGANISATION, { secrets: [INSTALLATION_SECRET] });

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const outcome = validate(requestFrom(request.headers), { site: 'shop' });
  if (outcome instanceof Promise) void outcome.then((lateOutcome) => reply(response, lateOutcome));
  else reply(response, outcome);
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo; // the address of a TCP listener is always an AddressInfo
  console.log(`http://127.0.0.1:${port}`);
});

function requestFrom(fields: IncomingHttpHeaders): ValidateRequest {
  const headers: Record<string, string> = {};
  for (const name in fields) {
    if (!ASKING.test(name)) headers[name] = String(fields[name]);
  }
  const forwardedHeader = (name: string) => String(fields[`x-forwarded-${name}`]);
  return {
    url: `${forwardedHeader('proto')}://${forwardedHeader('host')}${forwardedHeader('uri')}`,
    // Caddy appends the address of its peer. In the bench the peer is the load balancer.
    ip: forwardedHeader('for').split(',', 1)[0] ?? '',
    method: forwardedHeader('method'),
    headers,
  };
}

function reply(response: ServerResponse, outcome: ValidateOutcome): void {
  const passes =
    outcome.kind === 'failed' ||
    (outcome.kind === 'answered' &&
      (outcome.response.decision === 'allow' || outcome.response.decision === 'not_matched'));
  const cookies = outcome.kind === 'answered' ? (outcome.response.cookies ?? []) : [];
  for (const { name, value, max_age: maxAge } of cookies) {
    response.appendHeader(
      'set-cookie',
      `${name}=${value}; Path=/; Max-Age=${maxAge}; SameSite=Lax`,
    );
  }
  response.setHeader(
    'x-guard-decision',
    outcome.kind === 'failed' ? 'fail_open' : passes ? 'allow' : 'block',
  );
  response.writeHead(passes ? 204 : 403).end();
}
