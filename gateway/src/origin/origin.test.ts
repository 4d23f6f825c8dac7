import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import type { GatewayLimits } from '../base/limits.ts';
import {
  ask,
  askAndWait,
  listen,
  Listener,
  PartedBody,
  type Script,
  startScripted,
} from '../testing/origin-client.ts';
import { keepOpenAfter, OK, openClient } from '../testing/http1-rig.ts';
import { waitUntil, untilUnchanged } from '../testing/raw-client.ts';
import { refusingAddress } from '../testing/recording-origin.ts';
import { Http1Origin } from './http1/http1-origin.ts';
import { UndiciOrigin } from '../testing/undici-origin.ts';

const end = (text: string): Script => ({ ...keepOpenAfter(text), ending: 'end' });

/** Whether the text has a complete header section. */
const isWholeRequest = (requestText: string) => requestText.includes('\r\n\r\n');

describe.each([
  ['Http1Origin', Http1Origin],
  ['UndiciOrigin', UndiciOrigin],
] as const)('the port Origin, by %s', (_name, Client) => {
  const openOrigin = (url: string, limits: Partial<GatewayLimits> = {}) =>
    openClient(url, limits, Client);

  test('an answer arrives as the origin sent it: interim answers, status, order and spelling of fields, body, trailers', async () => {
    const { url } = await startScripted(() =>
      keepOpenAfter(
        'HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n' +
          'HTTP/1.1 203 Quite Own\r\nX-b: 1\r\nx-A: \xe9\r\nX-b: 2\r\nTransfer-Encoding: chunked\r\n\r\n' +
          '3\r\nabc\r\n2\r\nde\r\n0\r\nX-Sum: 42\r\n\r\n',
      ),
    );
    expect(await askAndWait(openOrigin(url))).toEqual({
      interim: [{ status: 103, fields: ['Link', '</a.css>'] }],
      status: 203,
      reason: 'Quite Own',
      fields: ['X-b', '1', 'x-A', '\xe9', 'X-b', '2', 'Transfer-Encoding', 'chunked'],
      body: Buffer.from('abcde'),
      trailers: ['X-Sum', '42'],
      error: undefined,
    });
  });

  test('the fields of a request keep their order, spelling, duplicates and bytes', async () => {
    const origin = await startScripted((requestText) =>
      isWholeRequest(requestText) ? keepOpenAfter(OK) : undefined,
    );
    const fields = ['Host', 'shop.example', 'X-b', '1', 'x-A', '\xe9\xff', 'X-b', '2'];
    await askAndWait(openOrigin(origin.url), { method: 'DELETE', target: '/a%2Fb?c=1//d', fields });
    const lines = (origin.receivedTexts[0] ?? '').split('\r\n');
    expect(lines[0]).toBe('DELETE /a%2Fb?c=1//d HTTP/1.1');
    expect(lines.filter((line) => line.startsWith('X-') || line.startsWith('x-'))).toEqual([
      'X-b: 1',
      'x-A: \xe9\xff',
      'X-b: 2',
    ]);
  });

  test('a body is sent with its length, or in chunks (RFC 9112 section 6)', async () => {
    const origin = await startScripted((requestText) =>
      /aaabbbb$|0\r\n\r\n$/.test(requestText) ? keepOpenAfter(OK) : undefined,
    );
    const client = openOrigin(origin.url);
    const parts = [Buffer.from('aaa'), Buffer.from('bbbb')];
    const sized = { method: 'POST', fields: ['Host', 'a', 'Content-Length', '7'] };
    await askAndWait(client, { ...sized, body: new PartedBody(parts) });
    await nextTurn();
    await askAndWait(client, {
      method: 'POST',
      fields: ['Host', 'a'],
      body: PartedBody.chunked(parts),
    });
    const receivedText = origin.receivedTexts.join('');
    expect(receivedText).toMatch(/Content-Length: 7(?:\r\n[^]*)?\r\n\r\naaabbbbPOST/i);
    expect(receivedText).toMatch(
      /Transfer-Encoding: chunked(?:\r\n[^]*)?\r\n\r\n3\r\naaa\r\n4\r\nbbbb\r\n0\r\n\r\n$/i,
    );
  });

  test('a connection is used again, and no request waits for another', async () => {
    let release = () => {};
    const origin = await startScripted((requestText, connection) => {
      if (!requestText.includes('/slow')) return keepOpenAfter(OK);
      release = () => origin.sockets[connection]?.write(OK);
      return undefined;
    });
    const client = openOrigin(origin.url);
    await askAndWait(client);
    await nextTurn();
    const slow = ask(client, { target: '/slow' });
    await waitUntil(() => origin.receivedTexts[0]?.includes('/slow') === true);
    for (let i = 0; i < 3; i++) {
      expect((await askAndWait(client)).body.toString()).toBe('ok');
      await nextTurn();
    }
    expect(origin.sockets).toHaveLength(2);
    release();
    expect((await slow?.receivedAnswer)?.body.toString()).toBe('ok');
  });

  test('the retry lane opens a new connection', async () => {
    const origin = await startScripted(() => keepOpenAfter(OK));
    const client = openOrigin(origin.url);
    await askAndWait(client);
    await askAndWait(client, {}, 'retry');
    expect(origin.sockets).toHaveLength(2);
  });

  test('a full lane accepts no more requests until one has ended; other lanes still accept requests', async () => {
    const origin = await startScripted((requestText) => {
      if (requestText.includes('/ok')) return keepOpenAfter(OK);
      return requestText.includes('/bad') ? end('nonsense\r\n\r\n') : undefined;
    });
    const client = openOrigin(origin.url, { originPlainRequests: 1, originUploads: 1 });
    const heldAnswer = ask(client, { target: '/held' });
    expect(ask(client, { target: '/ok' })).toBeUndefined();
    const upload = { method: 'POST', target: '/ok', fields: ['Host', 'a', 'Content-Length', '1'] };
    const body = new PartedBody([Buffer.from('x')]);
    expect((await askAndWait(client, { ...upload, body })).status).toBe(200);
    heldAnswer?.exchange?.abort();
    expect((await askAndWait(client, { target: '/bad' })).error?.kind).toBe('malformed');
    expect((await askAndWait(client, { target: '/ok' })).status).toBe(200);
    expect((await askAndWait(client, { target: '/ok' })).status).toBe(200);
  });

  test('after an abort the connection is cut and the handler is not called', async () => {
    const origin = await startScripted((requestText) =>
      isWholeRequest(requestText)
        ? keepOpenAfter('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npart')
        : undefined,
    );
    const client = openOrigin(origin.url);
    const earlyAnswer = ask(client);
    earlyAnswer?.exchange?.abort();
    const lateAnswer = ask(client);
    await waitUntil(() => lateAnswer?.parts.length === 1);
    lateAnswer?.exchange?.abort();
    lateAnswer?.exchange?.abort();
    await waitUntil(() => origin.sockets.every((socket) => socket.closed));
    expect([earlyAnswer?.answer.error, lateAnswer?.answer.error]).toEqual([undefined, undefined]);
  });

  test('pause stops reading from the origin, and resume continues', async () => {
    const body = Buffer.alloc(32 * 1024 * 1024, 'x');
    const head = Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`);
    const origin = await startScripted(() => ({ pieces: [head, body], ending: 'keep' }));
    const listener = ask(openOrigin(origin.url));
    await waitUntil(() => (listener?.parts.length ?? 0) > 0);
    listener?.exchange?.pause();
    const [socket] = origin.sockets;
    await untilUnchanged(() => socket?.writableLength ?? 0);
    expect(socket?.writableLength).toBeGreaterThan(0);
    listener?.exchange?.resume();
    expect((await listener?.receivedAnswer)?.body.length).toBe(body.length);
  });

  test('an upload is read no faster than the origin reads it', async () => {
    const part = Buffer.alloc(1024 * 1024, 'x');
    const parts = Array.from({ length: 32 }, () => part);
    const bytes = parts.length * part.length;
    const origin = await startScripted((requestText) =>
      requestText.length > bytes ? keepOpenAfter(OK) : undefined,
    );
    const body = new PartedBody(parts);
    const fields = ['Host', 'a', 'Content-Length', String(bytes)];
    const listener = ask(openOrigin(origin.url), { method: 'PUT', fields, body });
    await waitUntil(() => origin.sockets.length === 1);
    origin.sockets[0]?.pause();
    await waitUntil(() => body.isPaused);
    await untilUnchanged(() => (body.isPaused ? 1 : 0));
    expect(listener?.answer.status).toBe(0);
    origin.sockets[0]?.resume();
    expect((await listener?.receivedAnswer)?.status).toBe(200);
  });

  test.each([
    ['closed', 'a connection that ends before a byte of the answer', () => end('')],
    ['truncated', 'one that ends in the header section', () => end('HTTP/1.1 200 OK\r\nX: ')],
    ['truncated', 'one that ends in the body', () => end('HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok')],
    ['truncated', 'one that ends between chunks', () => end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n')],
    ['truncated', 'one that ends after an interim answer', () => end('HTTP/1.1 103 Wait\r\n\r\n')],
    ['malformed', 'another protocol', () => end('SSH-2.0-x\r\n\r\n')],
    ['malformed', 'header fields that are too large', () => end(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`)],
    ['closed', 'a reset', (): Script => ({ pieces: [], ending: 'reset' })],
  ] as const)('%s: %s', async (kind, _what, script) => {
    const origin = await startScripted(script);
    expect((await askAndWait(openOrigin(origin.url))).error?.kind).toBe(kind);
  }); // prettier-ignore

  test('malformed: an answer that the handler cannot pass on; the next answer is not affected', async () => {
    class Refusing extends Listener {
      override onHead(): void {
        throw new Error('not to be passed on');
      }
    }
    const origin = await startScripted(() => keepOpenAfter(OK));
    const client = openOrigin(origin.url);
    expect((await listen(client, new Refusing())?.receivedAnswer)?.error?.kind).toBe('malformed');
    expect((await askAndWait(client)).status).toBe(200);
  });

  test('connect: no server listens on the address', async () => {
    expect((await askAndWait(openOrigin(refusingAddress()))).error?.kind).toBe('connect');
  });

  test('timeout: the header section or a part of the body does not come in time', async () => {
    const origin = await startScripted((requestText) =>
      requestText.includes('/body')
        ? keepOpenAfter('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npart')
        : undefined,
    );
    const client = openOrigin(origin.url, { originHeadersMs: 50, originBodyIdleMs: 50 });
    const [head, body] = await Promise.all([
      askAndWait(client),
      askAndWait(client, { target: '/body' }),
    ]);
    expect([head.error?.kind, head.status]).toEqual(['timeout', 0]);
    expect([body.error?.kind, body.status]).toEqual(['timeout', 200]);
  });

  test('`close` closes idle connections and lets a request under way finish; `destroy` cuts the request', async () => {
    let release = () => {};
    const origin = await startScripted((requestText, connection) => {
      if (requestText.includes('/ok')) return keepOpenAfter(OK);
      release = () => origin.sockets[connection]?.write(OK);
      return undefined;
    });
    const client = openOrigin(origin.url);
    await Promise.all([
      askAndWait(client, { target: '/ok' }),
      askAndWait(client, { target: '/ok' }),
    ]);
    const slow = ask(client);
    await waitUntil(() =>
      origin.receivedTexts.some((requestText) => requestText.includes('GET / ')),
    );
    const clientClosed = client.close();
    await waitUntil(() => origin.sockets.filter((socket) => !socket.closed).length === 1);
    release();
    expect((await slow?.receivedAnswer)?.body.toString()).toBe('ok');
    await clientClosed;

    const otherClient = openOrigin(origin.url);
    const cutAnswer = ask(otherClient);
    await waitUntil(() => origin.sockets.length === 3);
    const [socket] = origin.sockets.slice(2);
    const socketClosed = socket === undefined ? undefined : once(socket, 'close');
    await otherClient.destroy();
    await socketClosed;
    expect((await cutAnswer?.receivedAnswer)?.error).toBeDefined();
  });
});

/** undici notices only in a later turn that a connection is free. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
