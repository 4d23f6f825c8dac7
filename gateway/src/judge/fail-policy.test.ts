import { sessionDigest } from '@guard/config/contract/session-digest';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startGateway } from '../testing/gateway-rig.ts';
import { bodyOf, get, headersOf, statusOf } from '../testing/raw-client.ts';
import { refusingAddress, startOrigin, startTcpOrigin } from '../testing/recording-origin.ts';
import { validateOverHttp } from './validate-over-http.ts';

type Stub = { readonly status: number; readonly body: string } | 'hang' | 'hang in body' | 'reset';

const ALLOW = JSON.stringify({ success: true, decision: 'allow' });

/** A validator over HTTP with one fixed answer, and the questions that it got. */
async function startValidator(stub: Stub) {
  const questions: { path: string; key: unknown; body: unknown }[] = [];
  const server = createServer((req, res) => {
    let body = '';
    req.on('data', (part: Buffer) => (body += part.toString()));
    req.on('end', () => {
      questions.push({
        path: req.url ?? '',
        key: req.headers['x-api-key'],
        body: JSON.parse(body),
      });
      if (stub === 'hang') return;
      if (stub === 'reset') req.socket.resetAndDestroy();
      else if (stub === 'hang in body') res.writeHead(200).write('{"success":');
      else res.writeHead(stub.status, { 'content-type': 'application/json' }).end(stub.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { questions, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const SILENT = { clock: Date.now, log: () => undefined, metrics: { count: () => undefined } };

async function startRemote(url: string, origin: string, timeout = 150) {
  const remote = validateOverHttp({ url, key: 'sk-secret-key', timeout }, SILENT);
  onTestFinished(remote.close);
  return startGateway({ origin, validate: remote.validate, remote: true });
}

function error(status: number, type: string): Stub {
  return { status, body: JSON.stringify({ success: false, error: { type, message: 'm' } }) };
}

describe('contract 7.1: fail open on any 5xx, timeout, transport error or success: false', () => {
  test.each<{ row: string; stub: Stub; reason: string }>([
    { row: 'a validator that hangs', stub: 'hang', reason: 'timeout' },
    { row: 'a validator that hangs in its body', stub: 'hang in body', reason: 'timeout' },
    { row: 'a validator that resets the connection', stub: 'reset', reason: 'connection' },
    { row: '500', stub: error(500, 'internal_server_error'), reason: 'server_error' },
    { row: '503', stub: error(503, 'validation_timeout'), reason: 'server_error' },
    { row: '502 of a proxy', stub: { status: 502, body: '<html>' }, reason: 'server_error' },
    { row: 'success: false with 200', stub: error(200, 'x'), reason: 'unsuccessful' },
    { row: 'a body that is not JSON', stub: { status: 200, body: 'ok' }, reason: 'bad_answer' },
    { row: 'another shape', stub: { status: 200, body: '{"success":true}' }, reason: 'bad_answer' },
    {
      row: 'an unknown decision',
      stub: { status: 200, body: '{"success":true,"decision":"maybe"}' },
      reason: 'bad_answer',
    },
    { row: 'null', stub: { status: 200, body: 'null' }, reason: 'bad_answer' },
    { row: 'a redirect', stub: { status: 302, body: '' }, reason: 'bad_answer' },
    {
      row: 'an answer without end',
      stub: { status: 200, body: `"${'x'.repeat(1_100_000)}"` },
      reason: 'bad_answer',
    },
  ])('$row → fail open, counted as $reason', async ({ stub, reason }) => {
    const origin = await startOrigin();
    const validator = await startValidator(stub);
    // Only a validator that never answers should reach the time limit.
    const slow = stub === 'hang' || stub === 'hang in body';
    const rig = await startRemote(validator.url, origin.address, slow ? 150 : 5_000);
    const answer = await get(rig.port, '/login?next=1');
    expect(statusOf(answer)).toBe(200);
    expect(bodyOf(answer)).toContain('hello');
    expect(origin.requests[0]?.headers['x-guard-decision']).toBe('fail_open');
    expect(validator.questions).toHaveLength(1);
    expect(rig.counterValue('guard_gateway_fail_open_total', reason)).toBe(1);
    expect(rig.events).toMatchObject([
      { action: 'allow', decision: 'none', response: 'allow', statusCode: 200 },
    ]);
  });

  test('connection refused → fail open, counted as connection', async () => {
    const origin = await startOrigin();
    const rig = await startRemote(refusingAddress(), origin.address, 5_000);
    expect(statusOf(await get(rig.port))).toBe(200);
    expect(rig.counterValue('guard_gateway_fail_open_total', 'connection')).toBe(1);
  });

  test('an answer that is not HTTP → fail open, counted as connection', async () => {
    const origin = await startOrigin();
    const garbage = await startTcpOrigin((socket) => socket.end('SSH-2.0-x\r\n\r\n'));
    const rig = await startRemote(garbage.address, origin.address, 5_000);
    expect(statusOf(await get(rig.port))).toBe(200);
    expect(rig.counterValue('guard_gateway_fail_open_total', 'connection')).toBe(1);
  });

  test('an in-process validator that never answers → fail open', async () => {
    const origin = await startOrigin();
    const validate = () => new Promise<never>(() => undefined);
    const limits = { askTimeoutMs: 50 };
    const rig = await startGateway({ origin: origin.address, validate, limits });
    expect(statusOf(await get(rig.port))).toBe(200);
    expect(rig.events).toMatchObject([{ decision: 'none', validator: 'in-process' }]);
  });
});

describe('contract 7.1: fail closed on any 4xx', () => {
  test('an in-process validator that throws or rejects: the visitor may have caused it, so the request is denied', async () => {
    const origin = await startOrigin();
    const broken = [
      () => {
        throw new Error('bug');
      },
      () => Promise.reject(new Error('bug')),
    ];
    for (const validate of broken) {
      const rig = await startGateway({ origin: origin.address, validate });
      expect(statusOf(await get(rig.port))).toBe(403);
      expect(rig.events).toMatchObject([{ decision: 'none', statusCode: 403 }]);
      expect(rig.counterValue('guard_gateway_fail_closed_total', 'request_not_judged')).toBe(1);
    }
    expect(origin.requests).toEqual([]);
  });

  test.each<{ stub: Stub; label: string }>([
    { stub: error(400, 'missing_fields'), label: 'missing_fields' },
    { stub: error(400, 'invalid_ip'), label: 'invalid_ip' },
    { stub: error(401, 'invalid_api_key'), label: 'invalid_api_key' },
    { stub: { status: 409, body: 'no' }, label: 'status_409' },
    { stub: error(418, 'made_up_by_them'), label: 'status_418' },
    { stub: { status: 429, body: '{}' }, label: 'status_429' },
  ])(
    '$label → 403 with a short body that no cache keeps, and no request to the origin',
    async ({ stub, label }) => {
      const origin = await startOrigin();
      const validator = await startValidator(stub);
      const rig = await startRemote(validator.url, origin.address, 5_000);
      const answer = await get(rig.port);
      expect(statusOf(answer)).toBe(403);
      expect(headersOf(answer, 'cache-control')).toEqual(['no-store']);
      expect(bodyOf(answer)).toBe('Request denied.\n');
      expect(origin.requests).toEqual([]);
      expect(rig.counterValue('guard_gateway_fail_closed_total', label)).toBe(1);
      expect(rig.events).toMatchObject([
        { action: 'block', decision: 'none', response: 'block', statusCode: 403 },
      ]);
    },
  );
});

test('the event of a failure describes the request and contains no credential; the log contains no key', async () => {
  const origin = await startOrigin();
  const validator = await startValidator(error(500, 'internal_server_error'));
  const rig = await startRemote(validator.url, origin.address, 5_000);
  const session = '0f8fad5b-d9cb-469f-a165-70867728950e';
  const secret = [
    `Cookie: a=topsecret; _guard=${session.toUpperCase()}`,
    'Authorization: Bearer topsecret',
  ];
  await get(
    rig.port,
    '/p?q=1',
    ...secret,
    'User-Agent: ua',
    'Referer: https://r.example/x?topsecret',
  );
  expect(rig.events[0]).toMatchObject({
    organisation: 'acme',
    site: 'shop.example',
    method: 'GET',
    scheme: 'http',
    host: 'shop.example',
    path: '/p',
    query: 'q=1',
    ip: '127.0.0.1',
    userAgent: 'ua',
    session: '',
    sessionSent: sessionDigest(session),
    referrerOrigin: 'https://r.example',
    validator: 'remote',
    blockReasons: [],
  });
  expect(rig.events[0]?.requestId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab]/);
  const headers = { ...rig.events[0]?.headers, referer: '' };
  expect(JSON.stringify([headers, rig.logEntries])).not.toMatch(/topsecret|sk-secret-key/);
});

test('contract 4.1: a remote validator is asked at {base_url}/validate with the secret key, and its answer enforced', async () => {
  const origin = await startOrigin();
  const validator = await startValidator({ status: 200, body: ALLOW });
  const rig = await startRemote(`${validator.url}/base/`, origin.address, 5_000);
  await get(rig.port, '/x');
  expect(validator.questions).toMatchObject([
    { path: '/base/validate', key: 'sk-secret-key', body: { url: 'http://shop.example/x' } },
  ]);
  expect(origin.requests[0]?.headers['x-guard-decision']).toBe('allow');
  expect(rig.events).toEqual([]);
});
