import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { runCommand } from '../../cli/src/testing/run-command.ts';
import { childrenOf } from '../kit/children.ts';
import { freePort } from '../kit/free-port.ts';
import { poll, send } from '../kit/http.ts';
import { type RecordingOrigin, startRecordingOrigin } from '../kit/origins/recording-origin.ts';
import { type RedisServer, startRedis } from '../kit/peers/redis-server.ts';
import { type Product, startProduct } from '../kit/product/start-product.ts';
import { productSettings } from '../kit/product/product-settings.ts';
import { hasRedis } from '../kit/tools.ts';
import { curl, HOME_IP } from '../kit/visitors/visitors.ts';

/**
 * These tests use all parts of a product, with many errors. Then they search each log line, answer and file for the
 * secrets of Guard and of its visitors.
 */

/** Secrets of Guard: in its settings as text, as a variable, or in a file. */
const GUARD = {
  secret: 'canary-secret-0f1e2d3c4b5a69788796a5b4c3d2e1f0',
  secretKey: 'sk_canary_validate_5d3b1f7e9c2a4680',
  analyticsKey: 'sk_api_ro_canary_query_8e6c4a2b0d1f3597',
  healthToken: 'canary_health_3a5c7e9b1d2f4068',
  remoteKey: 'sk_canary_remote_7b9d1f3e5a2c4806',
  redisPassword: 'canary_redis_6f8a0c2e4b1d3579',
} as const;

/** Secrets of visitors, which only the origin may get. */
const THEIRS = {
  bearer: 'canaryBearer9f7d5b3a1c2e4068',
  basic: 'canaryBasic2b4d6f8a0c1e3597',
  cookie: 'canaryCookie4c6e8a0b2d1f3579',
  apiKey: 'canaryVisitorKey1d3f5b7a9c2e4068',
} as const;

const CANARIES = Object.entries({ ...GUARD, ...THEIRS });

const credentials = {
  ...curl,
  host: 'shop.example',
  authorization: `Bearer ${THEIRS.bearer}`,
  'proxy-authorization': `Basic ${Buffer.from(`me:${THEIRS.basic}`).toString('base64')}`,
  cookie: `login=${THEIRS.cookie}; _guard=f662c344-76b5-85c7-9d1e-497d800f17a1`,
  'x-api-key': THEIRS.apiKey,
  'x-health-check-token': THEIRS.apiKey,
  'x-forwarded-for': HOME_IP,
};

/** The forms in which a secret could appear: plain, base64 and hex. */
function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  return [secret, bytes.toString('base64').slice(0, -4), bytes.toString('hex')];
}

interface SeenText {
  readonly place: string;
  readonly text: string;
}

let origin: RecordingOrigin;
let redis: RedisServer | undefined;
let product: Product;
let scratchFolder = '';
const texts: SeenText[] = [];

const env = () => ({
  CANARY_KEY: GUARD.secretKey,
  CANARY_TOKEN: GUARD.healthToken,
  CANARY_SECRET_FILE: join(scratchFolder, 'secret'),
});

function settings(redisPort: number): Record<string, unknown> {
  const base = productSettings(origin.url, {
    top: {
      secret: '${CANARY_SECRET}',
      health_check_token: '${CANARY_TOKEN}',
      store: { engine: 'redis', url: `redis://:${GUARD.redisPassword}@127.0.0.1:${redisPort}` },
      organisations: [
        {
          id: 'acme',
          site_key: 'site_public',
          secret_keys: [{ id: 'backend', key: '${CANARY_KEY}', health: true }],
          analytics_keys: [{ id: 'tests', key: GUARD.analyticsKey }],
          rules: [
            { name: 'mine', match: { path: '/open/**' }, verdict: 'allow' },
            { name: 'closed', match: { path: '/closed' }, verdict: 'block' },
            { name: 'rest', match: {}, detect: true, challenge: 'always' },
          ],
        },
      ],
    },
  });
  const site = { organisation: 'acme', protect: ['/**'] };
  const sites = [
    { ...site, hosts: ['shop.example'], origin: origin.url },
    { ...site, hosts: ['down.example'], origin: 'http://127.0.0.1:9' },
    {
      ...site,
      hosts: ['remote.example'],
      origin: origin.url,
      validator: { url: 'http://127.0.0.1:9', key: GUARD.remoteKey },
    },
  ];
  return { ...base, sites };
}

