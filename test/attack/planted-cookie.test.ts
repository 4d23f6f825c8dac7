import type { Session, SessionStore } from '@guard/config/contract/ports';
import { MemoryStore } from '@guard/validator';
import { beforeEach, describe, expect, test } from 'vitest';
import { hashUserAgent } from '../../validator/src/request/user-agent-hash.ts';
import { HOME_IP, visit } from '../kit/visitors/visitors.ts';
import { bodyOf, type Served, serveValidator } from '../spec/serve-validator.ts';
import { openPage, person, post, uploadOf } from './challenged-visitor.ts';

/**
 * Another site of the same domain, or a page over http, sets `_guard` for a visitor of this site (`Domain=`). The value
 * is a session that the attacker got from Guard. Its state is rejected (under the same User-Agent), issued or verified.
 */

const HOUR_MS = 3_600_000;
const session: Session = {
  organisation: 'acme',
  state: 'verified',
  reasons: [],
  userAgentHash: hashUserAgent(person.headers['user-agent'] ?? ''),
  network: '84.115.20.0/24',
  client: '',
  judgedAt: 0,
};
const rejected: Session = { ...session, state: 'rejected', reasons: ['webdriver'] };

let memory: MemoryStore;
let served: Served;
let lookedUpIds: string[];

beforeEach(async () => {
  memory = new MemoryStore(() => served.time.now);
  lookedUpIds = [];
  const store: SessionStore = {
    session(id) {
      lookedUpIds.push(id);
      return memory.session(id);
    },
    keepSession: (id, judged, ttlMs) => memory.keepSession(id, judged, ttlMs),
    spend: (id, ttlMs) => memory.spend(id, ttlMs),
    take: (name, subject, budget) => memory.take(name, subject, budget),
    takeSync: (...args) => memory.takeSync(...args),
    takeInProcess: (...args) => memory.takeInProcess(...args),
    giveBackInProcess: (...args) => memory.giveBackInProcess(...args),
    takeAll: (name, charges) => memory.takeAll(name, charges),
    remember: (...args) => memory.remember(...args),
    remembers: (...args) => memory.remembers(...args),
    close: () => memory.close(),
  };
  served = await serveValidator({
    rules: '[{ name: r, match: {}, detect: true, challenge: always }]',
    store,
  });
});

/** A session that Guard issued. */
const issueSession = async () => (await openPage(served)).session;

async function keepSession(judgedSession: Session): Promise<string> {
  const id = await issueSession();
  memory.keepSession(id, { ...judgedSession, judgedAt: served.time.now }, HOUR_MS);
  return id;
}

/** The answer of Guard to a navigation with these `_guard` cookies, in this order. */
const visitWith = (ids: readonly string[], cookie?: string) =>
  served.ask(
    visit({
      ip: HOME_IP,
      headers: {
        ...person.headers,
        'sec-fetch-mode': 'navigate',
        cookie: ids.map((id) => `_guard=${id}`).join('; '),
      },
      ...(cookie !== undefined && { cookie }),
    }),
  );

describe('a rejected session that was planted', () => {
  test('from another network blocks no visitor: the visitor is challenged, with a new session', async () => {
    const planted = await keepSession({ ...rejected, network: '192.0.2.0/24' });
    const answer = await visitWith([planted]);
    expect(answer.decision).toBe('redirect');
    expect(answer.cookies?.[0]?.value).not.toBe(planted);
  });

  test('still blocks visitors of its own network', async () => {
    const answer = await visitWith([await keepSession(rejected)]);
    expect(answer.decision).toBe('block');
    expect(answer.block_reasons).toContain('webdriver');
  });

  test.each([
    ['before', (planted: string, own: string) => [planted, own]],
    ['behind', (planted: string, own: string) => [own, planted]],
  ])('%s a verified session has no effect, and no cookie is set', async (_where, orderCookies) => {
    const answer = await visitWith(
      orderCookies(await keepSession(rejected), await keepSession(session)),
    );
    expect(answer.decision).toBe('allow');
    expect(answer.cookies ?? []).toEqual([]);
  });

  test('beside an issued session leads to the challenge, and a visitor who answers it passes', async () => {
    const planted = await keepSession(rejected);
    const answer = await visitWith([planted, await issueSession()]);
    expect(answer.decision).toBe('redirect');
    const own = answer.cookies?.[0]?.value ?? '';
    const html = bodyOf(answer);
    const ticket = /data-ticket="([^"]+)"/.exec(html)?.[1] ?? '';
    // The page finds its own session among the cookies that it can read.
    expect(html).toMatch(new RegExp(`data-\\w+="${own}"`));
    const upload = await post(served, uploadOf({ ticket, session: own, reference: '' }));
    expect(upload.body).toBe('{"result":"reload"}');
    expect((await visitWith([planted, own])).decision).toBe('allow');
  });
});

