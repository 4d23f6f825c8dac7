import { ONE_PLAYS_ALL } from '../test/kit/product/policies.ts';
import { CrawlerCatalogue } from '@guard/config/catalogue/crawlers';
import { UserAgentCatalogue } from '@guard/config/catalogue/user-agents';
import { validatorWith, type TestValidator } from '../test/kit/product/validator.ts';
import { composedBrowsers } from './browsers/composed.ts';
import { generatedBrowsers } from './browsers/generated.ts';
import type { Case } from './case.ts';
import { crawlerCases } from './crawlers.ts';
import { httpClients } from './http-clients.ts';

export interface CorpusOptions {
  readonly seed: number;
  /**
   * The number of generated header sets for each kind. There are 16 kinds: combinations of browser, device and HTTP
   * version.
   */
  readonly perKind: number;
  /** The number of header sets that are composed for User-Agents. */
  readonly composed: number;
}

export interface Answer {
  readonly decision: 'allow' | 'challenge' | 'block';
  readonly reasons: readonly string[];
}

export interface Group {
  readonly name: string;
  readonly cases: readonly Case[];
  readonly judge: (one: Case) => Promise<Answer> | Answer;
  /** False when `judge` only identifies the client, so there is no decision to count. */
  readonly decides: boolean;
  readonly goal: string;
  readonly isRight: (answer: Answer) => boolean;
  /** Returns whether the numbers keep the promise. Absent when there is no promise. */
  readonly isMet?: (rows: Tally) => boolean;
}

/** The numbers of one group in one half of the corpus. */
export interface Tally {
  readonly requests: number;
  readonly blocked: number;
  readonly right: number;
}

/** Returns every group of the corpus, with its promise. */
export function groupsOf({ seed, perKind, composed }: CorpusOptions): Group[] {
  const rules = '[{ name: everybody, match: {}, detect: true }]';
  const crawlers = crawlerCases();
  const plain = judgeWith(validatorWith(rules, { organisation: ONE_PLAYS_ALL }));
  const welcoming = judgeWith(
    validatorWith(rules, {
      organisation: { ...ONE_PLAYS_ALL, crawler_allowlist: crawlers.names },
    }),
  );
  const generated = generatedBrowsers(seed, perKind);
  const composedSample = composedBrowsers(seed, composed);
  const scripts = httpClients();
  const browserGoal = {
    judge: plain,
    decides: true,
    goal: 'blocked 0, challenged ≤ 1 %',
    isRight: ({ decision }: Answer) => decision === 'allow',
    isMet: ({ requests, blocked, right }: Tally) =>
      blocked === 0 && requests - right <= requests / 100,
  };
  const stopped = ({ decision }: Answer) => decision !== 'allow';
  const atLeast =
    (share: number) =>
    ({ requests, right }: Tally) =>
      right >= requests * share;
  const noPromise = {
    judge: plain,
    decides: true,
    goal: 'shown, nothing promised',
    isRight: () => true,
  };
  return [
    { name: 'browsers, generated', cases: generated.real, ...browserGoal },
    { name: 'browsers, composed', cases: composedSample.real, ...browserGoal },
    { name: 'generated, contradicting itself', cases: generated.contradictory, ...noPromise },
    {
      name: 'agents that forgot their platform',
      cases: composedSample.contradictory,
      ...noPromise,
    },
    {
      name: 'crawler agents of a list',
      cases: crawlers.samples.map(sampleCase),
      judge: identify(),
      decides: false,
      goal: 'identified ≥ 99 %',
      isRight: ({ reasons }) => reasons.length > 0,
      isMet: atLeast(0.99),
    },
    {
      name: 'HTTP clients as they come',
      cases: scripts.asTheyCome,
      judge: plain,
      decides: true,
      goal: 'stopped 100 %',
      isRight: stopped,
      isMet: atLeast(1),
    },
    {
      name: "the same with Chrome's agent",
      cases: scripts.withChromeAgent,
      judge: plain,
      decides: true,
      goal: 'stopped ≥ 99 %',
      isRight: stopped,
      isMet: atLeast(0.99),
    },
    {
      name: 'crawler agents from elsewhere',
      cases: crawlers.outside,
      judge: plain,
      decides: true,
      goal: 'crawler_impersonator 100 %',
      isRight: ({ reasons }) => reasons.includes('crawler_impersonator'),
      isMet: atLeast(1),
    },
    {
      name: 'crawlers from their ranges',
      cases: crawlers.fromOwnRanges,
      judge: welcoming,
      decides: true,
      goal: 'on the allowlist: stopped 0',
      isRight: ({ decision }) => decision === 'allow',
      isMet: atLeast(1),
    },
  ];
}

function judgeWith({ ask }: TestValidator) {
  return async ({ request }: Case): Promise<Answer> => {
    const { decision, block_reasons: reasons = [] } = await ask(request);
    switch (decision) {
      case 'allow':
      case 'block':
        return { decision, reasons };
      case 'redirect':
        return { decision: 'challenge', reasons };
      case 'not_matched':
        throw new Error('the only rule matches every request');
    }
  };
}

/** Identifies a User-Agent only with the catalogues, without a decision. */
function identify() {
  const crawlers = CrawlerCatalogue.load();
  const tokens = UserAgentCatalogue.load();
  return ({ about }: Case): Answer => {
    const known =
      crawlers.identify(about)?.name ??
      tokens.httpClientToken(about) ??
      tokens.automationToken(about);
    return known === undefined
      ? { decision: 'allow', reasons: [] }
      : { decision: 'challenge', reasons: [known] };
  };
}

function sampleCase(userAgent: string): Case {
  const headers = { 'user-agent': userAgent };
  return {
    about: userAgent,
    request: { url: 'https://shop.example/', ip: '192.0.2.1', headers },
    unit: userAgent,
  };
}
