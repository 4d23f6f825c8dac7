import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { googlebot, GOOGLEBOT_IP, visit } from '../kit/visitors/visitors.ts';
import {
  bodyOf,
  errorType,
  HEALTH_TOKEN,
  KEY,
  OTHER_KEY,
  serveValidator,
} from './serve-validator.ts';

const EXPIRING_KEY = 'sk_contract_expiring_key_3456';
const HASHED_KEY = 'sk_contract_hashed_key_4567';
const HEALTH_KEY = 'sk_contract_health_key_5678';

const KEYS = {
  organisation: {
    secret_keys: [
      { id: 'backend', key: KEY },
      { id: 'old', key: EXPIRING_KEY, expires: '2026-11-21', health: true },
      { id: 'hashed', key: `sha256:${createHash('sha256').update(HASHED_KEY).digest('hex')}` },
      { id: 'monitor', key: HEALTH_KEY, health: true },
    ],
  },
};
const body = JSON.stringify(visit());

describe('5 POST /validate: "header x-api-key with the secret key"', () => {
  test.each([
    ['in the settings as plain text', KEY],
    ['in the settings as sha256:<hex>', HASHED_KEY],
    ['another key of the organisation', HEALTH_KEY],
  ])('a key is valid when it is %s', async (_how, key) => {
    const { post } = await serveValidator(KEYS);
    expect((await post(body, { 'x-api-key': key })).status).toBe(200);
  });

  test('"missing: missing_api_key"', async () => {
    const { url } = await serveValidator(KEYS);
    for (const headers of [{}, { 'x-api-key': '' }, { 'x-api-key': '  ' }]) {
      const response = await fetch(`${url}/validate`, { method: 'POST', body, headers });
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({ error: { type: 'missing_api_key' } });
    }
  });

  test.each([
    ['unknown', 'sk_wrong_wrong_wrong'],
    ['in upper case', KEY.toUpperCase()],
    ['cut', KEY.slice(0, -1)],
    ['with a character after it', `${KEY}1`],
    ['twice', `${KEY}, ${KEY}`],
    ['only the hash', createHash('sha256').update(HASHED_KEY).digest('hex')],
    [
      'the hash in the form of the settings',
      `sha256:${createHash('sha256').update(HASHED_KEY).digest('hex')}`,
    ],
    ['the health token', HEALTH_TOKEN],
    ['in the form of the Authorization header', `Bearer ${KEY}`],
  ])('"invalid: invalid_api_key": %s', async (_how, key) => {
    const { post } = await serveValidator(KEYS);
    const answer = await post(body, { 'x-api-key': key });
    expect([answer.status, errorType(answer)]).toEqual([401, 'invalid_api_key']);
  });

  test('a key is valid until the end of its last day, UTC', async () => {
    const { post, time } = await serveValidator({ ...KEYS });
    time.now = Date.UTC(2026, 10, 21, 23, 59, 59, 999);
    expect((await post(body, { 'x-api-key': EXPIRING_KEY })).status).toBe(200);
    time.now += 1;
    const lateAnswer = await post(body, { 'x-api-key': EXPIRING_KEY });
    expect([lateAnswer.status, errorType(lateAnswer)]).toEqual([401, 'invalid_api_key']);
    expect((await post(body)).status).toBe(200);
  });

  test('the key is checked before the body', async () => {
    const { post } = await serveValidator(KEYS);
    const answer = await post('nonsense', { 'x-api-key': 'sk_wrong_wrong_wrong' });
    expect(errorType(answer)).toBe('invalid_api_key');
    expect(errorType(await post('x'.repeat(300 * 1024), { 'x-api-key': '' }))).toBe(
      'missing_api_key',
    );
  });
});

