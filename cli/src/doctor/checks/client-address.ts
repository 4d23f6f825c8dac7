import { type Answers, type Evidence, FORGED_ADDRESS } from '../evidence.ts';
import { fieldsOf } from '../../exchange/exchange.ts';
import { ok, type Outcome, problem, unchecked, warning } from '../outcome.ts';
import { isChallengePage } from '../guard-page.ts';
import { serverNamesIn } from '../kept-in-front.ts';
import { isFromThisMachine, isLocalAddress, isTrusted, plainAddress } from '../own-address.ts';
import { type Check, judgeAnswers } from './check.ts';

/** Whether Guard sees the addresses of visitors, or only the address of the proxy in front of Guard. */
export const clientAddress: Check = { name: 'client address', judge: judgeAnswers(judgeAddress) };
/** Whether a visitor can choose the address that Guard sees. */
export const forgedAddress: Check = { name: 'forged address', judge: judgeAnswers(judgeForged) };

const WHY_ADDRESS =
  'To Guard all visitors are one visitor: a rate limit stops all of them at once, crawlers cannot be verified, and one block blocks all.';
const ADVICE_ADDRESS =
  'Let the proxy send X-Forwarded-For with the address of its visitor, and name the proxy (no more than that) in trusted_proxies.';

function judgeAddress(answers: Answers, evidence: Evidence): Outcome {
  const { seen, oneAddress, statedAddress, settings } = evidence;
  if (seen.kind !== 'seen') {
    if (oneAddress === true) {
      return problem('nearly all requests come from one address', WHY_ADDRESS, ADVICE_ADDRESS);
    }
    return seen.kind === 'none'
      ? unchecked('Guard has no record of these requests', 'Name a URL that is protected.')
      : unchecked(`Guard was not asked which address it saw: ${seen.why}`);
  }
  if (settings?.analytics?.privacy?.truncate_ip === true) {
    return unchecked('events keep only the beginning of an address (truncate_ip)');
  }
  const ownAddress = plainAddress(statedAddress ?? answers.page.localAddress);
  // In the request with both headers, Guard may use the proxy's address. judgeForged checks this case.
  const honestRequests = seen.requests.filter(({ rfc7239 }) => !rfc7239.includes(FORGED_ADDRESS));
  const otherRequests = honestRequests.filter(
    ({ ip }) => ip !== FORGED_ADDRESS && ip !== ownAddress,
  );
  const [otherRequest] = otherRequests;
  if (otherRequest === undefined) {
    return (
      judgeLocalProxy(answers, evidence) ?? ok(`Guard saw ${ownAddress}, which is this machine`)
    );
  }
  const headerText =
    otherRequest.forwarded === ''
      ? 'no X-Forwarded-For'
      : `X-Forwarded-For: ${otherRequest.forwarded.slice(0, 100)}`;
  const found = `Guard saw ${otherRequest.ip} with ${headerText}, and this machine is ${ownAddress}`;
  // A machine behind address translation does not know its public address. But a proxy usually has a local address.
  if (
    statedAddress === undefined &&
    isLocalAddress(ownAddress) &&
    !isLocalAddress(otherRequest.ip)
  ) {
    return unchecked(
      found,
      `If ${otherRequest.ip} is the public address here, all is well: --ip ${otherRequest.ip} says so.`,
    );
  }
  return problem(found, WHY_ADDRESS, ADVICE_ADDRESS);
}

/**
 * Judges the case that the proxy runs on the same machine as doctor. Then the proxy and doctor have the same address.
 * Undefined when no proxy is visible, or when Guard trusts the proxy.
 */
