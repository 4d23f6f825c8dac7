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

/** The compiled settings of all organisations, with their counts and what they learned. */
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
 * Compiles the settings of all organisations. Rules from `before` are not compiled again. Counts and learned data of
 * `before` stay, so a visitor gains nothing from a reload.
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
  // Questions are drawn from the secrets, so answers to questions of other secrets are of no use.
  const learned =
    before && isDeepStrictEqual(before.secrets, secrets)
      ? before.learned
      : createLearnedAnswers(secrets);
  return { policies, passes, secrets, learned };
}
