import { type Answers, type Evidence, FORGED_ADDRESS } from '../evidence.ts';
import { fieldsOf } from '../../exchange/exchange.ts';
import { ok, type Outcome, problem, unchecked, warning } from '../finding.ts';
import { isChallengePage } from '../guard-page.ts';
import { serversNamed } from '../kept-in-front.ts';
import { isHere, isLocal, isTrusted, plainAddress } from '../own-address.ts';
import { type Check, ofAnswers } from './check.ts';

/** Whether Guard sees the addresses of visitors, or only that of the proxy in front. */
export const clientAddress: Check = { name: 'client address', judge: ofAnswers(judgeHonest) };
/** Whether a visitor can choose the address that Guard sees. */
export const forgedAddress: Check = { name: 'forged address', judge: ofAnswers(judgeForged) };

const ONE_VISITOR =
  'To Guard all visitors are one: a rate limit hits all of them at once, crawlers cannot be verified, and one block blocks all.';
const TELL_IT =
  'Let the proxy send X-Forwarded-For with the address of its visitor, and name the proxy (no more than that) in trusted_proxies.';

function judgeHonest(answers: Answers, evidence: Evidence): Outcome {
  const { seen, oneAddress, statedAddress, settings } = evidence;
  if (seen.kind !== 'seen') {
    if (oneAddress === true) {
      return problem('nearly all requests come from one address', ONE_VISITOR, TELL_IT);
    }
    return seen.kind === 'none'
      ? unchecked('Guard has no record of these requests', 'Name a URL that is protected.')
      : unchecked(`Guard was not asked which address it saw: ${seen.why}`);
  }
  if (settings?.analytics?.privacy?.truncate_ip === true) {
    return unchecked('events keep only the beginning of an address (truncate_ip)');
  }
  const own = plainAddress(statedAddress ?? answers.page.localAddress);
  // With both headers, Guard may use the proxy's address again. judgeForged checks that case.
  const honest = seen.requests.filter(({ rfc7239 }) => !rfc7239.includes(FORGED_ADDRESS));
  const others = honest.filter(({ ip }) => ip !== FORGED_ADDRESS && ip !== own);
  const [other] = others;
  if (other === undefined) {
    return besideProxy(answers, evidence) ?? ok(`Guard saw ${own}, which is this machine`);
  }
  const told =
    other.forwarded === ''
      ? 'no X-Forwarded-For'
      : `X-Forwarded-For: ${other.forwarded.slice(0, 100)}`;
  const found = `Guard saw ${other.ip} with ${told}, and this machine is ${own}`;
  // Behind address translation a machine does not know its public address. A proxy usually has a local address.
  if (statedAddress === undefined && isLocal(own) && !isLocal(other.ip)) {
    return unchecked(
      found,
      `If ${other.ip} is the public address here, all is well: --ip ${other.ip} says so.`,
    );
  }
  return problem(found, ONE_VISITOR, TELL_IT);
}

/**
 * When the proxy runs on the same machine as doctor, both have one address: it can be the visitor's or the proxy's.
 * Undefined when no proxy is visible, or Guard trusts the proxy.
 */
function besideProxy(answers: Answers, { seen, settings }: Evidence): Outcome | undefined {
  const { page } = answers;
  if (!isHere(page) || seen.kind !== 'seen') return undefined;
  const isForwarded = seen.requests.some(({ forwarded, rfc7239 }) =>
    [forwarded, rfc7239].some((value) => value !== '' && !value.includes(FORGED_ADDRESS)),
  );
  // A page of Guard itself has no headers of the site.
  const named = isChallengePage(page) ? serversNamed(page) : [];
  const [sign] = isForwarded ? ['X-Forwarded-For or Forwarded arrived'] : named;
  if (sign === undefined) return undefined;
  const own = plainAddress(page.localAddress);
  const found = `Guard saw ${own}, which is this machine, and a proxy runs here too (${sign})`;
  if (settings?.trusted_proxies.length === 0) {
    return problem(
      `${found}; trusted_proxies is empty, so Guard takes the proxy for the visitor`,
      ONE_VISITOR,
      `${TELL_IT} If its address is ${own}: trusted_proxies: ['${own}']`,
    );
  }
  if (isForwarded && isTrusted(settings, own)) return undefined;
  return unchecked(
    `${found}: the one cannot be told from the other`,
    'Run doctor on another machine, or from another address of this one: --from 127.0.0.2.',
  );
}

function judgeForged(answers: Answers, evidence: Evidence): Outcome {
  const { seen, settings } = evidence;
  if (isTrusted(settings, answers.page.localAddress)) {
    return unchecked(
      'this machine is one of trusted_proxies, so what it says is believed',
      'Run doctor on another machine, or from another address with --from.',
    );
  }
  if (seen.kind !== 'seen') {
    return undecided(evidence) ?? unchecked('Guard was not asked which address it saw');
  }
  const believed = seen.requests.find(({ ip }) => isForged(ip));
  if (believed === undefined) {
    return undecided(evidence) ?? ok('no address is believed that a visitor sends');
  }
  const isForwarded = believed.rfc7239.includes(FORGED_ADDRESS);
  return problem(
    `Guard believed ${isForwarded ? 'a Forwarded' : 'an X-Forwarded-For'} that doctor made up (${FORGED_ADDRESS})`,
    'Every visitor can choose an address: rate limits, blocks and crawler checks mean nothing.',
    'Name only your own proxies in trusted_proxies, say in forwarded_header which header they write, and let the first of them replace it instead of adding to it.',
  );
}

/** From the counter of the gateway, which includes the requests of doctor. */
function undecided({ forwardedUndecided = 0, settings }: Evidence): Outcome | undefined {
  if (forwardedUndecided === 0 || settings?.forwarded_header !== undefined) return undefined;
  return warning(
    'X-Forwarded-For and Forwarded have named different visitors, and nothing told which one the proxy wrote',
    `So it was for ${forwardedUndecided} requests: they counted as the proxy's own, with its address for rules and limits.`,
    'Set forwarded_header to the header that your proxy writes.',
  );
}

/** Also true when events keep only the network of an address. */
function isForged(ip: string): boolean {
  return ip === FORGED_ADDRESS || ip === FORGED_ADDRESS.replace(/\d+$/, '0');
}

/** Whether Guard knows that its visitors use https. */
export const scheme: Check = { name: 'scheme', judge: ofAnswers(judgeScheme) };

function judgeScheme({ url, page }: Answers, { seen }: Evidence): Outcome {
  const wanted = new URL(url).protocol.replace(':', '');
  const recorded = seen.kind === 'seen' ? seen.requests[0]?.scheme : undefined;
  const cookie = fieldsOf(page, 'set-cookie').find((line) => line.startsWith('_guard='));
  const shown = cookie === undefined ? undefined : /;\s*secure/i.test(cookie) ? 'https' : 'http';
  const taken = recorded ?? shown;
  if (taken === undefined) return unchecked('no session cookie was set, and Guard was not asked');
  if (taken === wanted) return ok(`Guard knows that it is ${wanted}`);
  return problem(
    `the visitor comes by ${wanted}, and Guard takes it for ${taken}`,
    'The session cookie gets the wrong attributes, and Guard expects other headers than browsers send.',
    'Let the proxy set X-Forwarded-Proto, and name it in trusted_proxies.',
  );
}
