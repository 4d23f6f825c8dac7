import { expect, test } from 'vitest';
import { startGateway } from '../testing/gateway-rig.ts';
import { get, RawClient, statusOf } from '../testing/raw-client.ts';
import { startOrigin } from '../testing/recording-origin.ts';

const HOST = 'Host: shop.example';

/** An address may have two requests under way here: the first of all is not counted, and one is. */
const TWO = { originRequestsUncounted: 1, originRequestsPerAddress: 1, drainMs: 0 };

/** How a request can end. A request that left its place behind would leave none for the ones after it. */
const ENDINGS: Readonly<Record<string, (port: number) => Promise<unknown>>> = {
  'a visitor who leaves before the answer': (port) => leave(port, '/silent'),
  'a visitor who leaves in the middle of the answer': (port) => leave(port, '/events', /data/),
  'an origin that breaks off before the answer': (port) => get(port, '/reset'),
  'an origin that breaks off in the middle of the answer': (port) => leave(port, '/broken', /part/),
  'an answer without a body': (port) => get(port, '/204'),
  'an answer to HEAD': (port) => ask(port, 'HEAD /').until(/\r\n\r\n/),
  'two requests at once on one connection': (port) =>
    ask(port, `GET / HTTP/1.1\r\n${HOST}\r\n\r\nGET /`).until(/hello[^]*hello/),
};

test.each(Object.entries(ENDINGS))('%s does not count any more', async (_ending, end) => {
  const origin = await startOrigin(({ url }, res) => {
    if (url === '/silent') return;
    if (url === '/events') res.write('data: 1');
    else if (url === '/reset') res.destroy();
    else if (url === '/broken') res.write('part', () => res.destroy());
    else if (url === '/204') res.writeHead(204).end();
    else res.end('hello');
  });
  const { port } = await startGateway({ origin: origin.address, limits: TWO });
  for (let each = 0; each < 5; each++) await end(port);
  const stream = ask(port, 'GET /events');
  await stream.until(/data/);
  const status = async () => statusOf(await get(port));
  await expect.poll(status).toBe(200);
  const second = ask(port, 'GET /events');
  await second.until(/data/);
  expect(await status()).toBe(503);
});

function ask(port: number, start: string): RawClient {
  const client = new RawClient(port);
  client.send(`${start} HTTP/1.1`, HOST, '', '');
  return client;
}

async function leave(port: number, path: string, after?: RegExp): Promise<void> {
  const client = ask(port, `GET ${path}`);
  if (after === undefined) await new Promise((resolve) => setImmediate(resolve));
  else await client.until(after);
  client.socket.destroy();
}
