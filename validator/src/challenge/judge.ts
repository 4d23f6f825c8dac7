import type { Reason } from '@guard/config/contract/reasons';
import { readClaim, type Claim } from './claim.ts';
import type { Evidence } from './evidence.ts';
import { judgeAutomationGlobals } from './judges/automation-globals.ts';
import { judgeClientHints } from './judges/client-hints.ts';
import { judgeHeadless } from './judges/headless.ts';
import { judgePage } from './judges/page.ts';
import { judgeWebdriver } from './judges/webdriver.ts';
import { judgeWorker } from './judges/worker.ts';

/** What the upload's own HTTP request said. */
export interface RequestFacts {
  readonly userAgent: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Everything a judge may look at. */
export interface Case {
  readonly evidence: Evidence;
  readonly request: RequestFacts;
  /** What the page's own User-Agent claims. */
  readonly claim: Claim;
}

/**
 * Looks for one kind of contradiction, or of trait that only automation has; undefined when there is
 * none. What could not be read is no evidence: privacy tools, old and small browsers hide a lot.
 */
export type Judge = (theCase: Case) => Reason | undefined;

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
