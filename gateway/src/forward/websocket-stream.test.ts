import type { Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { certificates } from '../testing/fronts.ts';
import { startGateway } from '../testing/gateway-rig.ts';
import {
  connectHttp1,
  waitUntil,
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
  let originSocket: Socket | undefined;
  origin.server.on('upgrade', (req) => {
    originSocket = req.socket;
    originSocket.on('error', () => undefined);
    originSocket.write(SWITCHED_HEAD);
  });
  onTestFinished(() => {
    originSocket?.destroy();
  });
  const rig = await startGateway({ origin: origin.address, certificates });
  const visitorClient = new RawClient(transport === 'TCP' ? rig.port : connectHttp1(rig.tlsPort));
  visitorClient.send(...HANDSHAKE);
  await visitorClient.until(/^HTTP\/1\.1 101 [^]*\r\n\r\n/);
  visitorClient.receivedText = '';
  if (originSocket === undefined) throw new Error('no handshake at the origin');
  return { visitorClient, originSocket };
}

/** Everything that arrives at a socket from now on. */
function collect(socket: Socket) {
  const received = { text: '', ended: false };
  socket.on('data', (part: Buffer | string) => (received.text += part.toString('latin1')));
  socket.on('end', () => (received.ended = true));
  return received;
}

test.each(['TCP', 'TLS'] as const)(
  'over %s 10,000 messages go each way at once, whole and in order (RFC 6455)',
  async (transport) => {
    const { visitorClient, originSocket } = await openTunnel(transport);
    const atOrigin = collect(originSocket);
    for (let message = 0; message < MESSAGES; message++) {
      visitorClient.socket.write(`${message};`);
      originSocket.write(`${message};`);
      // Pauses keep the messages from becoming one single write.
      if (message % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await waitUntil(
      () =>
        atOrigin.text.length >= allMessages.length &&
        visitorClient.receivedText.length >= allMessages.length,
    );
    expect(atOrigin.text === allMessages).toBe(true);
    expect(visitorClient.receivedText === allMessages).toBe(true);
  },
);

test.each(['TCP', 'TLS'] as const)(
  'over %s a side that reads nothing makes the other side wait, and loses nothing',
  async (transport) => {
    const { visitorClient, originSocket } = await openTunnel(transport);
    const block = Buffer.alloc(1024 * 1024, 'block');
    let sentBytes = 0;
    let unmovedCount = 0;
    originSocket.pause();
    // Waits until the kernel and a few buffers are full.
    await waitUntil(
      () => {
        if (visitorClient.socket.writableLength > 0) return ++unmovedCount > 20;
        visitorClient.socket.write(block);
        sentBytes += block.length;
        unmovedCount = 0;
        return false;
      },
      () => `the tunnel took ${sentBytes} bytes`,
    );
    let arrivedBytes = 0;
    originSocket.on('data', (part: Buffer) => (arrivedBytes += part.length));
    originSocket.resume();
    await waitUntil(() => arrivedBytes === sentBytes);
  },
);

test.each(['TCP', 'TLS'] as const)(
  'over %s a side that has ended still gets the bytes of the other side',
  async (transport) => {
    const firstTunnel = await openTunnel(transport);
    const atOrigin = collect(firstTunnel.originSocket);
    firstTunnel.visitorClient.socket.end('last words');
    await waitUntil(() => atOrigin.ended);
    expect(atOrigin.text).toBe('last words');
    firstTunnel.originSocket.end('an answer');
    await firstTunnel.visitorClient.untilClosed();
    expect(firstTunnel.visitorClient.receivedText).toBe('an answer');

    const secondTunnel = await openTunnel(transport);
    secondTunnel.visitorClient.socket.allowHalfOpen = true;
    const atSecond = collect(secondTunnel.originSocket);
    let hasEnded = false;
    secondTunnel.visitorClient.socket.once('end', () => (hasEnded = true));
    secondTunnel.originSocket.end('goodbye');
    await waitUntil(() => hasEnded);
    expect(secondTunnel.visitorClient.receivedText).toBe('goodbye');
    secondTunnel.visitorClient.socket.end('and you');
    await waitUntil(() => atSecond.ended);
    expect(atSecond.text).toBe('and you');
  },
);