function judgeLocalProxy(answers: Answers, { seen, settings }: Evidence): Outcome | undefined {
  const { page } = answers;
  if (!isFromThisMachine(page) || seen.kind !== 'seen') return undefined;
  const isForwarded = seen.requests.some(({ forwarded, rfc7239 }) =>
    [forwarded, rfc7239].some((value) => value !== '' && !value.includes(FORGED_ADDRESS)),
  );
  // A challenge page of Guard has no headers of the site, so its server names come from proxies.
  const serverNames = isChallengePage(page) ? serverNamesIn(page) : [];
  const [sign] = isForwarded ? ['X-Forwarded-For or Forwarded arrived'] : serverNames;
  if (sign === undefined) return undefined;
  const ownAddress = plainAddress(page.localAddress);
  const found = `Guard saw ${ownAddress}, which is this machine, and a proxy runs here too (${sign})`;
  if (settings?.trusted_proxies.length === 0) {
    return problem(
      `${found}; trusted_proxies is empty, so Guard takes the proxy for the visitor`,
      WHY_ADDRESS,
      `${ADVICE_ADDRESS} If its address is ${ownAddress}: trusted_proxies: ['${ownAddress}']`,
    );
  }
  if (isForwarded && isTrusted(settings, ownAddress)) return undefined;
  return unchecked(
    `${found}: doctor cannot tell which of the two Guard saw`,
    'Run doctor on another machine, or from another address of this one: --from 127.0.0.2.',
  );
}

function judgeForged(answers: Answers, evidence: Evidence): Outcome {
  const { seen, settings } = evidence;
  if (isTrusted(settings, answers.page.localAddress)) {
    return unchecked(
      'this machine is one of trusted_proxies, so Guard believes its headers',
      'Run doctor on another machine, or from another address with --from.',
    );
  }
  if (seen.kind !== 'seen') {
    return judgeUndecided(evidence) ?? unchecked('Guard was not asked which address it saw');
  }
  const believedRequest = seen.requests.find(({ ip }) => isForged(ip));
  if (believedRequest === undefined) {
    return judgeUndecided(evidence) ?? ok('Guard believes no address that a visitor sends');
  }
  const isForwarded = believedRequest.rfc7239.includes(FORGED_ADDRESS);
  return problem(
    `Guard believed ${isForwarded ? 'a Forwarded' : 'an X-Forwarded-For'} that doctor made up (${FORGED_ADDRESS})`,
    'Every visitor can choose an address: rate limits, blocks and crawler checks mean nothing.',
    'Name only your own proxies in trusted_proxies, say in forwarded_header which header they write, and let the first of them replace it instead of adding to it.',
  );
}

/** Uses the gateway's counter of undecided requests. The counter includes the requests of doctor. */
function judgeUndecided({ forwardedUndecided = 0, settings }: Evidence): Outcome | undefined {
  if (forwardedUndecided === 0 || settings?.forwarded_header !== undefined) return undefined;
  return warning(
    'X-Forwarded-For and Forwarded have named different visitors, and no setting says which header the proxy writes',
    `This happened to ${forwardedUndecided} requests. They counted as requests of the proxy, so rules and limits used its address.`,
    'Set forwarded_header to the header that your proxy writes.',
  );
}

/** Whether an address is the forged one. Also true when the event has only the network of the address. */
function isForged(ip: string): boolean {
  return ip === FORGED_ADDRESS || ip === FORGED_ADDRESS.replace(/\d+$/, '0');
}

/** Whether Guard knows that its visitors use https. */
export const scheme: Check = { name: 'scheme', judge: judgeAnswers(judgeScheme) };

function judgeScheme({ url, page }: Answers, { seen }: Evidence): Outcome {
  const visitorScheme = new URL(url).protocol.replace(':', '');
  const recordedScheme = seen.kind === 'seen' ? seen.requests[0]?.scheme : undefined;
  const cookie = fieldsOf(page, 'set-cookie').find((line) => line.startsWith('_guard='));
  const cookieScheme =
    cookie === undefined ? undefined : /;\s*secure/i.test(cookie) ? 'https' : 'http';
  const assumedScheme = recordedScheme ?? cookieScheme;
  if (assumedScheme === undefined)
    return unchecked('no session cookie was set, and Guard was not asked');
  if (assumedScheme === visitorScheme) return ok(`Guard knows that it is ${visitorScheme}`);
  return problem(
    `the visitor uses ${visitorScheme}, and Guard takes it for ${assumedScheme}`,
    'The session cookie gets the wrong attributes, and Guard expects other headers than browsers send.',
    'Let the proxy set X-Forwarded-Proto, and name it in trusted_proxies.',
  );
}
