import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningProgram, startProgram } from './example-program.ts';
import {
  BEHAVIOURS,
  type Behaviour,
  COOKIE_PARTS,
  type FakeValidator,
  pathOf,
  startFakeValidator,
} from './example-validator.ts';
import { type Answer, poll, send } from '../http.ts';
import { CHROME_UA, chromeHttp, curl } from '../visitors/visitors.ts';

/**
 * An application that asks the validator about each request. It prints its address, and shows its page on every path.
 */
export interface ExampleApp {
  /** Starts only the application. It reads GUARD_VALIDATE_URL, GUARD_SECRET_KEY and PORT. */
  readonly alone: readonly [string, ...string[]];
  /** Starts Guard and the application by their one command. */
  readonly withGuard: readonly [string, ...string[]];
  /** Further tests of the application with Guard. They get the address of the application. */
  readonly more?: (url: () => string) => void;
}

export const ADDRESS = /http:\/\/127\.0\.0\.1:\d+/;
const PASSED_PAGE = '<title>The protected page</title>';
const DENIED_TEXT = 'Request denied.\n';
const SECRET_KEY = 'sk_example_9c1d7e3b5a2f';

/**
 * The tests of an application in any language: contract 4.1 and 7.1. They repeat a request, because on a busy machine
 * an application can reach its time limit.
 */
export function describeExampleApp({ alone, withGuard, more }: ExampleApp): void {
  describe('with a validator that has each kind of behaviour', () => {
    let validator: FakeValidator;
    let program: RunningProgram;
    let url = '';
    beforeAll(async () => {
      validator = await startFakeValidator();
      const env = { GUARD_VALIDATE_URL: validator.url, GUARD_SECRET_KEY: SECRET_KEY };
      program = start(alone, env);
      [url] = await program.says(ADDRESS);
    });
    afterAll(async () => {
      await program.stop();
      await validator.close();
    });

    test.each(BEHAVIOURS)(
      'contract 4.1, 7.1: a validator that $name',
      async ({ name, enforced }) => {
        const { status, body } = await poll(
          () => send(url + pathOf(name)),
          (answer) => enforcedBy(answer) === enforced.kind,
        );
        if (enforced.kind === 'passes') expect([status, body]).toEqual([200, appPageOf(body)]);
        else expect([status, body]).toEqual([enforced.status, enforced.body ?? DENIED_TEXT]);
      },
    );

    test('contract 2.1, 5: the question has the request unchanged, with its headers in order', async () => {
      const headers = withoutHost(chromeHttp);
      const { key, question } = await poll(
        async () => {
          const sentHeaders = { ...headers, referer: 'https://r.example/' };
          await send(`${url}/login?q=1`, { headers: sentHeaders });
          return validator.asked.at(-1) ?? { key: undefined, question: {} };
        },
        (visit) => visit.question['referrer'] !== undefined,
      );
      expect(key).toBe(SECRET_KEY);
      expect(question).toMatchObject({
        url: `${url}/login?q=1`,
        ip: '127.0.0.1',
        method: 'GET',
        referrer: 'https://r.example/',
        headers: { 'user-agent': CHROME_UA },
      });
      const describedHeaders = Object.keys(question['headers'] ?? {});
      const expectedHeaders = [...Object.keys(headers), 'referer'];
      expect(describedHeaders.filter((name) => name !== 'host')).toEqual(expectedHeaders);
    });

    test.each([
      ['challenges', 'no-store'],
      ['allows', 'private'],
    ])(
      'contract 4.1 rule 2: the visitor gets the headers and cookies of a validator that %s',
      async (name, cache) => {
        const { headers } = await poll(
          () => send(url + pathOf(name)),
          (answer) => answer.headers['x-policy'] !== undefined,
        );
        const [cookie = '', ...attributes] = headers['set-cookie']?.[0]?.split('; ') ?? [];
        expect([cookie, ...attributes.toSorted()]).toEqual(['_guard=f662c344', ...COOKIE_PARTS]);
        expect(headers['x-policy']).toBe('yes');
        expect(headers['x-injected']).toBeUndefined();
        expect(headers['cache-control']).toBe(cache);
        expect(headers['content-type']).toBe('text/html; charset=utf-8');
      },
    );

    test('contract 4.1 rule 5: a limited visitor gets Retry-After', async () => {
      const { headers } = await poll(
        () => send(url + pathOf('limits')),
        ({ status }) => status === 429,
      );
      expect(headers).toMatchObject({ 'retry-after': '17', 'cache-control': 'no-store' });
    });

    test('RFC 9110 9.3.2: HEAD gets a denied answer without a body', async () => {
      const { status, body } = await poll(
        () => send(url + pathOf('challenges'), { method: 'HEAD' }),
        (answer) => answer.status === 403,
      );
      expect([status, body]).toEqual([403, '']);
    });
  });

  describe('with Guard', () => {
    let program: RunningProgram;
    let url = '';
    beforeAll(async () => {
      program = start(withGuard);
      [url] = await program.says(ADDRESS);
    });
    afterAll(() => program.stop());

    test('contract 3: a script gets the challenge page, with its policy and its cookie', async () => {
      const headers = withoutHost(curl);
      const answer = await poll(
        () => send(url, { headers }),
        ({ status }) => status === 403,
      );
      expect(answer.status).toBe(403);
      expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(answer.headers['content-security-policy']).toMatch(/script-src 'nonce-/);
      expect(answer.headers['set-cookie']?.[0]).toMatch(/^_guard=[0-9a-f-]{36}; /);
      expect(answer.body).not.toContain(PASSED_PAGE);
    });

    more?.(() => url);
  });
}

/** Header fields of a visitor, without those of the host. */
export function withoutHost(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'host'));
}

function start(
  [command, ...args]: readonly [string, ...string[]],
  env: Readonly<Record<string, string>> = {},
): RunningProgram {
  return startProgram(command, args, { ...env, PORT: '0' });
}

function enforcedBy({ status, body }: Answer): Behaviour['enforced']['kind'] {
  return status === 200 && body.includes(PASSED_PAGE) ? 'passes' : 'answered';
}

/** Returns the body if it is the page of the application. */
function appPageOf(body: string): string {
  return body.includes(PASSED_PAGE) ? body : PASSED_PAGE;
}
