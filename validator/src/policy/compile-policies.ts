import { isDeepStrictEqual } from 'node:util';
import type { CrawlerCatalogue } from '@guard/config/catalogue/crawlers';
import type { Organisation } from '@guard/config/settings/schema';
import type { Work } from '@guard/config/time/slices';
import { createLearnedAnswers, type LearnedAnswers } from '../challenge/learned/learned-answers.ts';
import { challengeTerms } from '../challenge/tickets/challenge-terms.ts';
import { compileRules } from '../rules/direct.ts';
import { PassTable } from '../verdict/pass-table.ts';
import type { PressurePorts } from '../verdict/pressure/pressure.ts';
import { compilePolicy, type Policy, rulesOf } from './compile-policy.ts';

/** The settings of all organisations, compiled, and what is counted and learned under them. */
export interface Policies {
  readonly policies: ReadonlyMap<string, Policy>;
  readonly passes: PassTable;
  readonly secrets: readonly string[];
  readonly learned: LearnedAnswers;
}

interface PolicyOptions extends PressurePorts {
  readonly organisations: readonly Organisation[];
  readonly crawlers: CrawlerCatalogue;
  readonly secrets: readonly string[];
}

/**
 * Compiles the settings of all organisations. Rules that were there `before` are not compiled again. What was counted
 * and learned before stays, so a visitor gains nothing by a reload.
 */
export function* compilePolicies(options: PolicyOptions, before?: Policies): Work<Policies> {
  const { organisations, crawlers, secrets } = options;
  const passes = before?.passes ?? new PassTable();
  const policies = new Map<string, Policy>();
  for (const one of organisations) {
    const earlier = before?.policies.get(one.id);
    const rules = yield* compileRules(rulesOf(one), earlier?.rules.list);
    const challenge = yield* challengeTerms(one);
    const prepared = { before: earlier, passes, rules, challenge };
    policies.set(one.id, compilePolicy(one, crawlers, options, prepared));
    yield;
  }
  // Questions are drawn from the secrets, so other secrets have other answers.
  const learned =
    before && isDeepStrictEqual(before.secrets, secrets)
      ? before.learned
      : createLearnedAnswers(secrets);
  return { policies, passes, secrets, learned };
}
