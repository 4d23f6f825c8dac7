import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { certificates } from '../testing/fronts.ts';
import { startGateway, startGatewayWithOrigin } from '../testing/gateway-rig.ts';
import { openHttp2 } from '../testing/http2-client.ts';
import { bodyOf, get, headersOf, rawExchange, statusOf } from '../testing/raw-client.ts';
import { startTcpOrigin } from '../testing/recording-origin.ts';

/** A TCP origin that answers when an upload is complete. */
function startUploadOrigin() {
  return startTcpOrigin((socket, head) => {
    if (/\r\n\r\n(?:ok|2\r\nok\r\n0\r\n(?:[^]*\r\n)?\r\n)$/.test(head)) {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    }
  });
}

describe('to the origin', () => {
  test('RFC 9110 7.6.1: known hop-by-hop fields, and fields that Connection names, are removed', async () => {
    const { port, origin } = await startGatewayWithOrigin();
    await get(
      port,
      '/',
      'Connection: X-Named , x-other,host',
      'X-Named: 1',
      'X-OTHER: 1',
      'Keep-Alive: timeout=5',
      'Proxy-Connection: keep-alive',
      'Proxy-Authorization: Basic eA==',
      'Proxy: http://evil.example',
      'TE: trailers',
      'Trailer: X-T',
      'Upgrade: h2c',
      'HTTP2-Settings: AAMAAABk',
      'X-Kept: 1',
    );
    const names = Object.keys(origin.requests[0]?.headers ?? {});
    expect(names.sort()).toEqual([
      'connection',
      'host',
      'via',
      'x-forwarded-for',
      'x-forwarded-host',
      'x-forwarded-proto',
      'x-guard-decision',
      'x-guard-request-id',
      'x-kept',
    ]);
    expect(origin.requests[0]?.headers.host).toBe('shop.example');
    expect(origin.requests[0]?.headers.connection).not.toContain('X-Named');
  });

  test('forwarded fields keep the visitor’s spelling, order, duplicates and raw bytes', async () => {
    const origin = await startTcpOrigin((socket) =>
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'),
    );
    const { port } = await startGateway({ origin: origin.address });
    await get(
      port,
      '/',
      'X-b: 2',
      'x-A: 1',
      'Cookie: a=1',
      'X-b: 3',
      'cookie: b=2',
      'X-Bytes: \xe9\xff',
    );
    const lines = (origin.bytes[0] ?? '').split('\r\n');
    const visitorLines = lines.filter((line) => /^(x-b|x-a|cookie|x-bytes)/i.test(line));
    expect(visitorLines).toEqual([
      'X-b: 2',
      'x-A: 1',
      'Cookie: a=1',
      'X-b: 3',
      'cookie: b=2',
      'X-Bytes: \xe9\xff',
    ]);
  });

  test('RFC 9110 6.5: announced trailers of an upload reach the origin, without forbidden fields (6.5.1) and claims', async () => {
    const origin = await startUploadOrigin();
    const { port } = await startGateway({ origin: origin.address });
    const head = ['POST / HTTP/1.1', 'Host: shop.example', 'Connection: close', 'Trailer: X-Sum'];
    const trailers = [
      'X-Sum: 42',
      'x-b: \xe9',
      'Host: evil.example',
      'Authorization: Basic eA==',
      'Content-Type: text/html',
      'X-Guard-Decision: allow',
      'X_Guard_Decision: allow',
      'X-Forwarded-For: 192.0.2.1',
      'Keep-Alive: 9',
      'Via: 1.0 fred',
    ];
    const body = ['Transfer-Encoding: chunked', '', '2', 'ok', '0', ...trailers, '', ''];
    expect(statusOf(await rawExchange(port, ...head, ...body))).toBe(200);
    const [sent = ''] = origin.bytes;
    expect(sent).toContain('\r\nTrailer: X-Sum\r\n');
    expect(sent).toMatch(/\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 42\r\nx-b: \xe9\r\n\r\n$/);
  });

  test('RFC 9113 8.1: trailers of an HTTP/2 upload reach the origin only with chunks', async () => {
    const origin = await startUploadOrigin();
    const { tlsPort } = await startGateway({ origin: origin.address, certificates });
    const session = openHttp2(tlsPort);
    for (const length of [{}, { 'content-length': '2' }]) {
      const stream = session.request(
        { ':method': 'POST', ':authority': 'shop.example', ...length },
        { waitForTrailers: true },
      );
      stream.once('wantTrailers', () => {
        stream.sendTrailers({ 'x-sum': '42', 'x-guard-decision': 'allow' });
      });
      stream.end('ok');
      const [response] = (await once(stream, 'response')) as [Record<string, unknown>];
      expect(response[':status']).toBe(200);
      stream.resume();
    }
    const sentText = origin.bytes.join('');
    expect(sentText).toContain('\r\n\r\n2\r\nok\r\n0\r\nx-sum: 42\r\n\r\n');
    expect(sentText).toMatch(/content-length: 2\r\n[^]*\r\n\r\nok$/);
  });

  test('RFC 9110 8.6: an empty upload keeps its length', async () => {
    const { port, origin } = await startGatewayWithOrigin();
    const lines = ['POST / HTTP/1.1', 'Host: shop.example', 'Connection: close'];
    await rawExchange(port, ...lines, 'Content-Length: 0', '', '');
    await rawExchange(port, ...lines, '', '');
    expect(origin.requests.map(({ headers }) => headers['content-length'])).toEqual(['0', '0']);
  });

  test('RFC 9110 7.6.3: Guard adds itself to Via, and a request in a loop gets 508', async () => {
    const { port, origin } = await startGatewayWithOrigin();
    await get(port, '/', 'Via: 1.0 fred');
    expect(origin.requests[0]?.headers.via).toBe('1.0 fred, 1.1 guard');
    const loop = `Via: ${Array.from({ length: 5 }, () => '1.1 guard').join(', ')}`;
    expect(statusOf(await get(port, '/', loop))).toBe(508);
  });
});

