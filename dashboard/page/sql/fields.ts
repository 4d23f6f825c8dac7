import { addressCondition, sessionCondition } from '@guard/config/plain-words/find-events';
import { quote } from '@guard/config/plain-words/quote';

/** The fields for filters and their conditions. */

interface Field {
  /** The name of the field on the page. */
  readonly label: string;
  /** The condition for rows with this value. */
  readonly is: (value: string) => string;
}

/** The first address of the /24 (in IPv6 of the /48), with the prefix length. */
export const NETWORK =
  "if(position(ip, ':') > 0, concat(toString(tupleElement(IPv6CIDRToRange(toIPv6OrDefault(ip), 48), 1)), '/48'), " +
  "concat(substring(ip, 1, length(ip) - position(reverse(ip), '.')), '.0/24'))";

/** The condition for requests that passed because no validator answered. */
export const UNJUDGED = "decision = 'none' AND action = 'allow'";

const column = (name: string) => (value: string) => `${name} = ${quote(value)}`;

export const FIELDS = {
  action: { label: 'action', is: column('action') },
  decision: { label: 'conclusion', is: column('decision') },
  rule: { label: 'rule', is: column('rule') },
  reason: { label: 'reason', is: (value) => `has(block_reasons, ${quote(value)})` },
  site: { label: 'site', is: column('site') },
  address: { label: 'address', is: addressCondition },
  network: { label: 'network', is: (value) => `${NETWORK} = ${quote(value)}` },
  asn: { label: 'AS number', is: (value) => `asn = ${wholeNumber(value)}` },
  country: { label: 'country', is: column('country') },
  path: { label: 'path', is: column('path') },
  host: { label: 'host', is: column('host') },
  agent: { label: 'agent', is: column('user_agent') },
  browser: { label: 'browser', is: column('browser') },
  version: { label: 'browser version', is: (value) => `browser_version = ${wholeNumber(value)}` },
  crawler: { label: 'crawler', is: column('crawler_name') },
  verified: { label: 'verified crawler', is: column("if(crawler_verified, 'yes', 'no')") },
  challenge: { label: 'challenge', is: column('challenge') },
  session: { label: 'session', is: sessionCondition },
  revision: { label: 'settings', is: column('settings_revision') },
  unjudged: { label: 'unjudged', is: (value) => `(${UNJUDGED}) = ${value === 'no' ? '0' : '1'}` },
} as const satisfies Readonly<Record<string, Field>>;

export type FieldName = keyof typeof FIELDS;

export function isField(name: string): name is FieldName {
  return Object.hasOwn(FIELDS, name);
}

function wholeNumber(value: string): string {
  return /^\d{1,10}$/.test(value) ? value : '0';
}
