import { isIpOrCidr } from '@guard/config/net/cidr';
import {
  canonicalNetwork,
  type DecisionTarget,
  shortestAllowed,
} from '@guard/config/settings/derived/temporary-decision';

export type ReadTarget =
  | { readonly kind: 'read'; readonly target: DecisionTarget }
  /** A sentence for the user. */
  | { readonly kind: 'wrong'; readonly message: string };

/** Parses an address, a network, `AS64496`, or a session as events name it. */
export function readTarget(text: string): ReadTarget {
  const asn = /^AS(\d{1,10})$/i.exec(text)?.[1];
  if (asn !== undefined) return readAsn(Number(asn), text);
  if (/^[0-9a-f]{32}$/i.test(text)) {
    return { kind: 'read', target: { kind: 'session', session: text.toLowerCase() } };
  }
  if (!isIpOrCidr(text)) {
    return wrong(
      `${JSON.stringify(text)} is no address (203.0.113.7), network (203.0.113.0/24), autonomous system (AS64496) or session (32 hex digits); guard explain and the dashboard say them for a reference code`,
    );
  }
  const network = canonicalNetwork(text);
  const widest = shortestAllowed(network);
  if (widest !== undefined) {
    return wrong(`${text} is wider than /${widest}; write a rule in guard.yaml if that is meant`);
  }
  return { kind: 'read', target: { kind: 'network', network } };
}

function readAsn(asn: number, text: string): ReadTarget {
  return asn > 0 && asn <= 4_294_967_295
    ? { kind: 'read', target: { kind: 'asn', asn } }
    : wrong(`${text} is no autonomous system; their numbers are 1 to 4294967295`);
}

function wrong(message: string): ReadTarget {
  return { kind: 'wrong', message };
}
