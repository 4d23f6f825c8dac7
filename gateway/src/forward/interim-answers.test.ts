import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { HTTP1_LIMITS } from '../origin/http1/limits.ts';
import { startGateway } from '../testing/gateway-rig.ts';
import { openHttp2 } from '../testing/http2-client.ts';
import { bodyOf, get, RawClient } from '../testing/raw-client.ts';
import { startTcpOrigin } from '../testing/recording-origin.ts';
import { selfSigned } from '../testing/self-signed.ts';

const HINT = 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n';
const OTHER_HINT = 'HTTP/1.1 103 Early Hints\r\nLink: </b.js>; rel=preload\r\n\r\n';
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const PROCESSING = 'HTTP/1.1 102 Processing\r\n\r\n';
const FINAL = 'HTTP/1.1 203 Final\r\nContent-Length: 2\r\n\r\nok';

/** The Link fields of the interim answers, and what stands behind those. */
function taken(received: string): { hints: string[]; last: string } {
  const heads = received.split('\r\n\r\n');
  const hints = heads.filter((head) => head.startsWith('HTTP/1.1 103 '));
  return {
    hints: hints.map((head) => /^Link: <(.*)>/m.exec(head)?.[1] ?? ''),
    last: received.slice(received.indexOf('HTTP/1.1 203')),
  };
}

describe('RFC 9110 15.2: interim answers of the origin, in any order, stand before the final one', () => {
  test.each([
    ['a hint', [HINT], ['/a.css']],
    ['100, then a hint', [CONTINUE, HINT], ['/a.css']],
    ['a hint, then 100', [HINT, CONTINUE], ['/a.css']],
    ['102 between hints', [HINT, PROCESSING, OTHER_HINT], ['/a.css', '/b.js']],
    ['the same twice', [HINT, HINT], ['/a.css', '/a.css']],
    ['100 and 102 alone', [CONTINUE, PROCESSING, PROCESSING], []],
    ['one that nobody knows', ['HTTP/1.1 199 Own\r\nX-Own: 1\r\n\r\n', HINT], ['/a.css']],
  ])('%s', async (_what, interim, hints) => {
    const said = [...interim, FINAL];
    for (const apart of [false, true]) {
      const origin = await startTcpOrigin((socket) => {
        if (!apart) {
          socket.write(said.join(''));
          return;
        }
        // One write a turn: each is a read of its own, or several are one.
        void (async () => {
          for (const part of said) {
            socket.write(part);
            await new Promise((resolve) => setImmediate(resolve));
          }
        })();
      });
      const { port } = await startGateway({ origin: origin.address });
      for (const method of ['GET', 'POST']) {
        const client = new RawClient(port);
        client.send(`${method} / HTTP/1.1`, 'Host: shop.example', 'Connection: close', '', '');
        const received = taken(await client.untilClosed());
        expect(received.hints).toEqual(hints);
        expect(bodyOf(received.last)).toBe('ok');
      }
    }
  });

  test('100 from the origin of an upload that asked for one comes to the visitor once', async () => {
    const origin = await startTcpOrigin((socket, head) => {
      if (head.endsWith('ok')) socket.write(`${CONTINUE}${HINT}${FINAL}`);
    });
    const { port } = await startGateway({ origin: origin.address });
    const client = new RawClient(port);
    const head = ['POST / HTTP/1.1', 'Host: shop.example', 'Connection: close'];
    client.send(...head, 'Expect: 100-continue', 'Content-Length: 2', '', '');
    await client.until(/^HTTP\/1\.1 100 Continue\r\n\r\n$/);
    client.send('ok');
    const received = await client.untilClosed();
    expect(received.match(/HTTP\/1\.1 100 /g)).toHaveLength(1);
    expect(taken(received)).toMatchObject({ hints: ['/a.css'] });
    expect(bodyOf(taken(received).last)).toBe('ok');
  });

  test('as many as may be, each is passed on, and one more is a malformed answer', async () => {
    const { maxInterim } = HTTP1_LIMITS;
    const said = [HINT.repeat(maxInterim) + FINAL, HINT.repeat(maxInterim + 1) + FINAL];
    const origin = await startTcpOrigin((socket, _head, connection) => {
      socket.end(said[connection] ?? '');
    });
    const rig = await startGateway({ origin: origin.address });
    expect(taken(await get(rig.port)).hints).toHaveLength(maxInterim);
    expect(await get(rig.port)).toMatch(/HTTP\/1\.1 502 [^]*$/);
    expect(rig.counted('guard_gateway_origin_errors_total', 'malformed')).toBe(1);
  });

  test('over HTTP/2 each is a HEADERS frame of its own (RFC 9113 section 8.1)', async () => {
    const said = CONTINUE + HINT + PROCESSING + OTHER_HINT + FINAL;
    const origin = await startTcpOrigin((socket) => socket.write(said));
    const certificates = [selfSigned('shop.example')];
    const { tlsPort } = await startGateway({ origin: origin.address, certificates });
    const stream = openHttp2(tlsPort).request({ ':authority': 'shop.example' });
    const hints: unknown[] = [];
    stream.on('headers', ({ ':status': status, link }) => hints.push([status, link]));
    // What the event brings.
    const [head] = (await once(stream, 'response')) as [Record<string, unknown>];
    expect(head[':status']).toBe(203);
    expect(hints).toEqual([
      [103, '</a.css>; rel=preload'],
      [103, '</b.js>; rel=preload'],
    ]);
    stream.resume();
    await once(stream, 'close');
  });
});
