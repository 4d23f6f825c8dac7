import { STATUS_CODES } from '@guard/config/contract/validate-response';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { curl, visit } from '../kit/visitors/visitors.ts';
import { bodyOf, serveValidator } from './serve-validator.ts';

const DETECT = '[{ name: r, match: {}, detect: true }]';

const folder = mkdtempSync(join(tmpdir(), 'guard-pages-'));
afterAll(() => rmSync(folder, { recursive: true }));
const pageFile = join(folder, 'page.html');
writeFileSync(pageFile, '<h1>Näh</h1>');

describe('2.2 "status_code": 200 for allow, 403 for block and redirect, "a policy rule can override it"', () => {
  const ruleThatBlocksWith = (status: number) =>
    `[{ name: r, match: {}, verdict: block, status: ${status} }]`;

  test.each<[string, string, number]>([
    ['[]', 'allow', 200],
    ['[{ name: r, match: {}, verdict: block }]', 'block', 403],
    ['[{ name: r, match: {}, challenge: always }]', 'redirect', 403],
    ...STATUS_CODES.map((status): [string, string, number] => [
      ruleThatBlocksWith(status),
      'block',
      status,
    ]),
  ])('%s is %s with %i', async (rules, decision, status_code) => {
    const { ask } = await serveValidator({ rules });
    expect(await ask(visit())).toMatchObject({ decision, status_code });
  });
});

describe('2.2 "country_code": "only on allow, only when country enrichment is enabled"', () => {
  const withCountry = { features: { country: true } };

  test('the country of the address in ISO 3166-1 alpha-2', async () => {
    const { ask } = await serveValidator({ rules: DETECT, organisation: withCountry });
    expect(await ask(visit())).toMatchObject({ decision: 'allow', country_code: 'AT' });
    expect(await ask(visit({ ip: '10.0.0.1' }))).not.toHaveProperty('country_code');
  });

  test('absent in other decisions and without the feature', async () => {
    const { ask } = await serveValidator({ rules: DETECT, organisation: withCountry });
    expect(await ask(visit({ headers: curl }))).not.toHaveProperty('country_code');
    const validatorWithoutCountry = await serveValidator({ rules: DETECT });
    expect(await validatorWithoutCountry.ask(visit())).not.toHaveProperty('country_code');
  });
});

describe('2.2 "response_html": base64 of a UTF-8 body, "read headers.Content-Type before serving"', () => {
  test('"a block rendered from a custom block page is reported as redirect", and its status_code is the status of the block', async () => {
    const { ask, events } = await serveValidator({
      rules: '[{ name: r, match: {}, verdict: block, status: 404 }]',
      organisation: { block_page: pageFile },
    });
    const answer = await ask(visit());
    expect(answer).toMatchObject({ decision: 'redirect', status_code: 404 });
    expect(answer.block_reasons).toEqual(['policy_block']);
    expect(bodyOf(answer)).toBe('<h1>Näh</h1>');
    expect(answer.headers).toMatchObject({ 'Content-Type': 'text/html; charset=utf-8' });
    expect(events).toMatchObject([{ action: 'block', response: 'redirect', statusCode: 404 }]);
  });

  test('a managed robots.txt is an allow with a text/plain body, for its path only', async () => {
    const { ask } = await serveValidator({
      rules: '[{ name: t, match: { crawler: { rsl_category: ai-train } }, verdict: block }]',
      organisation: { robots_txt: 'managed' },
    });
    const answer = await ask(visit({ url: 'https://shop.example/robots.txt' }));
    expect(answer).toMatchObject({ decision: 'allow', status_code: 200 });
    expect(answer.headers).toMatchObject({ 'Content-Type': 'text/plain; charset=utf-8' });
    expect(bodyOf(answer)).toContain('User-agent: GPTBot\n');
    expect(bodyOf(answer)).not.toContain('User-agent: Googlebot\n');
    expect(bodyOf(answer)).toContain(
      'User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n',
    );
    expect(await ask(visit())).not.toHaveProperty('response_html');
    const post = visit({ url: 'https://shop.example/robots.txt', method: 'POST' });
    expect(await ask(post)).not.toHaveProperty('response_html');
  });
});

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('2.2 "request_id": a unique id, in the answer and on the event', () => {
  test('a UUIDv7 whose time is the time of the decision (RFC 9562 5.7)', async () => {
    const { ask, events, time } = await serveValidator();
    const ids = await Promise.all([1, 2, 3].map(async () => (await ask(visit())).request_id ?? ''));
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) {
      expect(id).toMatch(UUID_V7);
      expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(time.now);
    }
    expect(events.map(({ requestId }) => requestId).toSorted()).toEqual(ids.toSorted());
  });
});
