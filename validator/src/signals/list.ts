import type { Reason } from '@guard/config/contract/reasons';
import type { Facts } from '../request/facts.ts';
import { clientHintsSignal } from './client-hints.ts';
import { crawlerSignal } from './crawler.ts';
import { crowdsecSignal } from './crowdsec.ts';
import { fetchMetadataSignal } from './fetch-metadata.ts';
import { headerOrderSignal } from './header-order.ts';
import { missingHeadersSignal } from './missing-headers.ts';
import { networkSignal } from './network.ts';
import { plausibilitySignal } from './plausibility.ts';
import { proxyHeadersSignal } from './proxy-headers.ts';
import { scriptLikeValuesSignal } from './script-like-values.ts';
import { sessionSignal } from './session.ts';
import { NO_REASONS, type Signal } from './signal.ts';
import { transportHttp2Signal } from './transport-http2.ts';
import { transportTlsSignal } from './transport-tls.ts';
import { userAgentSignal } from './user-agent.ts';

/** All signals. Reasons are reported in this order. */
export const signals: readonly Signal[] = [
  crawlerSignal,
  sessionSignal,
  userAgentSignal,
  plausibilitySignal,
  clientHintsSignal,
  missingHeadersSignal,
  fetchMetadataSignal,
  scriptLikeValuesSignal,
  headerOrderSignal,
  transportTlsSignal,
  transportHttp2Signal,
  networkSignal,
  crowdsecSignal,
  proxyHeadersSignal,
];

/**
 * The signals for a signed agent. Its signature already shows that it is a program, so headers and networks that are
 * typical of programs are no findings.
 */
const signedAgentSignals: readonly Signal[] = [crawlerSignal, sessionSignal];

/** All findings of a request, without repetition. All requests without findings share one empty list. */
export function findingsOf(facts: Facts): readonly Reason[] {
  let findings: Reason[] | undefined;
  for (const signal of facts.signedAgent ? signedAgentSignals : signals) {
    const reasons = signal(facts);
    if (reasons.length > 0) (findings ??= []).push(...reasons);
  }
  if (findings === undefined) return NO_REASONS;
  // A rejected session keeps the reasons of its challenge. Another signal can find the same reason in this request.
  return findings.length === 1 ? findings : [...new Set(findings)];
}
