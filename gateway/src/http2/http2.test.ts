import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { certificates } from '../testing/fronts.ts';
import {
  validateWith,
  encodeHtml,
  startGateway,
  startGatewayWithOrigin,
} from '../testing/gateway-rig.ts';
import { exchange, FrameClient, headersFrame, openHttp2 } from '../testing/http2-client.ts';
import { waitUntil } from '../testing/raw-client.ts';
import { startOrigin } from '../testing/recording-origin.ts';

describe('a request of HTTP/2 is handled like any request (RFC 9113 section 8)', () => {
  test('the request reaches the origin as HTTP/1.1: Host from :authority, fields in order, Via 2.0', async () => {
    const { tlsPort, questions, origin } = await startGatewayWithOrigin({ certificates });
    const { status, body } = await exchange(openHttp2(tlsPort), {
      ':path': '/a%2Fb?c=1',
      'x-one': '1',
      'user-agent': 'test',
    });
    expect([status, body.toString()]).toEqual([200, 'hello']);
    const [arrived] = origin.requests;
    expect(arrived?.url).toBe('/a%2Fb?c=1');
    expect(arrived?.headers).toMatchObject({
      host: 'shop.example',
      'x-one': '1',
      'x-forwarded-proto': 'https',
      via: '2.0 guard',
    });
    expect(arrived?.rawHeaders.some((name) => name.startsWith(':'))).toBe(false);
    expect(questions[0]).toMatchObject({ url: 'https://shop.example/a%2Fb?c=1', method: 'GET' });
    expect(Object.keys(questions[0]?.headers ?? {})[0]).toBe('host');
    expect(Object.keys(questions[0]?.headers ?? {}).some((name) => name.startsWith(':'))).toBe(
      false,
    );
  });

  test('a split Cookie is joined to one field (section 8.2.3)', async () => {
    const { tlsPort, origin } = await startGatewayWithOrigin({ certificates });
    await exchange(openHttp2(tlsPort), { cookie: ['a=1', 'b=2', 'c=3'] });
    const raw = origin.requests[0]?.rawHeaders ?? [];
    expect(raw.filter((name) => name.toLowerCase() === 'cookie')).toHaveLength(1);
    expect(origin.requests[0]?.headers.cookie).toBe('a=1; b=2; c=3');
  });

  test('a challenge is served with the status, the headers and the page of the validator (contract 4.1)', async () => {
    const validate = validateWith({
      decision: 'redirect',
      status_code: 403,
      response_html: encodeHtml('<p>wait</p>'),
      headers: { 'Content-Security-Policy': "default-src 'none'" },
    });
    const { tlsPort, origin } = await startGatewayWithOrigin({ certificates, validate });
    const answer = await exchange(openHttp2(tlsPort));
    expect(answer.status).toBe(403);
    expect(answer.body.toString()).toBe('<p>wait</p>');
    expect(answer.headers).toMatchObject({
      'content-security-policy': "default-src 'none'",
      'cache-control': 'no-store',
    });
    expect(origin.requests).toEqual([]);
  });

  test('HEAD, 204 and 304 have no body; connection-specific fields of the origin are removed', async () => {
    const origin = await startOrigin((req, res) => {
      const status = Number(req.url?.slice(1)) || 200;
      res.writeHead(status, { 'Keep-Alive': 'timeout=5', 'X-Kept': 'yes' }).end();
    });
    const session = openHttp2(
      (await startGateway({ origin: origin.address, certificates })).tlsPort,
    );
    for (const [method, path] of [
      ['HEAD', '/200'],
      ['GET', '/204'],
      ['GET', '/304'],
    ]) {
      const answer = await exchange(session, { ':method': method, ':path': path });
      expect(answer.status).toBe(Number(path?.slice(1)));
      expect(answer.body).toHaveLength(0);
      expect(answer.headers['x-kept']).toBe('yes');
      expect(answer.headers['keep-alive']).toBeUndefined();
      expect(answer.headers['connection']).toBeUndefined();
    }
  });

  test('100, 103 and trailers are passed on (section 8.1)', async () => {
    const origin = await startOrigin((req, res) => {
      res.writeEarlyHints({ link: '</a.css>; rel=preload' });
      req.resume().on('end', () => {
        res.writeHead(200, { Trailer: 'X-Sum' });
        res.write('body');
        res.addTrailers({ 'X-Sum': '42' });
        res.end();
      });
    });
    const { tlsPort } = await startGateway({ origin: origin.address, certificates });
    const upload = { ':method': 'POST', expect: '100-continue' };
    const answer = await exchange(openHttp2(tlsPort), upload, Buffer.from('x'));
    expect([...answer.interim].sort()).toEqual([100, 103]);
    expect(answer.trailers['x-sum']).toBe('42');
  });

  test('20 MiB go up and down complete, beside 20 small requests on the same connection', async () => {
    const largeBody = randomBytes(20 * 1024 * 1024);
    const origin = await startOrigin((req, res) => {
      if (req.method === 'POST') req.pipe(res);
      else res.end('small');
    });
    const session = openHttp2(
      (await startGateway({ origin: origin.address, certificates })).tlsPort,
    );
    const [echoed, ...smallAnswers] = await Promise.all([
      exchange(session, { ':method': 'POST' }, largeBody),
      ...Array.from({ length: 20 }, () => exchange(session)),
    ]);
    const sum = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
    expect(sum(echoed.body)).toBe(sum(largeBody));
    expect(smallAnswers.map(({ body }) => body.toString())).toEqual(Array(20).fill('small'));
  });
});

