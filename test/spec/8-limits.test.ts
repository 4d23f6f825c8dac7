import { VALIDATE } from '@guard/config/contract/limits';
import { describe, expect, test } from 'vitest';
import { HOME_IP } from '../kit/visitors/visitors.ts';
import { rawExchange } from './raw-exchange.ts';
import { errorType, KEY, serveValidator } from './serve-validator.ts';

const validBody = { url: 'https://shop.example/', ip: HOME_IP };
const headersOf = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`x-${i}`, '1']));
const urlOf = (length: number) => validBody.url.padEnd(length, 'a');

/** Returns a valid body with exactly this number of bytes. */
function bodyOf(bytes: number): string {
  const empty = JSON.stringify({ ...validBody, padding: '' });
  return empty.replace('""', `"${'x'.repeat(bytes - empty.length)}"`);
}

async function statusOf(request: Readonly<Record<string, unknown>>) {
  const { post } = await serveValidator();
  const answer = await post(JSON.stringify(request));
  return answer.status === 200 ? 200 : `${answer.status} ${String(errorType(answer))}`;
}

describe('8 "/validate request size limits: not shown": each limit of Guard, at the limit and one more', () => {
  test('Guard allows 500 ms, a body of 256 KiB, 256 header fields and a URL of 16,384 characters', () => {
    expect(VALIDATE).toMatchObject({
      budgetMs: 500,
      maxBodyBytes: 262_144,
      maxHeaders: 256,
      maxUrlLength: 16_384,
    });
  });

  test('a body of 256 KiB', async () => {
    const { post } = await serveValidator();
    expect((await post(bodyOf(VALIDATE.maxBodyBytes))).status).toBe(200);
    const answer = await post(bodyOf(VALIDATE.maxBodyBytes + 1));
    expect([answer.status, errorType(answer)]).toEqual([400, 'invalid_request']);
  });

  test('a chunked body of 256 KiB', async () => {
    const { post } = await serveValidator();
    const fields = { 'transfer-encoding': 'chunked' };
    expect((await post(bodyOf(VALIDATE.maxBodyBytes), fields)).status).toBe(200);
    const answer = await post(bodyOf(VALIDATE.maxBodyBytes + 1), fields);
    expect([answer.status, errorType(answer)]).toEqual([400, 'invalid_request']);
  });

  test('the bytes after a body that is too long are not read as a request', async () => {
    const { url } = await serveValidator();
    const head = `POST /validate HTTP/1.1\r\nHost: x\r\nx-api-key: ${KEY}\r\n`;
    const request = 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n';
    const text = await rawExchange(url, `${head}Content-Length: 262145\r\n\r\n${request}`);
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400']);
    expect(text).toMatch(/\r\nconnection: close\r\n/i);
  });

  test.each([
    ['256 headers', { headers: headersOf(256) }, { headers: headersOf(257) }],
    ['10,000 headers, which are too many', {}, { headers: headersOf(10_000) }],
    [
      'a header name of 256 characters',
      { headers: { ['a'.repeat(256)]: '' } },
      { headers: { ['a'.repeat(257)]: '' } },
    ],
    [
      'a header value of 16 KiB',
      { headers: { a: 'b'.repeat(16_384) } },
      { headers: { a: 'b'.repeat(16_385) } },
    ],
    [
      '64 KiB of headers',
      {
        headers: {
          a: 'b'.repeat(16_383),
          c: 'd'.repeat(16_383),
          e: 'f'.repeat(16_383),
          g: 'h'.repeat(16_383),
        },
      },
      {
        headers: {
          a: 'b'.repeat(16_383),
          c: 'd'.repeat(16_383),
          e: 'f'.repeat(16_383),
          g: 'h'.repeat(16_384),
        },
      },
    ],
    ['a URL of 16 KiB', { url: urlOf(16_384) }, { url: urlOf(16_385) }],
    ['a URL of 64 KiB, which is too long', {}, { url: urlOf(65_536) }],
    ['a referrer of 16 KiB', { referrer: urlOf(16_384) }, { referrer: urlOf(16_385) }],
    ['a method of 32 characters', { method: 'M'.repeat(32) }, { method: 'M'.repeat(33) }],
  ])('%s', async (_what, atLimit, aboveLimit) => {
    expect(await statusOf({ ...validBody, ...atLimit })).toBe(200);
    expect(await statusOf({ ...validBody, ...aboveLimit })).toBe('400 invalid_request');
  });

  test('16 levels of nesting', async () => {
    const { post } = await serveValidator();
    const nest = (levels: number) =>
      JSON.stringify({ ...validBody, later: 0 }).replace(
        ':0}',
        `:${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`,
      );
    expect((await post(nest(16))).status).toBe(200);
    expect(errorType(await post(nest(17)))).toBe('invalid_request');
  });

  test('an address has at most 64 characters, with its zone', async () => {
    expect(await statusOf({ ...validBody, ip: `fe80::1%${'a'.repeat(56)}` })).toBe(200);
    expect(await statusOf({ ...validBody, ip: `fe80::1%${'a'.repeat(57)}` })).toBe(
      '400 invalid_ip',
    );
  });

  test('a very long address is invalid_ip, and a very long cookie is ignored', async () => {
    const longValue = 'a'.repeat(200_000);
    expect(await statusOf({ ...validBody, ip: longValue })).toBe('400 invalid_ip');
    expect(await statusOf({ ...validBody, ip: `${'0:'.repeat(50_000)}1` })).toBe('400 invalid_ip');
    expect(await statusOf({ ...validBody, ip: `fe80::1%${longValue}` })).toBe('400 invalid_ip');
    expect(await statusOf({ ...validBody, cookie: longValue })).toBe(200);
  });
});
