import type { Reason } from '@guard/config/contract/reasons';
import { layoutQuestions } from '../../../browser/page/layout/questions.ts';
import { weigh } from '../../verdict/weigh.ts';
import { readPageClaim } from '../../request/browser-claim.ts';
import { isIncomplete } from './completeness.ts';
import type { Upload } from './evidence.ts';
import { judgeAutomationFlags } from './judges/automation-flags.ts';
import { judgeAutomationGlobals } from './judges/automation-globals.ts';
import { judgeCascade } from './judges/cascade.ts';
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
import { judgeTimeZone } from './judges/time-zone.ts';
import { judgeWebdriver } from './judges/webdriver.ts';
import { judgeWorker } from './judges/worker.ts';
import type { Case, Judge, RequestFacts } from './judges/case.ts';

export type Judgement =
  | { readonly kind: 'human' }
  | { readonly kind: 'automated'; readonly reasons: readonly [Reason, ...Reason[]] }
  /** Nothing speaks against a person, and the questions were not carried out: a fresh page asks again. */
  | { readonly kind: 'incomplete' };

/** In this order the reasons are named. */
const judges: readonly Judge[] = [
  judgeWebdriver,
  judgeAutomationGlobals,
  judgeHeadless,
  judgeDisguises,
  judgeAutomationFlags,
  judgeEmulatedScreen,
  judgeInspector,
  judgePainting,
  judgePage,
  judgeFrame,
  judgeWorker,
  judgeLayout,
  judgeCascade,
  judgeClientHints,
  judgeCodecs,
  judgeFonts,
  judgeGraphics,
  judgeLanguages,
  judgeTimeZone,
];

/**
 * Weighs a challenge page's evidence against its ticket and its request. Pure; every reason that
 * applies is named. What would raise a doubt about a request (verdict/weigh.ts) is enough to reject.
 */
export function judge(
  { evidence, ticket }: Pick<Upload, 'evidence' | 'ticket'>,
  request: RequestFacts,
  cascades: Case['cascades'],
): Judgement {
  const theCase: Case = {
    evidence,
    request,
    claim: readPageClaim(evidence.agent.userAgent),
    questions: layoutQuestions(ticket),
    cascades,
  };
  const [first, ...others] = new Set(judges.flatMap((ask) => ask(theCase) ?? []));
  if (first !== undefined && weigh([first, ...others], false) !== 'clean') {
    return { kind: 'automated', reasons: [first, ...others] };
  }
  return { kind: isIncomplete(theCase) ? 'incomplete' : 'human' };
}
