import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { type CommandResult, runCommand } from '../../cli/src/testing/run-command.ts';
import { poll, send } from '../kit/http.ts';
import { rowsOf } from '../kit/product/sql.ts';
import { ANALYTICS_KEY, productSettings } from '../kit/product/product-settings.ts';
import { useProduct } from '../kit/product/use-product.ts';
import { chromeHttp } from '../kit/visitors/visitors.ts';

/**
 * In these tests `guard forget`, beside a running Guard with the embedded database, deletes the rows of one person, and
 * no other rows.
 */

const OTHER_KEY = 'sk_api_ro_other_1a2b3c4d5e6f7a8b';
const PERSON = '203.0.113.7';
const NEIGHBOUR = '203.0.113.8';
const SESSION_OWNER = '203.0.113.9';
const COOKIE = 'f662c344-76b5-85c7-9d1e-497d800f17a1';
const { organisations } = productSettings('http://127.0.0.1:1') as { organisations: unknown[] };
const testbed = useProduct({
  top: {
    workers: 2,
    organisations: [
      ...organisations,
      {
        id: 'other',
        analytics_keys: [{ id: 'o', key: OTHER_KEY }],
        rules: [{ name: 'all', match: {}, detect: true }],
      },
    ],
    sites: [
      {
        hosts: ['shop.example'],
        organisation: 'acme',
        origin: 'http://127.0.0.1:1',
        sample_body: '1KiB',
      },
      { hosts: ['other.example'], organisation: 'other', origin: 'http://127.0.0.1:1' },
    ],
  },
});
const config = (): string => join(testbed.product.folder, 'guard.yaml');
const forget = (...args: readonly string[]): Promise<CommandResult> =>
  runCommand('forget', ...args, '--config', config());

async function visit(
  ip: string,
  host: string,
  headers: Record<string, string> = {},
): Promise<void> {
  await send(`${testbed.product.addresses.gateway}/shelf`, {
    headers: { ...chromeHttp, ...headers, host, 'x-forwarded-for': ip },
  });
}

async function counts(key = ANALYTICS_KEY): Promise<Record<string, number>> {
  const headers = { authorization: `Bearer ${key}` };
  const body =
    'SELECT ip, toUInt32(count()) AS rows FROM events GROUP BY ip ORDER BY ip FORMAT JSONEachRow';
  const answer = await send(`${testbed.product.addresses.api}/query`, {
    method: 'POST',
    headers,
    body,
  });
  const rows = answer.body
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { ip: string; rows: number });
  return Object.fromEntries(rows.map((row) => [row.ip, row.rows]));
}

beforeAll(async () => {
  for (let times = 0; times < 3; times += 1) {
    for (const ip of [PERSON, NEIGHBOUR])
      for (const host of ['shop.example', 'other.example']) await visit(ip, host);
  }
  await visit(SESSION_OWNER, 'shop.example', { cookie: `_guard=${COOKIE}` });
  await rowsOf(testbed.product, 'SELECT 1');
  await poll(
    () => counts(),
    (found) => Object.values(found).reduce((sum, rows) => sum + rows, 0) === 7,
  );
  await poll(
    () => counts(OTHER_KEY),
    (found) => found[PERSON] === 3,
  );
}, 60_000);

