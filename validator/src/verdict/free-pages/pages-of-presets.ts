import type { Clock, Ending, MaybePromise, SessionStore } from '@guard/config/contract/ports';
import { answersData, RULES_WITHOUT_PAGES } from '@guard/config/settings/presets/preset-rules';
import type { Facts } from '../../request/facts.ts';
import type { Directives } from '../../rules/directives.ts';
import { afterWith } from '../../session/after-with.ts';
import type { AnswerWatch } from '../counts/answer-watch.ts';
import { isDocument, isUselessDocument } from '../documents.ts';
import type { DocumentBudgets } from './document-budgets.ts';
import type { FreePages } from './free-pages.ts';

/** The fields of DecisionInput that this file uses. */
interface PresetRequest {
  readonly directives: Directives;
  readonly facts: Facts;
  readonly store: SessionStore;
  readonly freePages: FreePages | undefined;
  readonly clock: Clock;
  readonly seesAnswer: boolean;
  readonly watchOfPreset?: AnswerWatch | undefined;
}

/**
 * Limits the pages that a preset allows. A preset reads only the path, but a parameter of the query can make an
 * application return a page at any path. So when an answer is a page, it is counted as a document of the address. A
 * request is judged without the preset when these documents are used up. Where Guard does not see the answers, it counts
 * the requests with a parameter.
 */
export function withinPreset<T extends PresetRequest>(request: T): MaybePromise<T> {
  const { directives, freePages, facts, store, seesAnswer } = request;
  const { verdict } = directives;
  if (freePages === undefined || verdict?.value !== 'allow') return request;
  const { name } = verdict.by;
  if (!RULES_WITHOUT_PAGES.has(name)) return request;
  const { documents } = freePages.answers;
  return afterWith(documents.isAddressSpent(facts, store), request, (isSpent) =>
    isSpent || (!seesAnswer && !freePages.takeUnseenPart(facts, store))
      ? { ...request, directives: { ...directives, verdict: undefined } }
      : { ...request, watchOfPreset: watchPages(name, documents, request) },
  );
}

/** Counts pages, and holds back those above the documents of the address. A visitor who passed gets them. */
function watchPages(
  rule: string,
  documents: DocumentBudgets,
  { facts, store, clock }: PresetRequest,
): AnswerWatch {
  const nowMs = clock();
  let giveBack: (() => void) | undefined;
  const admits = (ending: Ending, isShared: boolean) => {
    if (!isPage(ending, rule, facts)) return true;
    const isUseless = isUselessDocument(ending, isShared, facts);
    giveBack = documents.reserve(facts, store, documents.isShapeSpent(facts, nowMs), isUseless);
    return giveBack !== undefined;
  };
  return {
    admits: facts.session.state === 'verified' ? undefined : admits,
    ended: (ending) => {
      if (isPage(ending, rule, facts)) documents.count(ending, facts, store, nowMs);
      else giveBack?.();
    },
  };
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
