import { CATEGORIES } from '@guard/config/contract/categories';
import { categoriesOf, type Reason } from '@guard/config/contract/reasons';
import {
  Cookie,
  Crawler,
  STATUS_CODES,
  ValidateResponse,
} from '@guard/config/contract/validate-response';
import { type SeededRandom, seededRandom } from '../kit/seeded-random.ts';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  chromeHttp,
  chromeHttps,
  curl,
  firefoxHttps,
  googlebot,
  GOOGLEBOT_IP,
  HOME_IP,
  safariIphone,
  visit,
} from '../kit/visitors/visitors.ts';
import { type Served, serveValidator } from './serve-validator.ts';

const folder = mkdtempSync(join(tmpdir(), 'guard-pages-'));
afterAll(() => rmSync(folder, { recursive: true }));
const pageFile = join(folder, 'page.html');
writeFileSync(pageFile, '<h1>Blocked</h1>');

/** The schema of contract 2.2 to 2.4. No other field is allowed. */
const Exactly = z.strictObject({
  ...ValidateResponse.shape,
  cookies: z.array(Cookie.strict()).min(1).optional(),
  crawler: Crawler.strict().optional(),
  block_reasons: z.array(z.string()).min(1).optional(),
  block_reason_categories: z.array(z.enum(CATEGORIES)).min(1).optional(),
  country_code: z.stringFormat('alpha-2', /^[A-Z]{2}$/).optional(),
});

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const VISITORS = [
  { headers: chromeHttps, crawler: false },
  { headers: chromeHttp, crawler: false },
  { headers: firefoxHttps, crawler: false },
  { headers: safariIphone, crawler: false },
  { headers: curl, crawler: false },
  { headers: {}, crawler: false },
  { headers: googlebot, crawler: true },
  { headers: { 'user-agent': 'GPTBot/1.2' }, crawler: true },
] as const;
const WISHES = [
  {},
  { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
  { accept: 'application/json' },
  { accept: '*/*' },
] as const;
const RULES = [
  '{ match: { path: /blocked }, verdict: block }',
  '{ match: { path: /blocked }, verdict: block, status: 451 }',
  '{ match: { path: /blocked }, verdict: block, status: 302 }',
  `{ match: { path: /paged }, verdict: block, block_page: ${pageFile} }`,
  '{ match: { path: /open }, verdict: allow }',
  '{ match: { path: /limited }, rate_limit: { requests: 1, per: 1m, by: ip } }',
  '{ match: { path: /limited }, rate_limit: { requests: 2, per: 1h, by: session }, status: 503 }',
  '{ match: { crawler: { identified: true } }, verdict: block }',
  '{ match: { method: POST }, challenge: always }',
  '{ match: {}, challenge: always }',
  '{ match: {}, challenge: never }',
  '{ match: {}, detect: true }',
  '{ match: {}, detect: true }',
  '{ match: { path: /blocked }, monitor: true }',
  '{ match: { path: /limited }, monitor: true }',
] as const;

const LIMIT = '{ match: {}, rate_limit: { requests: 5, per: 1h, by: ip } }';

interface Policy {
  readonly served: Served;
  readonly features: { readonly country: boolean; readonly crawler_metadata: boolean };
}

/** Returns a random policy that begins with the rules of `always`. */
async function drawPolicy(random: SeededRandom, always: readonly string[]): Promise<Policy> {
  const drawnRules = [...always, ...RULES.filter(() => random.below(3) === 0)];
  const rules = `[${drawnRules.map((rule, i) => rule.replace('{', `{ name: r${i},`)).join(', ')}]`;
  const features = { country: random.below(2) === 0, crawler_metadata: random.below(2) === 0 };
  const organisation = {
    features,
    monitor: random.below(6) === 0,
    ...(random.below(3) === 0 && { block_page: pageFile }),
    ...(random.below(2) === 0 && { robots_txt: 'managed' }),
  };
  return { served: await serveValidator({ rules, organisation }), features };
}

/** Returns a random request, and facts about it that do not depend on the policy. */
function drawVisit(random: SeededRandom, sessions: readonly string[]) {
  const visitor = random.pick(VISITORS);
  const path = random.pick(['/', '/blocked', '/paged', '/open', '/limited', '/robots.txt']);
  const isKnown = sessions.length > 0 && random.below(2) === 0;
  const cookie = isKnown
    ? sessions[random.below(sessions.length)]
    : random.pick([undefined, '', 'malformed']);
  return {
    crawler: visitor.crawler,
    known: isKnown,
    request: visit({
      url: `${random.pick(['http', 'https'])}://shop.example${path}`,
      ip: random.pick([HOME_IP, GOOGLEBOT_IP, '2001:db8::1', '10.0.0.1', '3.5.140.2']),
      method: random.pick(['GET', 'HEAD', 'POST']),
      headers: { ...visitor.headers, ...random.pick(WISHES) },
      ...(cookie !== undefined && { cookie }),
    }),
  };
}

/** Expects every presence rule of contract 2.2. */
function expectPresence(
  answer: ValidateResponse,
  question: ReturnType<typeof drawVisit>,
  to: Policy,
) {
  Exactly.parse(answer);
  expect(answer.request_id).toMatch(UUID_V7);
  expect(to.served.events.at(-1)?.requestId).toBe(answer.request_id);
  expectBody(answer, question.crawler);
  expectReasons(answer);
  if ('country_code' in answer) {
    expect([answer.decision, to.features.country]).toEqual(['allow', true]);
  }
  expect('crawler' in answer).toBe(question.crawler && to.features.crawler_metadata);
  expect(answer.cookies?.length ?? 0).toBe(question.known || question.crawler ? 0 : 1);
}

/** Expects the right status and body. A challenged crawler gets no page, because it cannot pass. */
function expectBody(answer: ValidateResponse, crawler: boolean) {
  const { decision, status_code: status } = answer;
  expect(STATUS_CODES).toContain(status);
  if (decision === 'allow') expect(status).toBe(200);
  else expect(status).not.toBe(200);
  if (decision === 'block' || (decision === 'redirect' && !crawler)) {
    expect(answer).toHaveProperty('response_html');
  }
  expect('response_html' in answer).toBe(answer.headers?.['Content-Type'] !== undefined);
}

function expectReasons({ decision, ...answer }: ValidateResponse) {
  const { block_reasons: reasons, rate_limited: isLimited } = answer;
  // The contract allows unknown reasons. The table of reasons has each reason that Guard uses.
  const categories = reasons && categoriesOf(reasons as readonly Reason[]);
  expect(answer.block_reason_categories).toEqual(categories);
  if (decision === 'block') expect(reasons).toBeDefined();
  expect('retry_after' in answer).toBe(isLimited === true);
  if (isLimited !== true) return;
  expect(decision).toBe('block');
  expect(answer.retry_after).toBeGreaterThan(0);
  expect(reasons).toEqual(['rate_limit_exceeded']);
}

describe('2.2 every answer keeps the schema and its presence rules', () => {
  const random = seededRandom();
  test(`720 requests to 12 policies, seed ${random.seed}`, async () => {
    const seen = new Set<string>();
    for (let policy = 0; policy < 12; policy++) {
      // One policy always limits every address.
      const drawnPolicy = await drawPolicy(random, policy === 0 ? [LIMIT] : []);
      const sessions: string[] = [];
      for (let i = 0; i < 60; i++) {
        const question = drawVisit(random, sessions);
        const answer = await drawnPolicy.served.ask(question.request);
        expectPresence(answer, question, drawnPolicy);
        sessions.push(...(answer.cookies ?? []).map(({ value }) => value));
        seen.add(answer.decision).add(String(answer.status_code));
        for (const name of Object.keys(answer)) seen.add(name);
      }
    }
    // Each field and each decision must occur, so that all presence rules are really tested.
    for (const name of [...Object.keys(ValidateResponse.shape), 'allow', 'block', 'redirect']) {
      expect(seen).toContain(name);
    }
  });
});