describe('guard forget, from the command line to the last row', () => {
  test('--json without --yes counts the rows, and deletes none', async () => {
    const { code, stdout } = await forget(PERSON, '--organisation', 'acme', '--json');
    expect([code, JSON.parse(stdout)]).toEqual([0, { kind: 'counted', rows: 3, waiting: 0 }]);
    expect((await counts())[PERSON]).toBe(3);
  });

  test('where Guard stores truncated addresses, a note says that the rows can also be those of neighbours', async () => {
    const truncating = join(testbed.product.folder, 'truncating.yaml');
    const text = readFileSync(config(), 'utf8');
    const settings = parse(text) as { analytics: object };
    const analytics = { ...settings.analytics, privacy: { truncate_ip: true } };
    writeFileSync(truncating, stringify({ ...settings, analytics }));
    const args = [PERSON, '--organisation', 'acme', '--json', '--config', truncating];
    const { code, stdout, stderr } = await runCommand('forget', ...args);
    expect([code, JSON.parse(stdout)]).toEqual([0, { kind: 'counted', rows: 3, waiting: 0 }]);
    expect(stderr).toContain('rows of 203.0.113.0 can be of this address or of any neighbour');
  });

  test('without a terminal it requires --yes, and deletes nothing', async () => {
    const { code, stderr } = await forget(PERSON, '--organisation', 'acme');
    expect([code, stderr]).toEqual([2, expect.stringContaining('say --yes')]);
    expect((await counts())[PERSON]).toBe(3);
  });

  test('on a terminal it shows the number of rows, and deletes nothing unless the answer is yes', async () => {
    const bin = join(import.meta.dirname, '..', '..', 'bin', 'guard.mjs');
    const call = [
      process.execPath,
      bin,
      'forget',
      PERSON,
      '--organisation',
      'acme',
      '--config',
      config(),
    ];
    const child = spawn(
      'script',
      ['-qec', call.map((word) => `'${word}'`).join(' '), '/dev/null'],
      { stdio: 'pipe' },
    );
    child.stdin.write('no\n');
    const closeEvent = once(child, 'close');
    const output = await readAll(child.stdout);
    await closeEvent;
    expect(output).toContain(`3 rows of the address ${PERSON} in the organisation acme.`);
    expect(output).toContain('Delete 3 rows for good? Type yes:');
    expect(output).toContain('nothing was deleted');
    expect([child.exitCode, (await counts())[PERSON]]).toEqual([1, 3]);
  });

  test('it deletes the rows of the address, and no rows of other addresses or of another organisation', async () => {
    // The row of this visit is still on its way to the database, in another thread.
    await visit(PERSON, 'shop.example');
    const { code, stdout, stderr } = await forget(PERSON, '--organisation', 'acme', '--yes');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(
      /^4 rows of the address 203\.0\.113\.7 in the organisation acme\.\n4 rows deleted; none is left\. The log names this deletion [0-9a-f]{32}\.\n$/,
    );
    expect(await counts()).toEqual({ [NEIGHBOUR]: 3, [SESSION_OWNER]: 1 });
    expect(await counts(OTHER_KEY)).toEqual({ [NEIGHBOUR]: 3, [PERSON]: 3 });
  });

  test('a session is named by the value of its cookie, or by its digest', async () => {
    const [row] = await rowsOf<{ session_sent: string }>(
      testbed.product,
      `SELECT session_sent FROM events WHERE ip = '${SESSION_OWNER}'`,
    );
    const digest = createHash('sha256').update(COOKIE.slice(0, 18)).digest('hex').slice(0, 32);
    expect(row?.session_sent).toBe(digest);
    const countResult = await forget(digest, '--organisation', 'acme', '--json');
    expect(JSON.parse(countResult.stdout)).toMatchObject({ rows: 1 });
    const { code, stdout } = await forget(COOKIE, '--organisation', 'acme', '--yes', '--json');
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      { kind: 'deleted', rows: 1, left: 0, waiting: 0 },
    ]);
    expect(await counts()).toEqual({ [NEIGHBOUR]: 3 });
  });

  test('the log has the user, the organisation and the number of deleted rows, and not the address', () => {
    const lines = testbed.product
      .log()
      .split('\n')
      .filter((line) => line.includes('"forget_done"'));
    expect(JSON.parse(lines[0] ?? '{}')).toMatchObject({
      ...{ organisation: 'acme', target: 'address', rows: 4, left: 0 },
      by: expect.stringMatching(/^\S+@\S+$/) as string,
      audit: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
    });
    expect(lines).toHaveLength(2);
    expect(lines.join()).not.toContain(PERSON);
  });

  test('no file that the database keeps about the deletion has the address', () => {
    const engine = join(testbed.product.folder, 'analytics', 'engine');
    const keptFiles = readdirSync(engine, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /mutation_\d+\.txt$/.test(name),
    );
    expect(keptFiles.length).toBeGreaterThan(0);
    for (const name of keptFiles)
      expect(readFileSync(join(engine, name), 'utf8')).not.toContain(PERSON);
  });
});

describe('who may delete', () => {
  test.each(['api', 'gateway', 'admin', 'validator', 'collector', 'docs'] as const)(
    'the listener %s does not accept the request',
    async (service) => {
      const body = JSON.stringify({
        act: 'delete',
        organisation: 'acme',
        person: { kind: 'address', value: NEIGHBOUR },
        by: 'x',
      });
      const headers = {
        'content-type': 'application/json',
        authorization: `Bearer ${ANALYTICS_KEY}`,
        host: 'shop.example',
      };
      const { body: said } = await send(`${testbed.product.addresses[service]}/forget`, {
        method: 'POST',
        headers,
        body,
      });
      expect(said).not.toContain('deleted');
      expect((await counts())[NEIGHBOUR]).toBe(3);
    },
  );

  test('an analytics key cannot delete', async () => {
    for (const body of [
      `DELETE FROM events WHERE ip = '${NEIGHBOUR}'`,
      `ALTER TABLE events DELETE WHERE ip = '${NEIGHBOUR}'`,
    ]) {
      const headers = { authorization: `Bearer ${ANALYTICS_KEY}` };
      const answer = await send(`${testbed.product.addresses.api}/query`, {
        method: 'POST',
        headers,
        body,
      });
      expect(answer.status).toBe(400);
    }
    expect((await counts())[NEIGHBOUR]).toBe(3);
  });

  test('the socket is in a folder that no other account can enter', () => {
    const folder = join(testbed.product.folder, 'analytics', 'control');
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, 'guard.sock')).mode & 0o777).toBe(0o600);
  });

  test('words that are no address and no session are refused, and an unknown organisation too', async () => {
    for (const operand of ["' OR 1 --", '203.0.113.0/24', 'AS64496', '']) {
      const { code } = await forget(operand, '--organisation', 'acme', '--yes');
      expect(code).toBe(2);
    }
    const unknown = await forget(NEIGHBOUR, '--organisation', 'nobody', '--yes');
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      expect.stringContaining('no organisation has the id nobody'),
    ]);
    expect((await counts())[NEIGHBOUR]).toBe(3);
  });
});
