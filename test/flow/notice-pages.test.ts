import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../kit/free-port.ts';
import { type Answer, poll, send } from '../kit/http.ts';
import { type Product, startProduct } from '../kit/product/start-product.ts';
import {
  ANALYTICS_KEY,
  INSTALLATION_SECRET,
  productSettings,
} from '../kit/product/product-settings.ts';
import { testFolder } from '../kit/test-folder.ts';
import { chromeHttp, curl } from '../kit/visitors/visitors.ts';

/**
 * These tests check the pages for blocks, for limits, and for an origin that gives no answer: the built-in pages, and
 * pages of the user.
 */

const OWN_KEY = 'sk_api_ro_own_5f4e3d2c1b0a9d8c7b6a';
const folder = testFolder();
const page = join(folder, 'page.html');
writeFileSync(
  page,
  '<!doctype html><html lang="{{language}}"><p>{{reason}}</p>[{{reference}}][{{support}}][{{retry_after}}]',
);
const rules = [
  { name: 'no attic', match: { path: '/attic/**' }, verdict: 'block' },
  { name: 'login budget', match: { path: '/login' }, rate_limit: { requests: 1, per: '1h' } },
  { name: 'everybody', match: {}, detect: true },
];
let product: Product;

beforeAll(async () => {
  const closedOrigin = `http://127.0.0.1:${await freePort()}`;
  const settings = productSettings(closedOrigin, { rules });
  const [acme] = settings['organisations'] as Readonly<Record<string, unknown>>[];
  const [site] = settings['sites'] as Readonly<Record<string, unknown>>[];
  const branding = { name: 'Harbour & <Sons>', support: 'help@harbour.example' };
  const ownPages = {
    ...{ id: 'own', rules, branding, block_page: page, limit_page: page, error_page: page },
    analytics_keys: [{ id: 'tests', key: OWN_KEY }],
  };
  product = await startProduct({
    ...settings,
    organisations: [{ ...acme, branding }, ownPages],
    sites: [
      { ...site, hosts: ['shop.example'], skip: ['/free/**'] },
      { ...site, hosts: ['own.example'], organisation: 'own' },
    ],
  });
});
afterAll(() => product.stop());

let visitors = 0;

/** Each visitor has a new address, unless `from` is given. */
function visit(
  host: string,
  path: string,
  headers: Readonly<Record<string, string>> = chromeHttp,
  from = `84.115.20.${(visitors += 1)}`,
): Promise<Answer> {
  const url = `${product.addresses.gateway}${path}`;
  return send(url, { headers: { ...headers, host, 'x-forwarded-for': from } });
}

function fieldsOf({ headers }: Answer) {
  const names = ['content-type', 'cache-control', 'cdn-cache-control', 'surrogate-control'];
  names.push('x-content-type-options', 'x-robots-tag', 'referrer-policy', 'vary');
  return Object.fromEntries(names.map((name) => [name, headers[name]]));
}

/** Path, status and action of the only event with this reference code. */
async function eventOf(reference: string, key: string): Promise<string> {
  const answer = await poll(
    () =>
      send(`${product.addresses.api}/query`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'text/plain' },
        body: `SELECT path, status_code, action FROM events_distributed WHERE created_at > now() - INTERVAL 1 HOUR AND reference = '${reference}' FORMAT CSV`,
      }),
    ({ body }) => body !== '',
  );
  return answer.body.trim();
}

