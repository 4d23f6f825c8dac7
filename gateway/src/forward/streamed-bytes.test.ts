import { randomBytes } from 'node:crypto';
import { connect as connectHttp2 } from 'node:http2';
import { get } from 'node:http';
import { get as getTls } from 'node:https';
import type { Readable } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { seededRandom } from '../../../test/kit/seeded-random.ts';
import { certificates } from '../testing/fronts.ts';
import { startGateway } from '../testing/gateway-rig.ts';
import { RawClient } from '../testing/raw-client.ts';
import { startOrigin } from '../testing/recording-origin.ts';

/**
 * The gateway reads from an origin into the same memory again and again. Every visitor must get the right bytes: also a
 * visitor who reads late, and a visitor whose answer waits behind another answer.
 */

const BYTES = 3 * 1024 * 1024;
const body = randomBytes(BYTES);
const random = seededRandom();

const FRAMINGS = {
  'by its length': { 'Content-Length': BYTES },
  'in chunks': {},
} as const;

const FRONTS = {
  'HTTP/1.1': (rig: Ports) =>
    receive((done) => {
      get({ port: rig.port, host: '127.0.0.1', headers: { host: 'shop.example' } }, done);
    }),
  'HTTP/1.1 over TLS': (rig: Ports) =>
    receive((done) => {
      const { tlsPort: port } = rig;
      const headers = { host: 'shop.example' };
      getTls({ port, host: '127.0.0.1', headers, rejectUnauthorized: false }, done);
    }),
  'HTTP/2': (rig: Ports) => {
    const session = connectHttp2(`https://127.0.0.1:${rig.tlsPort}`, { rejectUnauthorized: false });
    onTestFinished(() => {
      session.destroy();
    });
    return Promise.resolve(session.request({ ':authority': 'shop.example' }));
  },
} as const;

interface Ports {
  readonly port: number;
  readonly tlsPort: number;
}

function receive(ask: (done: (answer: Readable) => void) => void): Promise<Readable> {
  return new Promise((resolve) => {
    ask(resolve);
  });
}

/** Reads at an uneven pace: some parts at once, others after a pause. */
async function readUnevenly(answer: Readable): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of answer as AsyncIterable<Buffer>) {
    parts.push(part);
    for (let turns = random.below(8) ** 2; turns > 0; turns--) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  return Buffer.concat(parts);
}

describe.each(Object.entries(FRONTS))('over %s', (_front, open) => {
  test.each(Object.entries(FRAMINGS))(
    'four answers framed %s, read unevenly and side by side, arrive byte for byte',
    async (_framing, head) => {
      const origin = await startOrigin((_req, res) => {
        res.writeHead(200, head).end(body);
      });
      const rig = await startGateway({ origin: origin.address, certificates });
      const answers = Array.from({ length: 4 }, async () => readUnevenly(await open(rig)));
      for (const receivedBytes of await Promise.all(answers))
        expect(receivedBytes.equals(body)).toBe(true);
    },
  );
});

test('a pipelined answer that waits (RFC 9112 section 9.3.2) arrives byte for byte', async () => {
  let first = () => {};
  const origin = await startOrigin((req, res) => {
    if (req.url === '/first') first = () => res.end('done');
    else res.writeHead(200, { 'Content-Length': BYTES }).end(body);
  });
  const { port } = await startGateway({ origin: origin.address });
  const client = new RawClient(port);
  client.send('GET /first HTTP/1.1', 'Host: shop.example', '', '');
  client.send('GET /second HTTP/1.1', 'Host: shop.example', 'Connection: close', '', '');
  await expect.poll(() => origin.requests.length).toBe(1);
  first();
  expect(Buffer.from(await client.untilClosed(), 'latin1').includes(body)).toBe(true);
});
