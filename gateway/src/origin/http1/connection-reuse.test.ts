import { describe, expect, test } from 'vitest';
import { allClosed, holdSweeps, keep, OK, openClient } from '../../testing/http1-rig.ts';
import { ask, hear, startScripted } from '../../testing/origin-client.ts';
import { eventually } from '../../testing/raw-client.ts';
import { HTTP1_LIMITS } from './limits.ts';

describe('a connection is used again only when no bytes can be misread (RFC 9112 section 9.3)', () => {
  test.each([
    ['Connection: close', 'GET', OK.replace('\r\n', '\r\nConnection: close\r\n')],
    ['HTTP/1.0', 'GET', OK.replace('1.1', '1.0')],
    ['bytes after the end', 'GET', `${OK}HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison`],
    ['an answer to HEAD, whose body may come after all', 'HEAD', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n'],
    ['a 204 that announces a body', 'GET', 'HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\n'],
    ['Keep-Alive: timeout=1, which is over at once', 'GET', OK.replace('\r\n', '\r\nKeep-Alive: timeout=1\r\n')],
  ])('not after %s', async (_what, method, answer) => {
    const origin = await startScripted((_sent, connection) => keep(connection === 0 ? answer : OK));
    const client = openClient(origin.url);
    await hear(client, { method });
    const secondAnswer = await hear(client);
    expect(secondAnswer.body.toString()).not.toBe('poison');
    expect(origin.sockets).toHaveLength(2);
    await eventually(() => origin.sockets[0]?.closed === true);
  }); // prettier-ignore

  test('not after bytes that come when no request is under way', async () => {
    const origin = await startScripted(() => keep(OK));
    const client = openClient(origin.url);
    await hear(client);
    origin.sockets[0]?.write('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison');
    await eventually(() => allClosed(origin));
    expect((await hear(client)).body.toString()).toBe('ok');
    expect(origin.sockets).toHaveLength(2);
  });

  test('the origin is told that a request is the last on its connection', async () => {
    const origin = await startScripted(() => keep(OK));
    const client = openClient(origin.url);
    await hear(client);
    await hear(client, { method: 'HEAD' });
    expect(origin.received.join('')).toMatch(
      /GET [^]*Connection: keep-alive\r\n[^]*HEAD [^]*Connection: close\r\n/,
    );
  });

  test('the connection that fell idle last is taken first, and the others expire', async () => {
    const sweep = holdSweeps();
    const origin = await startScripted(() => keep(OK));
    const client = openClient(origin.url);
    await Promise.all([hear(client), hear(client), hear(client)]);
    expect(origin.sockets).toHaveLength(3);
    sweep(HTTP1_LIMITS.idleMs - 500);
    await hear(client);
    sweep(500);
    await eventually(() => origin.sockets.filter((socket) => !socket.closed).length === 1);
    await hear(client);
    expect(origin.sockets).toHaveLength(3);
  });

  test('Keep-Alive: timeout of the origin, less a margin, bounds the idle time', async () => {
    const sweep = holdSweeps();
    const origin = await startScripted(() =>
      keep(OK.replace('\r\n', '\r\nKeep-Alive: timeout=20\r\n')),
    );
    const client = openClient(origin.url);
    await hear(client);
    sweep(18_500);
    await hear(client);
    expect(origin.sockets).toHaveLength(1);
    sweep(19_000);
    await eventually(() => allClosed(origin));
  });

  test('a request that must not be sent twice takes a recently used or a new connection', async () => {
    const sweep = holdSweeps();
    const origin = await startScripted(() => keep(OK));
    const client = openClient(origin.url);
    await hear(client);
    await hear(client, { method: 'DELETE' });
    expect(origin.sockets).toHaveLength(1);
    sweep(HTTP1_LIMITS.freshMs + 500);
    await hear(client, { method: 'DELETE' });
    expect(origin.sockets).toHaveLength(2);
    sweep(HTTP1_LIMITS.freshMs + 500);
    await hear(client);
    expect(origin.sockets).toHaveLength(2);
  });

  test('an exchange that has ended cannot affect the next one on its connection', async () => {
    const origin = await startScripted((sent) => (sent.includes('/slow') ? undefined : keep(OK)));
    const client = openClient(origin.url);
    const first = ask(client);
    await first?.heard;
    const second = ask(client, { target: '/slow' });
    await eventually(() => origin.received[0]?.includes('/slow') === true);
    first?.exchange?.abort();
    first?.exchange?.pause();
    origin.sockets[0]?.write(OK);
    expect((await second?.heard)?.body.toString()).toBe('ok');
  });
});
