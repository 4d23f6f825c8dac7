import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { poll, send } from '../kit/http.ts';
import {
  ORIGIN_PAGE,
  type RecordingOrigin,
  startRecordingOrigin,
} from '../kit/recording-origin.ts';
import { rowsOf } from '../kit/sql.ts';
import { type Product, startProduct } from '../kit/start-product.ts';
import { SECRET_KEY, storySettings } from '../kit/story-settings.ts';

/** What the remote validator does to each question; a test sets it. */
let behave: (response: ServerResponse) => void = () => undefined;
const keys: (string | string[] | undefined)[] = [];

let validator: Server;
let origin: RecordingOrigin;
let product: Product;

beforeAll(async () => {
  validator = createServer((request, response) => {
    keys.push(request.headers['x-api-key']);
    request.resume();
    request.on('end', () => behave(response));
  });
  validator.listen(0, '127.0.0.1');
  await once(validator, 'listening');
  const { port } = validator.address() as AddressInfo;
  origin = await startRecordingOrigin();
  const remote = { url: `http://127.0.0.1:${port}`, key: SECRET_KEY, timeout: '300ms' };
  product = await startProduct(storySettings(origin.url, { site: { validator: remote } }));
});
afterAll(async () => {
  await product.stop();
  await origin.close();
  validator.closeAllConnections();
  validator.close();
});

function answering(status: number, body: unknown) {
  return (response: ServerResponse) => {
    response.statusCode = status;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(body));
  };
}
const error = (type: string) => ({ success: false, error: { type, message: 'no' } });

const cases = [
  { name: 'hangs', how: () => undefined, result: 'opens' },
  { name: 'answers 500', how: answering(500, error('internal_server_error')), result: 'opens' },
  { name: 'answers 503', how: answering(503, error('validation_timeout')), result: 'opens' },
  { name: 'answers 400', how: answering(400, error('invalid_ip')), result: 'closes' },
  { name: 'answers 401', how: answering(401, error('invalid_api_key')), result: 'closes' },
  { name: 'answers 409', how: answering(409, error('conflict')), result: 'closes' },
  { name: 'answers success false', how: answering(200, error('whatever')), result: 'opens' },
  { name: 'answers nonsense', how: answering(200, 'nonsense'), result: 'opens' },
] as const;

const pathOf = (name: string) => `/${name.replaceAll(' ', '-')}`;

describe('(g) a gateway whose remote validator', () => {
  test.each(cases)('$name, $result', async ({ name, how, result }) => {
    behave = how;
    const path = pathOf(name);
    const answer = await send(`${product.addresses.gateway}${path}`);
    const arrived = origin.arrivals.some(({ url }) => url === path);
    expect({ status: answer.status, arrived }).toEqual(
      result === 'opens' ? { status: 200, arrived: true } : { status: 403, arrived: false },
    );
    expect(answer.body === ORIGIN_PAGE).toBe(result === 'opens');
  });

  test('gave no answer: the gateway has recorded each case itself', async () => {
    const statement = `SELECT path, action, decision FROM events_distributed
      WHERE decision = 'none' ORDER BY created_at`;
    const rows = await poll(
      () => rowsOf<{ path: string; action: string; decision: string }>(product, statement),
      (found) => found.length === cases.length,
      5_000,
    );
    expect(rows).toEqual(
      cases.map(({ name, result }) => ({
        path: pathOf(name),
        action: result === 'opens' ? 'allow' : 'block',
        decision: 'none',
      })),
    );
  });

  test('answers is obeyed, and was asked with the key of the settings', async () => {
    behave = answering(200, {
      success: true,
      decision: 'block',
      status_code: 451,
      headers: { 'Content-Type': 'text/plain', 'X-From': 'validator' },
      response_html: Buffer.from('Not for you').toString('base64'),
    });
    const answer = await send(`${product.addresses.gateway}/blocked`);
    expect(answer).toMatchObject({ status: 451, body: 'Not for you' });
    expect(answer.headers['x-from']).toBe('validator');
    expect(new Set(keys)).toEqual(new Set([SECRET_KEY]));
    expect(product.log()).not.toContain(SECRET_KEY);
  });
});
