import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Body, readBody } from './read-body.ts';

const MAX_BYTES = 8;
const bodies: Body[] = [];
const server = createServer((request, response) => {
  readBody(request, MAX_BYTES, (body) => {
    bodies.push(body);
    response.setHeader('Connection', 'close').end('read');
  });
});
let port = 0;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port; // a TCP listener has one
});
afterAll(() => server.close());
beforeEach(() => {
  bodies.length = 0;
});

/** Sends one POST whose body comes in these chunks, and waits until the server hangs up. */
async function post(chunks: readonly (string | Buffer)[], length?: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  // Hanging up on what it will not read is the server's right.
  socket.on('error', () => undefined).resume();
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const framing = length === undefined ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`;
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\n${framing}\r\n\r\n`);
  for (const chunk of chunks) {
    if (length === undefined) socket.write(`${Buffer.byteLength(chunk).toString(16)}\r\n`);
    socket.write(chunk);
    if (length === undefined) socket.write('\r\n');
  }
  if (length === undefined) socket.write('0\r\n\r\n');
  await closed;
}

describe('a body of POST /validate', () => {
  test.each([
    ['in one piece', ['12345678'], '12345678'],
    ['in several', ['123', '45', '678'], '12345678'],
    ['that is empty', [], ''],
    ['cut inside a character', [Buffer.from([0x61, 0xc3]), Buffer.from([0xa9])], 'aé'],
    ['with a byte order mark (RFC 8259 8.1)', ['\ufeffa'], 'a'],
    ['that is no UTF-8, and so no JSON', [Buffer.from([0x61, 0xff])], ''],
  ])('%s', async (_what, chunks, text) => {
    await post(chunks);
    expect(bodies).toEqual([{ kind: 'text', text }]);
  });

  test('one byte too long is told before it has come, when it says so', async () => {
    await post([], MAX_BYTES + 1);
    expect(bodies).toEqual([{ kind: 'too_long' }]);
  });

  test.each([[['123456789']], [['12345678', '9', 'and', 'more']]])(
    'one byte too long is told once, when it does not say so: %j',
    async (chunks) => {
      await post(chunks);
      expect(bodies).toEqual([{ kind: 'too_long' }]);
    },
  );

  test('one that breaks off is not read to its end', async () => {
    const gone = new Promise((resolve) =>
      server.once('connection', (socket) => socket.once('close', resolve)),
    );
    const socket = connect(port, '127.0.0.1');
    const begun = new Promise((resolve) => server.once('request', resolve));
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n12');
    await begun;
    socket.destroy();
    await gone;
    await post(['next']);
    expect(bodies).toEqual([{ kind: 'text', text: 'next' }]);
  });
});
