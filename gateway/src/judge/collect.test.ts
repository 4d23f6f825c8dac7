import type { CollectRequest } from '@guard/config/contract/ports';
import { describe, expect, test } from 'vitest';
import { startGatewayWithOrigin } from '../testing/gateway-rig.ts';
import { bodyOf, get, headersOf, rawExchange, RawClient, statusOf } from '../testing/raw-client.ts';

const HOST = 'Host: shop.example';

async function start(limits = {}) {
  const collectRequests: CollectRequest[] = [];
  const { origin, ...rig } = await startGatewayWithOrigin({
    trustedProxies: ['127.0.0.1'],
    limits,
    collect: (request) => {
      collectRequests.push(request);
      return Promise.resolve({ status: 202, headers: { 'X-Judged': '1' }, body: '{"ok":true}' });
    },
  });
  return { ...rig, origin, collected: collectRequests };
}

test('an upload below /.guard/ goes to the collector with the visitor’s address, without a decision', async () => {
  const { port, origin, collected, questions } = await start();
  const answer = await rawExchange(
    port,
    'POST /.guard/telemetry?x=1 HTTP/1.1',
    HOST,
    'Connection: close',
    'X-Forwarded-For: 198.51.100.7',
    'Content-Length: 9',
    '',
    '{"a":"é"}'.replace('é', '\xc3\xa9').slice(0, 9),
  );
  expect(statusOf(answer)).toBe(202);
  expect(headersOf(answer, 'x-judged')).toEqual(['1']);
  expect(bodyOf(answer)).toBe('{"ok":true}');
  expect(collected).toMatchObject([
    { method: 'POST', path: '/telemetry', query: 'x=1', ip: '198.51.100.7' },
  ]);
  expect(collected[0]?.body.startsWith('{"a":"é')).toBe(true);
  expect(questions).toEqual([]);
  expect(origin.requests).toEqual([]);
});

test('the collector’s bytes arrive unchanged; HEAD gets only their length (RFC 9110 9.3.2)', async () => {
  const body = Uint8Array.of(0x1f, 0x8b, 0x00, 0xff);
  const { port } = await startGatewayWithOrigin({
    collect: ({ query }) =>
      Promise.resolve({ status: 200, headers: { 'X-Query': query ?? 'none' }, body }),
  });
  const scriptAnswer = await get(port, '/.guard/script.js?site_key=a%20b&c');
  expect(bodyOf(scriptAnswer)).toBe(Buffer.from(body).toString('latin1'));
  expect(headersOf(scriptAnswer, 'x-query')).toEqual(['site_key=a%20b&c']);
  const head = ['HEAD /.guard/script.js HTTP/1.1', HOST, 'Connection: close', ''];
  const answer = await rawExchange(port, ...head, '');
  expect([headersOf(answer, 'content-length'), bodyOf(answer)]).toEqual([['4'], '']);
  expect(headersOf(answer, 'x-query')).toEqual(['']);
});

describe('no spelling of /.guard/ reaches the origin', () => {
  test.each([
    '/.guard',
    '/%2eguard/x',
    '/a/../.guard/x',
    '//.guard/x',
    '/.guard%2fx',
    '/;a/.guard/x',
  ])('%s → 404', async (path) => {
    const { port, origin, collected } = await start();
    expect(statusOf(await get(port, path))).toBe(404);
    expect(origin.requests).toEqual([]);
    expect(collected).toEqual([]);
  });

  test('without a collector every path below /.guard/ gets 404', async () => {
    const { port, origin } = await startGatewayWithOrigin();
    expect(statusOf(await get(port, '/.guard/telemetry'))).toBe(404);
    expect(origin.requests).toEqual([]);
  });

  test('/.guardian is a path of the site', async () => {
    const { port, origin } = await start();
    expect(statusOf(await get(port, '/.guardian/x'))).toBe(200);
    expect(origin.requests).toHaveLength(1);
  });
});

test('an upload of more than 64 KiB gets 413', async () => {
  const { port, collected } = await start();
  const lines = [
    'POST /.guard/telemetry HTTP/1.1',
    HOST,
    'Connection: close',
    'Content-Length: 70000',
    '',
  ];
  expect(statusOf(await rawExchange(port, ...lines, 'x'.repeat(70_000)))).toBe(413);
  expect(collected).toEqual([]);
});

test('at the memory limit of all uploads, the oldest upload gets 408, and later uploads arrive', async () => {
  const { port, collected } = await start({ collectorBytes: 9000 });
  const uploadText = (text: string) => text.repeat(3000);
  const begin = (text: string) => {
    const client = new RawClient(port);
    const head = ['POST /.guard/verify HTTP/1.1', HOST, 'Content-Length: 6000', '', ''];
    client.send(...head);
    client.send(uploadText(text));
    return client;
  };
  const firstUpload = begin('a');
  // When this later request is answered, the gateway has read the first part of the upload.
  await get(port, '/.guard/telemetry');
  const secondUpload = begin('b');
  secondUpload.send(uploadText('b'));
  expect(statusOf(await secondUpload.until(/202/))).toBe(202);
  expect(statusOf(await firstUpload.untilClosed())).toBe(408);
  const thirdUpload = begin('c');
  thirdUpload.send(uploadText('c'));
  expect(statusOf(await thirdUpload.until(/202/))).toBe(202);
  expect(collected.map(({ body }) => body)).toEqual(['', 'b'.repeat(6000), 'c'.repeat(6000)]);
});

test('an upload without a byte is counted too, because its request needs memory', async () => {
  const { port } = await start({ collectorBytes: 9000, collectorBodyMs: 60_000 });
  const begin = () => {
    const client = new RawClient(port);
    client.send('POST /.guard/verify HTTP/1.1', HOST, 'Content-Length: 6000', '', '');
    return client;
  };
  const firstUpload = begin();
  // When this later request is answered, the gateway has read the head of the upload.
  await get(port, '/.guard/telemetry');
  const laterUploads = [begin(), begin()];
  expect(statusOf(await firstUpload.untilClosed())).toBe(408);
  expect(laterUploads.map(({ receivedText }) => receivedText)).toEqual(['', '']);
});

test('an upload that does not arrive gets 408', async () => {
  const { port, collected } = await start({ collectorBodyMs: 50 });
  const client = new RawClient(port);
  client.send('POST /.guard/telemetry HTTP/1.1', HOST, 'Content-Length: 10', '', 'x');
  expect(statusOf(await client.untilClosed())).toBe(408);
  expect(collected).toEqual([]);
});

test('a collector that throws spoils one answer and does not end the process', async () => {
  const rig = await startGatewayWithOrigin({ collect: () => Promise.reject(new Error('bug')) });
  expect(statusOf(await get(rig.port, '/.guard/x'))).toBe(500);
  expect(rig.logEntries.map(({ event }) => event)).toContain('gateway_internal_error');
  expect(statusOf(await get(rig.port))).toBe(200);
});
