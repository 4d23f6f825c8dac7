import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ValidateOutcome } from '@guard/config/contract/ports';
import { ask, PROXY_REQUESTS, VISITOR } from '../../../test/kit/peers/asking-proxies.ts';
import { fieldsOf } from '../../../test/kit/peers/envoy-client.ts';
import { CHECKED_HEADERS, LOGIN, startExtAuthz, withHeaders } from '../testing/ext-authz-rig.ts';
import { allow, validateWith, GUARD_COOKIE, encodeHtml } from '../testing/gateway-rig.ts';

/** Envoy's ext_authz over gRPC, asked through a real connection by a client with Envoy's official messages. */

const block = validateWith({
  decision: 'block',
  status_code: 451,
  response_html: encodeHtml('<p>nö</p>'),
});

describe('a question of Envoy over gRPC', () => {
  test('asks the validator the same question as a check over HTTP', async () => {
    const { forwardAuthUrl, envoy, questions, counterValue } = await startExtAuthz();
    const answer = await envoy.check(LOGIN);
    expect(answer.status.code).toBe(0);
    const [, overHttp] = PROXY_REQUESTS.find(([name]) => name === 'envoy') ?? [];
    if (overHttp === undefined) throw new Error('no question in the form of envoy');
    await ask(forwardAuthUrl, { ...overHttp, headers: { ...overHttp.headers } });
    const [one, other] = questions.map(({ headers: sent, ...rest }) => {
      // Fields of the connection that carried the question over HTTP.
      const ownNames = new Set(['connection', 'content-length']);
      return {
        ...rest,
        headers: Object.entries(sent ?? {})
          .filter(([name]) => !ownNames.has(name))
          .toSorted(),
      };
    });
    expect(one).toEqual(other);
    expect(questions[0]).toMatchObject({
      url: 'https://shop.example/login?a=1',
      method: 'POST',
      ip: VISITOR,
    });
    expect(counterValue('guard_forward_auth_requests_total', 'passed')).toBe(2);
  });

  test('is also read from raw headers, with repeated names and values in bytes', async () => {
    const { envoy, questions } = await startExtAuthz();
    const raw = [
      ...Object.entries(CHECKED_HEADERS),
      ['cookie', 'a=1'],
      ['cookie', 'b=2'],
      ['accept', 'text/html'],
      ['accept', '*/*'],
      // Every JavaScript object has this property.
      ['constructor', 'c'],
      ['__proto__', 'p'],
    ].map(([key = '', value = '']) => ({ key, raw_value: Buffer.from(value) }));
    raw.push({ key: 'x-bytes', raw_value: Buffer.from([0xe9]) });
    await envoy.check({ ...LOGIN, headers: {}, header_map: { headers: raw } });
    expect(questions[0]?.headers).toMatchObject({
      cookie: 'a=1; b=2',
      accept: 'text/html, */*',
      'x-bytes': 'é',
      'user-agent': 'Browser/1',
      constructor: 'c',
    });
  });

  test('finds the visitor’s address in X-Forwarded-For: the first untrusted address from the right', async () => {
    const { envoy, questions } = await startExtAuthz({
      trustedProxies: ['127.0.0.1', '10.0.0.0/8'],
    });
    await envoy.check(withHeaders({ 'x-forwarded-for': `192.0.2.1, ${VISITOR}, 10.1.1.1` }));
    expect(questions[0]?.ip).toBe(VISITOR);
  });

  test('that passes sets X-Guard-* for the origin, and removes the visitor’s own X-Guard-* fields', async () => {
    const { envoy } = await startExtAuthz({ skip: ['/assets/**'] });
    const { ok_response: ok } = await envoy.check(LOGIN);
    expect(fieldsOf(ok?.headers)).toMatchObject({ 'x-guard-decision': 'allow' });
    expect(ok?.headers.map(({ append_action: action }) => action)).not.toContain(
      'APPEND_IF_EXISTS_OR_ADD',
    );
    expect(ok?.headers_to_remove).toEqual(['x-guard-session', 'x-guard-crawler', 'x-guard-answer']);
    const skippedCheck = await envoy.check({ ...LOGIN, path: '/assets/shop.css' });
    expect(fieldsOf(skippedCheck.ok_response?.headers)).toEqual({
      'x-guard-decision': 'not_matched',
    });
    expect(skippedCheck.ok_response?.headers_to_remove).toContain('x-guard-request-id');
  });

  test('passes on cookies and headers of an allow (contract 4.1 rule 2)', async () => {
    const { envoy } = await startExtAuthz({
      validate: validateWith({ cookies: [GUARD_COOKIE], headers: { 'Accept-CH': 'Sec-CH-UA' } }),
    });
    const { ok_response: ok } = await envoy.check(LOGIN);
    const fieldsForVisitor = ok?.response_headers_to_add.map(
      ({ header, append_action: action }) => `${header.key}: ${header.value} (${action})`,
    );
    expect(fieldsForVisitor).toEqual([
      'accept-ch: Sec-CH-UA (OVERWRITE_IF_EXISTS_OR_ADD)',
      'set-cookie: _guard=v; Path=/; Max-Age=60; SameSite=Lax (APPEND_IF_EXISTS_OR_ADD)',
      'cache-control: private (APPEND_IF_EXISTS_OR_ADD)',
    ]);
  });
});