describe('a built-in page', () => {
  test('502: a browser gets a page with name, support address and a code that finds the event', async () => {
    const answer = await visit('shop.example', '/away', { ...chromeHttp, 'accept-language': 'de' });
    expect(answer.status).toBe(502);
    expect(answer.body).toContain('<h1 tabindex="-1">Diese Website ist nicht erreichbar</h1>');
    expect(answer.body).toContain('Harbour &amp; &lt;Sons&gt;');
    const [, code = ''] = /<code>([0-9A-Z]{8})<\/code>/.exec(answer.body) ?? [];
    expect(answer.body).toContain(`mailto:help@harbour.example?subject=Referenz%20${code}"`);
    expect(answer.headers['content-security-policy']).toMatch(/^default-src 'none'/);
    expect(await eventOf(code, ANALYTICS_KEY)).toBe('"/away",502,"allow"');
  });

  test('502 on a path that is not protected: the log has the code', async () => {
    const { body } = await visit('shop.example', '/free/thing');
    const [, code = ''] = /<code>([0-9A-Z]{8})<\/code>/.exec(body) ?? [];
    expect(product.log()).toMatch(
      new RegExp(`"event":"gateway_origin_failed".*"reference":"${code}"`),
    );
  });

  test.each([
    ['a program', curl],
    ['a fetch from a page', { ...chromeHttp, accept: 'application/json' }],
    [
      'a picture request',
      { ...chromeHttp, 'sec-fetch-dest': 'image', 'sec-fetch-mode': 'no-cors' },
    ],
  ])('502: %s gets the short text', async (_, headers) => {
    const answer = await visit('shop.example', '/free/thing', headers);
    expect([answer.status, answer.body]).toEqual([502, 'The site cannot be reached.\n']);
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
  });

  test('the page of a limit says how long to wait', async () => {
    const from = '84.115.21.1';
    await visit('shop.example', '/login', chromeHttp, from);
    const { status, body, headers } = await visit('shop.example', '/login', chromeHttp, from);
    expect([status, headers['retry-after']]).toEqual([429, '3600']);
    expect(body).toContain('<strong>Try again: in 1 hour</strong>');
  });
});

test('a gateway without settings of the organisation shows the page without a name', async () => {
  const closedOrigin = `http://127.0.0.1:${await freePort()}`;
  const validator = { url: closedOrigin, key: 'a-key-of-the-validator-b1e5a8d4', timeout: '300ms' };
  const otherProduct = await startProduct({
    version: 1,
    listen: { gateway: '127.0.0.1:0' },
    secret: INSTALLATION_SECRET,
    sites: [{ hosts: ['*'], organisation: 'elsewhere', origin: closedOrigin, validator }],
  });
  const { status, body } = await send(`${otherProduct.addresses.gateway}/`, {
    headers: chromeHttp,
  });
  expect(status).toBe(502);
  expect(body).toContain('<h1 tabindex="-1">This site cannot be reached</h1>');
  expect(await otherProduct.stop()).toBe(0);
});

describe('pages of the user', () => {
  test('a block: the page has reference code, reason, support address and language, and the header fields of the built-in page', async () => {
    const answer = await visit('own.example', '/attic/x');
    const [, code = ''] = /\[([0-9A-Z]{8})\]/.exec(answer.body) ?? [];
    expect(answer.status).toBe(403);
    expect(answer.body).toBe(
      `<!doctype html><html lang="en"><p>This request looked automated, or the rules of this site do not allow it.</p>[${code}][help@harbour.example][]`,
    );
    expect(await eventOf(code, OWN_KEY)).toBe('"/attic/x",403,"block"');
    expect(fieldsOf(answer)).toEqual(fieldsOf(await visit('shop.example', '/attic/x')));
    expect(fieldsOf(answer)).toMatchObject({
      'x-content-type-options': 'nosniff',
      vary: 'Cookie, Accept, Accept-Language',
    });
  });

  test('a limit: the page has the seconds of Retry-After', async () => {
    const from = '84.115.21.2';
    await visit('own.example', '/login', chromeHttp, from);
    const answer = await visit('own.example', '/login', chromeHttp, from);
    expect([answer.status, answer.headers['retry-after']]).toEqual([429, '3600']);
    expect(answer.body).toMatch(/\[[0-9A-Z]{8}\]\[help@harbour\.example\]\[3600\]$/);
    expect(fieldsOf(answer)).toEqual(fieldsOf(await visit('shop.example', '/attic/x')));
  });

  test('502: the code of the page finds the event', async () => {
    const answer = await visit('own.example', '/away');
    expect(answer.status).toBe(502);
    expect(answer.body).toContain('<p>The site did not answer.');
    const [, code = ''] = /\[([0-9A-Z]{8})\]/.exec(answer.body) ?? [];
    expect(await eventOf(code, OWN_KEY)).toBe('"/away",502,"allow"');
    expect(fieldsOf(answer)).toEqual(fieldsOf(await visit('shop.example', '/attic/x')));
  });

  test('a page shows an attacker no reasons, and no text from header fields or the path', async () => {
    const hostile = '"><script>alert(1)</script>{{reference}}';
    const headers = { ...curl, accept: 'text/html', 'accept-language': hostile, cookie: hostile };
    const { body } = await visit('own.example', `/attic/${encodeURI(hostile)}`, headers);
    expect(body).toContain('<html lang="en">');
    expect(body).not.toMatch(/script|http_client|policy_block|attic/);
  });
});
