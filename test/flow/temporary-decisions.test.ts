import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type CommandResult, runCommand } from '../../cli/src/testing/run-command.ts';
import { poll, send } from '../kit/http.ts';
import { logLinesOf, untilLogged } from '../kit/product/log-lines.ts';
import { rowsOf } from '../kit/product/sql.ts';
import { useProduct } from '../kit/product/use-product.ts';
import { chromeHttp } from '../kit/visitors/visitors.ts';

/** These tests run `guard block`, `guard allow` and `guard decisions` beside a running Guard. */

const testbed = useProduct({ rules: [{ name: 'open', match: {}, verdict: 'allow' }] });

const decide = (...args: readonly string[]): Promise<CommandResult> =>
  runCommand(...args, '--config', join(testbed.product.folder, 'guard.yaml'));

const listFile = () => join(testbed.product.folder, 'analytics', 'decisions.json');

/** Waits until a visitor at this address gets the expected status, and returns the last status. */
function statusOf(ip: string, expected: number): Promise<number> {
  const headers = { ...chromeHttp, host: 'shop.example', 'x-forwarded-for': ip };
  const ask = async () => (await send(`${testbed.product.addresses.gateway}/`, { headers })).status;
  return poll(ask, (status) => status === expected);
}

describe('temporary decisions, from the command line to the visitor', () => {
  test('guard block blocks a visitor without a restart; the event names the decision, and the log says who decided and why', async () => {
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
    const sql = `SELECT rule FROM events WHERE ip = '203.0.113.7' AND action = 'block'`;
    const [event] = await poll(
      () => rowsOf<{ rule: string }>(testbed.product, sql),
      (rows) => rows.length > 0,
    );
    expect(event?.rule).toBe(`temporary ${id}`);
    const [line] = logLinesOf(testbed.product, 'temporary_decision_made');
    expect(JSON.parse(line ?? '{}')).toMatchObject({
      ...{ id, organisation: 'acme', verdict: 'block', target: '203.0.113.7' },
      ...{ because: 'scrapes prices', by: expect.stringMatching(/^\S+@\S+$/) as string },
    });
  });

  test('guard explain names the decision', async () => {
    const explainArguments = ['http://shop.example/', '--ip', '203.0.113.7', '--json'];
    const { stdout } = await decide('explain', ...explainArguments);
    const { verdict } = JSON.parse(stdout) as { verdict: unknown };
    expect(verdict).toMatchObject({
      enforced: 'block',
      rule: expect.stringMatching(/^temporary t/) as string,
    });
  });

  test('guard decisions lists the decision, and ends it', async () => {
    const listRun = await decide('decisions', '--json');
    const [one] = JSON.parse(listRun.stdout) as { id: string }[];
    expect(one).toMatchObject({ verdict: 'block', because: 'scrapes prices' });
    expect((await decide('decisions')).stdout).toMatch(
      /^ID +ORGANISATION.*\nt\w{6} +acme +block +203\.0\.113\.7 /,
    );
    expect((await decide('decisions', 'end', one?.id ?? '')).stdout).toBe(`${one?.id} is ended.\n`);
    expect(await statusOf('203.0.113.7', 200)).toBe(200);
    expect((await decide('decisions')).stdout).toBe('There are no temporary decisions.\n');
    await untilLogged(testbed.product, 'temporary_decision_ended');
  });

  test('a decision ends by itself', async () => {
    // The command and the visits run at the same time: on a busy machine the command can end later than the decision.
    await Promise.all([
      decide('block', '203.0.113.9', '--for', '3s', '--because', 'a moment'),
      statusOf('203.0.113.9', 403),
    ]);
    expect(await statusOf('203.0.113.9', 200)).toBe(200);
  });

  test('a new decision replaces the earlier decision on the same target', async () => {
    const options = ['--for', '1h', '--because', 'a test', '--json'];
    const first = await decide('block', '203.0.113.0/25', ...options);
    const second = await decide('allow', '203.0.113.77/25', ...options);
    const { id } = JSON.parse(first.stdout) as { id: string };
    expect(JSON.parse(second.stdout)).toMatchObject({
      ...{ verdict: 'allow', replaced: id, target: { kind: 'network', network: '203.0.113.0/25' } },
    });
  });

  test('control characters in the list cannot change the direction of a line on the terminal', async () => {
    const file = listFile();
    await decide('block', '203.0.113.210', '--for', '1h', '--because', 'theirs');
    writeFileSync(file, readFileSync(file, 'utf8').replace('theirs', 'the\u202eirs'));
    for (const args of [['decisions'], ['decisions', '--json']]) {
      expect((await decide(...args)).stdout).toContain('the\\u202eirs');
    }
    await decide('block', '203.0.113.210', '--for', '1h', '--because', 'ours');
  });

  test.each(['127.0.0.1', '127.0.0.0/8'])(
    'guard block warns that %s is a trusted proxy',
    async (ip) => {
      const { code, stderr } = await decide('block', ip, '--for', '1s', '--because', 'a mistake');
      expect(code).toBe(0);
      expect(stderr).toContain('Note: 127.0.0.1/32 is in trusted_proxies.');
    },
  );

  test('a damaged list ends no decision, and the log says that the list cannot be read', async () => {
    await decide('block', '203.0.113.200', '--for', '1h', '--because', 'stands');
    expect(await statusOf('203.0.113.200', 403)).toBe(403);
    const file = listFile();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const good = readFileSync(file, 'utf8');
    writeFileSync(file, 'not a list');
    await untilLogged(testbed.product, 'temporary_decisions_unread');
    expect(await statusOf('203.0.113.200', 403)).toBe(403);
    const refusedRun = await decide('block', '203.0.113.201', '--for', '1h', '--because', 'c');
    expect(refusedRun.code).toBe(1);
    expect(refusedRun.stderr).toContain('is no list of temporary decisions; move it away');
    writeFileSync(file, good);
  });
});

test.each([
  ['no target', [], 'say whom: an address, for example'],
  ['no time', ['192.0.2.1', '--because', 'x'], 'say how long: --for 1d (1s to 90d)'],
  ['a time that is too long', ['192.0.2.1', '--for', '91d', '--because', 'x'], 'say how long'],
  [
    'no reason',
    ['192.0.2.1', '--for', '1d'],
    "say why, in at most 200 characters: --because 'scrapes prices'",
  ],
  [
    'a reason with a control character',
    ['192.0.2.1', '--for', '1d', '--because', 'a\u001b[2Jb'],
    'say why',
  ],
  [
    'a reference code',
    ['H11336F7', '--for', '1d', '--because', 'x'],
    '"H11336F7" is no address (203.0.113.7), network',
  ],
  [
    'half of all addresses',
    ['0.0.0.0/1', '--for', '1d', '--because', 'x'],
    '0.0.0.0/1 is wider than /8',
  ],
  ['AS0', ['AS0', '--for', '1d', '--because', 'x'], 'AS0 is no autonomous system'],
])('guard block refuses %s, and says what is wrong', async (_, args, message) => {
  const { code, stderr } = await decide('block', ...args);
  expect(code).toBe(2);
  expect(stderr).toContain(`guard block: ${message}`);
});