describe('5 GET /health: "x-api-key (health-authorized customer key) or x-health-check-token (internal)"', () => {
  async function statusOf(host: 'url' | 'collectorUrl', headers: Record<string, string>) {
    const served = await serveValidator(KEYS);
    return (await fetch(`${served[host]}/health`, { headers })).status;
  }

  test.each([
    ['no credentials', {}, 403],
    ['a key that is not health-authorized', { 'x-api-key': KEY }, 403],
    ['a health-authorized key', { 'x-api-key': HEALTH_KEY }, 200],
    ['the token', { 'x-health-check-token': HEALTH_TOKEN }, 200],
    ['the token as x-api-key', { 'x-api-key': HEALTH_TOKEN }, 403],
    ['a key as x-health-check-token', { 'x-health-check-token': HEALTH_KEY }, 403],
    ['the token twice', { 'x-health-check-token': `${HEALTH_TOKEN}, ${HEALTH_TOKEN}` }, 403],
  ])('%s: the same status on both hosts', async (_who, headers, status) => {
    expect(await statusOf('url', headers)).toBe(status);
    expect(await statusOf('collectorUrl', headers)).toBe(status);
  });

  test.each(['GoogleHC/1.0', 'googlehc/1.0', 'GOOGLEHC/2.0'])(
    '"the collector also accepts a case-insensitive User-Agent match for a specific cloud-provider health-check agent": %s',
    async (agent) => {
      const headers = { 'user-agent': agent };
      const { collectorUrl } = await serveValidator(KEYS);
      const response = await fetch(`${collectorUrl}/health`, { headers });
      expect(response.status).toBe(200);
      // A User-Agent is no proof, so the answer has no version.
      expect(await response.json()).toEqual({ status: 'ok' });
      expect(await statusOf('url', headers)).toBe(403);
    },
  );

  test.each(['GoogleHC', 'x GoogleHC/1.0', 'ELB-HealthChecker/2.0', 'kube-probe/1.30'])(
    'another agent is refused: %s',
    async (agent) => {
      expect(await statusOf('collectorUrl', { 'user-agent': agent })).toBe(403);
    },
  );

  test('a health key is valid until its expiry date', async () => {
    const { url, time } = await serveValidator({ ...KEYS });
    const ask = async () =>
      (await fetch(`${url}/health`, { headers: { 'x-api-key': EXPIRING_KEY } })).status;
    expect(await ask()).toBe(200);
    time.now = Date.UTC(2026, 10, 22);
    expect(await ask()).toBe(403);
  });
});

describe('5 a key selects its own organisation', () => {
  const folder = mkdtempSync(join(tmpdir(), 'guard-pages-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const page = (name: string) => {
    const path = join(folder, `${name}.html`);
    writeFileSync(path, `<h1>${name}</h1>`);
    return path;
  };
  const block = [{ name: 'r', match: { path: '/blocked' }, verdict: 'block' }];
  const TWO = {
    organisation: {
      secret_keys: [{ id: 'backend', key: KEY }],
      features: { country: true, crawler_metadata: true },
      block_page: page('acme'),
      crawler_allowlist: ['Googlebot'],
      rules: [
        ...block,
        { name: 'few', match: {}, rate_limit: { requests: 3, per: '1h', by: ['ip'] } },
      ],
    },
    neighbour: {
      features: { country: false, crawler_metadata: true },
      block_page: page('globex'),
      crawler_allowlist: ['Bingbot'],
      rules: block,
    },
  };

  test('its features', async () => {
    const { ask } = await serveValidator({ ...TWO });
    expect(await ask(visit())).toHaveProperty('country_code');
    expect(await ask(visit(), OTHER_KEY)).not.toHaveProperty('country_code');
  });

  test('its rules and budgets', async () => {
    const { ask } = await serveValidator({ ...TWO });
    for (let i = 0; i < 3; i++) await ask(visit());
    expect(await ask(visit())).toHaveProperty('rate_limited');
    expect(await ask(visit(), OTHER_KEY)).not.toHaveProperty('rate_limited');
  });

  test('its block page', async () => {
    const { ask } = await serveValidator({ ...TWO });
    const request = visit({ url: 'https://shop.example/blocked' });
    expect(bodyOf(await ask(request))).toBe('<h1>acme</h1>');
    expect(bodyOf(await ask(request, OTHER_KEY))).toBe('<h1>globex</h1>');
  });

  test('its allowlist', async () => {
    const { ask } = await serveValidator({ ...TWO });
    const request = visit({ headers: googlebot, ip: GOOGLEBOT_IP });
    expect((await ask(request)).crawler?.access_allowed).toBe(true);
    expect((await ask(request, OTHER_KEY)).crawler?.access_allowed).toBe(false);
  });

  test('its sessions: a session of another organisation is not valid', async () => {
    const { ask } = await serveValidator({ ...TWO });
    const cookie = (await ask(visit())).cookies?.[0]?.value ?? '';
    expect(await ask(visit({ cookie }))).not.toHaveProperty('cookies');
    const foreign = await ask(visit({ cookie }), OTHER_KEY);
    expect(foreign.cookies).toHaveLength(1);
    expect(foreign.cookies?.[0]?.value).not.toBe(cookie);
  });

  test('its events', async () => {
    const { ask, events } = await serveValidator({ ...TWO });
    await ask(visit());
    await ask(visit(), OTHER_KEY);
    expect(events.map(({ organisation }) => organisation)).toEqual(['acme', 'globex']);
  });
});
