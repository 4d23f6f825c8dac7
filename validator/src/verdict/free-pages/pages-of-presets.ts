import type {
  Clock,
  Ending,
  MaybePromise,
  RequestEnded,
  SessionStore,
} from '@guard/config/contract/ports';
import { answersData, RULES_WITHOUT_PAGES } from '@guard/config/settings/presets/preset-rules';
import type { Facts } from '../../request/facts.ts';
import type { Directives } from '../../rules/direct.ts';
import { afterWith } from '../../session/after-with.ts';
import { isDocument } from '../documents.ts';
import type { FreePages } from './free-pages.ts';

/** The fields of Deciding that this file uses. */
interface PresetRequest {
  readonly directives: Directives;
  readonly facts: Facts;
  readonly store: SessionStore;
  readonly freePages: FreePages | undefined;
  readonly clock: Clock;
  readonly reportsEnd: boolean;
  readonly seesAnswer: boolean;
  readonly endOfPreset?: RequestEnded | undefined;
}

/**
 * Limits the pages that a preset allows. A preset reads only the path, but a parameter of the query can make an
 * application return a page at any path. So when an answer is a page, it is counted as a document of the address. A
 * request is judged without the preset when these documents are used up, or when the waiting requests could return far
 * more documents. Where Guard does not see the answers, it counts the requests with a parameter.
 */
export function withinPreset<One extends PresetRequest>(request: One): MaybePromise<One> {
  const { directives, freePages, facts, store, clock, reportsEnd, seesAnswer } = request;
  const { verdict } = directives;
  if (freePages === undefined || verdict?.value !== 'allow') return request;
  const { name } = verdict.by;
  if (!RULES_WITHOUT_PAGES.has(name)) return request;
  const nowMs = clock();
  const hasSmallBudget = freePages.documents.isShapeSpent(facts, nowMs);
  const countPage = (answerKind: Ending) => {
    if (isPage(answerKind, name, facts)) freePages.documents.count(answerKind, facts, store, nowMs);
    return false;
  };
  return afterWith(
    freePages.documents.isAddressSpent(facts, store, hasSmallBudget),
    request,
    (isAddressSpent) => {
      const isSpent = isAddressSpent || (!seesAnswer && !freePages.takeUnseenPart(facts, store));
      if (!isSpent && !reportsEnd) return request;
      const endOfPreset = isSpent
        ? undefined
        : freePages.waitingRequests.start(
            'preset ',
            facts,
            store,
            nowMs,
            hasSmallBudget,
            countPage,
          );
      return endOfPreset
        ? { ...request, endOfPreset }
        : { ...request, directives: { ...directives, verdict: undefined } };
    },
  );
}

/**
 * Whether an answer is a page. A stored file without a content type is no page: an authority asks for one such file for
 * each name of a certificate.
 */
function isPage(answerKind: Ending, rule: string, facts: Facts): boolean {
  if (answerKind === 'data')
    return isDocument(answerKind, facts) || !answersData(rule, facts.url.path);
  return answerKind === 'document';
}
