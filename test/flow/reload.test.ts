import { once } from 'node:events';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { Agent, request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { stringify } from 'yaml';
import { type Answer, poll, send } from '../kit/http.ts';
import { metricOf } from '../kit/product/metric-of.ts';
import { ORIGIN_PAGE } from '../kit/origins/recording-origin.ts';
import {
  ANALYTICS_KEY,
  INSTALLATION_SECRET,
  SECRET_KEY,
  productSettings,
} from '../kit/product/product-settings.ts';
import { useProduct } from '../kit/product/use-product.ts';
import { curl } from '../kit/visitors/visitors.ts';

/**
 * These tests change settings while Guard runs. The change is atomic, no connection is dropped, and sessions survive.
 * After a bad file Guard keeps the last good settings, logs the reason, and sets a metric.
 */

const OTHER_KEY = 'sk_flow_rotated_0b1c2d3e4f5a6978';
const OTHER_ANALYTICS_KEY = 'sk_api_ro_flow_rotated_1a2b3c4d5e6f';
const OTHER_SECRET = 'flow-tests-rotated-7d6c5b4a39281706f5e4d3c2b1a0';

type Overrides = Parameters<typeof productSettings>[1];

const BLOCK_ALL = [{ name: 'closed', match: {}, verdict: 'block' }];
const ALLOW_ALL = [{ name: 'open', match: {}, verdict: 'allow' }];

const testbed = useProduct({ rules: ALLOW_ALL });

/** The length of the log and the number of reloads before each test. */
let before = { log: 0, applied: 0, refused: 0 };
beforeEach(async () => {
  await reload({ rules: ALLOW_ALL });
  before = {
    log: testbed.product.log().length,
    applied: await metric('guard_reloads_total{outcome="applied"}'),
    refused: await metric('guard_reloads_total{outcome="refused"}'),
  };
});

/**
 * Writes the settings file, from an object or a text, sends SIGHUP, and waits until Guard has applied or refused the
 * settings.
 */
async function reload(next: Overrides | string): Promise<void> {
  const { product, origin } = testbed;
  const count = await reloads();
  // The file is replaced by a rename, so that Guard's watch cannot read an incomplete file.
  const settings = typeof next === 'string' ? next : stringify(productSettings(origin.url, next));
  await replaceFile('guard.yaml', settings);
  process.kill(product.pid, 'SIGHUP');
  await poll(reloads, (now) => now > count);
}

async function replaceFile(name: string, text: string): Promise<void> {
  const temporary = join(testbed.product.folder, `.${name}.tmp`);
  await writeFile(temporary, text);
  await rename(temporary, join(testbed.product.folder, name));
}

const metric = (name: string) => metricOf(testbed.product, name);

async function reloads(): Promise<number> {
  const [applied, refused] = await Promise.all([
    metric('guard_reloads_total{outcome="applied"}'),
    metric('guard_reloads_total{outcome="refused"}'),
  ]);
  return applied + refused;
}

/** The log lines of one event since the test began. */
function loggedLines(event: string): Record<string, unknown>[] {
  return testbed.product
    .log()
    .slice(before.log)
    .split('\n')
    .filter((line) => line.includes(`"event":"${event}"`))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

const visit = (headers: Record<string, string> = curl) =>
  send(`${testbed.product.addresses.gateway}/`, { headers });

function validate(key: string): Promise<Answer> {
  return send(`${testbed.product.addresses.validator}/validate`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ url: 'https://shop.example/', ip: '203.0.113.9' }),
  });
}

describe('a reload while visitors come', () => {
  test('20 reloads under a stream of requests: no wrong answer, and no dropped connection', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 4 });
    onTestFinished(() => agent.destroy());
    const ports = new Set<number | undefined>();
    const statuses = new Map<string, number>();
    let isDone = false;

    async function stream(url: string | undefined, post?: string): Promise<void> {
      while (!isDone) {
        const headers = post === undefined ? curl : { 'x-api-key': SECRET_KEY };
        const method = post === undefined ? 'GET' : 'POST';
        const call = request(url ?? '', { agent, method, headers }).end(post);
        const [answer] = (await once(call, 'response')) as [IncomingMessage];
        ports.add(call.socket?.localPort);
        answer.resume();
        await once(answer, 'end');
        const kind = `${method} ${answer.statusCode}`;
        statuses.set(kind, (statuses.get(kind) ?? 0) + 1);
      }
    }

    const body = JSON.stringify({ url: 'https://shop.example/', ip: '203.0.113.9' });
    const streams = [
      ...[1, 2, 3, 4].map(() => stream(testbed.product.addresses.gateway)),
      ...[1, 2].map(() => stream(`${testbed.product.addresses.validator}/validate`, body)),
    ];
    for (let round = 0; round < 20; round++) {
      await reload({ rules: round % 2 === 0 ? BLOCK_ALL : ALLOW_ALL });
    }
    isDone = true;
    await Promise.all(streams);
    expect([...statuses.keys()].toSorted()).toEqual(['GET 200', 'GET 403', 'POST 200']);
    expect(ports.size).toBe(6);
    expect(await metric('guard_reloads_total{outcome="applied"}')).toBe(before.applied + 20);
    expect(testbed.product.log()).not.toContain('MaxListenersExceededWarning');
  });

  test('the new settings apply from the next request on', async () => {
    expect((await visit()).body).toBe(ORIGIN_PAGE);
    await reload({ rules: BLOCK_ALL });
    expect((await visit()).status).toBe(403);
    await reload({ rules: BLOCK_ALL, site: { observe: true } });
    expect((await visit()).body).toBe(ORIGIN_PAGE);
    expect(testbed.origin.arrivals.at(-1)?.headers['x-guard-decision']).toBe('observe');
    await reload({ rules: BLOCK_ALL, site: { protect: [] } });
    expect((await visit()).body).toBe(ORIGIN_PAGE);
    expect(testbed.origin.arrivals.at(-1)?.headers['x-guard-decision']).toBe('not_matched');
  });
});

