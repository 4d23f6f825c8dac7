import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { poll } from '../kit/http.ts';
import { serve } from '../kit/serve.ts';
import { startProduct } from '../kit/product/start-product.ts';
import { productSettings } from '../kit/product/product-settings.ts';

/** Begins a request on a new connection. `receivedText` returns all text that came so far. */
function openConnection(
  port: number,
  head: string,
): { socket: Socket; receivedText: string; isClosed: boolean } {
  const visitor = { socket: connect(port, '127.0.0.1'), receivedText: '', isClosed: false };
  visitor.socket.setEncoding('latin1').on('data', (text: string) => (visitor.receivedText += text));
  visitor.socket.on('error', () => undefined).on('close', () => (visitor.isClosed = true));
  visitor.socket.write(`${head} HTTP/1.1\r\nHost: shop.example\r\n`);
  return visitor;
}

function connects(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      resolve(true);
      socket.destroy();
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}

test('after SIGTERM Guard finishes requests and uploads, takes no new connections, and ends with exit code 0', async () => {
  const waitingResponses: ServerResponse[] = [];
  const bodies: string[] = [];
  const origin = await serve((req, res) => {
    if (req.url === '/idle') {
      res.end('idle');
      return;
    }
    let body = '';
    req.setEncoding('latin1').on('data', (part: string) => (body += part));
    req.on('end', () => bodies.push(body));
    if (req.url === '/stream') res.writeHead(200).write('first;');
    waitingResponses.push(res);
  });
  const rules = [{ name: 'open', match: {}, verdict: 'allow' }];
  const product = await startProduct({
    ...productSettings(origin, { rules }),
    listen: { gateway: '127.0.0.1:0' },
    analytics: undefined,
  });
  const port = Number(new URL(product.addresses.gateway).port);

  const [slow, stream] = [openConnection(port, 'GET /slow'), openConnection(port, 'GET /stream')];
  for (const { socket } of [slow, stream]) socket.write('\r\n');
  const upload = openConnection(port, 'POST /upload');
  upload.socket.write('Content-Length: 8\r\n\r\nhalf');
  const idle = openConnection(port, 'GET /idle');
  idle.socket.write('\r\n');
  await poll(
    () =>
      Promise.resolve([waitingResponses.length, idle.receivedText, stream.receivedText].join(' ')),
    (shownText) => /^3 [^]*idle[^]*first;/.test(shownText),
  );

  const stopResult = product.stop();
  await poll(
    () => connects(port),
    (isTaken) => !isTaken,
  );
  await poll(
    () => Promise.resolve(idle.isClosed),
    (isClosed) => isClosed,
  );
  expect([slow.isClosed, stream.isClosed, upload.isClosed]).toEqual([false, false, false]);
  upload.socket.write('half');
  await poll(
    () => Promise.resolve(bodies),
    (all) => all.includes('halfhalf'),
  );
  for (const res of waitingResponses) res.end('last');
  expect(await stopResult).toBe(0);
  const lastText = await poll(
    () => Promise.resolve(product.log()),
    (log) => log.includes('"event":"stopped"'),
  );
  expect(lastText).toMatch(
    /"event":"stopping","signal":"SIGTERM".*\n[^]*"event":"stopped","after_ms":\d+}\n$/,
  );
  for (const visitor of [slow, stream, upload]) {
    expect(visitor.receivedText).toMatch(/^HTTP\/1\.1 200 /);
    expect(visitor.receivedText).toContain('last');
  }
  expect(stream.receivedText).toMatch(/\r\n0\r\n\r\n$/);
});
