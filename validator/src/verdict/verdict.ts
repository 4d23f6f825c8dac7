import type { Reason } from '@guard/config/contract/reasons';
import type { Rule } from '@guard/config/settings/sections/rule';
import type { AnswerWatch } from './counts/answer-watch.ts';

/** The verdict on a request, with its reasons and the rule that decided. */
export type Verdict =
  | { readonly kind: 'allow'; readonly reasons: readonly Reason[]; readonly by: Rule | undefined }
  | { readonly kind: 'block'; readonly reasons: readonly Reason[]; readonly by: Rule }
  | { readonly kind: 'challenge'; readonly reasons: readonly Reason[]; readonly by: Rule }
  | {
      readonly kind: 'limited';
      readonly reasons: readonly Reason[];
      readonly by: Rule;
      readonly retryAfterMs: number;
    };

/** The concluded verdict, and the verdict that Guard enforces. They differ in monitor mode. */
export interface Judgement {
  readonly concluded: Verdict;
  readonly enforced: Verdict;
  readonly monitor: boolean;
  readonly watch?: AnswerWatch | undefined;
}

/** The judgement of a request when the visitor must not get its answer. Monitor mode does not lift a challenge. */
export function challengeInstead({ enforced: { by }, monitor }: Judgement): Judgement | undefined {
  if (by === undefined) return undefined;
  const challenge: Verdict = { kind: 'challenge', reasons: ['free_pages_used'], by };
  return { concluded: challenge, enforced: challenge, monitor };
}
