import { Agent, get, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { onTestFinished, expect, test } from 'vitest';
import { HTTP1_LIMITS } from '../origin/http1/limits.ts';
import { certificates, wholeVisit } from '../testing/fronts.ts';
import { type Rig, type RigOptions, startGateway } from '../testing/gateway-rig.ts';
import { waitUntil, get as getRaw } from '../testing/raw-client.ts';
import { startOrigin } from '../testing/recording-origin.ts';

/**
 * Windows authentication (NTLM, and Negotiate: RFC 4559) signs in a connection, and not a request. The origin of this
 * test does this as IIS does. The test does not run real NTLM.
 */

async function start(scheme: string, options: Partial<RigOptions> = {}) {
  const steps = new Map<Socket, 'asked' | 'signed in'>();
  const origin = await startOrigin(({ socket, headers }, res) => {
    const { authorization } = headers;
    if (authorization === `${scheme} first`) steps.set(socket, 'asked');
    if (authorization === `${scheme} second` && steps.get(socket) === 'asked') {
      steps.set(socket, 'signed in');
    }
    if (steps.get(socket) === 'signed in') res.end('the letters of Ada');
    else res.writeHead(401, { 'www-authenticate': scheme }).end();
  });
  const rig = await startGateway({ origin: origin.address, certificates, ...options });
  return { rig, steps };
}

/** A visitor with one connection. */
function openVisitor({ url }: Rig) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const leave = () => {
    agent.destroy();
  };
  onTestFinished(leave);
  const ask = (authorization?: string) =>
    new Promise<number>((resolve, reject) => {
      const headers = {
        host: 'shop.example',
        ...(authorization !== undefined && { authorization }),
      };
      get(url, { agent, headers }, (answer: IncomingMessage) => {
        answer.resume().on('end', () => {
          resolve(answer.statusCode ?? 0);
        });
      }).on('error', reject);
    });
  return { ask, leave };
}

test.each(['NTLM', 'Negotiate', 'ntlm'])(
  '%s: no other visitor gets the connection on which a visitor signed in',
  async (scheme) => {
    const { rig, steps } = await start(scheme);
    const ada = openVisitor(rig);
    expect(await ada.ask()).toBe(401);
    expect(await ada.ask(`${scheme} first`)).toBe(401);
    // Another visitor sends requests during the sign-in and after it.
    const stranger = openVisitor(rig);
    expect(await stranger.ask()).toBe(401);
    expect(await ada.ask(`${scheme} second`)).toBe(200);
    expect(await stranger.ask()).toBe(401);
    expect(await ada.ask()).toBe(200);
    ada.leave();
    await waitUntil(() => [...steps.keys()].every((socket) => socket.destroyed));
    expect(await stranger.ask()).toBe(401);
  },
);

test.each([
  ['in a second field', ['Authorization: Basic eDp5', 'Authorization: NTLM all']],
  ['after an empty field', ['Authorization:', 'Authorization: NTLM all']],
  ['after a comma', ['Authorization: ,NTLM all']],
])('no other visitor gets the connection of a sign-in %s', async (_name, fields) => {
  const signedIn = new Set<Socket>();
  const origin = await startOrigin(({ socket, rawHeaders }, res) => {
    if (rawHeaders.some((value) => value.endsWith('NTLM all'))) signedIn.add(socket);
    res.writeHead(signedIn.has(socket) ? 200 : 401).end();
  });
  const rig = await startGateway({ origin: origin.address });
  expect(await getRaw(rig.port, '/', ...fields)).toContain(' 200 ');
  expect(await openVisitor(rig).ask()).toBe(401);
});

test('a stranger with many sign-ins keeps no visitor from signing in', async () => {
  const { rig, steps } = await start('NTLM');
  const strangers = Array.from({ length: HTTP1_LIMITS.maxIdle }, () => openVisitor(rig));
  await Promise.all(strangers.map(({ ask }) => ask('NTLM first')));
  const ada = openVisitor(rig);
  expect(await ada.ask('NTLM first')).toBe(401);
  expect(await ada.ask('NTLM second')).toBe(200);
  expect(await ada.ask()).toBe(200);
  const openCount = () => [...steps.keys()].filter((socket) => !socket.destroyed).length;
  await waitUntil(() => openCount() <= HTTP1_LIMITS.maxIdle);
});

test('a sign-in of a connection does not work over HTTP/2, and not behind a proxy that shares a connection among visitors', async () => {
  const { rig } = await start('NTLM', { trustedProxies: ['127.0.0.1'] });
  const proxy = openVisitor(rig);
  for (const authorization of ['NTLM first', 'NTLM second', undefined]) {
    expect(await proxy.ask(authorization)).toBe(401);
  }
  const { rig: other } = await start('NTLM');
  for (const authorization of ['NTLM first', 'NTLM second', undefined]) {
    const headers = authorization === undefined ? {} : { authorization };
    const { status } = await wholeVisit('HTTP/2', other, { headers });
    expect(status).toBe(401);
  }
});

test('other schemes sign in a request, and their connections are shared', async () => {
  const { rig } = await start('Basic');
  const ada = openVisitor(rig);
  expect(await ada.ask('Basic first')).toBe(401);
  expect(await openVisitor(rig).ask('Basic second')).toBe(200);
});
