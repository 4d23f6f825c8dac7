import { join } from 'node:path';
import { hash } from 'node:crypto';
import { parse } from 'yaml';
import { beforeAll, expect, test, vi } from 'vitest';
import { runCommand } from '../../cli/src/testing/run-command.ts';
import { askDashboard, DASHBOARD_LISTEN, signIn } from '../kit/product/dashboard.ts';
import { freePort } from '../kit/free-port.ts';
import { poll, send } from '../kit/http.ts';
import { ANALYTICS_KEY, productSettings } from '../kit/product/product-settings.ts';
import { useProduct } from '../kit/product/use-product.ts';
import { chromeHttp } from '../kit/visitors/visitors.ts';

/**
 * In these tests `guard why`, beside a running Guard, finds the rule, its line, and a rule that would allow the
 * visitor.
 */

const RIVAL_KEY = 'sk_api_ro_rival_5f4e3d2c1b0a9d8c7b6a';
const rules = [
  { name: 'no attic', match: { path: '/attic/**' }, verdict: 'block' },
  { name: 'login budget', match: { path: '/login' }, rate_limit: { requests: 1, per: '1h' } },
  { name: 'everybody', match: {}, detect: true },
];
const [acme] = productSettings('http://127.0.0.1:1', { rules })['organisations'] as object[];
const rival = {
  id: 'rival',
  analytics_keys: [{ id: 'board', key: `sha256:${hash('sha256', RIVAL_KEY)}` }],
};
const testbed = useProduct({
  top: {
    listen: { ...DASHBOARD_LISTEN, api: `127.0.0.1:${await freePort()}` },
    organisations: [acme, rival],
  },
});

interface Ran {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Uses the key in the settings file, unless `env` has another key. */
async function runWhy(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  try {
    return await guard('why', ...args);
  } finally {
    vi.unstubAllEnvs();
  }
}

async function guard(...args: readonly string[]): Promise<Ran> {
  const config = join(testbed.product.folder, 'guard.yaml');
  const { code: status, ...written } = await runCommand(...args, '--config', config);
  return { status, ...written };
}

async function visit(path: string, from: string, agent?: string): Promise<string> {
  const headers = { ...chromeHttp, 'x-forwarded-for': from, ...(agent && { 'user-agent': agent }) };
  const { body } = await send(`${testbed.product.addresses.gateway}${path}`, { headers });
  return /<code>([0-9A-Z]{8})</.exec(body)?.[1] ?? '';
}

/** Bytes that begin a command on some terminals. */
const HOSTILE_AGENT = 'curl/8 \u009b31m \u009d0;owned';
let blockedCode = '';
let limitedCode = '';

beforeAll(async () => {
  blockedCode = await visit('/attic/%1b%5b2Jold?q=\\u001b', '203.0.113.9');
  await visit('/login', '203.0.113.10');
  limitedCode = await visit('/login', '203.0.113.10');
  for (const path of ['/1', '/2', '/3', '/4', '/5', '/6']) {
    await visit(path, '203.0.113.11', HOSTILE_AGENT);
  }
  await poll(
    () => runWhy(['203.0.113.11', '--json']),
    ({ stdout }) => stdout.includes('"requests":6'),
  );
});

test('for a reference code it prints what happened, the rule and its line, other causes, what to do, and the rule that would allow the visitor', async () => {
  const { status, stdout, stderr } = await runWhy([blockedCode]);
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toContain('The request was blocked, because the rule “no attic” blocks it.');
  expect(stdout).toContain('policy_block (decided): A rule of the site blocks this request.');
  expect(stdout).toMatch(/no attic: block\. Line \d+ of guard\.yaml\./);
  expect(stdout).toContain('policy_block: Each visitor whom the rule matches.');
  expect(stdout).toContain('Nothing: a rule of the site blocks this request.');
  expect(stdout).toMatch(
    /Put it first under rules: of organisation acme, line \d+ of guard\.yaml\./,
  );
  expect(stdout).toContain('ip: "203.0.113.9"');
});

test('a reference code can have small letters and a blank', async () => {
  const code = `${blockedCode.slice(0, 4)} ${blockedCode.slice(4)}`.toLowerCase();
  expect((await runWhy([code])).stdout).toContain(`reference ${blockedCode}`);
});

test('the rule that allows the visitor is the same as in the dashboard', async () => {
  const { stdout } = await runWhy([blockedCode, '--json']);
  const { events } = JSON.parse(stdout) as {
    events: {
      false_positives: object[];
      let_in: { kind: string; yaml: string; where: string }[];
    }[];
  };
  const [change] = events[0]?.let_in ?? [];
  const cookie = await signIn(testbed.product);
  const answer = await askDashboard(testbed.product, '/api/replay', {
    cookie,
    json: { change: { kind: 'allow', match: { ip: '203.0.113.9' } } },
  });
  const { yaml, where } = JSON.parse(answer.body) as { yaml: string; where: string };
  expect(change).toMatchObject({ kind: 'address', yaml, where });
  expect(parse(yaml)).toMatchObject([{ verdict: 'allow' }]);
});

test('--let-in shows another rule that allows the visitor', async () => {
  const { stdout } = await runWhy([blockedCode, '--let-in', 'network']);
  expect(stdout).toContain('ip: "203.0.113.0/24"');
  const wrongKind = await runWhy([blockedCode, '--let-in', 'planet']);
  expect([wrongKind.status, wrongKind.stderr]).toMatchObject([
    2,
    expect.stringContaining('session, address'),
  ]);
});

test('for a limit it proposes no rule that allows, because such a rule does not lift the budget', async () => {
  const { stdout } = await runWhy([limitedCode]);
  expect(stdout).toContain(
    'was refused for a while, because the budget of the rule “login budget”',
  );
  expect(stdout).toContain('No rule that allows lifts the budget of the rule “login budget”');
  expect(stdout).toContain('add not: { ip: 203.0.113.10 } to its match');
  expect(stdout).toContain('guard allow 203.0.113.10 --for 1d');
  expect(stdout).not.toContain('verdict: allow');
  const network = await runWhy([limitedCode, '--let-in', 'network']);
  expect(network.stdout).toContain('guard allow 203.0.113.0/24 --for 1d');
  const agent = await runWhy([limitedCode, '--let-in', 'agent']);
  expect(agent.stdout).not.toContain('user_agent:');
});

test('a support desk can allow a visitor for a day, with the code on the page and without SQL, and block the visitor again', async () => {
  const organisationOptions = ['--organisation', 'acme'];
  const from = '203.0.113.44';
  const status = async (path: string) => {
    const headers = { ...chromeHttp, 'x-forwarded-for': from };
    return (await send(`${testbed.product.addresses.gateway}${path}`, { headers })).status;
  };
  const untilStatus = (expected: number) =>
    poll(
      () => status('/attic/old'),
      (seen) => seen === expected,
    );
  const code = await visit('/attic/old', from);
  const answer = await poll(
    () => runWhy([code]),
    ({ status: found }) => found === 0,
  );
  const command = /^ *guard (allow \S+ --for 1d) --because '[^']+' --organisation acme$/m.exec(
    answer.stdout,
  )?.[1];
  expect(command).toBe(`allow ${from} --for 1d`);
  const allowed = await guard(
    ...(command ?? '').split(' '),
    '--because',
    'called us',
    ...organisationOptions,
  );
  expect(allowed.status).toBe(0);
  await untilStatus(200);
  const banned = await guard(
    'block',
    from,
    '--for',
    '1h',
    '--because',
    'a test',
    '--json',
    ...organisationOptions,
  );
  const { id } = JSON.parse(banned.stdout) as { id: string };
  await untilStatus(403);
  const second = await visit('/', from);
  const explanation = await poll(
    () => runWhy([second]),
    ({ status: found }) => found === 0,
  );
  expect(explanation.stdout).toContain(`temporary ${id}: a person decided so for a while;`);
  expect(explanation.stdout).toContain(`guard decisions end ${id}`);
  expect(explanation.stdout).not.toContain('Put it first under rules:');
});

