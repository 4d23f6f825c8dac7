import { PrefixSet } from '@guard/config/net/prefix-set';
import { type Answers, type Evidence, FORGED_ADDRESS } from '../evidence.ts';
import { ok, type Outcome, problem, unchecked } from '../finding.ts';
import { isLocal, plainAddress } from '../own-address.ts';
import { type Check, ofAnswers } from './check.ts';

/** Whether Guard sees visitors, or the proxy in front of it. */
export const clientAddress: Check = { name: 'client address', judge: ofAnswers(judgeHonest) };
/** Whether a visitor can choose the address that Guard sees. */
export const forgedAddress: Check = { name: 'forged address', judge: ofAnswers(judgeForged) };

const ONE_VISITOR =
  'To Guard all visitors are one: rate limits hit everybody at once, crawlers cannot be verified, and a block is one for all.';
const TELL_IT =
  'Let the proxy send X-Forwarded-For with the address of its visitor, and name the proxy (no more than that) in trusted_proxies.';

function judgeHonest(
  answers: Answers,
  { seen, oneAddress, statedAddress, settings }: Evidence,
): Outcome {
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
  const others = seen.requests.filter(({ ip }) => ip !== FORGED_ADDRESS && ip !== own);
  const [other] = others;
  if (other === undefined) return ok(`Guard saw ${own}, which is this machine`);
  const told =
    other.forwarded === ''
      ? 'no X-Forwarded-For'
      : `X-Forwarded-For: ${other.forwarded.slice(0, 100)}`;
  const found = `Guard saw ${other.ip} with ${told}, and this machine is ${own}`;
  // Behind address translation a machine does not know its own address; a proxy's would be local as a rule.
  if (statedAddress === undefined && isLocal(own) && !isLocal(other.ip)) {
    return unchecked(
      found,
      `If ${other.ip} is the public address here, all is well: --ip ${other.ip} says so.`,
    );
  }
  return problem(found, ONE_VISITOR, TELL_IT);
}

function judgeForged(answers: Answers, { seen, settings }: Evidence): Outcome {
  if (seen.kind !== 'seen') return unchecked('Guard was not asked which address it saw');
  if (seen.requests.every(({ ip }) => !isForged(ip))) {
    return ok('an X-Forwarded-For that a visitor sends is not believed');
  }
  if (settings !== undefined) {
    const trusted = PrefixSet.from(settings.trusted_proxies);
    if (trusted.has(plainAddress(answers.page.localAddress))) {
      return unchecked(
        'this machine is one of trusted_proxies, so what it says is believed',
        'Run doctor on a machine that is none, or from another address with --from.',
      );
    }
  }
  return problem(
    `Guard believed an X-Forwarded-For that doctor made up (${FORGED_ADDRESS})`,
    'Every visitor can choose an address: rate limits, blocks and crawler checks mean nothing.',
    'Name only your own proxies in trusted_proxies, and let the first of them replace the header instead of adding to it.',
  );
}

/** Also where events keep the network only. */
function isForged(ip: string): boolean {
  return ip === FORGED_ADDRESS || ip === FORGED_ADDRESS.replace(/\d+$/, '0');
}
