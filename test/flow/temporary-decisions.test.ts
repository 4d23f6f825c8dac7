import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Ran, runCommand } from '../../cli/src/testing/run-command.ts';
import { poll, send } from '../kit/http.ts';
import { startRecordingOrigin, type RecordingOrigin } from '../kit/recording-origin.ts';
import { startRedis } from '../kit/redis-server.ts';
import { type Product, startProduct } from '../kit/start-product.ts';
import { ANALYTICS_KEY, storySettings } from '../kit/story-settings.ts';
import { testFolder } from '../kit/test-folder.ts';
import { chromeHttp } from '../kit/visitors.ts';

const OPEN = [{ name: 'open', match: {}, verdict: 'allow' }];

let origin: RecordingOrigin;
let product: Product;

beforeAll(async () => {
  origin = await startRecordingOrigin();
  product = await startProduct(storySettings(origin.url, { rules: OPEN }));
});
afterAll(async () => {
  await product.stop();
  await origin.close();
});

const guard = (file: string, ...args: readonly string[]): Promise<Ran> =>
  runCommand(...args, '--config', file);

const decide = (...args: readonly string[]): Promise<Ran> =>
  guard(join(product.folder, 'guard.yaml'), ...args);

/** The status that a visitor at this address gets, once it is the expected one. */
function statusOf(ip: string, expected: number, of: Product = product): Promise<number> {
  const headers = { ...chromeHttp, host: 'shop.example', 'x-forwarded-for': ip };
  const ask = async () => (await send(`${of.addresses.gateway}/`, { headers })).status;
  return poll(ask, (status) => status === expected);
}

