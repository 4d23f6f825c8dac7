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
  /** Something contradicts itself, which an extension may do as well, and no tool has left a trace. */
  | { readonly kind: 'doubtful'; readonly reasons: readonly [Reason, ...Reason[]] }
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

/** Traces of a tool that are not conclusive by themselves. */
const TOOL_TRACES: readonly Reason[] = ['automation_flags', 'debugger_attached'];

/**
 * Weighs a challenge page's evidence against its ticket and its request. Pure; every reason that
 * applies is named.
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
  const reasons = first === undefined ? undefined : ([first, ...others] as const);
  const weighed = reasons === undefined ? 'clean' : weigh(reasons, false);
  const hasTrace = weighed !== 'clean' && reasons?.some((reason) => TOOL_TRACES.includes(reason));
  if (reasons && (weighed === 'bad' || hasTrace)) return { kind: 'automated', reasons };
  if (isIncomplete(theCase)) return { kind: 'incomplete' };
  return reasons && weighed === 'uncertain' ? { kind: 'doubtful', reasons } : { kind: 'human' };
}