describe('to the visitor', () => {
  test('RFC 9110 7.6.1: hop-by-hop fields of the origin are removed; duplicates and order stay', async () => {
    const origin = await startTcpOrigin((socket) =>
      socket.end(
        [
          'HTTP/1.1 203 Quite Own',
          'Connection: close, X-Named',
          'X-Named: 1',
          'Keep-Alive: timeout=5',
          'Proxy-Authenticate: Basic',
          'Upgrade: h2c',
          'Set-Cookie: a=1',
          'X-Kept: \xe9',
          'set-cookie: b=2',
          'Content-Length: 2',
          '',
          'ok',
        ].join('\r\n'),
        'latin1',
      ),
    );
    const { port } = await startGateway({ origin: origin.address });
    const answer = await get(port);
    expect(answer).toMatch(
      /^HTTP\/1\.1 203 Quite Own\r\nSet-Cookie: a=1\r\nX-Kept: \xe9\r\nset-cookie: b=2\r\n/,
    );
    for (const name of ['x-named', 'proxy-authenticate', 'upgrade']) {
      expect(headersOf(answer, name)).toEqual([]);
    }
    expect(headersOf(answer, 'keep-alive').join()).not.toBe('timeout=5');
    expect(bodyOf(answer)).toBe('ok');
  });

  test('RFC 9110 6.5: trailers of the origin reach an HTTP/1.1 visitor, except trailers about the connection and caches', async () => {
    const origin = await startTcpOrigin((socket) =>
      socket.end(
        'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 42\r\nKeep-Alive: 9\r\nCDN-Cache-Control: max-age=9\r\n\r\n',
      ),
    );
    const { port } = await startGateway({ origin: origin.address });
    const answer = await get(port);
    expect(headersOf(answer, 'trailer')).toEqual(['X-Sum']);
    expect(bodyOf(answer)).toBe('2\r\nok\r\n0\r\nX-Sum: 42\r\n\r\n');
  });

  test('an HTTP/1.0 visitor gets the same body without chunks', async () => {
    const origin = await startTcpOrigin((socket) =>
      socket.end(
        'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 42\r\n\r\n',
      ),
    );
    const { port } = await startGateway({ origin: origin.address });
    const answer = await rawExchange(port, 'GET / HTTP/1.0', 'Host: shop.example', '', '');
    expect(headersOf(answer, 'transfer-encoding')).toEqual([]);
    expect(bodyOf(answer)).toBe('ok');
  });
});