describe('RFC 9113 8.2.1: a field that is not possible in HTTP/1.1', () => {
  const base = [
    [':method', 'POST'],
    [':scheme', 'https'],
    [':authority', 'shop.example'],
    [':path', '/'],
  ] as const;

  test.each([
    ['a line ending in a value', 'x-a', 'b\r\nx-smuggled: 1'],
    ['NUL in a value', 'x-a', 'b\0x-smuggled'],
    ['a line ending in a name', 'x-a: b\r\nx-smuggled', '1'],
    ['a colon in a name', 'x-smuggled:a', 'b'],
    ['a space in a name', 'x-smuggled a', 'b'],
  ])(
    '%s: the library leaves it out, so neither the validator nor the origin sees it',
    async (_what, name, value) => {
      const { tlsPort, questions, origin } = await startGatewayWithOrigin({ certificates });
      const client = new FrameClient(tlsPort);
      client.send(headersFrame(1, [...base, [name, value], ['x-kept', 'yes']]));
      expect(await client.outcomeOf(1)).toBe('answered');
      expect(origin.requests.map(({ headers }) => headers['x-kept'])).toEqual(['yes']);
      expect(JSON.stringify([origin.requests, questions])).not.toContain('smuggled');
    },
  );
});

describe('one visitor does not harm the others (RFC 9113 section 10.5)', () => {
  test('streams above the limit are refused, and the others are served', async () => {
    const origin = await startOrigin((_req, res) => setTimeout(() => res.end('ok'), 50));
    const { tlsPort } = await startGateway({
      origin: origin.address,
      certificates,
      limits: { http2Streams: 4 },
    });
    const client = new FrameClient(tlsPort);
    await waitUntil(() => client.typesOn(0).includes(4));
    const getFrame = [
      [':method', 'GET'],
      [':scheme', 'https'],
      [':authority', 'shop.example'],
      [':path', '/'],
    ] as const;
    client.send(...[1, 3, 5, 7, 9, 11].map((id) => headersFrame(id, getFrame)));
    const outcomes = await Promise.all([1, 3, 5, 7, 9, 11].map((id) => client.outcomeOf(id)));
    expect(outcomes.filter((outcome) => outcome === 'answered')).toHaveLength(4);
    expect(outcomes.filter((outcome) => outcome === 'reset')).toHaveLength(2);
  });

  test('a header section that is too large ends only its own stream', async () => {
    const { tlsPort, origin } = await startGatewayWithOrigin({ certificates });
    const session = openHttp2(tlsPort);
    expect((await exchange(session, { 'x-large': 'a'.repeat(60_000) })).status).toBe(431);
    expect(origin.requests).toEqual([]);
    expect((await exchange(session)).status).toBe(200);
  });

  test('close() lets requests under way finish and accepts no new requests (section 6.8)', async () => {
    const sendAnswers: (() => void)[] = [];
    const origin = await startOrigin((_req, res) => sendAnswers.push(() => res.end('late')));
    const { tlsPort, gateway } = await startGateway({ origin: origin.address, certificates });
    const session = openHttp2(tlsPort);
    const answer = exchange(session);
    await waitUntil(() => sendAnswers.length === 1);
    const closed = gateway.close();
    await waitUntil(() => session.closed);
    sendAnswers[0]?.();
    expect((await answer).body.toString()).toBe('late');
    await closed;
  });
});
