import type { ValidateResponse } from '@guard/config/contract/validate-response';
import { MemoryStore } from '@guard/validator';
import { beforeEach, describe, expect, test } from 'vitest';
import { isFirst, isLater } from '../../validator/src/session/session-value.ts';
import { type Served, serveValidator } from '../spec/serve-validator.ts';
import { visit } from '../kit/visitors/visitors.ts';
import { openPage, person, post, uploadOf } from './challenged-visitor.ts';

const MINUTE_MS = 60_000;
const RULES = `[
  { name: everyone, match: {}, detect: true, challenge: always },
  { name: budget, match: { path: /counted/** }, rate_limit: { requests: 3, per: 24h, by: session } },
]`;

let served: Served;

beforeEach(async () => {
  served = await serveValidator({ rules: RULES });
});

const pass = (): Promise<string> => passChallenge(served);

async function passChallenge(to: Served, cookie?: string): Promise<string> {
  const page = await openPage(to, cookie === undefined ? {} : { cookie });
  expect((await post(to, uploadOf(page))).body).toBe('{"result":"reload"}');
  return page.session;
}

const PAGE = { ...person.headers, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

function ask(
  cookie: string,
  { path = '/', ...fields }: Readonly<Record<string, string>> = {},
): Promise<ValidateResponse> {
  const headers = { ...PAGE, ...fields };
  return served.ask(visit({ url: `https://shop.example${path}`, headers, cookie }));
}

/** The session value in the cookie of an answer. */
const cookieOf = ({ cookies = [] }: ValidateResponse) => cookies[0]?.value ?? '';
const lastEvent = () => served.events.at(-1);

/** The session value that a page gets 15 minutes later. */
async function renew(cookie: string): Promise<string> {
  served.time.now += 15 * MINUTE_MS;
  const answer = await ask(cookie);
  expect(answer.decision).toBe('allow');
  return cookieOf(answer);
}

describe('a session that passed', () => {
  test('gets a new value every 15 minutes, with a page, and stays one session for events and budgets', async () => {
    let cookie = await pass();
    const values = new Set([cookie]);
    for (let quarter = 0; quarter < 20; quarter += 1) {
      cookie = await renew(cookie);
      values.add(cookie);
      const answer = await ask(cookie, { path: '/counted/x' });
      expect(answer.rate_limited, `quarter ${quarter}`).toBe(quarter < 3 ? undefined : true);
      expect(answer.cookies ?? []).toEqual([]);
    }
    expect(values.size).toBe(21);
    expect(new Set(served.events.map(({ session }) => session)).size).toBe(1);
    expect(lastEvent()?.sessionSent).toBe(lastEvent()?.session);
  });

  test('gets no new value with data, pictures and frames, and no second new value within 15 minutes', async () => {
    const cookie = await pass();
    expect(cookieOf(await ask(cookie))).toBe('');
    served.time.now += 15 * MINUTE_MS;
    for (const destination of ['empty', 'image', 'script', 'worker', 'iframe']) {
      const answer = await ask(cookie, { 'sec-fetch-dest': destination, 'sec-fetch-mode': 'cors' });
      expect([destination, answer.decision, cookieOf(answer)]).toEqual([destination, 'allow', '']);
    }
    const [one, other] = [await ask(cookie), await ask(cookie)];
    // The tabs of one browser get the same value.
    expect(cookieOf(one)).not.toBe('');
    expect(cookieOf(one)).toBe(cookieOf(other));
  });

  test('ends after 24 hours, also where the caller sets no cookies on allow', async () => {
    const cookie = await pass();
    for (let quarter = 1; quarter < 96; quarter += 1) expect(await renew(cookie)).not.toBe('');
    served.time.now += 15 * MINUTE_MS + 1;
    expect((await ask(cookie)).decision).toBe('redirect');
  });

  test('can use its old value for one minute after the new value came, because requests can be under way', async () => {
    const oldValue = await pass();
    const newValue = await renew(oldValue);
    served.time.now += 10 * MINUTE_MS;
    expect((await ask(oldValue)).decision).toBe('allow');
    expect((await ask(newValue)).decision).toBe('allow');
    served.time.now += MINUTE_MS;
    expect((await ask(oldValue)).decision).toBe('allow');
    expect((await ask(newValue)).decision).toBe('allow');
  });
});

test('instances with a clock difference of one minute never give an older value, and end no session', async () => {
  const store = new MemoryStore(() => served.time.now);
  const instances = await Promise.all(
    [-30_000, 30_000].map(async (skewMs) => ({
      skewMs,
      served: await serveValidator({ rules: RULES, store }),
    })),
  );
  const start = served.time.now;
  const setClocks = (atMs: number) => {
    served.time.now = start + atMs;
    for (const instance of instances) instance.served.time.now = start + atMs + instance.skewMs;
  };
  for (const [first, second] of [instances, [...instances].reverse()]) {
    if (first === undefined || second === undefined) throw new Error('two instances');
    setClocks(0);
    let cookie = await passChallenge(first.served);
    // Two pages at once, one from each instance. The next two pages come before or after the end of a quarter of an
    // hour.
    for (let atMs = 0; atMs < 2 * 60 * MINUTE_MS; atMs += 80_000) {
      setClocks(atMs);
      for (const { served: instance } of [second, first]) {
        const answer = await instance.ask(visit({ headers: PAGE, cookie }));
        expect([atMs, answer.decision, answer.block_reasons]).toEqual([atMs, 'allow', undefined]);
        const newValue = cookieOf(answer);
        if (newValue !== '') {
          expect(isLater(newValue, cookie)).toBe(true);
          cookie = newValue;
        }
      }
    }
    expect(isFirst(cookie)).toBe(false);
  }
});

describe('two clients that share a session', () => {
  test('are found when one client sends the old value: both have to pass again, and neither is blocked', async () => {
    const oldValue = await pass();
    const newValue = await renew(oldValue);
    await ask(newValue);
    served.time.now += MINUTE_MS + 1;
    expect((await ask(newValue)).decision).toBe('allow');
    const first = await ask(oldValue);
    expect(first.decision).toBe('redirect');
    expect(first.block_reasons).toContain('session_shared');
    expect(lastEvent()).toMatchObject({ action: 'challenge', challenge: 'issued' });
    const second = await ask(newValue);
    expect(second.decision).toBe('redirect');
    expect(second.block_reasons).toContain('session_shared');
    // Each client gets its own session.
    const values = [cookieOf(first), cookieOf(second)].map((value) => value.slice(0, 18));
    expect(new Set([...values, oldValue.slice(0, 18)]).size).toBe(3);
    const own = await passChallenge(served, oldValue);
    expect((await ask(own)).decision).toBe('allow');
    for (const value of [oldValue, newValue]) expect((await ask(value)).decision).toBe('redirect');
  });

  test('cannot write a later time into the value of the session', async () => {
    const oldValue = await pass();
    const newValue = await renew(oldValue);
    await ask(newValue);
    served.time.now += 16 * MINUTE_MS;
    for (let step = 0; step < 0x2000; step += 61) {
      const group = (0xa000 | step).toString(16);
      const forgedValue = `${oldValue.slice(0, 19)}${group}-${oldValue.slice(24)}`;
      expect((await ask(forgedValue)).decision).toBe('redirect');
    }
    expect((await ask(newValue)).decision).toBe('allow');
  });

  test('are not found when an old value comes together with the new value', async () => {
    const oldValue = await pass();
    const newValue = await renew(oldValue);
    await ask(newValue);
    served.time.now += 2 * MINUTE_MS;
    const visitBoth = (values: readonly string[]) =>
      served.ask(
        visit({ headers: { ...PAGE, cookie: values.map((id) => `_guard=${id}`).join('; ') } }),
      );
    expect((await visitBoth([oldValue, newValue])).decision).toBe('allow');
    expect((await visitBoth([newValue, oldValue])).decision).toBe('allow');
    expect((await ask(newValue)).decision).toBe('allow');
  });

  test('not prevented: two clients that take each new value within one minute of each other', async () => {
    let cookie = await pass();
    for (let quarter = 0; quarter < 8; quarter += 1) {
      await ask(await renew(cookie));
      served.time.now += MINUTE_MS / 2;
      const other = await ask(cookie);
      expect(other.decision).toBe('allow');
      cookie = cookieOf(other);
    }
  });
});

test('a client that passes again with a later value keeps this value, and the earlier values end after one minute', async () => {
  const oldValue = await pass();
  const newValue = await renew(oldValue);
  await ask(newValue);
  served.time.now += 30_000;
  const otherHeaders = { ...PAGE, 'accept-encoding': 'gzip', 'upgrade-insecure-requests': '1' };
  const challenge = await served.ask(visit({ headers: otherHeaders, cookie: newValue }));
  expect(challenge.block_reasons).toContain('session_of_another');
  const ticket = /data-ticket="([^"]+)"/.exec(
    Buffer.from(challenge.response_html ?? '', 'base64').toString(),
  )?.[1];
  const upload = uploadOf({ ticket: ticket ?? '', session: newValue, reference: '' });
  expect((await post(served, upload)).body).toBe('{"result":"reload"}');
  const passAgain = (cookie: string) => served.ask(visit({ headers: otherHeaders, cookie }));
  expect((await passAgain(newValue)).decision).toBe('allow');
  served.time.now += MINUTE_MS + 1;
  expect((await passAgain(oldValue)).block_reasons).toContain('session_shared');
});