describe('a planted verified session', () => {
  const MINUTE_MS = 60_000;
  const otherNetworkSession = { ...session, network: '192.0.2.0/24' };
  const orders = [
    ['before', (planted: string, own: string) => [planted, own]],
    ['behind', (planted: string, own: string) => [own, planted]],
  ] as const;
  const nameOf = async (ids: readonly string[]) => {
    expect((await visitWith(ids)).decision).toBe('allow');
    return served.events.at(-1)?.session;
  };

  test.each(orders)(
    '%s the visitor’s own session is not used: Guard uses the limits and budgets of the visitor’s own session',
    async (_where, orderCookies) => {
      const [planted, own] = [await keepSession(otherNetworkSession), await keepSession(session)];
      expect(await nameOf(orderCookies(planted, own))).toBe(await nameOf([own]));
      expect(await nameOf([planted])).not.toBe(await nameOf([own]));
    },
  );

  test.each(orders)(
    '%s the visitor’s own session never replaces the own session in the browser',
    async (_where, orderCookies) => {
      const [planted, own] = [await keepSession(otherNetworkSession), await keepSession(session)];
      for (let quarter = 0; quarter < 3; quarter += 1) {
        served.time.now += 15 * MINUTE_MS;
        const answer = await visitWith(orderCookies(planted, own));
        expect([answer.decision, answer.cookies ?? []]).toEqual(['allow', []]);
      }
      // When the planted cookie is absent, the own session gets its next value.
      expect((await visitWith([own])).cookies).toHaveLength(1);
    },
  );

  test('two values of one session are accepted together', async () => {
    const cookie = await keepSession(session);
    served.time.now += 15 * MINUTE_MS;
    const renewedId = (await visitWith([cookie])).cookies?.[0]?.value ?? '';
    expect(await nameOf([renewedId])).toBeDefined();
    served.time.now += 15 * MINUTE_MS;
    const thirdId = (await visitWith([renewedId])).cookies?.[0]?.value ?? '';
    expect(await nameOf([thirdId])).toBeDefined();
    expect((await visitWith([thirdId, renewedId])).decision).toBe('allow');
  });
});

describe('contract 2.1 "cookie", and a Cookie header beside it', () => {
  test('when the field has a rejected session and the header has the visitor’s own session, the visitor passes', async () => {
    const answer = await visitWith([await keepSession(session)], await keepSession(rejected));
    expect(answer.decision).toBe('allow');
  });
});

describe('many planted values', () => {
  test('in front of the visitor’s own session do not hide it, and Guard looks up at most eight', async () => {
    const cookie = await keepSession(session);
    const planted = await Promise.all(Array.from({ length: 30 }, issueSession));
    lookedUpIds.length = 0;
    const answer = await visitWith([...planted, cookie]);
    expect(answer.decision).toBe('allow');
    expect(new Set(lookedUpIds).size).toBeLessThanOrEqual(8);
  });

  test('that only the server can read (HttpOnly) do not stop the page from answering', async () => {
    const planted = await issueSession();
    const answer = await visitWith([planted]);
    const ticket = /data-ticket="([^"]+)"/.exec(bodyOf(answer))?.[1] ?? '';
    const upload = uploadOf({ ticket, session: '', reference: '' });
    const uploadAnswer = await post(served, upload, { cookie: `_guard=${planted}` });
    expect(uploadAnswer.body).toBe('{"result":"reload"}');
  });
});
