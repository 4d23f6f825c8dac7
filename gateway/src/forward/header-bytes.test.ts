import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { certificates, FRONTS, visit, wholeVisit } from '../testing/fronts.ts';
import { startGateway } from '../testing/gateway-rig.ts';
import { RawClient } from '../testing/raw-client.ts';
import { startTcpOrigin } from '../testing/recording-origin.ts';

/** Bytes of Latin-1 that are not valid UTF-8 (RFC 9110 section 5.5: obs-text). */
const BYTES = '\xe9\xff\x80 \xc3';

describe.each(FRONTS)(
  'over %s, RFC 9110 5.5: the bytes of a field value stay as they are',
  (front) => {
    test('to the origin', async () => {
      const origin = await startTcpOrigin((socket) =>
        socket.end('HTTP/1.1 204 No Content\r\n\r\n'),
      );
      const rig = await startGateway({ origin: origin.address, certificates });
      const headers = { 'x-bytes': BYTES, cookie: `a=${BYTES}` };
      expect((await wholeVisit(front, rig, { headers })).status).toBe(204);
      expect(origin.bytes[0]).toContain(`\r\nx-bytes: ${BYTES}\r\n`);
      expect(origin.bytes[0]).toContain(`\r\ncookie: a=${BYTES}\r\n`);
    });

    test.each(['POST', 'GET'])(
      'to the visitor of a %s, whether or not the body comes with the header section',
      async (method) => {
        let originSocket: Socket | undefined;
        const origin = await startTcpOrigin((socket) => {
          originSocket = socket;
          const head = `HTTP/1.1 200 OK\r\nX-Bytes: ${BYTES}\r\nSet-Cookie: a=${BYTES}\r\n`;
          socket.write(`${head}Content-Length: 2\r\n\r\n`, 'latin1');
        });
        const rig = await startGateway({ origin: origin.address, certificates });
        const earlyHead = await visit(front, rig, { method }).untilHead();
        originSocket?.write('ok');
        expect((await earlyHead.untilEnd()).receivedText).toBe('ok');
        expect(earlyHead.headers['x-bytes']).toBe(BYTES);
        expect(earlyHead.headers['set-cookie']).toEqual([`a=${BYTES}`]);
      },
    );

    test('to the visitor of an answer that comes in one piece', async () => {
      const answerText = `HTTP/1.1 200 OK\r\nX-Bytes: ${BYTES}\r\nContent-Length: 2\r\n\r\nok`;
      const origin = await startTcpOrigin((socket) => socket.write(answerText, 'latin1'));
      const rig = await startGateway({ origin: origin.address, certificates });
      const whole = await wholeVisit(front, rig);
      expect([whole.receivedText, whole.headers['x-bytes']]).toEqual(['ok', BYTES]);
    });
  },
);

test('RFC 9112 7.1.2: the bytes of trailers, which follow the last chunk, arrive unchanged too', async () => {
  const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n';
  const origin = await startTcpOrigin((socket) =>
    socket.write(`${head}2\r\nok\r\n0\r\nX-Sum: ${BYTES}\r\nx-b: 1\r\nX-Sum: 2\r\n\r\n`, 'latin1'),
  );
  const { port } = await startGateway({ origin: origin.address });
  for (const method of ['GET', 'POST']) {
    const client = new RawClient(port);
    client.send(`${method} / HTTP/1.1`, 'Host: shop.example', '', '');
    await client.until(/\r\n\r\n2\r\nok\r\n0\r\n[^]*\r\n\r\n$/);
    expect(client.receivedText).toContain(`\r\n0\r\nX-Sum: ${BYTES}\r\nx-b: 1\r\nX-Sum: 2\r\n\r\n`);
  }
});
