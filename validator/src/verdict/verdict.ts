import type { RequestEnded } from '@guard/config/contract/ports';
import type { Reason } from '@guard/config/contract/reasons';
import type { Rule } from '@guard/config/settings/sections/rule';

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
  /** The value for ResponseExtras.ended. */
  readonly ended?: RequestEnded | undefined;
}
