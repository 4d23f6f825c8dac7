import { request as sendHttp } from 'node:http';
import { describe, expect, test } from 'vitest';
import type { Validate } from '@guard/config/contract/ports';
import { seededRandom } from '../../../test/kit/seeded-random.ts';
import { certificates } from '../testing/fronts.ts';
import { allow, validateWith, encodeHtml, type Rig, startGateway } from '../testing/gateway-rig.ts';
import { frame, FrameClient, headersFrame, openHttp2 } from '../testing/http2-client.ts';
import { bodyOf, waitUntil, RawClient, statusOf } from '../testing/raw-client.ts';
import { refusingAddress, startOrigin } from '../testing/recording-origin.ts';

const HOST = 'Host: shop.example';
const FORM = 'Content-Type: application/x-www-form-urlencoded';
const BLOCK = validateWith({
  decision: 'block',
  status_code: 403,
  response_html: encodeHtml('no'),
});

/** A gateway that samples bodies, and the sample in each of its questions. */
async function startSampling(options: Partial<Parameters<typeof startGateway>[0]> = {}) {
  const samples: (string | undefined)[] = [];
  const origin = await startOrigin((req, res) => {
    req.on('end', () => res.end('hello'));
  });
  const answer = options.validate ?? allow;
  const validate: Validate = (request, context) => {
    samples.push(context.body);
    return answer(request, context);
  };
  const rig = await startGateway({
    origin: origin.address,
    sampleBody: '64B',
    certificates,
    ...options,
    validate,
  });
  return { ...rig, origin, samples };
}

function post(length: number, ...fields: readonly string[]): string[] {
  return ['POST /login HTTP/1.1', HOST, `Content-Length: ${length}`, ...fields, '', ''];
}

test('the question has the first bytes of a body without secrets, and the origin gets the whole body', async () => {
  const { port, samples, questions, origin } = await startSampling();
  const body = `user=bob&password=hunter2&note=${'x'.repeat(100)}`;
  const client = new RawClient(port);
  client.send(...post(body.length, FORM));
  client.send(body);
  await client.until(/hello/);
  expect(samples).toEqual([`user=bob&password=***&note=${'x'.repeat(33)}`]);
  // Contract 2.1: the question on the wire has no sample.
  expect(Object.keys(questions[0] ?? {}).sort()).toEqual(['headers', 'ip', 'method', 'url']);
  expect(origin.requests[0]?.body).toBe(body);
});

test('without the setting the gateway takes no sample and does not wait for a body', async () => {
  const { port, samples } = await startSampling({
    sampleBody: '0B',
    limits: { bodySampleMs: 60_000 },
  });
  const client = new RawClient(port);
  client.send(...post(3, FORM));
  await waitUntil(() => samples.length === 1);
  client.send('a=b');
  await client.until(/hello/);
  expect(samples).toEqual([undefined]);
});

const UPLOAD = ['POST / HTTP/1.1', HOST, 'Content-Length: 3'];

test.each([
  ['GET / HTTP/1.1', HOST],
  ['POST /skipped HTTP/1.1', HOST, FORM, 'Content-Length: 3'],
  UPLOAD,
  [...UPLOAD, 'Content-Type: multipart/form-data; boundary=a'],
  [...UPLOAD, 'Content-Type: image/png'],
  [...UPLOAD, 'Content-Type: application/json; charset=utf-16'],
  [...UPLOAD, FORM, 'Content-Encoding: gzip'],
  [...UPLOAD, FORM, 'Expect: 100-continue'],
])('the gateway does not wait for the body of %s with %s %s %s', async (...lines) => {
  const { port, samples, origin } = await startSampling({
    skip: ['/skipped'],
    limits: { bodySampleMs: 60_000 },
  });
  const client = new RawClient(port);
  client.send(...lines, '', '');
  if (!lines.includes('POST /skipped HTTP/1.1')) await waitUntil(() => samples.length === 1);
  if (lines.some((line) => line.startsWith('Content-Length'))) client.send('a=b');
  await client.until(/hello/);
  expect(samples.every((sample) => sample === undefined)).toBe(true);
  expect(origin.requests).toHaveLength(1);
});