describe('keys (contract 5)', () => {
  const organisation = (overrides: Readonly<Record<string, unknown>>) => ({
    organisations: [
      {
        id: 'acme',
        secret_keys: [{ id: 'backend', key: SECRET_KEY }],
        analytics_keys: [{ id: 'tests', key: ANALYTICS_KEY }],
        ...overrides,
      },
    ],
  });
  const ask = async (path: string, key: string) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'text/plain' };
    const url = `${testbed.product.addresses.api}${path}`;
    return (await send(url, { method: 'POST', headers, body: 'SELECT 1' })).status;
  };

  test('a removed secret key is 401 invalid_api_key at once, and an added key is valid', async () => {
    await reload({ top: organisation({}) });
    expect((await validate(SECRET_KEY)).status).toBe(200);
    const secret_keys = [{ id: 'backend', key: OTHER_KEY }];
    await reload({ top: organisation({ secret_keys }) });
    const answer = await validate(SECRET_KEY);
    expect(answer.status).toBe(401);
    expect(JSON.parse(answer.body)).toMatchObject({ error: { type: 'invalid_api_key' } });
    expect((await validate(OTHER_KEY)).status).toBe(200);
  });

  test('a removed analytics key is 401 at once on /query and /mcp', async () => {
    await reload({ top: organisation({}) });
    expect(await ask('/query', ANALYTICS_KEY)).toBe(200);
    expect(await ask('/mcp', ANALYTICS_KEY)).toBe(200);
    const analytics_keys = [{ id: 'tests', key: OTHER_ANALYTICS_KEY }];
    await reload({ top: organisation({ analytics_keys }) });
    for (const path of ['/query', '/mcp']) {
      expect([path, await ask(path, ANALYTICS_KEY)]).toEqual([path, 401]);
      expect([path, await ask(path, OTHER_ANALYTICS_KEY)]).toEqual([path, 200]);
    }
  });
});

describe('sessions survive', () => {
  /** The session that a visitor gets. */
  async function sessionOf(answer: Answer): Promise<string> {
    const [cookie = ''] = (answer.headers['set-cookie'] ?? []) as string[];
    const id = /^_guard=([0-9a-f-]{36})/.exec(cookie)?.[1];
    if (id === undefined) throw new Error(`no session in ${cookie}`);
    return Promise.resolve(id);
  }

  test('a session stays valid, also when its secret becomes the second in the list of secrets', async () => {
    await reload({});
    const headers = { ...curl, cookie: `_guard=${await sessionOf(await visit())}` };
    await reload({ top: { trusted_proxies: [] } });
    expect((await visit(headers)).headers['set-cookie']).toBeUndefined();
    await reload({ top: { secret: [OTHER_SECRET, INSTALLATION_SECRET] } });
    expect((await visit(headers)).headers['set-cookie']).toBeUndefined();
    expect(loggedLines('reload_voided_sessions')).toEqual([]);
    await reload({ top: { secret: 'flow-tests-third-90817263544536271809' } });
    expect(await sessionOf(await visit(headers))).toMatch(/^[0-9a-f-]{36}$/);
    expect(loggedLines('reload_voided_sessions')).toHaveLength(1);
  });

  test('a used-up budget stays used up', async () => {
    const rules = [
      { name: 'budget', match: {}, rate_limit: { requests: 2, per: '1h' } },
      { name: 'open', match: {}, verdict: 'allow' },
    ];
    await reload({ rules });
    const statuses = async (times: number) => {
      const seenStatuses: number[] = [];
      for (let i = 0; i < times; i++) seenStatuses.push((await visit()).status);
      return seenStatuses;
    };
    expect(await statuses(3)).toEqual([200, 200, 429]);
    await reload({ rules, top: { trusted_proxies: [] } });
    expect(await statuses(1)).toEqual([429]);
  });
});

