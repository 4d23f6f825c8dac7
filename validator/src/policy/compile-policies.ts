import { isDeepStrictEqual } from 'node:util';
import type { CrawlerCatalogue } from '@guard/config/catalogue/crawlers';
import type { Organisation } from '@guard/config/settings/schema';
import type { Sliced } from '@guard/config/time/slices';
import { createLearnedAnswers, type LearnedAnswers } from '../challenge/learned/learned-answers.ts';
import { createPrograms, type Programs } from '../challenge/program/programs.ts';
import { challengeTerms } from '../challenge/tickets/challenge-terms.ts';
import type { Resolver } from '../proofs/forward-confirmed.ts';
import type { KeptProofs } from '../proofs/open-proofs.ts';
import { createReverseDns } from '../proofs/reverse-dns.ts';
import { UsedNonces } from '../proofs/used-nonces.ts';
import { compileRules } from '../rules/directives.ts';
import { PassTable } from '../verdict/passes/pass-table.ts';
import type { PressurePorts } from '../verdict/pressure/pressure.ts';
import { compilePolicy, type Policy, rulesOf } from './compile-policy.ts';

/** The compiled settings of all organisations, with their counts and learned data. */
export interface Policies extends KeptProofs {
  readonly policies: ReadonlyMap<string, Policy>;
  readonly passes: PassTable;
  readonly secrets: readonly string[];
  readonly learned: LearnedAnswers;
  readonly programs: Programs;
}

export interface PolicyOptions extends PressurePorts {
  readonly organisations: readonly Organisation[];
  readonly crawlers: CrawlerCatalogue;
  readonly secrets: readonly string[];
  /**
   * The resolver for the host names of addresses that claim to be a crawler. Without a resolver, Guard looks up no
   * name.
   */
  readonly resolver?: Resolver | undefined;
}

/**
 * Compiles the settings of all organisations. Unchanged rules of `earlierPolicies` are not compiled again. The counts
 * and learned data of `earlierPolicies` stay, so a visitor gains nothing from a reload.
 */
export function* compilePolicies(
  options: PolicyOptions,
  earlierPolicies?: Policies,
): Sliced<Policies> {
  const { organisations, crawlers, secrets, resolver, clock } = options;
  const passes = earlierPolicies?.passes ?? new PassTable();
  const policies = new Map<string, Policy>();
  for (const organisation of organisations) {
    const earlier = earlierPolicies?.policies.get(organisation.id);
    const rules = yield* compileRules(rulesOf(organisation), earlier?.rules.list);
    const challenge = yield* challengeTerms(organisation);
    const preparedParts = { before: earlier, passes, rules, challenge };
    policies.set(organisation.id, compilePolicy(organisation, crawlers, options, preparedParts));
    yield;
  }
  const nonces = earlierPolicies?.nonces ?? new UsedNonces();
  const reverseDns =
    resolver && (earlierPolicies?.reverseDns ?? createReverseDns({ resolver, clock }));
  // The questions and the programs depend on the secrets.
  const { learned, programs } =
    earlierPolicies && isDeepStrictEqual(earlierPolicies.secrets, secrets)
      ? earlierPolicies
      : { learned: createLearnedAnswers(secrets), programs: createPrograms(options) };
  return { policies, passes, secrets, learned, programs, nonces, reverseDns };
}
