import type {
  Clock,
  Ending,
  MaybePromise,
  RequestEnded,
  SessionStore,
} from '@guard/config/contract/ports';
import { answersData, RULES_WITHOUT_PAGES } from '@guard/config/settings/presets/preset-rules';
import type { Facts } from '../request/facts.ts';
import type { Directives } from '../rules/direct.ts';
import { afterWith } from '../session/after-with.ts';
import { isDocument } from './documents.ts';
import type { FreePages } from './free-pages.ts';

/** One request. Its fields are fields of Deciding. */
interface Asked {
  readonly directives: Directives;
  readonly facts: Facts;
  readonly store: SessionStore;
  readonly freePages: FreePages | undefined;
  readonly clock: Clock;
  readonly reportsEnd: boolean;
  readonly endOfPreset?: RequestEnded | undefined;
}

/**
 * Limits the pages that a preset allows. A preset looks only at the path, but at any path an application can return a
 * page that the query names. So pages in the answers count as documents of the address. When these documents are used
 * up, the request is judged without the preset. The same applies when so many requests wait that they could return far
 * more documents.
 */
export function withinPreset<One extends Asked>(asked: One): MaybePromise<One> {
  const { directives, freePages, facts, store, clock, reportsEnd } = asked;
  const { verdict } = directives;
  if (freePages === undefined || verdict?.value !== 'allow') return asked;
  const { name } = verdict.by;
  if (!RULES_WITHOUT_PAGES.has(name)) return asked;
  const nowMs = clock();
  const few = freePages.documents.isShapeSpent(facts, nowMs);
  const countPage = (how: Ending) => {
    if (isPage(how, name, facts)) freePages.documents.count(how, facts, store, nowMs);
  };
  return afterWith(freePages.documents.isAddressSpent(facts, store, few), asked, (spent) => {
    if (!spent && !reportsEnd) return asked;
    const endOfPreset = spent
      ? undefined
      : freePages.startWaitingForAnswer('preset ', facts, nowMs, few, countPage);
    return endOfPreset
      ? { ...asked, endOfPreset }
      : { ...asked, directives: { ...directives, verdict: undefined } };
  });
}

/**
 * Whether an answer is a page. A stored file is what its path says, so it is no page. An authority asks for one such
 * file for each name of a certificate.
 */
function isPage(how: Ending, rule: string, facts: Facts): boolean {
  if (how === 'data') return isDocument(how, facts) || !answersData(rule, facts.url.path);
  return how === 'document';
}
