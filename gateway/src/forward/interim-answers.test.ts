import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { HTTP1_LIMITS } from '../origin/http1/limits.ts';
import { certificates, type Front, FRONTS, wholeVisit } from '../testing/fronts.ts';
import { startGateway } from '../testing/gateway-rig.ts';
import { openHttp2 } from '../testing/http2-client.ts';
import { bodyOf, get, RawClient, rawExchange } from '../testing/raw-client.ts';
import { startTcpOrigin } from '../testing/recording-origin.ts';

const HINT = 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n';
const OTHER_HINT = 'HTTP/1.1 103 Early Hints\r\nLink: </b.js>; rel=preload\r\n\r\n';
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const PROCESSING = 'HTTP/1.1 102 Processing\r\n\r\n';
const UNKNOWN = 'HTTP/1.1 199 Own\r\nX-Own: 1\r\n\r\n';
const FINAL = 'HTTP/1.1 203 Final\r\nContent-Length: 2\r\n\r\nok';

/** The status and Link of each interim answer, and the text after the interim answers. */
function readInterim(received: string): { interim: string[]; last: string } {
  const end = received.indexOf('HTTP/1.1 203');
  const heads = received.slice(0, end).split('\r\n\r\n').slice(0, -1);
  return {
    interim: heads.map((head) => {
      const link = /^Link: <(.*)>/m.exec(head)?.[1];
      return head.slice('HTTP/1.1 '.length, 'HTTP/1.1 103'.length) + (link ?? '');
    }),
    last: received.slice(end),
  };
}

/** RFC 9113 section 8.2: names are in lower case over HTTP/2. */
function nameOver(front: Front, name: string): string {
  return front === 'HTTP/2' ? name.toLowerCase() : name;
}

describe('RFC 9110 15.2: interim answers', () => {
  test.each([
    ['a hint', [HINT], ['103/a.css']],
    ['an unexpected 100, then a hint', [CONTINUE, HINT], ['103/a.css']],
    ['a hint, then 100', [HINT, CONTINUE], ['103/a.css']],
    ['102 between hints', [HINT, PROCESSING, OTHER_HINT], ['103/a.css', '102', '103/b.js']],
    ['the same twice', [HINT, HINT], ['103/a.css', '103/a.css']],
    ['100 and 102 alone', [CONTINUE, PROCESSING, PROCESSING], ['102', '102']],
    ['an unknown status', [UNKNOWN, HINT], ['199', '103/a.css']],
  ])('%s', async (_what, interim, expected) => {
    const answerText = [...interim, FINAL];
    for (const inSeparateWrites of [false, true]) {
      const origin = await startTcpOrigin((socket) => {
        if (!inSeparateWrites) {
          socket.write(answerText.join(''));
          return;
        }
        // The origin writes one part in each turn of the event loop. So the gateway reads each part alone, or several
        // at once.
        void (async () => {
          for (const part of answerText) {
            socket.write(part);
            await new Promise((resolve) => setImmediate(resolve));
          }
        })();
      });
      const { port } = await startGateway({ origin: origin.address });
      for (const method of ['GET', 'POST']) {
        const client = new RawClient(port);
        client.send(`${method} / HTTP/1.1`, 'Host: shop.example', 'Connection: close', '', '');
        const received = readInterim(await client.untilClosed());
        expect(received.interim).toEqual(expected);
        expect(bodyOf(received.last)).toBe('ok');
      }
    }
  });

  test.each(FRONTS)(
    'over %s each of them keeps its fields, without hop-by-hop fields',
    async (front) => {
      const hint = [
        'HTTP/1.1 103 Early Hints',
        'LINK: </a.css>; rel=preload',
        'Link: not what Node takes for one',
        'X-Own: caf\xe9',
        'constructor: 1',
        'Connection: X-Hop',
        'X-Hop: 1',
        'Keep-Alive: timeout=1',
        'Transfer-Encoding: chunked',
        'Content-Length: 5',
        '',
        '',
      ].join('\r\n');
      const origin = await startTcpOrigin((socket) => {
        socket.write(hint + UNKNOWN + FINAL, 'latin1');
      });
      const rig = await startGateway({ origin: origin.address, certificates });
      for (const method of ['GET', 'DELETE']) {
        const { interim, receivedText } = await wholeVisit(front, rig, { method });
        const fields = [
          ['LINK', '</a.css>; rel=preload'],
          ['Link', 'not what Node takes for one'],
          ['X-Own', 'caf\xe9'],
          ['constructor', '1'],
        ].flatMap(([name = '', value = '']) => [nameOver(front, name), value]);
        expect(interim).toEqual([
          { status: 103, fields },
          { status: 199, fields: [nameOver(front, 'X-Own'), '1'] },
        ]);
        expect(receivedText).toBe('ok');
      }
    },
  );

  test('HTTP/1.0 gets no interim answers (RFC 9110 section 15.2)', async () => {
    const origin = await startTcpOrigin((socket) => socket.write(HINT + PROCESSING + FINAL));
    const { port } = await startGateway({ origin: origin.address });
    const received = await rawExchange(port, 'GET / HTTP/1.0', 'Host: shop.example', '', '');
    expect(received).toMatch(/^HTTP\/1\.1 203 /);
  });

  test('are passed on up to the limit, and one more interim answer makes the answer malformed', async () => {
    const { maxInterim } = HTTP1_LIMITS;
    const answerTexts = [HINT.repeat(maxInterim) + FINAL, HINT.repeat(maxInterim + 1) + FINAL];
    const origin = await startTcpOrigin((socket, _head, connection) => {
      socket.end(answerTexts[connection] ?? '');
    });
    const rig = await startGateway({ origin: origin.address });
    expect(readInterim(await get(rig.port)).interim).toHaveLength(maxInterim);
    expect(await get(rig.port)).toMatch(/HTTP\/1\.1 502 [^]*$/);
    expect(rig.counterValue('guard_gateway_origin_errors_total', 'malformed')).toBe(1);
  });

  test('over HTTP/2 each of them has its own HEADERS frame (RFC 9113 section 8.1)', async () => {
    const answerText = CONTINUE + HINT + PROCESSING + OTHER_HINT + FINAL;
    const origin = await startTcpOrigin((socket) => socket.write(answerText));
    const { tlsPort } = await startGateway({ origin: origin.address, certificates });
    const stream = openHttp2(tlsPort).request({ ':authority': 'shop.example' });
    const hints: unknown[] = [];
    stream.on('headers', ({ ':status': status, link }) => hints.push([status, link]));
    // The header section is the first argument of the event.
    const [head] = (await once(stream, 'response')) as [Record<string, unknown>];
    expect(head[':status']).toBe(203);
    expect(hints).toEqual([
      [103, '</a.css>; rel=preload'],
      [102, undefined],
      [103, '</b.js>; rel=preload'],
    ]);
    stream.resume();
    await once(stream, 'close');
  });
});
