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

describe('(g) a gateway whose remote validator', () => {
  test.each([
    ['hangs', () => undefined, 'opens'],
    ['answers 500', answering(500, error('internal_server_error')), 'opens'],
    ['answers 503', answering(503, error('validation_timeout')), 'opens'],
    ['answers 400', answering(400, error('invalid_ip')), 'closes'],
    ['answers 401', answering(401, error('invalid_api_key')), 'closes'],
    ['answers 409', answering(409, error('conflict')), 'closes'],
    ['answers success: false with 200', answering(200, error('whatever')), 'opens'],
    ['answers something else than JSON', answering(200, 'nonsense'), 'opens'],
  ] as const)('%s %j', async (name, how, result) => {
    behave = how;
    const path = `/${name.replaceAll(/[^a-z0-9]+/gi, '-')}`;
    const answer = await send(`${product.addresses.gateway}${path}`);
    const arrived = origin.arrivals.some(({ url }) => url === path);
    expect({ status: answer.status, arrived }).toEqual(
      result === 'opens' ? { status: 200, arrived: true } : { status: 403, arrived: false },
    );
    expect(answer.body === ORIGIN_PAGE).toBe(result === 'opens');
    const statement = `SELECT action, decision FROM events_distributed WHERE path = '${path}'`;
    const rows = await poll(
      () => rowsOf<{ action: string; decision: string }>(product, statement),
      (found) => found.length > 0,
      5_000,
    );
    expect(rows).toEqual([{ action: result === 'opens' ? 'allow' : 'block', decision: 'none' }]);
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
