import type { Clock, MaybePromise, RequestEnded, SessionStore } from '@guard/config/contract/ports';
import { RULES_WITHOUT_PAGES } from '@guard/config/settings/presets/preset-rules';
import type { Facts } from '../request/facts.ts';
import type { Directives } from '../rules/direct.ts';
import { afterWith } from '../session/after-with.ts';
import { type FreePages, isDocument } from './free-pages.ts';

/** One request. The fields are those of Deciding. */
interface Asked {
  readonly directives: Directives;
  readonly facts: Facts;
  readonly store: SessionStore;
  readonly freePages: FreePages | undefined;
  readonly clock: Clock;
}

/**
 * A preset goes by the path, and an application can answer each path with a page that the query names. So pages that
 * come back are counted as documents of the address. When these are used up, the request is judged without the preset.
 */
export function withoutSpentPreset<One extends Asked>(asked: One): MaybePromise<One> {
  const { directives, freePages, facts, store, clock } = asked;
  if (freePages === undefined || !isByPath(directives)) return asked;
  const isSpent = freePages.areDocumentsSpent(facts, store, freePages.areFew(facts, clock()));
  return afterWith(isSpent, asked, (spent) =>
    spent ? { ...asked, directives: { ...directives, verdict: undefined } } : asked,
  );
}

/** Counts the answer to a request that such a preset lets through. Undefined for other requests. */
export function endOfPreset(asked: Asked): RequestEnded | undefined {
  const { directives, freePages, facts, store, clock } = asked;
  if (freePages === undefined || !isByPath(directives)) return undefined;
  return (how) => {
    if (isDocument(how, facts)) freePages.countDocument(facts, store, clock());
  };
}

function isByPath({ verdict }: Directives): boolean {
  return verdict?.value === 'allow' && RULES_WITHOUT_PAGES.has(verdict.by.name);
}