describe('a bad file', () => {
  test('does not change the settings; the log has the reason and the line number, and a metric is set until the next good file', async () => {
    await reload({ rules: BLOCK_ALL });
    expect(await metric('guard_last_reload_successful')).toBe(1);
    await reload('version: 1\nobserv: true\n');
    expect((await visit()).status).toBe(403);
    expect(await metric('guard_last_reload_successful')).toBe(0);
    expect(await metric('guard_reloads_total{outcome="refused"}')).toBe(before.refused + 1);
    const [refused] = loggedLines('reload_refused');
    expect(refused).toMatchObject({ level: 'error', cause: 'signal' });
    expect(refused?.['reason']).toMatch(/guard\.yaml:2:1: .*observ/);
    await reload({ rules: ALLOW_ALL });
    expect((await visit()).status).toBe(200);
    expect(await metric('guard_last_reload_successful')).toBe(1);
  });

  test('with a crawler that is not in the catalogue is refused', async () => {
    await reload({ rules: BLOCK_ALL });
    await reload({ rules: ALLOW_ALL, organisation: { crawler_allowlist: ['Google bot'] } });
    expect((await visit()).status).toBe(403);
    expect(loggedLines('reload_refused')).toMatchObject([
      { reason: expect.stringContaining('Did you mean "Googlebot"?') as string },
    ]);
  });

  test('with a damaged list of crawler addresses is refused', async () => {
    await reload({ rules: BLOCK_ALL });
    await mkdir(join(testbed.product.folder, 'ranges'));
    await writeFile(join(testbed.product.folder, 'ranges', 'google-common.json'), 'not JSON');
    onTestFinished(() => rm(join(testbed.product.folder, 'ranges'), { recursive: true }));
    await reload({ rules: ALLOW_ALL, top: { crawlers: { ranges: './ranges' } } });
    expect((await visit()).status).toBe(403);
    expect(loggedLines('reload_refused')).toMatchObject([
      { reason: expect.stringContaining('not a file of refreshed crawler ranges') as string },
    ]);
  });

  test('leaves no secret in the log, and a good file leaves none either', async () => {
    const top = { secret: OTHER_SECRET, health_check_token: 'health_flow_other_123456' };
    await reload({ rules: ALLOW_ALL, top });
    await reload(`version: 1\nsecret: [${OTHER_SECRET}, ""]\n`);
    expect(loggedLines('reload_applied')).toMatchObject([
      { changed: 'health_check_token, secret' },
    ]);
    for (const secret of [OTHER_SECRET, INSTALLATION_SECRET, 'health_flow_other', SECRET_KEY]) {
      expect(testbed.product.log()).not.toContain(secret);
    }
  });
});

test('settings that need a restart keep their value and are logged with file, line and column; other settings apply', async () => {
  const listen = { gateway: '127.0.0.1:1', admin: '127.0.0.1:0', validator: '127.0.0.1:0' };
  await reload({ rules: BLOCK_ALL, top: { listen, store: { engine: 'memory', path: './s' } } });
  expect((await visit()).status).toBe(403);
  expect(loggedLines('reload_needs_restart').map(({ setting }) => setting)).toEqual([
    'listen.gateway',
    'listen.api',
    'listen.collector',
    'listen.docs',
    'store',
  ]);
  expect(loggedLines('reload_needs_restart')[0]?.['place']).toMatch(/guard\.yaml:3:3$/);
  expect(await metric('guard_settings_awaiting_restart')).toBe(5);
  await reload({ rules: BLOCK_ALL });
  expect(await metric('guard_settings_awaiting_restart')).toBe(0);
});

describe('a change of a file, without a signal', () => {
  test('is noticed when an editor replaces the settings by a rename', async () => {
    await replaceFile(
      'guard.yaml',
      stringify(productSettings(testbed.origin.url, { rules: BLOCK_ALL })),
    );
    await poll(
      () => visit(),
      ({ status }) => status === 403,
    );
    await poll(
      () => Promise.resolve(loggedLines('reload_applied')),
      (lines) => lines.length > 0,
    );
    expect(loggedLines('reload_applied')).toMatchObject([
      { cause: 'file', changed: 'organisations.acme.rules' },
    ]);
  });

  test('is noticed for a page of the settings behind a symbolic link that changes, as in Kubernetes', async () => {
    const { folder } = testbed.product;
    for (const [version, text] of [
      ['..1', 'old page'],
      ['..2', 'new page'],
    ] as const) {
      await mkdir(join(folder, version));
      await writeFile(join(folder, version, 'blocked.html'), text);
    }
    await symlink('..1', join(folder, '..data'));
    await symlink('..data/blocked.html', join(folder, 'blocked.html'));
    await reload({ rules: [{ ...BLOCK_ALL[0], block_page: './blocked.html' }] });
    const html = { ...curl, accept: 'text/html' };
    expect((await visit(html)).body).toContain('old page');
    await symlink('..2', join(folder, '..data_tmp'));
    await rename(join(folder, '..data_tmp'), join(folder, '..data'));
    await poll(
      () => visit(html),
      ({ body }) => body.includes('new page'),
    );
    expect(loggedLines('settings_changed')).toMatchObject([
      { files: expect.stringContaining('blocked.html') as string },
    ]);
  });
});
