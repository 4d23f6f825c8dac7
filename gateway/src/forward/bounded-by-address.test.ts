import { describe, expect, test } from 'vitest';
import type { GatewayLimits } from '../base/limits.ts';
import { startGateway } from '../testing/gateway-rig.ts';
import { get, RawClient, statusOf } from '../testing/raw-client.ts';
import { startOrigin } from '../testing/recording-origin.ts';

const HOST = 'Host: shop.example';

/** An address may have two requests under way here: one that is not counted, and one that is. */
const TWO = { originRequestsUncounted: 1, originRequestsPerAddress: 1, drainMs: 0 };

/**
 * The ways in which a request can end. If a request stayed counted after one of them, the next requests would get 503.
 */
const ENDINGS: Readonly<Record<string, (port: number) => Promise<unknown>>> = {
  'a visitor who leaves before the answer': (port) => leaveAnswer(port, '/silent'),
  'a visitor who leaves in the middle of the answer': (port) =>
    leaveAnswer(port, '/events', /data/),
  'an origin that breaks off before the answer': (port) => get(port, '/reset'),
  'an origin that breaks off in the middle of the answer': (port) =>
    leaveAnswer(port, '/broken', /part/),
  'an answer without a body': (port) => get(port, '/204'),
  'an answer to HEAD': (port) => ask(port, 'HEAD /').until(/\r\n\r\n/),
  'two requests at once on one connection': (port) =>
    ask(port, `GET / HTTP/1.1\r\n${HOST}\r\n\r\nGET /`).until(/hello[^]*hello/),
};

test.each(Object.entries(ENDINGS))('%s frees the slot of its request', async (_ending, end) => {
  const origin = await startOrigin(({ url }, res) => {
    if (url === '/silent') return;
    if (url === '/events') res.write('data: 1');
    else if (url === '/reset') res.destroy();
    else if (url === '/broken') res.write('part', () => res.destroy());
    else if (url === '/204') res.writeHead(204).end();
    else res.end('hello');
  });
  const { port } = await startGateway({ origin: origin.address, limits: TWO });
  for (let count = 0; count < 5; count++) await end(port);
  const stream = ask(port, 'GET /events');
  await stream.until(/data/);
  const status = async () => statusOf(await get(port));
  await expect.poll(status).toBe(200);
  const second = ask(port, 'GET /events');
  await second.until(/data/);
  expect(await status()).toBe(503);
});

describe('addresses that use all their slots leave some for other addresses', () => {
  const trustedProxies = ['127.0.0.1/32'];
  const forwardedFor = (ip: string) => `X-Forwarded-For: ${ip}`;

  /** The status of a request whose answer never ends. */
  async function holdAnswer(port: number, method: 'GET' | 'POST', ip: string): Promise<number> {
    const client = new RawClient(port);
    client.send(
      `${method} /events HTTP/1.1`,
      HOST,
      forwardedFor(ip),
      ...(method === 'POST' ? ['Content-Length: 1', '', 'x'] : ['', '']),
    );
    return statusOf(await client.until(/data|503/));
  }

  async function startEndless(limits: Partial<GatewayLimits>): Promise<number> {
    const origin = await startOrigin((req, res) => {
      if (req.url === '/events') res.write('data');
      else res.end('hello');
    });
    const allLimits = { originRequestsUncounted: 0, drainMs: 0, ...limits };
    return (await startGateway({ origin: origin.address, limits: allLimits, trustedProxies })).port;
  }

  test('with answers that never end', async () => {
    const port = await startEndless({ originPlainRequests: 16, originRequestsPerAddress: 4 });
    const heldStatuses: number[] = [];
    for (const ip of ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4']) {
      for (let count = 0; count < 4; count++) heldStatuses.push(await holdAnswer(port, 'GET', ip));
    }
    expect(heldStatuses.filter((status) => status === 200)).toHaveLength(13);
    expect(statusOf(await get(port, '/', forwardedFor('198.51.100.7')))).toBe(200);
  });

  test('with answers to POST that never end', async () => {
    const port = await startEndless({ originUploads: 8 });
    for (let count = 0; count < 8; count++) await holdAnswer(port, 'POST', '192.0.2.1');
    expect(await holdAnswer(port, 'POST', '198.51.100.7')).toBe(200);
  });
});

function ask(port: number, requestLine: string): RawClient {
  const client = new RawClient(port);
  client.send(`${requestLine} HTTP/1.1`, HOST, '', '');
  return client;
}

async function leaveAnswer(port: number, path: string, afterPattern?: RegExp): Promise<void> {
  const client = ask(port, `GET ${path}`);
  if (afterPattern === undefined) await new Promise((resolve) => setImmediate(resolve));
  else await client.until(afterPattern);
  client.socket.destroy();
}
