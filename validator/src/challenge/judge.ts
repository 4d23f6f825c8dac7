import type { Reason } from '@guard/config/contract/reasons';
import { readClaim } from './claim.ts';
import type { Evidence } from './evidence.ts';
import { judgeAutomationGlobals } from './judges/automation-globals.ts';
import { judgeClientHints } from './judges/client-hints.ts';
import { judgeHeadless } from './judges/headless.ts';
import { judgePage } from './judges/page.ts';
import { judgeWebdriver } from './judges/webdriver.ts';
import { judgeWorker } from './judges/worker.ts';
import type { Case, Judge, RequestFacts } from './judges/case.ts';

export type Judgement =
  | { readonly kind: 'human' }
  | { readonly kind: 'automated'; readonly reasons: readonly [Reason, ...Reason[]] };

const judges: readonly Judge[] = [
  judgeWebdriver,
  judgeAutomationGlobals,
  judgeHeadless,
  judgePage,
  judgeWorker,
  judgeClientHints,
];

/** Weighs a challenge page's evidence. Pure; every reason that applies is named. */
export function judge(evidence: Evidence, request: RequestFacts): Judgement {
  const theCase: Case = { evidence, request, claim: readClaim(evidence.agent.userAgent) };
  const [first, ...others] = judges.flatMap((ask) => ask(theCase) ?? []);
  return first === undefined
    ? { kind: 'human' }
    : { kind: 'automated', reasons: [first, ...others] };
}
