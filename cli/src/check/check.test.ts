import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startHttps } from '../../../test/kit/peers/https-front.ts';
import { startRedis } from '../../../test/kit/peers/redis-server.ts';
import { testFolder } from '../../../test/kit/test-folder.ts';
import { hasRedis } from '../../../test/kit/tools.ts';
import { type CommandResult, runCommand } from '../testing/run-command.ts';

const folder = testFolder();

const file = join(folder, 'guard.yaml');
const HEAD = `version: 1
listen: { gateway: 127.0.0.1:8080, collector: 127.0.0.1:8083 }
secret: 9f2c7b1e5a8d4036c1e7f4b2a9d85036
`;
const SITE =
  'sites: [{ hosts: [shop.example], organisation: acme, origin: "http://127.0.0.1:3000", protect: [/login] }]\n';

/** Runs the command, and returns its output. */
function check(settings: string, ...args: readonly string[]): Promise<CommandResult> {
  writeFileSync(file, HEAD + settings);
  return runCommand('check', file, ...args);
}

/** Nearly every organisation of these tests causes these remarks, because it has only one or two rules. */
const WHO_IS_CHALLENGED = /cannot pass a challenge|ever challenges a visitor/;

/** The remarks without positions, and without the remarks about challenged visitors. */
async function remarks(settings: string): Promise<string[]> {
  return (await allRemarks(settings)).filter((line) => !WHO_IS_CHALLENGED.test(line));
}

async function allRemarks(settings: string): Promise<string[]> {
  const { code, stdout } = await check(settings);
  expect(code).toBe(0);
  const [, ...lines] = stdout.trim().split('\n');
  return lines.map((line) => line.replace(/^.*?: (?=warning|hint)/, ''));
}

function rules(...list: readonly string[]): string {
  return `organisations:\n  - id: acme\n    rules:\n${list.map((rule) => `      - ${rule}\n`).join('')}${SITE}`;
}

test('a crawler that the catalogue does not have is a problem, with its position and a similar name', async () => {
  const settings = rules('{ name: no, match: { crawler: { name: GTPBot } }, verdict: block }');
  const { code, stderr } = await check(settings);
  expect(code).toBe(1);
  expect(stderr).toBe(
    `${file}:7:47: organisations[0].rules[0].match.crawler.name: found "GTPBot"; expected a crawler of the catalogue, which \`guard crawlers list\` shows. Did you mean "GPTBot"?\n`,
  );
});

describe('a rule about handshakes', () => {
  const RULE =
    '{ name: tools, match: { any: [{ ja4: t13d1516h2_8daaf6152771_d8a2da3f94cd }] }, verdict: block }';

  test('never matches when Guard itself does not decrypt TLS', async () => {
    expect(await remarks(rules(RULE))).toEqual([
      'warning: organisations[0].rules[0].match: ja4 of rule tools never matches: Guard sees a handshake only on listen.gateway_tls, which is not set',
    ]);
  });
});

describe('a rule that never has an effect', () => {
  test('is a rule after another rule that sets the same directive for every request', async () => {
    const settings = rules(
      '{ name: everybody, match: {}, detect: true, verdict: allow }',
      '{ name: late, match: { path: /admin/** }, verdict: block }',
      '{ name: half, match: { path: /login }, detect: false, challenge: always }',
    );
    expect(await remarks(settings)).toEqual([
      'warning: organisations[0].rules[1]: rule late never counts: everybody comes before it and sets verdict for every request; move late in front of it',
      'warning: organisations[0].rules[2]: detect of rule half never counts: everybody comes before it and sets detect for every request; move half in front of it',
    ]);
  });

  test('is reported only if it is certain: not when it has another directive, a useful order, or a condition', async () => {
    const settings = rules(
      '{ name: office, match: { ip: 203.0.113.0/24 }, verdict: allow }',
      '{ name: all hosts, match: { host: "*" }, verdict: allow }',
      '{ name: everybody, match: {}, detect: true }',
      '{ name: closed, match: { path: /admin/** }, verdict: block, monitor: false }',
    );
    expect(await remarks(settings)).toEqual([]);
  });

  test('is not reported when a budget of the user replaces the budget of a preset', async () => {
    const budget = '{ name: budget, match: {}, rate_limit: { requests: 10, per: 1m } }';
    const settings = `organisations: [{ id: acme, presets: [feeds], rules: [${budget}] }]\n${SITE}`;
    expect((await remarks(settings)).join()).not.toContain('never count');
  });

  test('can be the rule of a preset', async () => {
    const settings = `organisations: [{ id: acme, presets: [feeds], rules: [{ name: shut, match: {}, verdict: block }] }]\n${SITE}`;
    const [presets, warning] = await remarks(settings);
    expect(presets).toBe('Presets of acme: preset:feeds.');
    expect(warning).toBe(
      'warning: organisations[0].presets: rule preset:feeds never counts: shut comes before it and sets verdict for every request; presets come after your rules, so give shut a condition, or take feeds out of presets',
    );
  });
});

