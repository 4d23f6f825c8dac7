import type { AcmeChallenges } from '../base/options.ts';
import type { Certificates } from '../tls/certificates.ts';
import { type OwnAnswer, plainAnswer } from '../message/own-answer.ts';
import { pathOf, type Visit } from './arrive.ts';

/** What the gateway answers by itself before a request is judged; undefined: the request goes its usual way. */
export type EarlyAnswer = (visit: Visit) => OwnAnswer | undefined;

/** Where the https side of the gateway is, at this moment. */
export interface SecureSide {
  /** Undefined while it does not listen on a TCP port. */
  readonly port: number | undefined;
  readonly certificates: Certificates | undefined;
}

/** Below it an authority of certificates asks (RFC 8555 section 8.3). */
const ACME_PATH = '/.well-known/acme-challenge/';

const HTTPS_PORT = 443;

/**
 * Sends who came by http to https, with every method, path and query (RFC 9110 section 15.4.9). Only where https
 * works: a host that no certificate is for stays where it is, and so does what an authority asks.
 */
export function createRedirect(secure: SecureSide): EarlyAnswer {
  return ({ client, host, target }) => {
    if (client.scheme === 'https' || target.startsWith(ACME_PATH)) return undefined;
    if (secure.certificates?.isFor(host) !== true) return undefined;
    const { port } = secure;
    if (port === undefined) return undefined;
    const name = host.replace(/:\d*$/, '');
    // A visitor who names no port came to port 80. So https has its usual port too, also where a proxy maps the ports.
    const suffix = name === host || port === HTTPS_PORT ? '' : `:${port}`;
    return plainAnswer(308, 'Use https.', 'Location', `https://${name}${suffix}${target}`);
  };
}

/** Answers an authority that checks a host by http-01. A token that is not awaited goes its usual way. */
export function createAcmeAnswer(challenges: AcmeChallenges): EarlyAnswer {
  return ({ req, target }) => {
    if (!target.startsWith(ACME_PATH)) return undefined;
    if (req.method !== 'GET' && req.method !== 'HEAD') return undefined;
    const answer = challenges.keyAuthorization(pathOf(target).slice(ACME_PATH.length));
    if (answer === undefined) return undefined;
    const fields = ['Content-Type', 'application/octet-stream', 'Cache-Control', 'no-store'];
    return { status: 200, fields, body: Buffer.from(answer) };
  };
}
