import { once } from 'node:events';
import { connect } from 'node:tls';
import { setEnvironmentData } from 'node:worker_threads';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startGateway } from '../testing/gateway-rig.ts';
import { startOrigin } from '../testing/recording-origin.ts';
import { selfSigned } from '../testing/self-signed.ts';

const shop = selfSigned('shop.example');
const otherCertificate = selfSigned('other.example');

interface Handshake {
  readonly isResumed: boolean;
  /** The TLS session for the next connection. */
  readonly session: Buffer;
}

/** One connection with one request. The session ticket comes before the answer. */
async function visit(
  port: number,
  version: 'TLSv1.2' | 'TLSv1.3',
  session?: Buffer,
): Promise<Handshake> {
  const socket = connect({
    ...{ port, host: '127.0.0.1', servername: 'shop.example', rejectUnauthorized: false },
    ...{ minVersion: version, maxVersion: version, ...(session && { session }) },
  });
  const sessions: Buffer[] = [];
  socket.on('session', (ticket: Buffer) => sessions.push(ticket));
  socket.write('GET / HTTP/1.1\r\nHost: shop.example\r\n\r\n');
  await once(socket, 'data');
  const isResumed = socket.isSessionReused();
  socket.destroy();
  return { isResumed, session: sessions.at(-1) ?? Buffer.alloc(0) };
}

async function start(...certificates: readonly (typeof shop)[]) {
  const origin = await startOrigin();
  return startGateway({ origin: origin.address, certificates });
}

describe.each(['TLSv1.2', 'TLSv1.3'] as const)('a session of %s is resumed', (version) => {
  test('by the same gateway, also after a reload with the same certificate', async () => {
    const { tlsPort, gateway, settings } = await start(shop);
    const { session } = await visit(tlsPort, version);
    expect((await visit(tlsPort, version, session)).isResumed).toBe(true);
    gateway.reload(settings);
    expect((await visit(tlsPort, version, session)).isResumed).toBe(true);
  });

  test('by another thread with the same certificate', async () => {
    const { session } = await visit((await start(shop)).tlsPort, version);
    // Node binds sessions to the arguments of the process, and a thread has other arguments.
    process.argv.push('thread');
    onTestFinished(() => void process.argv.pop());
    expect((await visit((await start(shop)).tlsPort, version, session)).isResumed).toBe(true);
  });

  test('not by another process, although it has the same certificate', async () => {
    const { session } = await visit((await start(shop)).tlsPort, version);
    setEnvironmentData('guard/tls-tickets', undefined);
    expect((await visit((await start(shop)).tlsPort, version, session)).isResumed).toBe(false);
  });

  test('not with another certificate', async () => {
    const { session } = await visit((await start(shop)).tlsPort, version);
    const otherGateway = await start(otherCertificate, shop);
    expect((await visit(otherGateway.tlsPort, version, session)).isResumed).toBe(false);
  });
});