describe('a rule that can never match', () => {
  const otherHostRule =
    '{ name: blog, match: { host: [blog.example, a.blog.example] }, verdict: block }';

  test('has a host that no site of its organisation has', async () => {
    expect(await remarks(rules(otherHostRule))).toEqual([
      'warning: organisations[0].rules[0]: rule blog never matches: no site of organisation acme has the host blog.example or a.blog.example',
    ]);
    expect((await check(rules(otherHostRule), '--strict')).code).toBe(1);
  });

  test('is reported only if it is certain: a wildcard can match, and callers of POST /validate can ask about any host', async () => {
    const settings =
      '{ name: one of two, match: { host: [shop.example, blog.example] }, verdict: block }';
    const wildcardRule = '{ name: wild, match: { host: "*.blog.example" }, verdict: block }';
    expect(await remarks(rules(settings, wildcardRule))).toEqual([]);
    const keys = 'secret_keys: [{ id: backend, key: 5f0c8a417d2e9b36c4f1a7d05e8b2c93 }]';
    const withKeys = rules(otherHostRule).replace('    rules:', `    ${keys}\n    rules:`);
    expect(await remarks(withKeys)).toEqual([]);
  });
});

test('a rule with monitor causes a hint, which --strict ignores, because monitor is a safe first step', async () => {
  const settings = rules('{ name: everybody, match: {}, detect: true, monitor: true }');
  expect(await remarks(settings)).toEqual([
    'hint: organisations[0].rules[0].monitor: monitor is on: blocks of requests that rule everybody matches are recorded, and not enforced',
  ]);
  expect((await check(settings, '--strict')).code).toBe(0);
});

test('the hint about monitor names the rules whose blocks it lifts, when the rule matches every request', async () => {
  const monitored = (match: string) =>
    rules(
      '{ name: closed, match: { path: /closed }, verdict: block }',
      '{ name: login, match: { path: /login }, rate_limit: { requests: 5, per: 1m } }',
      `{ name: everybody, match: ${match}, detect: true, monitor: true }`,
    );
  expect(await remarks(monitored('{}'))).toEqual([
    'hint: organisations[0].rules[2].monitor: monitor is on: blocks of requests that rule everybody matches are recorded, and not enforced; also those by rule closed and rule login, because the match {} is for every request',
  ]);
  expect((await remarks(monitored('{ path: /shop/** }')))[0]).toMatch(/not enforced$/);
});