test('the question about a blocked request has the sample, and the connection still accepts the next request', async () => {
  const { port, samples, origin } = await startSampling({ validate: BLOCK });
  const body = `a=${'x'.repeat(300_000)}`;
  const client = new RawClient(port);
  client.send(...post(body.length, FORM));
  client.send(body);
  await client.until(/ 403 [^]*no$/);
  client.receivedText = '';
  client.send(...post(3, FORM));
  client.send('b=c');
  await client.until(/ 403 [^]*no$/);
  expect(samples).toEqual([`a=${'x'.repeat(62)}`, 'b=c']);
  expect(origin.requests).toEqual([]);
});

test('contract 7.1: the event of a failed question has the sample, with fail open and with fail closed', async () => {
  for (const outcome of [
    { kind: 'failed', reason: 'timeout', detail: '' },
    { kind: 'rejected', status: 400, type: 'invalid_request' },
  ] as const) {
    const { port, events } = await startSampling({ validate: () => outcome });
    const client = new RawClient(port);
    client.send(...post(9, FORM, 'Connection: close'));
    client.send('pin=12345');
    await client.untilClosed();
    expect(events.map(({ body }) => body)).toEqual(['pin=***']);
  }
});

test('when the origin cannot be reached, the visitor gets 502 and can use the connection again', async () => {
  const { port } = await startSampling({ origin: refusingAddress() });
  const client = new RawClient(port);
  for (let round = 0; round < 2; round++) {
    client.receivedText = '';
    client.send(...post(200_000, FORM));
    client.send('x'.repeat(200_000));
    expect(statusOf(await client.until(/\r\n\r\n/))).toBe(502);
  }
});

describe('a slow body', () => {
  test('delays the question until the limit, and is streamed to the origin afterwards', async () => {
    const { port, samples, origin } = await startSampling({ limits: { bodySampleMs: 150 } });
    const startedAt = performance.now();
    const client = new RawClient(port);
    client.send(...post(9, FORM));
    client.send('user=');
    await waitUntil(() => samples.length === 1);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(149);
    expect(samples).toEqual(['user=']);
    expect(origin.requests).toEqual([]);
    client.send('bob!');
    await client.until(/hello/);
    expect(origin.requests[0]?.body).toBe('user=bob!');
  });

  test.each(['HTTP/1.1', 'HTTP/2'])(
    'over %s, of a visitor who leaves: the validator is not asked, and the request is counted once',
    async (protocol) => {
      const { port, tlsPort, samples, counterValue } = await startSampling({
        limits: { bodySampleMs: 60_000 },
      });
      if (protocol === 'HTTP/2') {
        const client = new FrameClient(tlsPort);
        const fields = [
          [':method', 'POST'],
          [':scheme', 'https'],
          [':authority', 'shop.example'],
          [':path', '/'],
          ['content-type', 'text/plain'],
        ] as const;
        client.send(headersFrame(1, fields, false), frame(0, 0, 1, Buffer.from('user=')));
        client.send(frame(3, 0, 1, Buffer.from([0, 0, 0, 8])));
      } else {
        const client = new RawClient(port);
        client.send(...post(9, FORM));
        await new Promise((onSent) => client.socket.write('user=', onSent));
        client.socket.destroy();
      }
      // Node's parser for HTTP/1.1 treats an incomplete body as a broken request.
      const outcomes = ['aborted', 'refused'];
      const count = () =>
        outcomes.reduce(
          (sum, label) => sum + counterValue('guard_gateway_requests_total', label),
          0,
        );
      await waitUntil(() => count() === 1);
      expect(samples).toEqual([]);
    },
  );

  test('that becomes malformed gets 400, and the validator is not asked', async () => {
    const { port, samples, counterValue, origin } = await startSampling({
      limits: { bodySampleMs: 60_000 },
    });
    const client = new RawClient(port);
    client.send('POST / HTTP/1.1', HOST, FORM, 'Transfer-Encoding: chunked', '', '3', 'a=b', '');
    client.send('no size', '');
    expect(statusOf(await client.untilClosed())).toBe(400);
    await waitUntil(() => counterValue('guard_gateway_requests_total', 'refused') === 1);
    expect(samples).toEqual([]);
    expect(origin.requests).toEqual([]);
  });
});

describe('bytes that are not UTF-8', () => {
  test.each([
    [
      'a character that the limit cuts is left out',
      Buffer.from(`${'x'.repeat(63)}€`),
      'x'.repeat(63),
    ],
    ['an invalid byte becomes U+FFFD', Buffer.from('a=\xff!', 'latin1'), 'a=\ufffd!'],
    [
      'text with a NUL is not kept, because UTF-16 hides the names of secrets',
      Buffer.from('pin=1', 'utf16le'),
      '',
    ],
  ])('%s', async (_title, body, keptText) => {
    const { port, samples } = await startSampling();
    const client = new RawClient(port);
    client.send(...post(body.length, FORM));
    client.socket.write(body);
    await client.until(/hello/);
    expect(samples).toEqual([keptText]);
  });
});

