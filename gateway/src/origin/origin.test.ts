import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import type { GatewayLimits } from '../base/limits.ts';
import {
  ask,
  hear,
  listen,
  Listener,
  PartedBody,
  type Script,
  startScripted,
} from '../testing/origin-client.ts';
import { keep, OK, openClient } from '../testing/http1-rig.ts';
import { eventually, untilUnchanged } from '../testing/raw-client.ts';
import { refusingAddress } from '../testing/recording-origin.ts';
import { Http1Origin } from './http1/http1-origin.ts';
import { UndiciOrigin } from '../testing/undici-origin.ts';

const end = (text: string): Script => ({ ...keep(text), then: 'end' });

/** The head of the last request in what a connection has sent, once it is there. */
const isWholeRequest = (sent: string) => sent.includes('\r\n\r\n');

describe.each([
  ['Http1Origin', Http1Origin],
  ['UndiciOrigin', UndiciOrigin],
] as const)('the port Origin, by %s', (_name, Client) => {
  const open = (url: string, limits: Partial<GatewayLimits> = {}) =>
    openClient(url, limits, Client);

  test('an answer arrives as the origin sent it: interim answers, status, order and spelling of fields, body, trailers', async () => {
    const { url } = await startScripted(() =>
      keep(
        'HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n' +
          'HTTP/1.1 203 Quite Own\r\nX-b: 1\r\nx-A: \xe9\r\nX-b: 2\r\nTransfer-Encoding: chunked\r\n\r\n' +
          '3\r\nabc\r\n2\r\nde\r\n0\r\nX-Sum: 42\r\n\r\n',
      ),
    );
    expect(await hear(open(url))).toEqual({
      interim: [{ status: 103, fields: ['Link', '</a.css>'] }],
      status: 203,
      reason: 'Quite Own',
      fields: ['X-b', '1', 'x-A', '\xe9', 'X-b', '2', 'Transfer-Encoding', 'chunked'],
      body: Buffer.from('abcde'),
      trailers: ['X-Sum', '42'],
      error: undefined,
    });
  });

  test('a request is sent with its order, spelling, duplicates and bytes', async () => {
    const origin = await startScripted((sent) => (isWholeRequest(sent) ? keep(OK) : undefined));
    const fields = ['Host', 'shop.example', 'X-b', '1', 'x-A', '\xe9\xff', 'X-b', '2'];
    await hear(open(origin.url), { method: 'DELETE', target: '/a%2Fb?c=1//d', fields });
    const lines = (origin.received[0] ?? '').split('\r\n');
    expect(lines[0]).toBe('DELETE /a%2Fb?c=1//d HTTP/1.1');
    expect(lines.filter((line) => line.startsWith('X-') || line.startsWith('x-'))).toEqual([
      'X-b: 1',
      'x-A: \xe9\xff',
      'X-b: 2',
    ]);
  });

  test('a body is sent with its length, or in chunks (RFC 9112 section 6)', async () => {
    const origin = await startScripted((sent) =>
      /aaabbbb$|0\r\n\r\n$/.test(sent) ? keep(OK) : undefined,
    );
    const client = open(origin.url);
    const parts = [Buffer.from('aaa'), Buffer.from('bbbb')];
    const sized = { method: 'POST', fields: ['Host', 'a', 'Content-Length', '7'] };
    await hear(client, { ...sized, body: new PartedBody(parts) });
    await turn();
    await hear(client, { method: 'POST', fields: ['Host', 'a'], body: PartedBody.chunked(parts) });
    const receivedText = origin.received.join('');
    expect(receivedText).toMatch(/Content-Length: 7(?:\r\n[^]*)?\r\n\r\naaabbbbPOST/i);
    expect(receivedText).toMatch(
      /Transfer-Encoding: chunked(?:\r\n[^]*)?\r\n\r\n3\r\naaa\r\n4\r\nbbbb\r\n0\r\n\r\n$/i,
    );
  });

  test('a connection is used again, and no request waits for another', async () => {
    let release = () => {};
    const origin = await startScripted((sent, connection) => {
      if (!sent.includes('/slow')) return keep(OK);
      release = () => origin.sockets[connection]?.write(OK);
      return undefined;
    });
    const client = open(origin.url);
    await hear(client);
    await turn();
    const slow = ask(client, { target: '/slow' });
    await eventually(() => origin.received[0]?.includes('/slow') === true);
    for (let i = 0; i < 3; i++) {
      expect((await hear(client)).body.toString()).toBe('ok');
      await turn();
    }
    expect(origin.sockets).toHaveLength(2);
    release();
    expect((await slow?.heard)?.body.toString()).toBe('ok');
  });

  test('the retry lane opens a new connection', async () => {
    const origin = await startScripted(() => keep(OK));
    const client = open(origin.url);
    await hear(client);
    await hear(client, {}, 'retry');
    expect(origin.sockets).toHaveLength(2);
  });

  test('a full lane takes no more requests until one has ended; other lanes do', async () => {
    const origin = await startScripted((sent) => {
      if (sent.includes('/ok')) return keep(OK);
      return sent.includes('/bad') ? end('nonsense\r\n\r\n') : undefined;
    });
    const client = open(origin.url, { originPlainRequests: 1, originUploads: 1 });
    const heldAnswer = ask(client, { target: '/held' });
    expect(ask(client, { target: '/ok' })).toBeUndefined();
    const upload = { method: 'POST', target: '/ok', fields: ['Host', 'a', 'Content-Length', '1'] };
    const body = new PartedBody([Buffer.from('x')]);
    expect((await hear(client, { ...upload, body })).status).toBe(200);
    heldAnswer?.exchange?.abort();
    expect((await hear(client, { target: '/bad' })).error?.kind).toBe('malformed');
    expect((await hear(client, { target: '/ok' })).status).toBe(200);
    expect((await hear(client, { target: '/ok' })).status).toBe(200);
  });

  test('after an abort the connection is cut and the handler is not called', async () => {
    const origin = await startScripted((sent) =>
      isWholeRequest(sent) ? keep('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npart') : undefined,
    );
    const client = open(origin.url);
    const earlyAnswer = ask(client);
    earlyAnswer?.exchange?.abort();
    const lateAnswer = ask(client);
    await eventually(() => lateAnswer?.parts.length === 1);
    lateAnswer?.exchange?.abort();
    lateAnswer?.exchange?.abort();
    await eventually(() => origin.sockets.every((socket) => socket.closed));
    expect([earlyAnswer?.answer.error, lateAnswer?.answer.error]).toEqual([undefined, undefined]);
  });

  test('pause stops reading from the origin, resume continues', async () => {
    const body = Buffer.alloc(32 * 1024 * 1024, 'x');
    const head = Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`);
    const origin = await startScripted(() => ({ pieces: [head, body], then: 'keep' }));
    const listener = ask(open(origin.url));
    await eventually(() => (listener?.parts.length ?? 0) > 0);
    listener?.exchange?.pause();
    const [socket] = origin.sockets;
    await untilUnchanged(() => socket?.writableLength ?? 0);
    expect(socket?.writableLength).toBeGreaterThan(0);
    listener?.exchange?.resume();
    expect((await listener?.heard)?.body.length).toBe(body.length);
  });

  test('an upload is read no faster than the origin takes it', async () => {
    const part = Buffer.alloc(1024 * 1024, 'x');
    const parts = Array.from({ length: 32 }, () => part);
    const bytes = parts.length * part.length;
    const origin = await startScripted((sent) => (sent.length > bytes ? keep(OK) : undefined));
    const body = new PartedBody(parts);
    const fields = ['Host', 'a', 'Content-Length', String(bytes)];
    const listener = ask(open(origin.url), { method: 'PUT', fields, body });
    await eventually(() => origin.sockets.length === 1);
    origin.sockets[0]?.pause();
    await eventually(() => body.isPaused);
    await untilUnchanged(() => (body.isPaused ? 1 : 0));
    expect(listener?.answer.status).toBe(0);
    origin.sockets[0]?.resume();
    expect((await listener?.heard)?.status).toBe(200);
  });

  test.each([
    ['closed', 'a connection that ends before a byte of the answer', () => end('')],
    ['truncated', 'one that ends in the header section', () => end('HTTP/1.1 200 OK\r\nX: ')],
    ['truncated', 'one that ends in the body', () => end('HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok')],
    ['truncated', 'one that ends between chunks', () => end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n')],
    ['truncated', 'one that ends after an interim answer', () => end('HTTP/1.1 103 Wait\r\n\r\n')],
    ['malformed', 'another protocol', () => end('SSH-2.0-x\r\n\r\n')],
    ['malformed', 'header fields that are too large', () => end(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`)],
    ['closed', 'a reset', (): Script => ({ pieces: [], then: 'reset' })],
  ] as const)('%s: %s', async (kind, _what, script) => {
    const origin = await startScripted(script);
    expect((await hear(open(origin.url))).error?.kind).toBe(kind);
  }); // prettier-ignore

  test('malformed: an answer that the handler cannot pass on; the next answer is not affected', async () => {
    class Refusing extends Listener {
      override onHead(): void {
        throw new Error('not to be passed on');
      }
    }
    const origin = await startScripted(() => keep(OK));
    const client = open(origin.url);
    expect((await listen(client, new Refusing())?.heard)?.error?.kind).toBe('malformed');
    expect((await hear(client)).status).toBe(200);
  });

  test('connect: an address without a listener', async () => {
    expect((await hear(open(refusingAddress()))).error?.kind).toBe('connect');
  });

  test('timeout: no header section in time, or no part of the body', async () => {
    const origin = await startScripted((sent) =>
      sent.includes('/body') ? keep('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npart') : undefined,
    );
    const client = open(origin.url, { originHeadersMs: 50, originBodyIdleMs: 50 });
    const [head, body] = await Promise.all([hear(client), hear(client, { target: '/body' })]);
    expect([head.error?.kind, head.status]).toEqual(['timeout', 0]);
    expect([body.error?.kind, body.status]).toEqual(['timeout', 200]);
  });

  test('`close` closes idle connections and lets a request under way finish; `destroy` cuts the request', async () => {
    let release = () => {};
    const origin = await startScripted((sent, connection) => {
      if (sent.includes('/ok')) return keep(OK);
      release = () => origin.sockets[connection]?.write(OK);
      return undefined;
    });
    const client = open(origin.url);
    await Promise.all([hear(client, { target: '/ok' }), hear(client, { target: '/ok' })]);
    const slow = ask(client);
    await eventually(() => origin.received.some((sent) => sent.includes('GET / ')));
    const clientClosed = client.close();
    await eventually(() => origin.sockets.filter((socket) => !socket.closed).length === 1);
    release();
    expect((await slow?.heard)?.body.toString()).toBe('ok');
    await clientClosed;

    const otherClient = open(origin.url);
    const cutAnswer = ask(otherClient);
    await eventually(() => origin.sockets.length === 3);
    const [socket] = origin.sockets.slice(2);
    const socketClosed = socket === undefined ? undefined : once(socket, 'close');
    await otherClient.destroy();
    await socketClosed;
    expect((await cutAnswer?.heard)?.error).toBeDefined();
  });
});

/** undici notices in a later turn that a connection is free. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
