import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { CollectRequest, Session, SessionStore } from '@guard/config/contract/ports';
import { z } from 'zod';
import type { CollectOutcome } from '../collect-outcome.ts';
import { createVerify } from '../collector.ts';
import { Evidence } from '../../../page-contract/evidence.ts';
import { compileLook } from '../../pages/look.ts';
import { plainProgram } from '../program/programs.ts';
import { createChallengeIssuer } from '../tickets/issue.ts';
import { answerTicket, completeRecording, DEFAULT_STRENGTHS } from './answers.ts';

/** Recorded evidence, a store, and a visitor who answers, for the tests of the challenge. */

export const SECRETS = ['the first secret of the tests'] as const;
export const TERMS = { ruleSet: 'rules-of-the-tests', work: 0 } as const;

const Fixture = z.strictObject({
  recorded: z.string(),
  reasons: z.array(z.string()),
  headers: z.record(z.string(), z.string()),
  evidence: Evidence,
});
export type Fixture = z.infer<typeof Fixture>;

/** Reads one recording, such as `human/firefox-headful.json`. */
export function readFixture(name: string): Fixture {
  const url = new URL(`../evidence/fixtures/${name}`, import.meta.url);
  const recorded = JSON.parse(readFileSync(url, 'utf8')) as Fixture;
  return Fixture.parse({ ...recorded, evidence: completeRecording(recorded.evidence) });
}

export interface TestStore extends SessionStore {
  readonly sessions: ReadonlyMap<string, Session>;
  /** How often a session was stored. */
  readonly storedCount: () => number;
}

/** A SessionStore that keeps its data in Maps. Each answer takes one turn of the event loop. */
export function createTestStore(): TestStore {
  const sessions = new Map<string, Session>();
  const spent = new Set<string>();
  const remembered = new Set<string>();
  let storedCount = 0;
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return {
    sessions,
    storedCount: () => storedCount,
    session: (id) => sessions.get(id),
    async keepSession(id, session) {
      await turn();
      storedCount += 1;
      sessions.set(id, session);
    },
    async spend(id) {
      await turn();
      if (spent.has(id)) return false;
      spent.add(id);
      return true;
    },
    take: () => 0,
    takeSync: () => 0,
    takeInProcess: () => 0,
    giveBackInProcess: () => undefined,
    takeAll: () => 0,
    remember: (name, subject) => void remembered.add(`${name} ${subject}`),
    remembers: (name, subject) => remembered.has(`${name} ${subject}`),
    close: () => Promise.resolve(),
  };
}

/** Creates a visitor who got a challenge, and who answers with a recording. */
export function aChallengedVisitor(
  name = 'human/chromium-headful-xvfb-default-screen.json',
  countryOf: (ip: string) => string | undefined = () => undefined,
  userAgent = readFixture(name).headers['user-agent'] ?? '',
) {
  const { evidence, headers } = readFixture(name);
  const sessionId = randomUUID();
  const time = { nowMs: 1_800_000_000_000 };
  const store = createTestStore();
  const outcomes: CollectOutcome[] = [];
  const issue = createChallengeIssuer({
    secrets: SECRETS,
    programs: { next: () => plainProgram('0') },
  });
  const issued = issue({
    organisation: 'acme',
    sessionId,
    ip: '198.51.100.7',
    userAgent,
    client: '',
    found: [],
    acceptLanguage: headers['accept-language'],
    form: 'none',
    look: compileLook(),
    terms: TERMS,
    uploadUrl: '/.guard/verify',
    nowMs: time.nowMs,
  });
  const challenge = { ...issued, html: issued.html.toString() };
  const ticket = /data-ticket="([^"]+)"/.exec(challenge.html)?.[1] ?? '';
  const collect = createVerify({
    secrets: SECRETS,
    store,
    clock: () => time.nowMs,
    sessionTtlMs: 3_600_000,
    rejectedTtlMs: 600_000,
    currentRuleSet: () => TERMS.ruleSet,
    priceOf: () => undefined,
    strengthsOf: () => DEFAULT_STRENGTHS,
    allowedOrigin: () => true,
    countryOf,
    signalsOf: () => [],
    report: (outcome) => outcomes.push(outcome),
  });
  const upload = { ticket, session: sessionId, evidence: answerTicket(evidence, ticket) };
  const request: CollectRequest = {
    method: 'POST',
    path: '/verify',
    headers: { ...headers, 'user-agent': userAgent, 'content-type': 'application/json' },
    body: JSON.stringify(upload),
    ip: '198.51.100.7',
  };
  return { challenge, collect, outcomes, request, sessionId, store, time, upload };
}
