import type { Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { certificates } from '../testing/fronts.ts';
import { startGateway } from '../testing/gateway-rig.ts';
import {
  connectHttp1,
  eventually,
  RawClient,
  HANDSHAKE,
  SWITCHED_HEAD,
} from '../testing/raw-client.ts';
import { startOrigin } from '../testing/recording-origin.ts';

const MESSAGES = 10_000;
const allMessages = Array.from({ length: MESSAGES }, (_, i) => `${i};`).join('');

/** Opens a WebSocket through a gateway. Returns both of its ends. The gateway does not read the frames. */
async function openTunnel(transport: 'TCP' | 'TLS') {
  const origin = await startOrigin();
  let far: Socket | undefined;
  origin.server.on('upgrade', (req) => {
    far = req.socket;
    far.on('error', () => undefined);
    far.write(SWITCHED_HEAD);
  });
  onTestFinished(() => {
    far?.destroy();
  });
  const rig = await startGateway({ origin: origin.address, certificates });
  const near = new RawClient(transport === 'TCP' ? rig.port : connectHttp1(rig.tlsPort));
  near.send(...HANDSHAKE);
  await near.until(/^HTTP\/1\.1 101 [^]*\r\n\r\n/);
  near.received = '';
  if (far === undefined) throw new Error('no handshake at the origin');
  return { near, far };
}

/** Everything that arrives at a socket from now on. */
function collect(socket: Socket) {
  const collected = { text: '', ended: false };
  socket.on('data', (part: Buffer | string) => (collected.text += part.toString('latin1')));
  socket.on('end', () => (collected.ended = true));
  return collected;
}

test.each(['TCP', 'TLS'] as const)(
  'over %s 10,000 messages go each way at once, whole and in order (RFC 6455)',
  async (transport) => {
    const { near, far } = await openTunnel(transport);
    const atOrigin = collect(far);
    for (let message = 0; message < MESSAGES; message++) {
      near.socket.write(`${message};`);
      far.write(`${message};`);
      // A pause now and then, so that the messages are not one write.
      if (message % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await eventually(
      () =>
        atOrigin.text.length >= allMessages.length && near.received.length >= allMessages.length,
    );
    expect(atOrigin.text === allMessages).toBe(true);
    expect(near.received === allMessages).toBe(true);
  },
);

test.each(['TCP', 'TLS'] as const)(
  'over %s a side that reads nothing makes the other one wait, and loses nothing',
  async (transport) => {
    const { near, far } = await openTunnel(transport);
    const block = Buffer.alloc(1024 * 1024, 'block');
    let sentBytes = 0;
    let unmovedLooks = 0;
    far.pause();
    // Waits until the kernel and a few buffers are full.
    await eventually(
      () => {
        if (near.socket.writableLength > 0) return ++unmovedLooks > 20;
        near.socket.write(block);
        sentBytes += block.length;
        unmovedLooks = 0;
        return false;
      },
      () => `the tunnel took ${sentBytes} bytes`,
    );
    let arrivedBytes = 0;
    far.on('data', (part: Buffer) => (arrivedBytes += part.length));
    far.resume();
    await eventually(() => arrivedBytes === sentBytes);
  },
);

test.each(['TCP', 'TLS'] as const)(
  'over %s a side that has ended still gets the bytes of the other one',
  async (transport) => {
    const first = await openTunnel(transport);
    const atOrigin = collect(first.far);
    first.near.socket.end('last words');
    await eventually(() => atOrigin.ended);
    expect(atOrigin.text).toBe('last words');
    first.far.end('an answer');
    await first.near.untilClosed();
    expect(first.near.received).toBe('an answer');

    const second = await openTunnel(transport);
    second.near.socket.allowHalfOpen = true;
    const atSecond = collect(second.far);
    let hasEnded = false;
    second.near.socket.once('end', () => (hasEnded = true));
    second.far.end('goodbye');
    await eventually(() => hasEnded);
    expect(second.near.received).toBe('goodbye');
    second.near.socket.end('and you');
    await eventually(() => atSecond.ended);
    expect(atSecond.text).toBe('and you');
  },
);
