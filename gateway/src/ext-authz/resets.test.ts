import { once } from 'node:events';
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
} from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { framedCheck } from '../../../test/kit/peers/envoy-client.ts';
import { LOGIN, startExtAuthz } from '../testing/ext-authz-rig.ts';
import { allow } from '../testing/gateway-rig.ts';

/** Visitors who leave reset streams of the one connection on which Envoy asks. */

/** A gateway that answers when the test lets it, and a connection of Envoy to it. */
async function startUndecided() {
  const answerReleased = Promise.withResolvers<undefined>();
  const { envoyUrl } = await startExtAuthz({
    validate: async (request, context) => {
      await answerReleased.promise;
      return allow(request, context);
    },
    limits: { askTimeoutMs: 10_000 },
  });
  const session = connect(envoyUrl, { peerMaxConcurrentStreams: 100_000 });
  session.on('error', () => undefined);
  onTestFinished(() => {
    session.destroy();
  });
  const release = () => {
    answerReleased.resolve(undefined);
  };
  return { session, release };
}

function ask(session: ClientHttp2Session): ClientHttp2Stream {
  const stream = openQuestion(session);
  stream.end(framedCheck(LOGIN));
  return stream;
}

function openQuestion(session: ClientHttp2Session): ClientHttp2Stream {
  const stream = session.request({
    ':method': 'POST',
    ':path': '/envoy.service.auth.v3.Authorization/Check',
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  stream.on('error', () => undefined);
  return stream.resume();
}

/** The status of gRPC. Undefined when the stream ended without one: Envoy then does what its failure mode says. */
function statusOf(stream: ClientHttp2Stream): Promise<string | undefined> {
  return new Promise((resolve) => {
    stream.on('trailers', (fields: IncomingHttpHeaders) => {
      resolve(String(fields['grpc-status']));
    });
    stream.on('close', () => {
      resolve(undefined);
    });
  });
}

async function answerTo(stream: ClientHttp2Stream): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  expect(parts.length).toBeGreaterThan(0);
  return Buffer.concat(parts).toString('latin1');
}

test('visitors who leave before the answer do not end the questions about others', async () => {
  const { session, release } = await startUndecided();
  const otherStatus = statusOf(ask(session));
  for (let round = 0; round < 15 && !session.closed; round++) {
    const abandonedCalls = Array.from({ length: 100 }, () => ask(session));
    const callsEnded = Promise.all(abandonedCalls.map(statusOf));
    await setImmediate();
    for (const stream of abandonedCalls) stream.close(constants.NGHTTP2_CANCEL);
    await callsEnded;
  }
  release();
  expect(await otherStatus).toBe('0');
});

test('a burst of 1024 questions on a new connection, before Envoy knows the limit, is answered', async () => {
  const { session, release } = await startUndecided();
  const statuses = Array.from({ length: 1_024 }, () => statusOf(ask(session)));
  release();
  expect(new Set(await Promise.all(statuses))).toEqual(new Set(['0']));
});

test('a stranger who leaves a refused question open loses the connection', async () => {
  const { envoyUrl } = await startExtAuthz({
    trustedProxies: [],
    limits: { idleTimeoutMs: 100 },
  });
  const session = connect(envoyUrl);
  session.on('error', () => undefined);
  onTestFinished(() => {
    session.destroy();
  });
  openQuestion(session);
  await once(session, 'close', { signal: AbortSignal.timeout(45_000) });
});

test('an idle connection stays open, so that no question meets a closing connection', async () => {
  const { envoyUrl } = await startExtAuthz({ limits: { idleTimeoutMs: 50 } });
  const session = connect(envoyUrl);
  session.on('error', () => undefined);
  onTestFinished(() => {
    session.destroy();
  });
  // Guard sends a ping, and Node answers it.
  for (let pings = 0; pings < 3; pings++) {
    await once(session, 'ping', { signal: AbortSignal.timeout(45_000) });
  }
  expect(await statusOf(ask(session))).toBe('0');
});

test('the connection of a trusted proxy that no longer answers is closed', async () => {
  const { envoyUrl } = await startExtAuthz({
    limits: { idleTimeoutMs: 50, keepAliveTimeoutMs: 50 },
  });
  const silent = connectTcp(Number(new URL(envoyUrl).port), '127.0.0.1').resume();
  silent.on('error', () => undefined);
  await once(silent, 'close', { signal: AbortSignal.timeout(45_000) });
});

test('a new connection from the port of a connection that was reset is trusted too', async () => {
  // No other program uses this address, so the port stays free between the two connections.
  const localAddress = '127.77.0.1';
  const { envoyUrl } = await startExtAuthz({ trustedProxies: [localAddress] });
  const address = { port: Number(new URL(envoyUrl).port), host: '127.0.0.1', localAddress };
  const firstSocket = connectTcp(address);
  // Guard's SETTINGS show that it has accepted the connection.
  await once(firstSocket, 'data');
  const { localPort = 0 } = firstSocket;
  firstSocket.resetAndDestroy();
  const secondSocket = connectTcp({ ...address, localPort });
  await once(secondSocket, 'connect');
  const session = connect(envoyUrl, { createConnection: () => secondSocket });
  onTestFinished(() => {
    session.destroy();
  });
  expect(await answerTo(ask(session))).not.toContain('Refused');
});
