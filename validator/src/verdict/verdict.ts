import type { RequestEnded } from '@guard/config/contract/ports';
import type { Reason } from '@guard/config/contract/reasons';
import type { Rule } from '@guard/config/settings/sections/rule';

/** What Guard does with a request. */
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

/** The conclusion, and the verdict that is enforced. They differ in monitor mode. */
export interface Judgement {
  readonly concluded: Verdict;
  readonly enforced: Verdict;
  readonly monitor: boolean;
  /** As ResponseExtras.ended. */
  readonly ended?: RequestEnded | undefined;
}