/** Sends a body in parts over HTTP/1.1 or HTTP/2. It sends each part in its own turn of the event loop. */
async function sendInParts(
  { port, tlsPort }: Rig,
  isHttp2: boolean,
  parts: readonly Buffer[],
  fields: Readonly<Record<string, string>>,
): Promise<string> {
  const stream = isHttp2
    ? openHttp2(tlsPort).request({
        ':method': 'POST',
        ':path': '/',
        ':authority': 'shop.example',
        ...fields,
      })
    : sendHttp({
        port,
        host: '127.0.0.1',
        method: 'POST',
        headers: { host: 'shop.example', ...fields },
      });
  const answer = new Promise<string>((resolve, reject) => {
    stream.on('error', reject);
    stream.on('response', (response: unknown) => {
      // Over HTTP/2 the answer comes on the stream of the request. Over HTTP/1.1 the answer is an object of its own.
      const source = isHttp2 ? stream : (response as NodeJS.ReadableStream);
      let text = '';
      (source as NodeJS.ReadableStream).on('data', (part: Buffer) => (text += part.toString()));
      (source as NodeJS.ReadableStream).on('end', () => {
        resolve(text);
      });
    });
  });
  for (const part of parts) {
    stream.write(part);
    await new Promise((resolve) => setImmediate(resolve));
  }
  stream.end();
  return answer;
}

test('property: for any size and any split, the origin gets every byte of a body once', async () => {
  const random = seededRandom();
  const samples: (string | undefined)[] = [];
  const bodies: string[] = [];
  const origin = await startOrigin((req, res) => {
    req.on('end', () => {
      if (random.below(2) === 0) res.end('hello');
      else setImmediate(() => res.end('hello'));
    });
  });
  const rig = await startGateway({
    origin: origin.address,
    sampleBody: '1KiB',
    certificates,
    validate: (request, context) => {
      samples.push(context.body);
      return random.below(2) === 0
        ? allow(request, context)
        : Promise.resolve(allow(request, context));
    },
  });
  for (let round = 0; round < 120; round++) {
    const size = random.pick([0, 1, 1023, 1024, 1025, 2048, 70_000, 300_000]) + random.below(3);
    const body = Buffer.from(Array.from({ length: size }, () => 48 + random.below(10)));
    const parts: Buffer[] = [];
    for (let at = 0; at < size;) {
      const end = at + 1 + random.below(random.pick([1024, 3000, 100_000]));
      parts.push(body.subarray(at, end));
      at = end;
    }
    const isHttp2 = random.below(2) === 0;
    const framing = random.below(2) === 0 ? { 'content-length': String(size) } : {};
    const fields = { 'content-type': 'text/plain', ...framing };
    expect(await sendInParts(rig, isHttp2, parts, fields), `seed ${random.seed}`).toBe('hello');
    bodies.push(body.toString());
  }
  expect(origin.requests.map(({ body }) => body)).toEqual(bodies);
  for (const [index, sample = ''] of samples.entries()) {
    expect(bodies[index]?.slice(0, 1024).startsWith(sample), `seed ${random.seed}`).toBe(true);
  }
  expect(samples.filter((sample) => sample?.length === 1024).length).toBeGreaterThan(30);
});

test('trailers of a body that was sampled reach the origin (RFC 9110 section 6.5.1)', async () => {
  const samples: (string | undefined)[] = [];
  const origin = await startOrigin((req, res) => {
    req.on('end', () => {
      samples.push(req.trailers['x-sum']);
      res.end('hello');
    });
  });
  const { port } = await startSampling({ origin: origin.address });
  for (const data of ['3\r\na=b', `64\r\n${'x'.repeat(100)}`]) {
    const client = new RawClient(port);
    client.send('POST / HTTP/1.1', HOST, FORM, 'Transfer-Encoding: chunked', '');
    client.send('TE: trailers', 'Trailer: X-Sum', '', data, '0', 'X-Sum: 7', '', '');
    expect(bodyOf(await client.until(/hello/))).toContain('hello');
  }
  expect(samples).toEqual(['7', '7']);
});
