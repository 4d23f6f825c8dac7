import { once } from 'node:events';
import { lookup } from 'node:dns/promises';
import { Agent, request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { describe, expect, onTestFinished, test } from 'vitest';

import { createReloadableService } from './reloadable-service.ts';
import { createService, listenOn, type ServiceTimes } from './listen.ts';

const SETTINGS = { trusted_proxies: [] };

/** Creates routes that answer with `word` after `ready`. */
async function routes(word: string, ready: Promise<unknown> = Promise.resolve()) {
  const app = createService(SETTINGS);
  app.get('/', async () => {
    await ready;
    return word;
  });
  await app.ready();
  return app;
}

/** Opens a service with these routes on a free port of the host. */
async function open(app: FastifyInstance, host = '127.0.0.1', times?: ServiceTimes) {
  const service = createReloadableService(SETTINGS, app, times);
  onTestFinished(() => service.app.close());
  return { service, url: await listenOn('admin', service.app, { kind: 'tcp', host, port: 0 }) };
}

async function ask(url: string, agent?: Agent): Promise<string> {
  const clientRequest = request(url, agent ? { agent } : {}).end();
  const [answer] = (await once(clientRequest, 'response')) as [IncomingMessage];
  let text = '';
  for await (const part of answer.setEncoding('utf8')) text += String(part);
  return text;
}

test('the old routes finish their request; the next one on the connection goes to the new routes', async () => {
  const release = Promise.withResolvers<undefined>();
  const { service, url } = await open(await routes('old', release.promise));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const requestArrives = once(service.app.server, 'request');
  const answer = ask(url, agent);
  await requestArrives;
  service.replaceRoutes(await routes('new'));
  release.resolve(undefined);
  expect(await answer).toBe('old');
  expect(await ask(url, agent)).toBe('new');
});

test('each address of localhost gets the new routes', async () => {
  const { service, url } = await open(await routes('old'), 'localhost');
  service.replaceRoutes(await routes('new'));
  const { port } = new URL(url);
  const addresses = await lookup('localhost', { all: true });
  expect(addresses.length).toBeGreaterThan(0);
  for (const { address, family } of addresses) {
    const host = family === 6 ? `[${address}]` : address;
    expect(await ask(`http://${host}:${port}/`)).toBe('new');
  }
});

test('closing waits for an open request, but not for an idle connection', async () => {
  const release = Promise.withResolvers<undefined>();
  const { service, url } = await open(await routes('late', release.promise));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const requestArrives = once(service.app.server, 'request');
  const answer = ask(url, agent);
  await requestArrives;
  const closing = service.app.close();
  await turn();
  release.resolve(undefined);
  expect(await answer).toBe('late');
  await closing;
});

test('closing does not wait for a connection without a request', async () => {
  const { service, url } = await open(await routes('new'));
  const connectionArrives = once(service.app.server, 'connection');
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  await connectionArrives;
  await service.app.close();
  await once(socket.resume(), 'close');
});

test('a slow client delays the end of the service only until `cutOff`', async () => {
  const { service, url } = await open(await routes('new'));
  const requestArrives = once(service.app.server, 'request');
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Type: a/b\r\nContent-Length: 5000\r\n\r\n');
  await requestArrives;
  const sendTimer = setInterval(() => socket.write('.'), 20);
  onTestFinished(() => clearInterval(sendTimer));
  let isClosed = false;
  const closing = service.app.close().then(() => (isClosed = true));
  await sleep(500);
  expect(isClosed).toBe(false);
  service.cutOff();
  await closing;
});

describe('a service ends a connection on which bytes come too slowly, on each address of localhost', () => {
  const times = { headMs: 200, requestMs: 400, checkMs: 20, idleMs: 60_000 };
  const upload = 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: a/b\r\n';

  test.each([
    ['a head', 'GET / HTTP/1.1\r\nHost: localhost\r\nX-A: ', 'a'],
    ['a body', `${upload}Content-Length: 9999\r\n\r\n`, 'a'],
    ['a body in chunks', `${upload}Transfer-Encoding: chunked\r\n\r\n`, '1\r\na\r\n'],
  ])('%s gets 408', async (_what, start, drop) => {
    const app = createService(SETTINGS);
    app.addContentTypeParser('a/b', { parseAs: 'string' }, (_request, body, done) => {
      done(null, body);
    });
    app.post('/', () => 'whole');
    await app.ready();
    const { url } = await open(app, 'localhost', times);
    for (const { address } of await lookup('localhost', { all: true })) {
      const socket = connect(Number(new URL(url).port), address).setEncoding('latin1');
      const closing = new Promise((resolve) => socket.on('close', resolve));
      let receivedText = '';
      socket.on('data', (text: string) => (receivedText += text)).on('error', () => undefined);
      socket.write(start);
      const sendTimer = setInterval(() => socket.write(drop), 10);
      await closing;
      clearInterval(sendTimer);
      // Bytes that arrive after the close cause a reset, and the client can see the reset before the answer.
      expect(receivedText).toMatch(/^(?:HTTP\/1\.1 408 |$)/);
    }
  });
});

test('a request without a route gets 404 before its body is parsed', async () => {
  const { url } = await open(await routes('new'));
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/nowhere`, { method: 'POST', headers, body: '{ "broken": ' });
  expect(answer.status).toBe(404);
});

test('a connection has one request at a time; of 40 in one packet, 16 get their answer, the next 503', async () => {
  const release = Promise.withResolvers<undefined>();
  let begunCount = 0;
  const app = createService(SETTINGS);
  app.get('/', async () => {
    begunCount += 1;
    await release.promise;
    return 'done';
  });
  await app.ready();
  const { service, url } = await open(app);
  const requestArrives = once(service.app.server, 'request');
  const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('latin1');
  let receivedText = '';
  socket.on('data', (text: string) => (receivedText += text));
  const closing = once(socket, 'close');
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(40));
  await requestArrives;
  await turn();
  expect(begunCount).toBe(1);
  release.resolve(undefined);
  await closing;
  expect(begunCount).toBe(16);
  const statuses = [...receivedText.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
  expect(statuses).toEqual([...Array<string>(16).fill('200'), '503']);
});
