import { describe, expect, test } from 'vitest';
import { allClosed, holdSweeps, keepOpenAfter, OK, openClient } from '../../testing/http1-rig.ts';
import { ask, askAndWait, PartedBody, startScripted } from '../../testing/origin-client.ts';
import { waitUntil } from '../../testing/raw-client.ts';
import { HTTP1_LIMITS } from './limits.ts';

const doNothing = () => undefined;
const ENDLESS_BODY = {
  length: 9,
  start: doNothing,
  pause: doNothing,
  resume: doNothing,
  stop: doNothing,
};

describe('a connection is used again only when no bytes can be read as a wrong answer (RFC 9112 section 9.3)', () => {
  test.each([
    ['Connection: close', 'GET', OK.replace('\r\n', '\r\nConnection: close\r\n')],
    ['HTTP/1.0', 'GET', OK.replace('1.1', '1.0')],
    ['bytes after the end', 'GET', `${OK}HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison`],
    ['an answer to HEAD, whose body may come after all', 'HEAD', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n'],
    ['a 204 that announces a body', 'GET', 'HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\n'],
    ['a 304 that announces a body', 'GET', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 2\r\n\r\n'],
    ['Keep-Alive: timeout=1, which is over at once', 'GET', OK.replace('\r\n', '\r\nKeep-Alive: timeout=1\r\n')],
  ])('not after %s', async (_what, method, answer) => {
    const origin = await startScripted((_sent, connection) => keepOpenAfter(connection === 0 ? answer : OK));
    const client = openClient(origin.url);
    await askAndWait(client, { method });
    const secondAnswer = await askAndWait(client);
    expect(secondAnswer.body.toString()).not.toBe('poison');
    expect(origin.sockets).toHaveLength(2);
    await waitUntil(() => origin.sockets[0]?.closed === true);
  }); // prettier-ignore

  test('not after bytes that come when no request is under way', async () => {
    const origin = await startScripted(() => keepOpenAfter(OK));
    const client = openClient(origin.url);
    await askAndWait(client);
    origin.sockets[0]?.write('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison');
    await waitUntil(() => allClosed(origin));
    expect((await askAndWait(client)).body.toString()).toBe('ok');
    expect(origin.sockets).toHaveLength(2);
  });

  test('Guard tells the origin when a request is the last one on its connection', async () => {
    const origin = await startScripted(() => keepOpenAfter(OK));
    const client = openClient(origin.url);
    await askAndWait(client);
    await askAndWait(client, { method: 'HEAD' });
    expect(origin.receivedTexts.join('')).toMatch(
      /GET [^]*Connection: keep-alive\r\n[^]*HEAD [^]*Connection: close\r\n/,
    );
  });

  test('the connection that became idle last is used first, and the others expire', async () => {
    const sweep = holdSweeps();
    const origin = await startScripted(() => keepOpenAfter(OK));
    const client = openClient(origin.url);
    await Promise.all([askAndWait(client), askAndWait(client), askAndWait(client)]);
    expect(origin.sockets).toHaveLength(3);
    sweep(HTTP1_LIMITS.idleMs - 500);
    await askAndWait(client);
    sweep(500);
    await waitUntil(() => origin.sockets.filter((socket) => !socket.closed).length === 1);
    await askAndWait(client);
    expect(origin.sockets).toHaveLength(3);
  });

  test('a connection stays idle for at most the origin’s Keep-Alive: timeout, minus a margin', async () => {
    const sweep = holdSweeps();
    const origin = await startScripted(() =>
      keepOpenAfter(OK.replace('\r\n', '\r\nKeep-Alive: timeout=20\r\n')),
    );
    const client = openClient(origin.url);
    await askAndWait(client);
    sweep(18_500);
    await askAndWait(client);
    expect(origin.sockets).toHaveLength(1);
    sweep(19_000);
    await waitUntil(() => allClosed(origin));
  });

  test('a request that must not be sent twice gets a recently used or a new connection', async () => {
    const sweep = holdSweeps();
    const origin = await startScripted(() => keepOpenAfter(OK));
    const client = openClient(origin.url);
    await askAndWait(client);
    await askAndWait(client, { method: 'DELETE' });
    expect(origin.sockets).toHaveLength(1);
    sweep(HTTP1_LIMITS.freshMs + 500);
    await askAndWait(client, { method: 'DELETE' });
    expect(origin.sockets).toHaveLength(2);
    sweep(HTTP1_LIMITS.freshMs + 500);
    await askAndWait(client);
    expect(origin.sockets).toHaveLength(2);
  });

  test('an exchange that has ended cannot affect the next exchange on its connection', async () => {
    const origin = await startScripted((requestText) =>
      requestText.includes('/slow') ? undefined : keepOpenAfter(OK),
    );
    const client = openClient(origin.url);
    const first = ask(client);
    await first?.receivedAnswer;
    const second = ask(client, { target: '/slow' });
    await waitUntil(() => origin.receivedTexts[0]?.includes('/slow') === true);
    first?.exchange?.abort();
    first?.exchange?.pause();
    origin.sockets[0]?.write(OK);
    expect((await second?.receivedAnswer)?.body.toString()).toBe('ok');
  });

  test('a request that its visitor cancels resets its connection, because a closed one keeps its port for a minute', async () => {
    const origin = await startScripted(() => undefined);
    const cancelled = ask(openClient(origin.url));
    await waitUntil(() => origin.receivedTexts.length === 1);
    const wasReset = new Promise((resolve) => origin.sockets[0]?.once('close', resolve));
    cancelled?.exchange?.abort();
    expect(await wasReset).toBe(true);
  });

  test.each([
    ['HEAD', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n', undefined],
    ['GET that closes', OK.replace('\r\n', '\r\nConnection: close\r\n'), undefined],
    ['upload that comes early', OK, ENDLESS_BODY],
  ])(
    'an answer to %s resets its connection, because one address could use up all ports',
    async (request, answer, body) => {
      const wasReset = Promise.withResolvers<boolean>();
      const origin = await startScripted(() => {
        origin.sockets[0]?.once('close', wasReset.resolve);
        return keepOpenAfter(answer);
      });
      const method = body ? 'POST' : request.slice(0, 4).trim();
      await ask(openClient(origin.url), { method, body })?.receivedAnswer;
      expect(await wasReset.promise).toBe(true);
    },
  );

  test('an idle connection that is not kept is reset too, because one address could fill the places for idle connections', async () => {
    const origin = await startScripted(() => keepOpenAfter(OK));
    const client = openClient(origin.url);
    await askAndWait(client, { method: 'DELETE' });
    const wasReset = new Promise((resolve) => origin.sockets[0]?.once('close', resolve));
    await client.destroy();
    expect(await wasReset).toBe(true);
  });

  test.each(['GET', 'POST'])(
    'an answer that closes does not reset a %s whose body was sent completely, because the origin may still read the body',
    async (method) => {
      const wasReset = Promise.withResolvers<boolean>();
      const origin = await startScripted((text) => {
        if (!text.endsWith('whole body')) return undefined;
        origin.sockets[0]?.once('close', wasReset.resolve);
        return keepOpenAfter(OK.replace('\r\n', '\r\nConnection: close\r\n'));
      });
      const body = new PartedBody([Buffer.from('whole body')]);
      await ask(openClient(origin.url), { method, body })?.receivedAnswer;
      expect(await wasReset.promise).toBe(false);
    },
  );
});
