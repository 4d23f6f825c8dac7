import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../../test/kit/test-folder.ts';
import { type CommandResult, runCommand } from '../testing/run-command.ts';

const BIN = join(import.meta.dirname, '../../../bin/guard.mjs');
const folder = testFolder();

const config = join(folder, 'guard.yaml');
writeFileSync(
  config,
  `version: 1
listen: { gateway: 127.0.0.1:8080 }
secret: \${EXPLAIN_SECRET}
organisations:
  - id: acme
    features: { country: true }
    rules:
      - { name: office, match: { ip: 203.0.113.0/24 }, verdict: allow }
      - { name: login budget, match: { path: /login, method: POST }, rate_limit: { requests: 10, per: 1m } }
      - { name: checkout, match: { path: /checkout/** }, detect: true, challenge: always }
      - { name: members, match: { path: /members/**, not: { session: verified } }, verdict: block, status: 401 }
      - { name: everything else, match: {}, detect: true, monitor: true }
  - { id: other, rules: [{ name: closed, match: {}, verdict: block }] }
sites:
  - { hosts: [shop.example, "*.shop.example"], organisation: acme, origin: "http://127.0.0.1:3000", skip: [/assets/**] }
`,
);

process.env['EXPLAIN_SECRET'] = '9f2c7b1e5a8d4036c1e7f4b2a9d85036';

const explain = (args: readonly string[]): Promise<CommandResult> =>
  runCommand('explain', '--config', config, ...args);

async function explainJson(args: readonly string[]): Promise<unknown> {
  const { code, stdout, stderr } = await explain([...args, '--json']);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

/** Runs the command as a process, with a standard input. */
function explainInput(input: string, ...args: readonly string[]): unknown {
  const command = [BIN, 'explain', '--config', config, '-', '--json', ...args];
  const { stdout } = spawnSync(process.execPath, command, { encoding: 'utf8', input });
  return JSON.parse(stdout);
}

describe('guard explain prints for people', () => {
  test('facts, findings, every rule, the directives, the verdict and the answer', async () => {
    const {
      code: status,
      stdout,
      stderr,
    } = await explain([
      'https://shop.example/login',
      ...['-X', 'POST', '-H', 'User-Agent: curl/8', '--ip', '203.0.113.9'],
    ]);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toBe(`POST shop.example/login
site shop.example, organisation acme

Facts
  address    203.0.113.9, ordinary network, country unknown, no AS
  agent      no browser, HTTP client "curl": curl/8
  crawler    none
  session    none
  if denied  a page

Findings: they amount to a challenge, where a rule detects
  http_client_user_agent  strong  bot_identity  The User-Agent names an HTTP library or command-line client.

Rules, in order
  ✓  office                        verdict: allow
  ✓  login budget                  rate_limit: 10 per 1m by ip
  ·  checkout                      detect: true, challenge: always
  ·  members                       verdict: block
  ✓  everything else               detect: true, monitor: true
  ·  crawler allowlist (built in)  verdict: allow

Directives
  verdict     allow            by office
  rate_limit  10 per 1m by ip  by login budget
  detect      true             by everything else
  monitor     true             by everything else

Verdict
  concluded  allow, by office
  enforced   allow

Answer
  decision  allow, status 200, no body
  headers   none
  cookies   _guard (/, host-only, 30d, SameSite=None, Secure)
`);
  });

  test('the effect of monitor mode, a rule that came too late, and other readings of the path', async () => {
    const { stdout } = await explain([
      'https://shop.example/checkout//pay',
      ...['-A', 'Mozilla/5.0 (compatible; Googlebot/2.1)', '--ip', '84.115.20.7'],
    ]);
    expect(stdout).toContain('path       may also be read as /checkout/pay');
    expect(stdout).toContain("an impersonator: the address is not its operator's");
    expect(stdout).toContain('(detect: true), monitor: true');
    expect(stdout).toContain('concluded  block, by checkout: crawler_impersonator');
    expect(stdout).toContain('enforced   challenge, because monitor lifts a block');
  });
});

describe('guard explain --json prints one object', () => {
  test('from a file in the form of POST /validate, with its response', async () => {
    const file = join(folder, 'request.json');
    const headers = { 'User-Agent': 'Mozilla/5.0 (compatible; Googlebot/2.1)' };
    const url = 'https://www.shop.example/assets/a.css';
    writeFileSync(file, JSON.stringify({ url, ip: '66.249.66.1', headers }));
    expect(await explainJson([file])).toMatchObject({
      organisation: 'acme',
      site: 'shop.example',
      facts: {
        network: null,
        country: 'US',
        asn: 15_169,
        crawler: { name: 'Googlebot', proof: 'verified', allowlisted: true },
      },
      findings: [],
      verdict: { concluded: 'allow', enforced: 'allow', rule: 'crawler allowlist' },
      answer: { decision: 'allow', country_code: 'US', crawler: { access_allowed: true } },
      notes: ['Site shop.example does not protect this path: the gateway would not ask.'],
    });
  });

  test('from standard input, with used-up budgets', () => {
    const request = { url: 'https://shop.example/login', ip: '84.115.20.7', method: 'POST' };
    const result = explainInput(JSON.stringify(request), '--over-budget');
    expect(result).toMatchObject({
      // Because of monitor mode the limit has no effect. But the free pages of a new visitor are used up too.
      verdict: {
        concluded: 'limited',
        enforced: 'challenge',
        rule: 'login budget',
        reasons: ['rate_limit_exceeded', 'free_pages_used'],
      },
    });
  });

  test('for a session that has passed its challenge, or has not', async () => {
    const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:124.0) Gecko/20100101 Firefox/124.0';
    const members = [
      ...['https://shop.example/members/', '--ip', '84.115.20.7'],
      ...['-H', `User-Agent: ${firefox}`],
    ];
    expect(await explainJson([...members, '--session', 'verified'])).toMatchObject({
      facts: { session: { state: 'verified' } },
      recorded_as: { browser: 'firefox', version: 124, os: 'linux', device: 'desktop' },
      verdict: { rule: 'everything else' },
    });
    expect(await explainJson([...members, '--session', 'issued'])).toMatchObject({
      facts: { session: { state: 'issued' } },
      rules: expect.arrayContaining([
        {
          name: 'members',
          built_in: false,
          matched: true,
          sets: { verdict: 'block' },
          decides: ['verdict'],
        },
      ]) as unknown,
      verdict: { concluded: 'block', enforced: 'allow', rule: 'members', monitor: true },
    });
  });

  test('with the rules of another organisation', async () => {
    expect(
      await explainJson(['https://any.example/', '--ip', '84.115.20.7', '--organisation', 'other']),
    ).toMatchObject({ site: '', verdict: { rule: 'closed', enforced: 'block' } });
  });
});

describe('guard explain reports a mistake and prints its usage', () => {
  test.each([
    [2, 'name a URL, a JSON file, or - for JSON on stdin', []],
    [1, 'invalid_ip: `ip` must be one IP address', ['https://shop.example/', '--ip', '8.8.8']],
    [
      2,
      'no site has the host nowhere.example; say --site HOST, or --organisation: acme, other',
      ['https://nowhere.example/', '--ip', '84.115.20.7'],
    ],
  ])('exit code %d: %s', async (code, message, args) => {
    const { code: status, stdout, stderr } = await explain(args);
    expect([status, stdout]).toEqual([code, '']);
    expect(stderr).toContain(`guard explain: ${message}`);
  });
});