describe('challenged visitors', () => {
  const warning = expect.stringContaining(
    'warning: organisations[0].rules: no rule of organisation acme ever challenges a visitor whose headers look right',
  ) as string;
  const hint = expect.stringContaining(
    'hint: organisations[0]: programs cannot pass a challenge, and no preset lets any through',
  ) as string;

  test.each([
    '{ name: budget, match: {}, rate_limit: { requests: 10, per: 1m } }',
    '{ name: everybody, match: {}, detect: true, challenge: never }',
    '{ name: office, match: {}, detect: true, verdict: allow }',
  ])('a warning says that a script with the headers of a browser passes: %s', async (rule) => {
    expect(await allRemarks(rules(rule))).toEqual([warning]);
  });

  test('the same warning appears when free pages are switched off', async () => {
    const WITHOUT_FREE_PAGES = 'challenge: { free_pages: false }';
    const settings = rules('{ name: everybody, match: {}, detect: true, challenge: auto }');
    expect(
      await allRemarks(settings.replace('    rules:', `    ${WITHOUT_FREE_PAGES}\n    rules:`)),
    ).toEqual([warning]);
  });

  test('when the settings name no preset, a hint lists the presets for programs', async () => {
    for (const detection of [
      'detect: true',
      'challenge: auto',
      'detect: true, challenge: always',
    ]) {
      const settings = rules(`{ name: everybody, match: {}, ${detection} }`);
      expect(await allRemarks(settings)).toEqual([hint]);
      const withPresets = settings.replace('    rules:', '    presets: [feeds, git]\n    rules:');
      expect(await allRemarks(withPresets)).toEqual(['Presets of acme: preset:feeds, preset:git.']);
    }
  });

  test('a hint names feeds and git when neither presets nor rules let feed readers and git through', async () => {
    const ruleForAll = '{ name: everybody, match: {}, detect: true }';
    const source = '{ name: source, match: { path: /*.git/** }, challenge: never }';
    for (const [list, left] of [
      [[ruleForAll], 'feeds, git'],
      [[source, ruleForAll], 'feeds'],
    ] as const) {
      const settings = rules(...list).replace('    rules:', '    presets: [monitors]\n    rules:');
      expect((await allRemarks(settings)).slice(1)).toEqual([
        `hint: organisations[0]: programs that read ${left} cannot pass a challenge: where your site has them, add ${left} to its presets`,
      ]);
    }
  });
});

test('--config names the file, as in other commands', async () => {
  writeFileSync(file, HEAD + rules('{ name: everybody, match: {}, detect: true }'));
  const { code, stdout } = await runCommand('check', '-c', file);
  expect(code).toBe(0);
  expect(stdout).toContain(`${file} is good`);
});

test('an organisation with monitor and a site with observe cause warnings', async () => {
  const settings = `observe: true
organisations: [{ id: acme, monitor: true }]
${SITE.replace('protect', 'observe: true, protect')}`;
  expect(await remarks(settings)).toEqual([
    'warning: observe: observe is on: nothing is enforced on any site',
    'warning: organisations[0].monitor: monitor is on: no block of organisation acme is enforced',
    'warning: sites[0].observe: observe is on: nothing is enforced on this site',
  ]);
});

describe('paths that programs request', () => {
  const site = (lines: string, organisation = '{ id: acme }') =>
    `organisations: [${organisation}]\nsites: [{ hosts: ['*'], organisation: acme, origin: 'http://127.0.0.1:3000'${lines} }]\n`;

  test('a site that protects the paths of certificates and health checks causes a hint, which --strict ignores', async () => {
    expect(await remarks(site(''))).toEqual([
      'hint: sites[0].protect: protects /.well-known/acme-challenge/, /health, /healthz: programs that request these paths can be stopped; add the paths that your site uses to skip, or use presets: [well-known] for certificates',
    ]);
    expect((await check(site(''), '--strict')).code).toBe(0);
  });

  test('the hint does not come when skip, the preset or a rule lets the path through', async () => {
    const skip = site(', skip: [/health, /healthz]', '{ id: acme, presets: [well-known] }');
    expect(await remarks(skip)).toEqual(['Presets of acme: preset:well-known.']);
    const rule = '{ name: probes, match: { path: "/health*" }, verdict: allow }';
    const [only] = await remarks(site('', `{ id: acme, rules: [${rule}] }`));
    expect(only).toContain('protects /.well-known/acme-challenge/: programs');
  });
});