async function ask(url: string, options: Parameters<typeof send>[1] = {}): Promise<string> {
  const { status, headers, body } = await send(url, options);
  const text = `${status}\n${JSON.stringify(headers)}\n${body}`;
  texts.push({ place: `${options.method ?? 'GET'} ${url}`, text });
  return body;
}

/** Sends bytes that no HTTP client would send. */
async function sendRaw(url: string, text: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let answer = '';
  socket.setEncoding('utf8').on('data', (part: string) => (answer += part));
  socket.end(text);
  await once(socket, 'close');
  texts.push({ place: `raw ${url}`, text: answer });
}

/** Runs a command, and keeps its output. */
async function runGuard(...args: string[]): Promise<void> {
  const { stdout, stderr } = await runCommand(...args);
  expect(stdout + stderr).not.toBe('');
  texts.push({ place: `guard ${args[0] ?? ''}`, text: stdout + stderr });
}

async function visit(): Promise<void> {
  const { gateway } = product.addresses;
  for (const host of ['shop.example', 'down.example', 'remote.example', 'unknown.example']) {
    for (const path of ['/', '/open/a', '/closed', '/login?a=1']) {
      await ask(gateway + path, { headers: { ...credentials, host } });
    }
  }
  const fields = Object.entries(credentials).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `GET / HTTP/1.1\r\n${fields.join('')}`;
  await sendRaw(gateway, `${head}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`);
  await sendRaw(gateway, `${head}x: ${'y'.repeat(100_000)}\r\n\r\n`);
  await sendRaw(gateway, `${head} folded: ${THEIRS.bearer}\r\n\r\n`);
}

async function callServices(): Promise<void> {
  const { validator, api, collector, docs, admin } = product.addresses;
  const question = { url: 'https://shop.example/', ip: HOME_IP, headers: credentials };
  const validate = (body: string, key: string) =>
    ask(`${validator}/validate`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body,
    });
  await validate(JSON.stringify(question), GUARD.secretKey);
  await validate(JSON.stringify({ ...question, ip: THEIRS.bearer }), GUARD.secretKey);
  await validate(`{"url": "${THEIRS.bearer}`, GUARD.secretKey);
  await validate(JSON.stringify(question), `${GUARD.secretKey}x`);
  for (const [name, key] of [
    ['x-api-key', GUARD.secretKey],
    ['x-health-check-token', GUARD.healthToken],
    ['x-health-check-token', GUARD.analyticsKey],
  ] as const) {
    await ask(`${validator}/health`, { headers: { [name]: key } });
    await ask(`${collector}/health`, { headers: { [name]: key } });
  }
  await ask(`${collector}/script.js?site_key=site_public`, { headers: credentials });
  const bearer = { authorization: `Bearer ${GUARD.analyticsKey}` };
  const query = (body: string) => ask(`${api}/query`, { method: 'POST', headers: bearer, body });
  for (const sql of ['SELECT nonsense', "SELECT file('/etc/passwd')", 'SELECT currentUser()']) {
    await query(sql);
  }
  const call = { name: 'query', arguments: { sql: 'SELECT headers FROM events_distributed' } };
  for (const [method, params] of [
    ['tools/call', call],
    ['initialize', {}],
    ['tools/list', {}],
  ] as const) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const headers = { ...bearer, 'content-type': 'application/json' };
    await ask(`${api}/mcp`, { method: 'POST', headers, body });
  }
  for (const url of [`${api}/query`, `${api}/none`, `${docs}/llms.txt`, `${docs}/openapi.json`]) {
    await ask(url, { headers: credentials });
  }
  for (const path of ['/ready', '/metrics', '/none']) await ask(admin + path);
}

/** Reloads settings files that have a mistake at a secret, and a file that is not YAML. */
async function reloadBroken(good: string): Promise<void> {
  const file = join(product.folder, 'guard.yaml');
  const brokenFiles = [
    good.replace('secret: ${CANARY_SECRET}', `secret: { a: ${GUARD.secret} }`),
    good.replace(GUARD.analyticsKey, `${GUARD.analyticsKey} with a space`),
    good.replace('redis://', 'rediss:/'),
    good.replace(`key: ${GUARD.remoteKey}`, `ky: ${GUARD.remoteKey}`),
    good.replace('analytics_keys:', 'analytics_keys: "'),
  ];
  for (const text of brokenFiles) {
    expect(text).not.toBe(good);
    const refusalsBefore = refusals();
    await writeFile(file, text);
    process.kill(product.pid, 'SIGHUP');
    await poll(
      () => Promise.resolve(refusals()),
      (count) => count > refusalsBefore,
    );
    await runGuard('check', file);
  }
  await writeFile(file, good);
}

