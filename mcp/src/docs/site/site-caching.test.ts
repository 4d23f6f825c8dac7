import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { useSite } from '../../testing/docs-site.ts';

const { get } = useSite();

/**
 * One path of each kind: a cached page, a page that is built for each answer, a file, a list that depends on the public
 * URL, a picture.
 */
const PATHS = [
  '/rules',
  '/rules.md',
  '/crawlers/example-bot',
  '/search?q=rate',
  '/openapi.json',
  '/llms.txt',
  '/llms-full.txt',
  '/images/blocked-dark-phone.png',
];
const TEXTS = PATHS.filter((path) => !path.endsWith('.png'));

describe('compression (RFC 9110 12.5.3)', () => {
  test.each(TEXTS)(
    '%s comes in the requested coding, and Content-Encoding has the name of the coding',
    async (path) => {
      const plain = await get(path);
      expect(plain.headers['content-encoding']).toBeUndefined();
      const gzip = await get(path, { 'accept-encoding': 'gzip' });
      expect(gzip.headers['content-encoding']).toBe('gzip');
      expect(gunzipSync(gzip.bytes).toString()).toBe(plain.text);
      const brotli = await get(path, { 'accept-encoding': 'gzip, deflate, br, zstd' });
      expect(brotli.headers['content-encoding']).toBe('br');
      expect(brotliDecompressSync(brotli.bytes).toString()).toBe(plain.text);
      for (const { bytes, headers } of [plain, gzip, brotli]) {
        expect(headers['content-length']).toBe(String(bytes.length));
        expect(headers.vary).toContain('Accept-Encoding');
      }
    },
  );

  test.each([
    [undefined, undefined],
    ['', undefined],
    ['identity', undefined],
    ['deflate, zstd', undefined],
    ['gzip;q=0', undefined],
    ['br;q=0, gzip', 'gzip'],
    ['br;q=0.2, gzip;q=0.8', 'gzip'],
    ['gzip;q=0.5, identity', undefined],
    ['*', 'br'],
    ['*;q=0', undefined],
    ['*, br;q=0', 'gzip'],
    ['GZIP ; Q=1', 'gzip'],
    ['identity;q=0', undefined],
    ['gzip;q=nonsense', undefined],
  ])('Accept-Encoding %j gets Content-Encoding %s', async (acceptEncoding, coding) => {
    const headers = acceptEncoding === undefined ? {} : { 'accept-encoding': acceptEncoding };
    expect((await get('/rules', headers)).headers['content-encoding']).toBe(coding);
  });

  test('a picture is not compressed again', async () => {
    const { headers } = await get('/images/blocked-dark-phone.png', {
      'accept-encoding': 'br, gzip',
    });
    expect(headers['content-encoding']).toBeUndefined();
  });
});

describe('header fields for caches', () => {
  test('RFC 9110 12.5.5: Vary contains Accept only where Accept selects the answer', async () => {
    for (const path of ['/', '/rules', '/nowhere']) {
      for (const accept of ['text/html', 'text/markdown']) {
        expect((await get(path, { accept })).headers.vary).toBe('Accept, Accept-Encoding');
      }
    }
    for (const path of ['/rules.md', '/llms.txt', '/openapi.json']) {
      expect((await get(path)).headers.vary).toBe('Accept-Encoding');
    }
  });

  test('RFC 9110 8.7: when Accept selects Markdown, Content-Location has the path of the Markdown', async () => {
    const { headers } = await get('/rules', { accept: 'text/markdown' });
    expect(headers['content-location']).toBe('/rules.md');
  });

  test('RFC 9110 8.8.3.3: HTML and Markdown of a page have their own strong etag in each coding', async () => {
    const etags = [];
    for (const accept of ['text/html', 'text/markdown']) {
      for (const coding of ['identity', 'gzip', 'br']) {
        const { headers } = await get('/rules', { accept, 'accept-encoding': coding });
        expect(headers.etag).toMatch(/^"[\w-]+"$/);
        etags.push(headers.etag);
      }
    }
    expect(new Set(etags).size).toBe(6);
  });

  test.each(PATHS)('RFC 9110 13.1.2: a reader of %s with the same etag gets 304', async (path) => {
    for (const coding of ['identity', 'gzip', 'br']) {
      const requestHeaders = { 'accept-encoding': coding };
      const firstAnswer = await get(path, requestHeaders);
      const etag = firstAnswer.headers.etag ?? '';
      const matching = [etag, `W/${etag}`, `"other", ${etag}`, `"other",W/${etag} , "more"`, '*'];
      for (const etagHeader of matching) {
        const revalidated = await get(path, { ...requestHeaders, 'if-none-match': etagHeader });
        expect([etagHeader, revalidated.status, revalidated.bytes.length]).toEqual([
          etagHeader,
          304,
          0,
        ]);
        for (const name of ['etag', 'vary', 'cache-control', 'content-location']) {
          expect(revalidated.headers[name]).toBe(firstAnswer.headers[name]);
        }
        expect(revalidated.headers['content-type']).toBeUndefined();
      }
      for (const otherEtag of ['"other"', etag.slice(1, -1), 'W/"other"', '']) {
        expect((await get(path, { ...requestHeaders, 'if-none-match': otherEtag })).status).toBe(
          200,
        );
      }
    }
  });

  test('an error has no etag, and its status is never 304', async () => {
    const { status, headers } = await get('/nowhere', { 'if-none-match': '*' });
    expect([status, headers.etag]).toEqual([404, undefined]);
  });

  test('a file with a hash in its name is cached for ever; a page is revalidated', async () => {
    const { headers, text } = await get('/');
    expect(headers['cache-control']).toBe('no-cache');
    const [, stylesheet = ''] = /<link rel="stylesheet" href="([^"]+)"/.exec(text) ?? [];
    const style = await get(stylesheet);
    expect(style.headers['content-type']).toBe('text/css; charset=utf-8');
    expect(style.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  });
});

test.each([...PATHS, '/nowhere'])(
  'RFC 9110 9.3.2: HEAD %s has the status and headers of GET, without a body',
  async (path) => {
    const requestHeaders = { 'accept-encoding': 'gzip' };
    const fullAnswer = await get(path, requestHeaders);
    const head = await get(path, requestHeaders, 'HEAD');
    expect(head.bytes).toHaveLength(0);
    const withoutDate = (page: typeof fullAnswer) => ({ ...page.headers, date: undefined });
    expect([head.status, withoutDate(head)]).toEqual([fullAnswer.status, withoutDate(fullAnswer)]);
  },
);
