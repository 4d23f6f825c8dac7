import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { holdSweeps, keep, openClient } from '../../testing/http1-rig.ts';
import { ask, hear, PartedBody, startScripted } from '../../testing/origin-client.ts';
import { eventually } from '../../testing/raw-client.ts';

describe('every wait ends', () => {
  test('a slow upload is no timeout of the origin; an origin that reads nothing is', async () => {
    const sweep = holdSweeps();
    const origin = await startScripted(() => undefined);
    const client = openClient(origin.url, { originHeadersMs: 1_000 });
    const slow = new PartedBody([Buffer.from('a')], 2);
    slow.holdEnd = true;
    const fields = ['Host', 'a', 'Content-Length', '2'];
    const waiting = ask(client, { method: 'POST', fields, body: slow });
    await eventually(() => origin.received[0]?.endsWith('\r\n\r\na') === true);
    sweep(60_000);
    expect(waiting?.answer.error).toBeUndefined();
    slow.holdEnd = false;
    slow.add(Buffer.from('b'));
    await eventually(() => origin.received[0]?.endsWith('ab') === true);
    sweep(1_500);
    expect((await waiting?.heard)?.error?.kind).toBe('timeout');

    const blocked = new PartedBody([Buffer.alloc(64 * 1024 * 1024)]);
    const huge = ['Host', 'a', 'Content-Length', String(blocked.length)];
    const stuck = ask(client, { method: 'POST', fields: huge, body: blocked });
    await eventually(() => origin.sockets.length === 2);
    origin.sockets[1]?.pause();
    await eventually(() => blocked.isPaused);
    sweep(1_500);
    expect((await stuck?.heard)?.error?.kind).toBe('timeout');
  });

  test('no deadline is early, and each part of a body starts a new one', async () => {
    const sweep = holdSweeps();
    const origin = await startScripted(() => keep('HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\na'));
    const client = openClient(origin.url, { originBodyIdleMs: 2_000 });
    const listener = ask(client);
    for (const parts of [1, 2]) {
      await eventually(() => listener?.parts.length === parts);
      sweep(2_000);
      expect(listener?.answer.error).toBeUndefined();
      origin.sockets[0]?.write('b');
    }
    expect((await listener?.heard)?.body.toString()).toBe('abb');
  });

  test('an answer that the visitor does not read has no deadline', async () => {
    const sweep = holdSweeps();
    const origin = await startScripted(() => keep('HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\na'));
    const client = openClient(origin.url, { originBodyIdleMs: 500 });
    const listener = ask(client);
    await eventually(() => listener?.parts.length === 1);
    listener?.exchange?.pause();
    sweep(600_000);
    expect(listener?.answer.error).toBeUndefined();
    listener?.exchange?.resume();
    sweep(1_000);
    expect((await listener?.heard)?.error?.kind).toBe('timeout');
  });

  test('a connection that does not open in time fails', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const accepted: Socket[] = [];
    silent.on('connection', (socket) => accepted.push(socket.on('error', () => undefined)));
    onTestFinished(() => {
      for (const socket of accepted) socket.destroy();
      silent.close();
    });
    const { port } = silent.address() as AddressInfo; // a TCP listener has one
    const client = openClient(`https://127.0.0.1:${port}`, { originConnectMs: 50 });
    expect((await hear(client)).error?.kind).toBe('connect');
  });
});
