import type { AcmeChallenges } from '../base/options.ts';
import type { Certificates } from '../tls/certificates.ts';
import { type OwnAnswer, plainAnswer } from '../message/own-answer.ts';
import { pathOf, type Visit } from './arrive.ts';

/** Gives the answer to a request that needs no judgement. Undefined when the request is to be judged. */
export type EarlyAnswer = (visit: Visit) => OwnAnswer | undefined;

/** The https side of the gateway. Its values can change at a reload. */
interface SecureSide {
  /** The TCP port of the https side. Undefined when the https side does not listen on a TCP port. */
  readonly port: number | undefined;
  readonly certificates: Certificates | undefined;
}

/** A certificate authority requests paths below this path (RFC 8555 section 8.3). */
const ACME_PATH = '/.well-known/acme-challenge/';

const HTTPS_PORT = 443;

/**
 * Redirects visitors from http to https. Method, path and query stay the same (RFC 9110 section 15.4.9). A host without
 * a certificate is not redirected. The request of a certificate authority is not redirected either.
 */
export function createRedirect(secure: SecureSide): EarlyAnswer {
  return ({ client, host, target }) => {
    if (client.scheme === 'https' || target.startsWith(ACME_PATH)) return undefined;
    if (secure.certificates?.isFor(host) !== true) return undefined;
    const { port } = secure;
    if (port === undefined) return undefined;
    const name = host.replace(/:\d*$/, '');
    // A host without a port means the usual ports of http and https, also when a proxy in front maps them to others.
    const suffix = name === host || port === HTTPS_PORT ? '' : `:${port}`;
    return plainAnswer(308, 'Use https.', 'Location', `https://${name}${suffix}${target}`);
  };
}

/** Answers an authority that checks a host by http-01. A request with an unknown token is judged as usual. */
export function createAcmeAnswer(acmeProofs: AcmeChallenges): EarlyAnswer {
  return ({ req, target }) => {
    if (!target.startsWith(ACME_PATH)) return undefined;
    if (req.method !== 'GET' && req.method !== 'HEAD') return undefined;
    const answer = acmeProofs.keyAuthorization(pathOf(target).slice(ACME_PATH.length));
    if (answer === undefined) return undefined;
    const fields = ['Content-Type', 'application/octet-stream', 'Cache-Control', 'no-store'];
    return { status: 200, fields, body: Buffer.from(answer) };
  };
}
