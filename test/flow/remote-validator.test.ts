import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectAsEnvoy, fieldsOf } from '../kit/peers/envoy-client.ts';
import { poll, send } from '../kit/http.ts';
import {
  ORIGIN_PAGE,
  type RecordingOrigin,
  startRecordingOrigin,
} from '../kit/origins/recording-origin.ts';
import { serve } from '../kit/serve.ts';
import { rowsOf } from '../kit/product/sql.ts';
import { type Product, startProduct } from '../kit/product/start-product.ts';
import { SECRET_KEY, productSettings } from '../kit/product/product-settings.ts';

/** The function with which the remote validator answers each question. A test sets it. */
let answerQuestion: (response: ServerResponse) => void = () => undefined;
const receivedKeys: (string | string[] | undefined)[] = [];
const ANY_PORT = '127.0.0.1:0';

let origin: RecordingOrigin;
let product: Product;

beforeAll(async () => {
  const url = await serve((request, response) => {
    receivedKeys.push(request.headers['x-api-key']);
    request.resume();
    request.on('end', () => answerQuestion(response));
  }, afterAll);
  origin = await startRecordingOrigin();
  const remote = { url, key: SECRET_KEY, timeout: '500ms' };
  const settings = productSettings(origin.url, { site: { validator: remote } });
  const listen = {
    gateway: ANY_PORT,
    forward_auth: ANY_PORT,
    ext_authz: ANY_PORT,
    api: ANY_PORT,
    admin: ANY_PORT,
  };
  product = await startProduct({ ...settings, listen });
});
afterAll(async () => {
  await product.stop();
  await origin.close();
});

function answerWith(status: number, body: unknown) {
  return (response: ServerResponse) => {
    response.statusCode = status;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(body));
  };
}
const error = (type: string) => ({ success: false, error: { type, message: 'no' } });

const cases = [
  { name: 'hangs', how: () => undefined, result: 'open' },
  { name: 'answers 500', how: answerWith(500, error('internal_server_error')), result: 'open' },
  { name: 'answers 503', how: answerWith(503, error('validation_timeout')), result: 'open' },
  { name: 'answers 400', how: answerWith(400, error('invalid_ip')), result: 'closed' },
  { name: 'answers 401', how: answerWith(401, error('invalid_api_key')), result: 'closed' },
  { name: 'answers 409', how: answerWith(409, error('conflict')), result: 'closed' },
  { name: 'answers success false', how: answerWith(200, error('whatever')), result: 'open' },
  { name: 'answers nonsense', how: answerWith(200, 'nonsense'), result: 'open' },
] as const;

const pathOf = (name: string) => `/${name.replaceAll(' ', '-')}`;

describe('a gateway with a remote validator', () => {
  // On a machine that stands still for half a second every validator is late (contract 8). So a case may run twice.
  test.each(cases)(
    'fails $result when the validator $name',
    { retry: 1 },
    async ({ name, how, result }) => {
      answerQuestion = how;
      const path = pathOf(name);
      const arrivedBefore = origin.arrivals.length;
      const answer = await send(`${product.addresses.gateway}${path}`);
      const hasArrived = origin.arrivals.slice(arrivedBefore).some(({ url }) => url === path);
      expect({ status: answer.status, arrived: hasArrived }).toEqual(
        result === 'open' ? { status: 200, arrived: true } : { status: 403, arrived: false },
      );
      expect(answer.body === ORIGIN_PAGE).toBe(result === 'open');
    },
  );

  test('records an event with the decision `none` for each answer that is not usable', async () => {
    const statement = `SELECT path, argMax(action, created_at) AS last_action
      FROM events_distributed WHERE decision = 'none' GROUP BY path ORDER BY min(created_at)`;
    const rows = await poll(
      () => rowsOf<{ path: string; last_action: string }>(product, statement),
      (found) => found.length === cases.length,
    );
    expect(rows).toEqual(
      cases.map(({ name, result }) => ({
        path: pathOf(name),
        last_action: result === 'open' ? 'allow' : 'block',
      })),
    );
  });

  test('enforces a usable answer, and sends the key of the settings', async () => {
    answerQuestion = answerWith(200, {
      success: true,
      decision: 'block',
      status_code: 451,
      headers: { 'Content-Type': 'text/plain', 'X-From': 'validator' },
      response_html: Buffer.from('Not for you').toString('base64'),
    });
    const answer = await send(`${product.addresses.gateway}/blocked`);
    expect(answer).toMatchObject({ status: 451, body: 'Not for you' });
    expect(answer.headers['x-from']).toBe('validator');
    expect(new Set(receivedKeys)).toEqual(new Set([SECRET_KEY]));
    expect(product.log()).not.toContain(SECRET_KEY);
  });

  test.each([
    ['no answer: fails open', () => undefined, 204, 'fail_open'],
    ['500: fails open', answerWith(500, error('internal_server_error')), 204, 'fail_open'],
    ['400: fails closed', answerWith(400, error('invalid_ip')), 403, undefined],
  ])('is also asked in forward-auth mode (%s)', async (_name, way, status, decision) => {
    answerQuestion = way;
    const answer = await send(`${product.addresses.forward_auth}/check/caddy`, {
      headers: {
        'X-Forwarded-For': '203.0.113.7',
        'X-Forwarded-Method': 'GET',
        'X-Forwarded-Proto': 'http',
        'X-Forwarded-Host': 'shop.example',
        'X-Forwarded-Uri': '/asked',
      },
    });
    expect([answer.status, answer.headers['x-guard-decision']]).toEqual([status, decision]);

    const envoy = connectAsEnvoy(product.addresses.ext_authz);
    try {
      const { status: result, ok_response: ok } = await envoy.check({
        method: 'GET',
        host: 'shop.example',
        path: '/asked',
        headers: { 'x-forwarded-for': '203.0.113.7', 'x-forwarded-proto': 'http' },
      });
      expect(result.code).toBe(status === 204 ? 0 : 7);
      expect(fieldsOf(ok?.headers)['x-guard-decision']).toBe(decision);
    } finally {
      envoy.close();
    }
  });

  test('asks a silent validator no more until it answers again, fails open in the meantime, and logs both changes', async () => {
    answerQuestion = () => undefined;
    let visitors = 0;
    /** Each visit comes from a new network. */
    const visit = () => {
      const headers = { 'x-forwarded-for': `203.0.${visitors++}.7` };
      return send(`${product.addresses.gateway}/silent`, { headers });
    };
    const page = async () => (await send(`${product.addresses.admin}/metrics`)).body;
    const visitAndReadMetrics = async () => {
      await visit();
      return page();
    };
    const isAway = (text: string) => text.includes('guard_gateway_validators_away 1\n');
    await poll(visitAndReadMetrics, isAway);

    const countBefore = receivedKeys.length;
    expect((await visit()).body).toBe(ORIGIN_PAGE);
    expect(receivedKeys.length).toBe(countBefore);
    expect(await page()).toContain('guard_gateway_fail_open_total{reason="breaker_open"} 1\n');
    expect(product.log()).toContain('validator_breaker_opened');

    answerQuestion = answerWith(200, { success: true, decision: 'block', status_code: 451 });
    await poll(visit, ({ status }) => status === 451);
    expect(await page()).toContain('guard_gateway_validators_away 0\n');
    expect(product.log()).toContain('validator_breaker_closed');
  });
});
