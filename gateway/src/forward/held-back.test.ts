import type { ServerResponse } from 'node:http';
import type { Ending, HeldBack, ResponseExtras, Validate } from '@guard/config/contract/ports';
import { describe, expect, test } from 'vitest';
import { sampleEvent } from '../../../test/kit/product/sample-event.ts';
import { certificates, FRONTS, visit, wholeVisit } from '../testing/fronts.ts';
import { type RigOptions, startGateway } from '../testing/gateway-rig.ts';
import { HANDSHAKE, RawClient, waitUntil } from '../testing/raw-client.ts';
import { startOrigin, startTcpOrigin } from '../testing/recording-origin.ts';

/** Answers of the origin that the validator holds back (HoldBack). The visitor gets the validator's answer instead. */

const SECRET = 'the page of the origin'.repeat(4_000);

/** A gateway whose validator allows each request, and then holds back the answers that are documents. */
async function startHoldingBack(options: Partial<RigOptions> & Pick<RigOptions, 'origin'>) {
  const asked: (readonly [Ending, boolean])[] = [];
  const ended: Ending[] = [];
  const extrasOf = (action: 'allow' | 'challenge'): ResponseExtras => ({
    session: '',
    crawlerVerified: false,
    event: sampleEvent({ action, statusCode: 403 }),
  });
  const held: HeldBack = {
    ...extrasOf('challenge'),
    response: { success: true, decision: 'redirect', status_code: 403 },
    body: Buffer.from('pass first'),
  };
  const validate: Validate = () => ({
    kind: 'answered',
    response: { success: true, decision: 'allow' },
    extras: {
      ...extrasOf('allow'),
      ended: (ending) => ended.push(ending),
      holdBack: (ending, isShared) => {
        asked.push([ending, isShared]);
        return ending === 'document' ? held : undefined;
      },
    },
  });
  const rig = await startGateway({ certificates, validate, ...options });
  return { ...rig, asked, ended };
}

const htmlOrigin = (fields: Readonly<Record<string, string>> = {}) =>
  startOrigin((_req, res) =>
    res.writeHead(200, { 'Content-Type': 'text/html', ...fields }).end(SECRET),
  );

test.each(FRONTS)(
  'over %s the visitor gets the answer of the validator, and no byte of the page',
  async (front) => {
    const rig = await startHoldingBack({ origin: (await htmlOrigin()).address });
    const { status, receivedText, headers } = await wholeVisit(front, rig);
    expect([status, receivedText]).toEqual([403, 'pass first']);
    expect(headers['cache-control']).toBe('no-store');
    await waitUntil(() => rig.events.length === 1);
    expect(rig.events[0]).toMatchObject({
      action: 'challenge',
      statusCode: 403,
      originStatus: 200,
    });
    expect(rig.events[0]?.originUs).toBeGreaterThan(0);
    expect(rig.ended).toEqual(['other']);
    expect(rig.counterValue('guard_gateway_requests_total', 'served')).toBe(1);
  },
);

test('RFC 9112 section 9.3: the connection of the visitor stays open for the next request', async () => {
  const origin = await startOrigin((req, res) => {
    const type = req.url === '/page' ? 'text/html' : 'application/json';
    res.writeHead(200, { 'Content-Type': type }).end(req.url === '/page' ? SECRET : '{}');
  });
  const rig = await startHoldingBack({ origin: origin.address });
  const visitor = new RawClient(rig.port);
  visitor.send('GET /page HTTP/1.1', 'Host: shop.example', '', '');
  await visitor.until(/pass first$/);
  visitor.send('GET /data HTTP/1.1', 'Host: shop.example', '', '');
  await visitor.until(/\{\}\r\n0/);
  expect(rig.ended).toEqual(['other', 'data']);
});