test('for an address it prints the numbers of all requests, the newest five requests, and no control characters', async () => {
  const { status, stdout } = await runWhy(['203.0.113.11']);
  expect(status).toBe(0);
  expect(stdout).toContain('6 requests from 20');
  expect(stdout).toContain('challenge 6');
  expect(stdout).toContain('reasons: http_client_user_agent 6');
  expect([...stdout.matchAll(/GET http:\S+\/[1-6]\b/g)]).toHaveLength(5);
  expect(stdout).toContain('\\u009b31m');
  const json = await runWhy(['203.0.113.11', '--json']);
  for (const text of [stdout, json.stdout, (await runWhy([blockedCode])).stdout]) {
    expect(text).not.toMatch(/[^\n\P{Cc}]/u);
  }
  const { events } = JSON.parse(json.stdout) as { events: { user_agent: string }[] };
  expect(events.map(({ user_agent }) => user_agent)).toEqual(Array(5).fill(HOSTILE_AGENT));
});

test('a request id and a session find the same visit', async () => {
  const { stdout } = await runWhy([limitedCode, '--json']);
  const [event] = (JSON.parse(stdout) as { events: { request_id: string; session: string }[] })
    .events;
  for (const name of [event?.request_id ?? '', event?.session ?? '']) {
    expect((await runWhy([name])).stdout).toContain(`reference ${limitedCode}`);
  }
});

test('the key of another organisation finds nothing', async () => {
  for (const name of [blockedCode, '203.0.113.9']) {
    const { status, stdout, stderr } = await runWhy([name], { GUARD_ANALYTICS_KEY: RIVAL_KEY });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^guard why: no event has the (reference|address) /);
    expect(stderr).toContain('kept for 90 days');
    expect(stderr).not.toContain('attic');
  }
});

test('for an unknown code it prints where it searched, how long events are kept, and what to try', async () => {
  const { status, stderr } = await runWhy(['ZZZZZZZZ']);
  expect(status).toBe(1);
  expect(stderr).toBe(`guard why: no event has the reference ZZZZZZZZ.
Looked at ${testbed.product.addresses.api}, in the events that the analytics key may read: those of its own organisation.
Events are kept for 90 days, and a new one is there after a second or two.
Let the visitor read the code again, or ask by address: guard why ADDRESS. A code has eight digits and letters, and none of I, L, O and U.
`);
});

test.each([
  "' OR 1=1 --",
  "A' OR '1",
  '\u001b[2J',
  "203.0.113.9' UNION ALL SELECT 1",
  '../../etc/passwd',
  '',
])('the argument %j is refused without a query, and is printed escaped', async (input) => {
  const { status, stdout, stderr } = await runWhy([input]);
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toContain('is no reference code');
  expect(stderr).not.toContain('\u001b');
});

test('a wrong key and a Guard that is away give exit code 1 and a message', async () => {
  const wrongKey = await runWhy([blockedCode], { GUARD_ANALYTICS_KEY: `${ANALYTICS_KEY}x` });
  expect([wrongKey.status, wrongKey.stderr]).toEqual([
    1,
    'guard why: the analytics key is not valid\n',
  ]);
  const guardAway = await runWhy([blockedCode, '--api', `http://127.0.0.1:${await freePort()}`], {
    GUARD_ANALYTICS_KEY: ANALYTICS_KEY,
  });
  expect([guardAway.status, guardAway.stderr]).toEqual([1, 'guard why: ECONNREFUSED\n']);
});
