import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { watchTunnel } from './upgrade.ts';
import { waitUntil } from '../testing/raw-client.ts';

const BLOCK = Buffer.alloc(1024 * 1024, 'block');

/** The two ends of one connection. */
async function pair(): Promise<{ readonly inner: Socket; readonly outer: Socket }> {
  const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on TCP has an AddressInfo.
  const outer = connect((server.address() as AddressInfo).port, '127.0.0.1');
  outer.on('error', () => undefined);
  // The event has the socket as its argument.
  const [inner] = (await once(server, 'connection')) as [Socket];
  server.close();
  onTestFinished(() => {
    inner.destroy();
    outer.destroy();
  });
  return { inner, outer };
}

/** A tunnel between a visitor and an origin. The test has both ends of both connections. */
async function openTunnel(lingerMs: number) {
  const [visitor, origin] = [await pair(), await pair()];
  // http-proxy-3 joins the sockets in the same way.
  origin.inner.pipe(visitor.inner).pipe(origin.inner);
  watchTunnel(visitor.inner, origin.inner, lingerMs);
  return { visitor, origin };
}

test.each(['visitor', 'origin'] as const)(
  'the tunnel ends when the %s does not read for too long',
  async (stuckSide) => {
    const tunnel = await openTunnel(100);
    const otherSide = tunnel[stuckSide === 'visitor' ? 'origin' : 'visitor'];
    tunnel[stuckSide].outer.pause();
    await waitUntil(() => {
      if (otherSide.outer.writableLength === 0) otherSide.outer.write(BLOCK);
      return tunnel[stuckSide].inner.destroyed;
    });
    expect(tunnel[stuckSide].inner.writableFinished).toBe(false);
    await waitUntil(() => otherSide.inner.destroyed);
  },
);

test('a silent tunnel stays open', async () => {
  const { visitor, origin } = await openTunnel(20);
  let timeouts = 0;
  for (const { inner } of [visitor, origin]) inner.on('timeout', () => timeouts++);
  await waitUntil(() => timeouts >= 2);
  let text = '';
  origin.outer.on('data', (part) => (text += part.toString()));
  visitor.outer.write('hello');
  await waitUntil(() => text === 'hello');
});

test.each(['visitor', 'origin'] as const)(
  'bytes that are under way when the %s leaves still arrive',
  async (goneSide) => {
    const tunnel = await openTunnel(60_000);
    const leftSocket = goneSide === 'visitor' ? tunnel.origin : tunnel.visitor;
    let text = '';
    let hasEnded = false;
    leftSocket.outer
      .on('data', (part) => (text += part.toString()))
      .once('end', () => (hasEnded = true));
    tunnel[goneSide].outer.end('last words');
    tunnel[goneSide].inner.once('end', () => tunnel[goneSide].inner.destroy());
    await waitUntil(() => hasEnded);
    expect(text).toBe('last words');
    await waitUntil(() => leftSocket.inner.destroyed);
  },
);
