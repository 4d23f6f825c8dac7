import { ValidateResponse } from '@guard/config/contract/validate-response';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { validatorWith } from '../../../test/kit/validator.ts';
import { chromeHttps, curl, googlebot, GOOGLEBOT_IP, visit } from '../../../test/kit/visitors.ts';

const DETECT = '[{ name: r, match: {}, detect: true }]';
const ALWAYS = '[{ name: r, match: {}, challenge: always }]';

const folder = mkdtempSync(join(tmpdir(), 'guard-pages-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileWith(text: string): string {
  const path = join(folder, 'page.html');
  writeFileSync(path, text);
  return path;
}

function bodyOf(answer: { response_html?: string | undefined }): string {
  return Buffer.from(answer.response_html ?? '', 'base64').toString('utf8');
}

describe('the validate response (spec 2.2)', () => {
  test('every answer keeps the schema and a status of the listed ten', async () => {
    const { ask } = validatorWith(DETECT);
    const requests = [visit(), visit({ headers: curl }), visit({ headers: googlebot })];
    for (const request of requests) ValidateResponse.parse(await ask(request));
  });

  test('_guard is sent when the request did not present the current session', async () => {
    const { ask } = validatorWith('[]');
    const first = await ask(visit());
    expect(first.cookies).toMatchObject([
      { name: '_guard', domain: '', path: '/', secure: true, same_site: 'Lax' },
    ]);
    const value = first.cookies?.[0]?.value ?? '';
    expect(first.cookies?.[0]?.max_age).toBeGreaterThan(0);
    expect(await ask(visit({ cookie: value }))).not.toHaveProperty('cookies');
    const headers = { ...chromeHttps, cookie: `a=b; _guard=${value}; c=d` };
    expect(await ask(visit({ headers }))).not.toHaveProperty('cookies');
  });

  test('a malformed or forged cookie is silently ignored', async () => {
    const { ask } = validatorWith('[]');
    for (const cookie of ['', 'x', '00000000-0000-4000-8000-000000000000', 'a'.repeat(5000)]) {
      expect((await ask(visit({ cookie }))).cookies).toHaveLength(1);
    }
  });

  test('_guard is never sent to a matched crawler', async () => {
    const { ask } = validatorWith('[]');
    expect(await ask(visit({ headers: googlebot, ip: GOOGLEBOT_IP }))).not.toHaveProperty(
      'cookies',
    );
  });

  test('on plain http the cookie is not Secure, or the browser would drop it', async () => {
    const { ask } = validatorWith('[]');
    const answer = await ask(visit({ url: 'http://shop.example/' }));
    expect(answer.cookies?.[0]?.secure).toBe(false);
  });

  test('country_code only on allow and only with the feature', async () => {
    const on = validatorWith(DETECT, { organisation: { features: { country: true } } });
    expect(await on.ask(visit())).toMatchObject({ country_code: 'AT' });
    expect(await on.ask(visit({ headers: googlebot }))).not.toHaveProperty('country_code');
    expect(await validatorWith(DETECT).ask(visit())).not.toHaveProperty('country_code');
  });

  test('a custom block page is reported as redirect, its intent is in status_code', async () => {
    const { ask } = validatorWith('[{ name: r, match: {}, verdict: block, status: 404 }]', {
      organisation: { block_page: fileWith('<h1>Näh</h1>') },
    });
    const answer = await ask(visit());
    expect(answer).toMatchObject({ decision: 'redirect', status_code: 404 });
    expect(bodyOf(answer)).toBe('<h1>Näh</h1>');
    expect(answer.headers).toMatchObject({ 'Content-Type': 'text/html; charset=utf-8' });
  });

  test('managed robots.txt is an allow with a text/plain body, for that path only', async () => {
    const { ask } = validatorWith(
      '[{ name: t, match: { crawler: { rsl_category: ai-train } }, verdict: block }]',
      { organisation: { robots_txt: 'managed' } },
    );
    const answer = await ask(visit({ url: 'https://shop.example/robots.txt' }));
    expect(answer).toMatchObject({ decision: 'allow', status_code: 200 });
    expect(answer.headers).toMatchObject({ 'Content-Type': 'text/plain; charset=utf-8' });
    expect(bodyOf(answer)).toContain('User-agent: GPTBot\n');
    expect(bodyOf(answer)).not.toContain('User-agent: Googlebot\n');
    expect(bodyOf(answer)).toContain('User-agent: *\nAllow: /\n');
    expect(await ask(visit())).not.toHaveProperty('response_html');
  });
});

describe('a challenge (spec 3): 403, an interstitial, _guard, and a script-nonce policy', () => {
  test('all of them are there', async () => {
    const { ask } = validatorWith(ALWAYS);
    const answer = await ask(visit());
    expect(answer).toMatchObject({ decision: 'redirect', status_code: 403 });
    expect(answer.cookies).toHaveLength(1);
    const policy = answer.headers?.['Content-Security-Policy'] ?? '';
    const nonce = /script-src 'nonce-([^']+)'/.exec(policy)?.[1];
    expect(nonce).toBeDefined();
    expect(policy).not.toContain('unsafe');
    expect(bodyOf(answer)).toContain(`nonce="${nonce ?? ''}"`);
    expect(answer.headers?.['Cache-Control']).toContain('no-store');
  });

  test('a fetch or an API client gets problem details instead of a page (RFC 9457)', async () => {
    const { ask, events } = validatorWith(ALWAYS);
    const fetched = visit({ headers: { ...chromeHttps, 'sec-fetch-mode': 'cors' } });
    const api = visit({ headers: { ...curl, accept: 'application/json' } });
    for (const request of [fetched, api]) {
      const answer = await ask(request);
      expect(answer.headers).toMatchObject({ 'Content-Type': 'application/problem+json' });
      expect(JSON.parse(bodyOf(answer))).toMatchObject({
        status: 403,
        code: 'challenge_required',
        request_id: answer.request_id,
        reference: events.at(-1)?.reference,
      });
    }
  });
});

describe('the event (spec 2.7)', () => {
  test('says what was asked, concluded and enforced', async () => {
    const { ask, events } = validatorWith(DETECT);
    const headers = { ...curl, referer: 'https://search.example/find?q=private' };
    const answer = await ask(visit({ url: 'https://shop.example/a?b=c', headers }));
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      requestId: answer.request_id,
      organisation: 'acme',
      site: 'shop.example',
      action: 'challenge',
      decision: 'challenge',
      response: 'redirect',
      statusCode: 403,
      rule: 'r',
      blockReasons: ['http_client_user_agent'],
      blockReasonCategories: ['bot_identity'],
      method: 'GET',
      scheme: 'https',
      host: 'shop.example',
      path: '/a',
      query: 'b=c',
      referrerOrigin: 'https://search.example',
      country: 'AT',
      session: answer.cookies?.[0]?.value,
      validator: 'in-process',
    });
  });
});
