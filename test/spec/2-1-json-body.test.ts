import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { curl, HOME_IP } from '../kit/visitors/visitors.ts';
import { rawExchange } from './raw-exchange.ts';
import { errorType, KEY, serveValidator } from './serve-validator.ts';

const validBody = { url: 'https://shop.example/', ip: HOME_IP };
const END = Buffer.from('\r\n');
const JSON_KEY = { 'content-type': 'application/json', 'x-api-key': KEY };

describe('2.1 "JSON body"', () => {
  test('url and ip are enough, and unknown fields are ignored', async () => {
    const { ask } = await serveValidator();
    expect((await ask(validBody)).success).toBe(true);
    expect((await ask({ ...validBody, ...{ later: { a: [1] } } })).success).toBe(true);
  });

  test.each([
    ['nothing', ''],
    ['no JSON', 'nonsense'],
    ['a part of a JSON object', '{"url":"https://shop.example/","ip":'],
    ['two values', `${JSON.stringify(validBody)}{}`],
    ['a list', '[]'],
    ['null', 'null'],
    ['a text', '"text"'],
    ['a comment', `{/**/"url":"https://shop.example/","ip":"${HOME_IP}"}`],
  ])('%s is invalid_request', async (_what, body) => {
    const answer = await (await serveValidator()).post(body);
    expect([answer.status, errorType(answer)]).toEqual([400, 'invalid_request']);
  });

  test.each([
    ['url', `{"url":"https://a.example/","url":"https://shop.example/","ip":"${HOME_IP}"}`],
    ['ip', `{"url":"https://shop.example/","ip":"192.0.2.1","ip":"${HOME_IP}"}`],
    [
      'ip, one of the two escaped',
      `{"url":"https://shop.example/","i\\u0070":"192.0.2.1","ip":"${HOME_IP}"}`,
    ],
    [
      'a header',
      JSON.stringify({ ...validBody, headers: { a: '1', b: '2' } }).replace('"b"', '"a"'),
    ],
    [
      '__proto__ in headers',
      JSON.stringify({ ...validBody, headers: { a: '1', b: '2' } }).replace(
        /"[ab]"/g,
        '"__proto__"',
      ),
    ],
  ])(
    'a repeated name is an error, because its meaning is unclear (RFC 8259 4): %s',
    async (_what, body) => {
      const answer = await (await serveValidator()).post(body);
      expect([answer.status, errorType(answer)]).toEqual([400, 'invalid_request']);
    },
  );

  test('quotes, colons and brackets inside a text are accepted', async () => {
    const headers = {
      'sec-ch-ua': '"a\\";v="{[[[[[[[[[[[[[[[[[["',
      'x-b': '":":":\\',
      'x-c': '\\"',
    };
    expect((await (await serveValidator()).ask({ ...validBody, headers })).success).toBe(true);
  });

  test.each([
    ['[', 'brackets alone'],
    ['{"a":', 'objects alone'],
  ])('up to 100,000 levels of %s are answered with invalid_request', async (open) => {
    const { post } = await serveValidator();
    const depth = open === '[' ? 100_000 : 40_000;
    const close = open === '[' ? ']' : '}';
    const bomb = `${open.repeat(depth)}1${close.repeat(depth)}`;
    const nestedBody = `{"url":"https://shop.example/","ip":"${HOME_IP}","later":${bomb}}`;
    for (const body of [bomb, nestedBody, open.repeat(depth)]) {
      const answer = await post(body);
      expect([answer.status, errorType(answer)]).toEqual([400, 'invalid_request']);
    }
  });

  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json; charset=iso-8859-1',
    'text/plain',
    'nonsense',
    ';',
  ])('is read as JSON with any Content-Type: %s', async (type) => {
    const { post } = await serveValidator();
    expect((await post(JSON.stringify(validBody), { 'content-type': type })).status).toBe(200);
  });

  test('is UTF-8, with or without a byte order mark; other encodings are invalid_request (RFC 8259 8.1)', async () => {
    const { url, events } = await serveValidator();
    const text = JSON.stringify({ ...validBody, url: 'https://shop.example/é' });
    const post = (body: Uint8Array) =>
      fetch(`${url}/validate`, { method: 'POST', headers: JSON_KEY, body: Buffer.from(body) });
    expect((await post(Buffer.from(`\ufeff${text}`))).status).toBe(200);
    expect((await post(Buffer.from(text))).status).toBe(200);
    expect((await post(Buffer.from(text, 'latin1'))).status).toBe(400);
    expect((await post(Buffer.from(text, 'utf16le'))).status).toBe(400);
    expect(events.map(({ path }) => path)).toEqual(['/é', '/é']);
  });

  test('must not be compressed: a Content-Encoding is invalid_request', async () => {
    const { url } = await serveValidator();
    const post = (encoding: string, body: Buffer) =>
      fetch(`${url}/validate`, {
        method: 'POST',
        headers: { ...JSON_KEY, 'content-encoding': encoding },
        body,
      });
    const plain = Buffer.from(JSON.stringify(validBody));
    expect((await post('gzip', gzipSync(plain))).status).toBe(400);
    expect((await post('gzip', plain)).status).toBe(400);
    expect((await post('identity', plain)).status).toBe(200);
  });

  test('may come in chunks, and a chunk may end inside a character', async () => {
    const { url, events } = await serveValidator();
    const body = Buffer.from(
      JSON.stringify({ ...validBody, url: `${validBody.url}é`, headers: curl }),
    );
    const cutAt = body.indexOf(0xc3) + 1;
    const chunk = (bytes: Buffer) => [Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, END];
    const head = `POST /validate HTTP/1.1\r\nHost: x\r\nx-api-key: ${KEY}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`;
    const chunks = [body.subarray(0, cutAt), body.subarray(cutAt), Buffer.alloc(0)].flatMap(chunk);
    const answer = await rawExchange(url, Buffer.concat([Buffer.from(head), ...chunks]));
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(events).toMatchObject([{ path: '/é' }]);
  });
});