describe('--probe', () => {
  test('connects to each origin, and warns about an origin without a server', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo; // The server listens on TCP, so it has a port.
    const address = `unix:${join(folder, 'nobody.sock')}`;
    const settings = `organisations: [{ id: acme }]
sites: [{ hosts: [a.example], organisation: acme, origin: ["http://127.0.0.1:${port}", "${address}"], protect: [/login] }]
`;
    const { code, stdout } = await check(settings, '--probe');
    expect(code).toBe(0);
    expect(stdout).toContain(
      `:5:51: warning: sites[0].origin: ${address} cannot be reached: there is no such socket (ENOENT)`,
    );
    expect(stdout).not.toContain(`:${port} cannot be reached`);
    expect((await check(settings, '--probe', '--strict')).code).toBe(1);
    expect((await check(settings, '--strict')).code).toBe(0);
  });

  test('warns about an origin whose certificate the gateway refuses, and about an origin without TLS', async () => {
    const secure = await startHttps((_, response) => void response.end());
    const plain = createServer((socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    onTestFinished(async () => {
      plain.close();
      await secure.close();
    });
    const { port } = plain.address() as AddressInfo; // The server listens on TCP, so it has a port.
    const origins = [`https://127.0.0.1:${secure.port}`, `https://127.0.0.1:${port}`];
    const settings = `organisations: [{ id: acme }]
sites: [{ hosts: [a.example], organisation: acme, origin: ${JSON.stringify(origins)}, protect: [/login] }]
`;
    const { stdout } = await check(settings, '--probe');
    expect(stdout).toContain(
      `${origins[0]} has a certificate that Guard does not accept (DEPTH_ZERO_SELF_SIGNED_CERT), so every visitor would get 502: start Guard with NODE_EXTRA_CA_CERTS=`,
    );
    expect(stdout).toContain(`${origins[1]} does not speak TLS, so every visitor would get 502`);
  });

  test.skipIf(!hasRedis)(
    'warns about a Redis Cluster, and about a Redis that does not listen',
    async () => {
      const redis = await startRedis(['--cluster-enabled', 'yes']);
      onTestFinished(() => redis.stop());
      const probe = async (): Promise<string> =>
        (
          await check(
            `organisations: [{ id: acme }]
store: { engine: redis, url: '${redis.url}' }
${SITE}`,
            '--probe',
          )
        ).stdout;
      expect(await probe()).toContain('warning: store.url: this is a Redis Cluster');
      await redis.kill();
      expect(await probe()).toContain('warning: store.url: Redis cannot be used: ECONNREFUSED');
    },
  );
});

test('--json has problems, presets, warnings and hints with their positions', async () => {
  const settings = `observe: true\norganisations: [{ id: acme, presets: [git] }]\n${SITE}`;
  const { code, stdout } = await check(settings, '--json', '--strict');
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toEqual({
    valid: true,
    problems: [],
    revision: expect.stringMatching(/^[0-9a-f]{12}$/) as string,
    presets: { acme: ['preset:git'] },
    warnings: [
      {
        level: 'warning',
        file,
        line: 4,
        column: 1,
        path: 'observe',
        message: 'observe is on: nothing is enforced on any site',
      },
    ],
    hints: [],
  });
  const bad = await check(`observ: true\norganisations: [{ id: acme }]\n${SITE}`, '--json');
  expect(bad.code).toBe(1);
  expect(JSON.parse(bad.stdout)).toMatchObject({ valid: false, problems: [{ line: 4 }] });
});

test('contract 3: pages that no setting names cannot upload to the collector, so their visitors cannot pass a challenge', async () => {
  const settingsFor = (lines: string) => `organisations:
  - id: acme
    secret_keys: [{ id: backend, key: "sk_0123456789abcdef0123456789abcdef" }]
    rules: [{ name: all, match: {}, detect: true }]${lines}
  - id: other
${SITE.replace('acme', 'other')}`;
  expect(await remarks(settingsFor(''))).toEqual([expect.stringContaining('in script_origins')]);
  expect(await remarks(settingsFor('\n    script_origins: [https://shop.example]'))).toEqual([]);
});
