import { describe, expect, test } from 'vitest';
import { startGateway } from '../testing/gateway-rig.ts';
import { exchange, openHttp2 } from '../testing/http2-client.ts';
import { get, rawExchange, RawClient, statusOf } from '../testing/raw-client.ts';
import { refusingAddress, startOrigin, startTcpOrigin } from '../testing/recording-origin.ts';
import { selfSigned } from '../testing/self-signed.ts';

const HOST = 'Host: shop.example';
const CLOSE = 'Connection: close';
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

describe('origins that fail', () => {
  test('no connection → 502, and a second origin is tried first', async () => {
    const dead = await refusingAddress();
    const { port, counted } = await startGateway({ origin: dead });
    expect(statusOf(await get(port))).toBe(502);
    expect(counted('guard_gateway_origin_errors_total', 'connect')).toBe(1);
    const origin = await startOrigin();
    const both = await startGateway({ origin: [dead, origin.address] });
    for (let i = 0; i < 4; i++) expect(statusOf(await get(both.port))).toBe(200);
  });

  test('an upload to an origin that cannot be reached gets its 502', async () => {
    const { port } = await startGateway({ origin: await refusingAddress() });
    const lines = ['POST / HTTP/1.1', HOST, CLOSE, 'Content-Length: 5', '', 'hello'];
    expect(statusOf(await rawExchange(port, ...lines))).toBe(502);
  });

  test('no header section in time → 504', async () => {
    const origin = await startTcpOrigin(() => undefined);
    const limits = { originHeadersMs: 100 };
    const { port, counted } = await startGateway({ origin: origin.address, limits });
    expect(statusOf(await get(port))).toBe(504);
    expect(counted('guard_gateway_origin_errors_total', 'timeout')).toBe(1);
    expect(origin.sockets).toHaveLength(1);
  });

  test.each([
    { name: 'another protocol', answer: 'SSH-2.0-x\r\n\r\n' },
    {
      name: 'two lengths',
      answer: 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    },
    {
      name: 'a control character',
      answer: 'HTTP/1.1 200 OK\r\nX: a\x01\r\nContent-Length: 0\r\n\r\n',
    },
    { name: 'no status', answer: 'HTTP/1.1 999999 OK\r\n\r\n' },
    { name: 'endless headers', answer: `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(70_000)}\r\n\r\n` },
    {
      name: 'an upgrade nobody asked for',
      answer: 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
    },
  ])('an answer that is no HTTP → 502: $name', async ({ answer }) => {
    const origin = await startTcpOrigin((socket) => socket.end(answer, 'latin1'));
    const { port } = await startGateway({ origin: origin.address });
    expect(statusOf(await get(port))).toBe(502);
  });

  test.each([
    { framing: 'Content-Length', answer: 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart' },
    {
      framing: 'chunked',
      answer: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npart\r\n',
    },
  ])(
    'RFC 9112 8: a truncated $framing body cuts the visitor’s connection and is never completed',
    async ({ answer }) => {
      const origin = await startTcpOrigin((socket) => socket.end(answer));
      const { port, counted } = await startGateway({ origin: origin.address });
      const client = new RawClient(port);
      client.send('GET / HTTP/1.1', HOST, '', '');
      const received = await client.untilClosed();
      expect(received).toContain('part');
      expect(received).not.toMatch(/0\r\n\r\n$/);
      expect(counted('guard_gateway_origin_errors_total', 'truncated')).toBe(1);
    },
  );

  test('an answer that HTTP/2 cannot carry ends its own stream, and no other', async () => {
    const origin = await startTcpOrigin((socket, head) =>
      socket.write(head.includes('/odd') ? OK.replace('200 OK', '999 Odd') : OK),
    );
    const certificates = [selfSigned('shop.example')];
    const { tlsPort, counted } = await startGateway({ origin: origin.address, certificates });
    const session = openHttp2(tlsPort);
    await expect(exchange(session, { ':path': '/odd' })).rejects.toThrow('INTERNAL_ERROR');
    expect((await exchange(session)).status).toBe(200);
    expect(counted('guard_gateway_origin_errors_total', 'malformed')).toBe(1);
  });

  test('a connection that the origin closed under a GET is replaced once; a POST is not sent twice', async () => {
    let closing = false;
    const origin = await startTcpOrigin((socket) => {
      if (closing && origin.sockets.indexOf(socket) === 0) socket.destroy();
      else socket.write(OK);
    });
    const { port } = await startGateway({ origin: origin.address });
    expect(statusOf(await get(port))).toBe(200);
    closing = true;
    expect(statusOf(await get(port, '/again'))).toBe(200);
    expect(origin.bytes.filter((bytes) => bytes.includes('/again'))).toHaveLength(2);

    const always = await startTcpOrigin((socket) => socket.destroy());
    const rig = await startGateway({ origin: always.address });
    const post = ['POST / HTTP/1.1', HOST, CLOSE, 'Content-Length: 1', '', 'x'];
    expect(statusOf(await rawExchange(rig.port, ...post))).toBe(502);
    expect(always.sockets).toHaveLength(1);
    expect(statusOf(await get(rig.port))).toBe(502);
    expect(always.sockets).toHaveLength(3);
  });
});
