import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { holdSweeps, keepOpenAfter, openClient } from '../../testing/http1-rig.ts';
import { ask, askAndWait, PartedBody, startScripted } from '../../testing/origin-client.ts';
import { waitUntil } from '../../testing/raw-client.ts';

describe('every wait ends', () => {
  test('an origin that reads nothing causes a timeout, and a slow upload does not', async () => {
    const sweep = holdSweeps();
    const origin = await startScripted(() => undefined);
    const client = openClient(origin.url, { originHeadersMs: 1_000 });
    const slowUpload = new PartedBody([Buffer.from('a')], 2);
    slowUpload.holdEnd = true;
    const fields = ['Host', 'a', 'Content-Length', '2'];
    const uploadAnswer = ask(client, { method: 'POST', fields, body: slowUpload });
    await waitUntil(() => origin.receivedTexts[0]?.endsWith('\r\n\r\na') === true);
    sweep(60_000);
    expect(uploadAnswer?.answer.error).toBeUndefined();
    slowUpload.holdEnd = false;
    slowUpload.add(Buffer.from('b'));
    await waitUntil(() => origin.receivedTexts[0]?.endsWith('ab') === true);
    sweep(1_500);
    expect((await uploadAnswer?.receivedAnswer)?.error?.kind).toBe('timeout');

    const blocked = new PartedBody([Buffer.alloc(64 * 1024 * 1024)]);
    const huge = ['Host', 'a', 'Content-Length', String(blocked.length)];
    const stuck = ask(client, { method: 'POST', fields: huge, body: blocked });
    await waitUntil(() => origin.sockets.length === 2);
    origin.sockets[1]?.pause();
    await waitUntil(() => blocked.isPaused);
    sweep(1_500);
    expect((await stuck?.receivedAnswer)?.error?.kind).toBe('timeout');
  });

  test('no deadline ends early, and each part of a body starts a new one', async () => {
    const sweep = holdSweeps();
    const origin = await startScripted(() =>
      keepOpenAfter('HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\na'),
    );
    const client = openClient(origin.url, { originBodyIdleMs: 2_000 });
    const listener = ask(client);
    for (const parts of [1, 2]) {
      await waitUntil(() => listener?.parts.length === parts);
      sweep(2_000);
      expect(listener?.answer.error).toBeUndefined();
      origin.sockets[0]?.write('b');
    }
    expect((await listener?.receivedAnswer)?.body.toString()).toBe('abb');
  });

  test('an answer that the visitor does not read has no deadline', async () => {
    const sweep = holdSweeps();
    const origin = await startScripted(() =>
      keepOpenAfter('HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\na'),
    );
    const client = openClient(origin.url, { originBodyIdleMs: 500 });
    const listener = ask(client);
    await waitUntil(() => listener?.parts.length === 1);
    listener?.exchange?.pause();
    sweep(600_000);
    expect(listener?.answer.error).toBeUndefined();
    listener?.exchange?.resume();
    sweep(1_000);
    expect((await listener?.receivedAnswer)?.error?.kind).toBe('timeout');
  });

  test('a connection that does not open in time fails', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const acceptedSockets: Socket[] = [];
    silent.on('connection', (socket) => acceptedSockets.push(socket.on('error', () => undefined)));
    onTestFinished(() => {
      for (const socket of acceptedSockets) socket.destroy();
      silent.close();
    });
    const { port } = silent.address() as AddressInfo; // A TCP listener has an address.
    const client = openClient(`https://127.0.0.1:${port}`, { originConnectMs: 50 });
    expect((await askAndWait(client)).error?.kind).toBe('connect');
  });
});
