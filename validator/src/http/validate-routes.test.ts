import { createHash } from 'node:crypto';
import { ValidateResponse } from '@guard/config/contract/validate-response';
import fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestValidator, validatorWith } from '../../../test/kit/validator.ts';
import { curl } from '../../../test/kit/visitors.ts';

const KEY = 'sk_contract_test_key_1234';
const HEALTH_KEY = 'sk_contract_health_key_5678';
const EXPIRED_KEY = 'sk_contract_expired_key_9012';
const HEALTH_TOKEN = 'token_of_our_own_monitoring';
const JSON_TYPE = { 'content-type': 'application/json' };

let ready = true;
let app: FastifyInstance;
let url: string;
let tested: TestValidator;

beforeAll(async () => {
  tested = validatorWith('[{ name: everybody, match: {}, detect: true }]', {
    isReady: () => ready,
    healthToken: createHash('sha256').update(HEALTH_TOKEN).digest(),
    organisation: {
      secret_keys: [
        { id: 'backend', key: KEY },
        { id: 'monitor', key: HEALTH_KEY, health: true },
        { id: 'old', key: EXPIRED_KEY, health: true, expires: '2026-11-20' },
      ],
    },
  });
  app = fastify();
  await app.register(tested.validator.validateRoutes);
  url = await app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => app.close());

function post(body: string, headers: Record<string, string> = { 'x-api-key': KEY }) {
  return fetch(`${url}/validate`, { method: 'POST', body, headers: { ...JSON_TYPE, ...headers } });
}

const good = { url: 'https://shop.example/', ip: '192.0.2.1' };

describe('POST /validate (spec 4.1)', () => {
  test('a valid request is answered 200 with the schema of 2.2', async () => {
    const response = await post(JSON.stringify({ ...good, headers: curl }));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain('application/json');
    const answer = ValidateResponse.parse(await response.json());
    expect(answer).toMatchObject({ decision: 'redirect', status_code: 403 });
  });

  test("the challenge of an API caller's visitor uploads to the collector host", async () => {
    const answer = ValidateResponse.parse(
      await (await post(JSON.stringify({ ...good, headers: curl }))).json(),
    );
    const page = Buffer.from(answer.response_html ?? '', 'base64').toString('utf8');
    expect(page).toContain('https://collector.example/verify');
    expect(answer.headers?.['Content-Security-Policy']).toContain('https://collector.example');
  });

  test('the event says that it came over the API', () => {
    expect(tested.events.at(-1)).toMatchObject({ validator: 'api', site: '' });
  });

  test('the body is JSON whatever its content type says', async () => {
    const headers = { 'x-api-key': KEY, 'content-type': 'text/plain' };
    expect((await post(JSON.stringify(good), headers)).status).toBe(200);
  });
});

describe('the errors of /validate (spec 7.1, body of 2.5)', () => {
  test.each([
    ['nonsense', 400, 'invalid_request'],
    ['', 400, 'invalid_request'],
    ['[]', 400, 'invalid_request'],
    ['{"ip":"192.0.2.1"}', 400, 'missing_fields'],
    ['{"url":"https://shop.example/"}', 400, 'missing_fields'],
    ['{"url":"ftp://shop.example/","ip":"192.0.2.1"}', 400, 'invalid_request'],
    ['{"url":"https://shop.example/","ip":"192.0.2.1, 192.0.2.2"}', 400, 'invalid_ip'],
    ['{"url":"https://shop.example/","ip":"192.0.2.1:443"}', 400, 'invalid_ip'],
    ['{"url":"https://shop.example/","ip":"192.0.2.0/24"}', 400, 'invalid_ip'],
    ['{"url":"https://shop.example/","ip":"0x7f.1"}', 400, 'invalid_ip'],
    ['{"url":"https://shop.example/","ip":"shop.example"}', 400, 'invalid_ip'],
  ])('%s is answered %i %s', async (body, status, type) => {
    const response = await post(body);
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({
      success: false,
      error: { type, message: expect.any(String) as unknown },
    });
  });

  test.each([
    ['no key', {}, 'missing_api_key'],
    ['an empty key', { 'x-api-key': '' }, 'missing_api_key'],
    ['a wrong key', { 'x-api-key': 'sk_wrong_wrong_wrong' }, 'invalid_api_key'],
    ['an expired key', { 'x-api-key': EXPIRED_KEY }, 'invalid_api_key'],
  ])('%s is answered 401, before the body is looked at', async (_what, headers, type) => {
    const response = await post('nonsense', headers);
    expect(response.status).toBe(401);
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({ success: false, error: { type } });
    expect(text).not.toContain('sk_wrong');
  });

  test('a body above 256 KiB is invalid_request, not a status of its own', async () => {
    const body = JSON.stringify({ ...good, headers: { a: 'a'.repeat(300 * 1024) } });
    const response = await post(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { type: 'invalid_request' } });
  });

  test('a v4-mapped address and an IPv6 zone are one address', async () => {
    for (const ip of ['::ffff:192.0.2.1', 'fe80::1%eth0', '2001:DB8::1']) {
      expect((await post(JSON.stringify({ ...good, ip }))).status, ip).toBe(200);
    }
    expect(tested.events.at(-1)?.ip).toBe('2001:db8::1');
    expect(tested.events.at(-3)?.ip).toBe('192.0.2.1');
  });
});

describe('GET /health (spec 2.6, 4.2, 5, 7.5)', () => {
  const health = (headers: Record<string, string>) => fetch(`${url}/health`, { headers });

  test('a health-authorised customer key sees the status and no version', async () => {
    const response = await health({ 'x-api-key': HEALTH_KEY });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ status: 'ok' });
  });

  test('our own monitoring sees guard_stack_version', async () => {
    const response = await health({ 'x-health-check-token': HEALTH_TOKEN });
    expect(await response.json()).toEqual({
      status: 'ok',
      guard_stack_version: expect.any(String) as unknown,
    });
  });

  test.each([
    ['nobody', {}],
    ['a key that is not health-authorised', { 'x-api-key': KEY }],
    ['an expired key', { 'x-api-key': EXPIRED_KEY }],
    ['a wrong token', { 'x-health-check-token': 'token_of_somebody_else' }],
  ])('%s gets 403 with an empty body', async (_who, headers) => {
    const response = await health(headers);
    expect(response.status).toBe(403);
    expect(await response.text()).toBe('');
  });

  test('authorised and not ready is 503 with an empty body; a stranger still gets 403', async () => {
    ready = false;
    const response = await health({ 'x-api-key': HEALTH_KEY });
    expect(response.status).toBe(503);
    expect(await response.text()).toBe('');
    expect((await health({})).status).toBe(403);
    ready = true;
  });
});
