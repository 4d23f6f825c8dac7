import { isIpOrCidr } from '@guard/config/net/cidr';
import {
  canonicalNetwork,
  type DecisionTarget,
  shortestAllowedPrefix,
} from '@guard/config/settings/derived/temporary-decision';

/**
 * Parses an address, a network, `AS64496`, or a session in the form of events. When the result is a text, it is a
 * sentence about the mistake.
 */
export function readTarget(operand: string): DecisionTarget | string {
  const asn = /^AS(\d{1,10})$/i.exec(operand)?.[1];
  if (asn !== undefined) {
    return Number(asn) > 0 && Number(asn) <= 4_294_967_295
      ? { kind: 'asn', asn: Number(asn) }
      : `${operand} is no autonomous system; their numbers are 1 to 4294967295`;
  }
  if (/^[0-9a-f]{32}$/i.test(operand)) return { kind: 'session', session: operand.toLowerCase() };
  if (!isIpOrCidr(operand)) {
    return `${JSON.stringify(operand)} is no address (203.0.113.7), network (203.0.113.0/24), autonomous system (AS64496) or session (32 hex digits); guard why CODE and the dashboard show them for a reference code`;
  }
  const network = canonicalNetwork(operand);
  const shortestPrefix = shortestAllowedPrefix(network);
  if (shortestPrefix !== undefined) {
    return `${operand} is wider than /${shortestPrefix}; write a rule in guard.yaml if that is meant`;
  }
  return { kind: 'network', network };
}