describe('temporary decisions, from the command line to the visitor', () => {
  test('guard block: the visitor is blocked without a restart, the event names the decision, the log has who and why', async () => {
    expect(await statusOf('203.0.113.7', 200)).toBe(200);
    const { code, stdout, stderr } = await decide(
      ...['block', '203.0.113.7', '--for', '1d', '--because', 'scrapes prices'],
    );
    expect([code, stderr]).toEqual([0, '']);
    const id = /^(t\w{6}): 203\.0\.113\.7 is blocked until \d{4}-\S+ \S+ UTC\.\n$/.exec(
      stdout,
    )?.[1];
    expect(await statusOf('203.0.113.7', 403)).toBe(403);
    expect(await statusOf('203.0.113.8', 200)).toBe(200);
    const event = await poll(
      async () => {
        const headers = { authorization: `Bearer ${ANALYTICS_KEY}` };
        const body = `SELECT any(rule) FROM events WHERE ip = '203.0.113.7' AND action = 'block'`;
        const url = `${product.addresses.api}/query`;
        return (await send(url, { method: 'POST', headers, body })).body;
      },
      (text) => text.trim() !== '',
    );
    expect(event.trim()).toBe(`temporary ${id}`);
    const line = product
      .log()
      .split('\n')
      .find((text) => text.includes('temporary_decision_made'));
    expect(JSON.parse(line ?? '{}')).toMatchObject({
      ...{ id, organisation: 'acme', verdict: 'block', target: '203.0.113.7' },
      ...{ because: 'scrapes prices', by: expect.stringMatching(/^\S+@\S+$/) as string },
    });
  });

  test('guard explain names the decision', async () => {
    const { stdout } = await decide(
      'explain',
      'http://shop.example/',
      '--ip',
      '203.0.113.7',
      '--json',
    );
    const { verdict } = JSON.parse(stdout) as { verdict: unknown };
    expect(verdict).toMatchObject({
      enforced: 'block',
      rule: expect.stringMatching(/^temporary t/) as string,
    });
  });

  test('guard decisions lists it, and ends it', async () => {
    const listed = await decide('decisions', '--json');
    const [one] = JSON.parse(listed.stdout) as { id: string }[];
    expect(one).toMatchObject({ verdict: 'block', because: 'scrapes prices' });
    expect((await decide('decisions')).stdout).toMatch(
      /^ID +ORGANISATION.*\nt\w{6} +acme +block +203\.0\.113\.7 /,
    );
    expect((await decide('decisions', 'end', one?.id ?? '')).stdout).toBe(`${one?.id} is ended.\n`);
    expect(await statusOf('203.0.113.7', 200)).toBe(200);
    expect((await decide('decisions')).stdout).toBe('There are no temporary decisions.\n');
    await poll(
      () => Promise.resolve(product.log()),
      (log) => log.includes('temporary_decision_ended'),
    );
  });

  test('it ends by itself', async () => {
    // Asked meanwhile: on a busy machine the command can end later than the decision.
    await Promise.all([
      decide('block', '203.0.113.9', '--for', '3s', '--because', 'a moment'),
      statusOf('203.0.113.9', 403),
    ]);
    expect(await statusOf('203.0.113.9', 200)).toBe(200);
  });

  test('one target has one decision: the last one', async () => {
    const first = await decide(
      'block',
      '203.0.113.0/25',
      '--for',
      '1h',
      '--because',
      'a',
      '--json',
    );
    const second = await decide(
      'allow',
      '203.0.113.77/25',
      '--for',
      '1h',
      '--because',
      'b',
      '--json',
    );
    const { id } = JSON.parse(first.stdout) as { id: string };
    expect(JSON.parse(second.stdout)).toMatchObject({
      ...{ verdict: 'allow', replaced: id, target: { kind: 'network', network: '203.0.113.0/25' } },
    });
  });

  test('what another program wrote into the list cannot turn round a line of the terminal', async () => {
    const file = join(product.folder, 'analytics', 'decisions.json');
    await decide('block', '203.0.113.210', '--for', '1h', '--because', 'theirs');
    writeFileSync(file, readFileSync(file, 'utf8').replace('theirs', 'the\u202eirs'));
    for (const args of [['decisions'], ['decisions', '--json']]) {
      expect((await decide(...args)).stdout).toContain('the\\u202eirs');
    }
    await decide('block', '203.0.113.210', '--for', '1h', '--because', 'ours');
  });

  test.each(['127.0.0.1', '127.0.0.0/8'])(
    'a block of the own proxy by %s comes with a note',
    async (own) => {
      const { code, stderr } = await decide('block', own, '--for', '1s', '--because', 'a mistake');
      expect(code).toBe(0);
      expect(stderr).toContain('Note: 127.0.0.1/32 is in trusted_proxies.');
    },
  );

  test('a file that is no list changes nothing that stands, and the log says so', async () => {
    await decide('block', '203.0.113.200', '--for', '1h', '--because', 'stands');
    expect(await statusOf('203.0.113.200', 403)).toBe(403);
    const file = join(product.folder, 'analytics', 'decisions.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const good = readFileSync(file, 'utf8');
    writeFileSync(file, 'not a list');
    await poll(
      () => Promise.resolve(product.log()),
      (log) => log.includes('temporary_decisions_unread'),
    );
    expect(await statusOf('203.0.113.200', 403)).toBe(403);
    const refused = await decide('block', '203.0.113.201', '--for', '1h', '--because', 'c');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('is no list of temporary decisions; move it away');
    writeFileSync(file, good);
  });
});

test('decisions are shared by all instances and all threads, through Redis; they outlive a restart, and stand while Redis is away', async () => {
  const redis = await startRedis();
  const settings = storySettings(origin.url, {
    rules: OPEN,
    top: { store: { engine: 'redis', url: redis.url }, analytics: undefined },
  });
  const withThreads = { ...settings, workers: 2 };
  const file = join(testFolder(), 'guard.yaml');
  writeFileSync(file, stringify(settings));
  const instances: Product[] = [];
  try {
    instances.push(...(await Promise.all([startProduct(withThreads), startProduct(settings)])));
    expect(
      (await guard(file, 'block', '2001:db8:7::/64', '--for', '1h', '--because', 'x')).code,
    ).toBe(0);
    for (const instance of instances)
      expect(await statusOf('2001:db8:7::9', 403, instance)).toBe(403);
    // Each request is a connection, so both threads have some of these.
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => statusOf('2001:db8:7::9', 403, instances[0])),
    );
    expect(new Set(answers)).toEqual(new Set([403]));
    await instances.pop()?.stop();
    instances.push(await startProduct(withThreads));
    const headers = { ...chromeHttp, host: 'shop.example', 'x-forwarded-for': '2001:db8:7::9' };
    const first = await send(`${instances[1]?.addresses.gateway}/`, { headers });
    expect(first.status).toBe(403);
    await redis.kill();
    expect(await statusOf('2001:db8:7::9', 403, instances[0])).toBe(403);
    const away = await guard(file, 'decisions');
    expect([away.code, away.stderr]).toEqual([
      1,
      'guard decisions: the Redis of the settings gives no answer\n',
    ]);
  } finally {
    await Promise.all(instances.map((instance) => instance.stop()));
    await redis.stop();
  }
});

test.each([
  ['no target', [], 'say whom: an address, for example'],
  ['no time', ['192.0.2.1', '--because', 'x'], 'say how long: --for 1d (1s to 90d)'],
  ['too long a time', ['192.0.2.1', '--for', '91d', '--because', 'x'], 'say how long'],
  [
    'no reason',
    ['192.0.2.1', '--for', '1d'],
    "say why, in at most 200 characters: --because 'scrapes prices'",
  ],
  [
    'a reason that would write on a terminal',
    ['192.0.2.1', '--for', '1d', '--because', 'a\u001b[2Jb'],
    'say why',
  ],
  [
    'a reference code',
    ['H11336F7', '--for', '1d', '--because', 'x'],
    '"H11336F7" is no address (203.0.113.7), network',
  ],
  [
    'half of the world',
    ['0.0.0.0/1', '--for', '1d', '--because', 'x'],
    '0.0.0.0/1 is wider than /8',
  ],
  ['AS0', ['AS0', '--for', '1d', '--because', 'x'], 'AS0 is no autonomous system'],
])('guard block with %s says what is wrong, and changes nothing', async (_, args, message) => {
  const { code, stderr } = await decide('block', ...args);
  expect(code).toBe(2);
  expect(stderr).toContain(`guard block: ${message}`);
});
