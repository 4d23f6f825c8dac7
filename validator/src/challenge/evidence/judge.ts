import type { Reason } from '@guard/config/contract/reasons';
import type { Strengths } from '../../verdict/strengths.ts';
import { weigh } from '../../verdict/weigh.ts';
import { readPageClaim } from '../../request/browser-claim.ts';
import { isIncomplete } from './completeness.ts';
import type { Evidence } from '../../../page-contract/evidence.ts';
import { judgeActivation } from './judges/activation.ts';
import { judgeAutomationFlags } from './judges/automation-flags.ts';
import { judgeAutomationGlobals } from './judges/automation-globals.ts';
import { judgeClientHints } from './judges/client-hints.ts';
import { judgeCodecs } from './judges/codecs.ts';
import { judgeDisguises } from './judges/disguises.ts';
import { judgeEmulatedScreen } from './judges/emulated-screen.ts';
import { judgeFonts } from './judges/fonts.ts';
import { judgeFrame } from './judges/frame.ts';
import { judgeGraphics } from './judges/graphics.ts';
import { judgeHeadless } from './judges/headless.ts';
import { judgeInspector } from './judges/inspector.ts';
import { judgeLanguages } from './judges/languages.ts';
import { judgeLayout } from './judges/layout.ts';
import { judgePage } from './judges/page.ts';
import { judgePainting } from './judges/painting.ts';
import { judgePointer } from './judges/pointer.ts';
import { judgeTimeZone } from './judges/time-zone.ts';
import { judgeWebdriver } from './judges/webdriver.ts';
import { judgeWorker } from './judges/worker.ts';
import type { Case, Judge, RequestFacts } from './judges/case.ts';

export type Judgement =
  /** `noted` are findings that did not change the judgement. */
  | { readonly kind: 'human'; readonly noted?: readonly Reason[] }
  /** Enough findings for a doubt, but not enough to reject. A person with an unusual browser can get this judgement. */
  | { readonly kind: 'doubtful'; readonly reasons: readonly [Reason, ...Reason[]] }
  | { readonly kind: 'automated'; readonly reasons: readonly [Reason, ...Reason[]] }
  /** The findings are not enough to reject, but the evidence is incomplete. A new page asks again. */
  | { readonly kind: 'incomplete' };

/** The reasons of a judgement have the order of this list. */
const judges: readonly Judge[] = [
  judgeWebdriver,
  judgeAutomationGlobals,
  judgeHeadless,
  judgeDisguises,
  judgeAutomationFlags,
  judgeEmulatedScreen,
  judgePointer,
  judgeActivation,
  judgeInspector,
  judgePainting,
  judgePage,
  judgeFrame,
  judgeWorker,
  judgeLayout,
  judgeClientHints,
  judgeCodecs,
  judgeFonts,
  judgeGraphics,
  judgeLanguages,
  judgeTimeZone,
];

/**
 * Judges the evidence of a challenge page, with its style sheet and its request. A pure function. The judgement lists
 * all findings that are not off: first those of the judges, then those in `request.found`.
 */
export function judge(
  evidence: Evidence,
  request: RequestFacts,
  cascades: Case['cascades'],
  strengths: Strengths,
): Judgement {
  const theCase: Case = {
    evidence,
    request,
    claim: readPageClaim(evidence.agent.userAgent),
    cascades,
  };
  const findings = [...new Set([...judges.flatMap((ask) => ask(theCase) ?? []), ...request.found])];
  const judgement = judgementOf(findings, strengths);
  return judgement.kind !== 'automated' && isIncomplete(theCase) ? INCOMPLETE : judgement;
}

const INCOMPLETE: Judgement = { kind: 'incomplete' };

/** The judgement of a complete upload with these findings. */
export function judgementOf(
  findings: readonly Reason[],
  strengths: Strengths,
): Exclude<Judgement, { kind: 'incomplete' }> {
  const [first, ...others] = strengths.withoutOff(findings);
  if (first === undefined) return { kind: 'human' };
  switch (weigh([first, ...others], false, strengths)) {
    case 'clean':
      return { kind: 'human', noted: [first, ...others] };
    case 'ask':
      return { kind: 'doubtful', reasons: [first, ...others] };
    case 'reject':
      return { kind: 'automated', reasons: [first, ...others] };
  }
}