describe('a denied question', () => {
  test('is answered with status, headers, cookies and page', async () => {
    const cookies = ['a', 'b'].map((name) => ({ ...GUARD_COOKIE, name }));
    const { envoy, counterValue } = await startExtAuthz({
      validate: validateWith({
        decision: 'block',
        status_code: 451,
        response_html: encodeHtml('<p>nö</p>'),
        cookies,
      }),
    });
    const { status, denied_response: denied } = await envoy.check(LOGIN);
    expect(status.code).toBe(7);
    expect([denied?.status.code, denied?.body]).toEqual([451, '<p>nö</p>']);
    expect(fieldsOf(denied?.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
    });
    const appendedFields = denied?.headers.filter(
      ({ append_action: action }) => action === 'APPEND_IF_EXISTS_OR_ADD',
    );
    expect(appendedFields?.map(({ header }) => header.key)).toEqual(['set-cookie', 'set-cookie']);
    expect(counterValue('guard_forward_auth_requests_total', 'denied')).toBe(1);
  });

  test.each([
    [200, 'OK'],
    [503, 'ServiceUnavailable'],
  ])('keeps its status %d, because Envoy denies with every status', async (code, statusName) => {
    const { envoy } = await startExtAuthz({
      validate: validateWith({
        decision: 'block',
        status_code: code,
        response_html: encodeHtml('no'),
      }),
    });
    const { status, denied_response: denied } = await envoy.check(LOGIN);
    expect([status.code, denied?.status.code]).toEqual([7, statusName]);
  });

  test('with a body that is not text gets a short text, because Envoy would treat it as a failure', async () => {
    const bytes = Buffer.from([0xff, 0xfe]).toString('base64');
    const { envoy } = await startExtAuthz({
      validate: validateWith({ decision: 'block', response_html: bytes }),
    });
    expect((await envoy.check(LOGIN)).denied_response?.body).toBe('Request denied.\n');
  });
});

describe('the fail policy is the same as in the front proxy (contract 7.1)', () => {
  const timeout: ValidateOutcome = { kind: 'failed', reason: 'timeout', detail: '' };
  const rejection: ValidateOutcome = { kind: 'rejected', status: 400, type: 'invalid_ip' };
  test.each([
    ['no answer opens', { validate: () => timeout }, 'fail_open'],
    ['a 4xx closes', { validate: () => rejection }, undefined],
    ['observe enforces nothing', { validate: block, observe: true }, 'observe'],
    [
      'a late answer is an answer',
      { validate: () => Promise.resolve(allow({ url: '', ip: '' }, {})) },
      'allow',
    ],
  ])('%s', async (_what, options, decision) => {
    const { envoy } = await startExtAuthz(options);
    const { ok_response: ok } = await envoy.check(LOGIN);
    expect(fieldsOf(ok?.headers)['x-guard-decision']).toBe(decision);
  });
});

test('a gateway that closes answers the questions under way', async () => {
  const questionAsked = Promise.withResolvers<unknown>();
  const answerReleased = Promise.withResolvers<unknown>();
  const { envoy, gateway } = await startExtAuthz({
    validate: async (request, context) => {
      questionAsked.resolve(undefined);
      await answerReleased.promise;
      return allow(request, context);
    },
    limits: { askTimeoutMs: 5_000 },
  });
  const answer = envoy.check(LOGIN);
  await questionAsked.promise;
  const gatewayClosed = gateway.close();
  answerReleased.resolve(undefined);
  expect((await answer).status.code).toBe(0);
  await gatewayClosed;
});

test('only a gateway that listens for Envoy loads the library', () => {
  const index = join(import.meta.dirname, '../index.ts');
  const isLoaded = (module: string) =>
    execFileSync(
      process.execPath,
      [
        '--disable-warning=ExperimentalWarning',
        '-e',
        `import(${JSON.stringify(module)}).then(() => {
          console.log(Object.keys(require.cache).some((file) => file.includes('grpc-js')));
        });`,
      ],
      { encoding: 'utf8' },
    );
  expect(isLoaded(index)).toBe('false\n');
  expect(isLoaded(join(import.meta.dirname, 'server.ts'))).toBe('true\n');
});