describe('the rest of a page that is held back', () => {
  test.each(FRONTS)(
    'over %s is read, so that one connection to the origin carries all requests: 28,000 that Guard closes within a minute use up its ports, and close the site',
    async (front) => {
      let connections = 0;
      // Header section and page come in one packet.
      const origin = await startOrigin((req, res) =>
        req.resume().on('end', () => res.setHeader('Content-Type', 'text/html').end('a page')),
      );
      origin.server.on('connection', () => connections++);
      const rig = await startHoldingBack({ origin: origin.address });
      for (let count = 0; count < 3; count++) {
        expect((await wholeVisit(front, rig)).status).toBe(403);
        const frontVisit = visit(front, rig, { method: 'POST', upload: true });
        frontVisit.stream.end('a');
        expect((await frontVisit.untilEnd()).status).toBe(403);
      }
      expect(connections).toBe(1);
    },
  );

  test('is not read when it is long', async () => {
    const origin = await startOrigin((_req, res) => {
      res.writeHead(200, { 'Content-Type': 'text/html' }).write(SECRET);
      res.on('drain', () => res.write(SECRET));
    });
    const isCut = new Promise((resolve) =>
      origin.server.on('connection', (socket) => socket.once('close', resolve)),
    );
    const rig = await startHoldingBack({ origin: origin.address });
    expect((await wholeVisit('HTTP/1.1', rig)).status).toBe(403);
    await isCut;
  });

  test('is not read when it is slow: the visitor has gone, and the request would count among those of its address', async () => {
    const origin = await startOrigin((_req, res) => {
      res.writeHead(200, { 'Content-Type': 'text/html' }).write('a');
      const drip = setInterval(() => res.write('a'), 20);
      res.on('close', () => {
        clearInterval(drip);
      });
    });
    const isCut = new Promise((resolve) =>
      origin.server.on('connection', (socket) => socket.once('close', resolve)),
    );
    const limits = { heldBackRestMs: 100 };
    const rig = await startHoldingBack({ origin: origin.address, limits });
    expect((await wholeVisit('HTTP/1.1', rig)).status).toBe(403);
    await isCut;
  });

  test('counts among the requests of the address until it has come, because it takes a place at the origin', async () => {
    const answers: ServerResponse[] = [];
    const origin = await startOrigin((req, res) => {
      if (req.url === '/data') res.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
      else answers.push(res.writeHead(200, { 'Content-Type': 'text/html' }));
      answers.at(-1)?.write('a');
    });
    const limits = { originRequestsUncounted: 0, originRequestsPerAddress: 1 };
    const rig = await startHoldingBack({ origin: origin.address, limits });
    const statusOfData = async () => (await wholeVisit('HTTP/1.1', rig, { path: '/data' })).status;
    expect((await wholeVisit('HTTP/1.1', rig)).status).toBe(403);
    expect(await statusOfData()).toBe(503);
    answers[0]?.end();
    await expect.poll(statusOfData).toBe(200);
  });
});

test.each(FRONTS)('over %s an upload that still comes does not end the answer', async (front) => {
  const rig = await startHoldingBack({ origin: (await htmlOrigin()).address });
  const frontVisit = visit(front, rig, { method: 'POST', upload: true });
  frontVisit.stream.write('a');
  await frontVisit.until('pass first');
  frontVisit.stream.end('b');
  expect((await frontVisit.untilEnd()).status).toBe(403);
  expect(rig.events).toHaveLength(1);
});

test('the gateway tells the validator the kind of the answer, and whether pages of other sites may read it', async () => {
  const origin = await startOrigin((req, res) => {
    const shared = req.url === '/shared' ? { 'access-control-allow-origin': '*' } : {};
    res.writeHead(200, { 'Content-Type': 'application/json', ...shared }).end('{}');
  });
  const rig = await startHoldingBack({ origin: origin.address });
  for (const path of ['/own', '/shared']) await wholeVisit('HTTP/1.1', rig, { path });
  expect(rig.asked).toEqual([
    ['data', false],
    ['data', true],
  ]);
});

test('an answer to HEAD is never held back, because it has no page', async () => {
  const rig = await startHoldingBack({ origin: (await htmlOrigin()).address });
  expect((await wholeVisit('HTTP/1.1', rig, { method: 'HEAD' })).status).toBe(200);
  expect(rig.asked).toEqual([]);
});

test('observe holds nothing back', async () => {
  const rig = await startHoldingBack({ origin: (await htmlOrigin()).address, observe: true });
  expect((await wholeVisit('HTTP/1.1', rig)).receivedText).toBe(SECRET);
});

test('a page in answer to a WebSocket handshake is held back too', async () => {
  const head = `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: ${SECRET.length}\r\n\r\n`;
  const origin = await startTcpOrigin((socket) => socket.write(head + SECRET));
  const rig = await startHoldingBack({ origin: origin.address });
  const visitor = new RawClient(rig.port);
  visitor.send(...HANDSHAKE);
  expect(await visitor.until(/pass first$/)).not.toContain('the page of the origin');
  expect(rig.events).toHaveLength(1);
});