function refusals(): number {
  return product.log().split('"event":"reload_refused"').length;
}

/**
 * Waits until all events are stored. Then collects the rows, and the command lines and environments of the processes.
 */
async function collectStored(): Promise<void> {
  const { api } = product.addresses;
  const headers = { authorization: `Bearer ${GUARD.analyticsKey}` };
  const query = (body: string) => ask(`${api}/query`, { method: 'POST', headers, body });
  const rows = await poll(
    () => query('SELECT * FROM events_distributed FORMAT JSONEachRow'),
    (body) => ['down.example', 'remote.example', '/closed'].every((part) => body.includes(part)),
  );
  expect(rows).toContain('user-agent');
  const children = childrenOf(product.pid);
  for (const pid of [product.pid, ...children]) seeProcess(`/proc/${pid}/cmdline`);
  for (const pid of children) seeProcess(`/proc/${pid}/environ`);
  expect(texts.some(({ place }) => place.endsWith('/environ'))).toBe(true);
}

/** Collects a file about a process. The process can have ended, for example the process that builds challenge pages. */
function seeProcess(place: string): void {
  try {
    texts.push({ place, text: readFileSync(place, 'utf8') });
  } catch (error) {
    expect(String(error)).toMatch(/ENOENT|ESRCH/);
  }
}

function collectFiles(): void {
  const entries = readdirSync(product.folder, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || path === join(product.folder, 'guard.yaml')) continue;
    // The file can be gone, for example a file of rows that were sent to the database.
    if (!existsSync(path)) continue;
    // latin1 has one character for each byte.
    texts.push({ place: path.slice(product.folder.length), text: readFileSync(path, 'latin1') });
  }
}

beforeAll(async () => {
  scratchFolder = await mkdtemp(join(tmpdir(), 'guard-canaries-'));
  await writeFile(join(scratchFolder, 'secret'), `${GUARD.secret}\n`, { mode: 0o600 });
  origin = await startRecordingOrigin();
  redis = hasRedis ? await startRedis(['--requirepass', GUARD.redisPassword]) : undefined;
  const text = settings(redis?.port ?? (await freePort()));
  product = await startProduct(text, env());
  await visit();
  await callServices();
  const request = { url: 'https://shop.example/', ip: HOME_IP, headers: credentials };
  await writeFile(join(scratchFolder, 'request.json'), JSON.stringify(request));
  for (const [name, value] of Object.entries(env())) vi.stubEnv(name, value);
  const config = ['--config', join(product.folder, 'guard.yaml')];
  for (const form of [[], ['--json']]) {
    await runGuard('explain', ...config, join(scratchFolder, 'request.json'), ...form);
    await runGuard('keys', 'list', ...config, ...form);
  }
  await reloadBroken(stringify(text));
  await redis?.kill();
  await visit();
  await collectStored();
  collectFiles();
  await runGuard('start', '--config', join(scratchFolder, 'none.yaml'));
  await product.stop();
  texts.push({ place: 'the log', text: product.log() });
}, 120_000);

afterAll(async () => {
  vi.unstubAllEnvs();
  await redis?.stop();
  await origin.close();
  await rm(scratchFolder, { recursive: true, force: true });
});

describe('a secret is in no log line, answer, event, file or command line', () => {
  test.each(CANARIES)('the secret is %s', (_, secret) => {
    const places = texts.filter(({ text }) => formsOf(secret).some((form) => text.includes(form)));
    expect(places.map(({ place }) => place)).toEqual([]);
  });
});

describe('the search found texts', () => {
  test('from every place, and log lines of errors', () => {
    const places = texts.map(({ place }) => place);
    expect(places.length).toBeGreaterThan(80);
    for (const part of ['the log', 'guard explain', 'guard check', '/analytics/', '/metrics']) {
      expect(places.filter((where) => where.includes(part))).not.toEqual([]);
    }
    expect(product.log()).toContain('reload_refused');
    expect(product.log()).toContain('store_away');
  });

  test('RFC 9110 11.6.2: the origin got the credentials of visitors, and no secret of Guard', () => {
    const arrivedRequest = origin.arrivals.find(({ url }) => url === '/open/a');
    expect(arrivedRequest?.headers).toMatchObject({
      authorization: `Bearer ${THEIRS.bearer}`,
      cookie: expect.stringContaining(THEIRS.cookie) as string,
    });
    const arrivedText = JSON.stringify(origin.arrivals);
    for (const secret of Object.values(GUARD)) expect(arrivedText).not.toContain(secret);
  });
});
