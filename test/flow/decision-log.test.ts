import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sessionDigest } from '@guard/config/contract/session-digest';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { poll, send } from '../kit/http.ts';
import { rowsOf } from '../kit/product/sql.ts';
import { productSettings } from '../kit/product/product-settings.ts';
import { useProduct } from '../kit/product/use-product.ts';
import { chromeHttp, GOOGLEBOT_IP, GOOGLEBOT_UA, HOME_IP } from '../kit/visitors/visitors.ts';

/**
 * These tests check what Guard records for one decision: a line in the log, a row in the database, and header fields
 * for the origin.
 */

const rules = [
  { name: 'open', match: { path: '/open/**' }, verdict: 'allow' },
  { name: 'closed', match: { path: '/closed' }, verdict: 'block' },
  { name: 'everybody', match: {}, detect: true },
];
const testbed = useProduct({
  rules,
  sites: [
    { hosts: ['sampled.example'], sample_body: '2KiB', sample_without: ['note'] },
    { hosts: ['silent.example'] },
  ],
  top: { log: { decisions: true } },
});

type Line = Readonly<Record<string, unknown>>;

function linesOf(path: string): Line[] {
  return testbed.product
    .log()
    .split('\n')
    .filter((line) => line.includes('"event":"decision"') && line.includes(`"path":"${path}"`))
    .map((line) => JSON.parse(line) as Line);
}

async function lineAndRow(path: string, headers: Readonly<Record<string, string>>) {
  const { status } = await send(`${testbed.product.addresses.gateway}${path}?token=t0p`, {
    headers,
  });
  const [line] = await poll(
    () => Promise.resolve(linesOf(path)),
    (lines) => lines.length === 1,
  );
  const statement = `SELECT * FROM events_distributed WHERE path = '${path}'`;
  const [row] = await poll(
    () => rowsOf<Line>(testbed.product, statement),
    ({ length }) => length === 1,
  );
  return { status, line, row };
}

// The concurrent tests wait for their rows at the same time.

const SHARED_FIELDS = [
  'request_id',
  'action',
  'decision',
  'rule',
  'method',
  'host',
  'ip',
  'ip_from',
];
const OUTCOME = ['status_code', 'origin_status', 'origin_us', 'settings_revision'];
const TIMES = ['duration_us', 'facts_us', 'session_us', 'verdict_us'];

test.concurrent(
  'the line of a visitor behind a trusted proxy has the source of the address, the claims, and the time of each step',
  async () => {
    const headers = { ...chromeHttp, 'x-forwarded-for': '1.1.1.1' };
    const { line, row } = await lineAndRow('/open/a', headers);
    expect(line).toMatchObject({
      level: 'info',
      action: 'allow',
      rule: 'open',
      ip: '1.1.1.1',
      ip_from: 'x-forwarded-for',
    });
    for (const name of [...SHARED_FIELDS, ...OUTCOME, ...TIMES]) {
      expect(row?.[name], name).toEqual(line?.[name]);
    }
    expect(row).toMatchObject({ status_code: 200, origin_status: 200, session_sent: '' });
    expect(row?.['origin_us']).toBeGreaterThan(0);
    expect(testbed.product.log()).toMatch(
      new RegExp(`"event":"settings_read",.*"revision":"${String(row?.['settings_revision'])}"`),
    );
    expect(row).toMatchObject({ asn: 13335, asn_name: 'Cloudflare, Inc.' });
    expect(row).toMatchObject({
      browser: 'chrome',
      os: 'windows',
      device: 'desktop',
      findings: {},
    });
    expect(row?.['browser_version']).toBeGreaterThan(100);
    const stageTimes = ['facts_us', 'session_us', 'verdict_us'].map((name) => Number(row?.[name]));
    expect(stageTimes.reduce((sum, us) => sum + us)).toBeLessThanOrEqual(
      Number(row?.['duration_us']) + 3,
    );
  },
);

test.concurrent('the line of a stopped program has the findings with their points', async () => {
  const { status, line, row } = await lineAndRow('/b', { 'user-agent': 'curl/8.5.0' });
  expect(status).toBe(403);
  expect(line).toMatchObject({ ip: '127.0.0.1', ip_from: 'peer', site: '127.0.0.1' });
  const findings = row?.['findings'] as Readonly<Record<string, number>>;
  expect(findings['http_client_user_agent']).toBe(2);
  expect(Object.keys(findings)).toEqual(expect.arrayContaining(String(line?.['block_reasons']).split(' '))); // prettier-ignore
  expect(row).toMatchObject({ browser: '', os: '', device: '' });
});

test.concurrent('the log has no query string and no credential', async () => {
  const headers = { ...chromeHttp, cookie: 'account=c4n4ry', authorization: 'Bearer c4n4ry' };
  await lineAndRow('/open/c', headers);
  expect(testbed.product.log()).not.toMatch(/t0p|c4n4ry/);
});

/** Makes one visit. Returns the answer, the header fields that the origin got, and the row of the visit. */
async function visitAndRow(path: string, headers: Readonly<Record<string, string>>) {
  const answer = await send(`${testbed.product.addresses.gateway}${path}`, { headers });
  const { headers: toldHeaders } = await testbed.origin.arrival(path);
  const [row] = await poll(
    () => rowsOf<Line>(testbed.product, `SELECT * FROM events_distributed WHERE path = '${path}'`),
    ({ length }) => length === 1,
  );
  return { answer, originHeaders: toldHeaders, row };
}

test.concurrent(
  'X-Guard-Request-Id and X-Guard-Session are equal to the row, for a new session and for a known session',
  async () => {
    const first = await visitAndRow('/open/first', chromeHttp);
    const session = first.originHeaders['x-guard-session'];
    expect(session).toMatch(/^[0-9a-f]{32}$/);
    const request_id = first.originHeaders['x-guard-request-id'];
    expect(first.row).toMatchObject({ request_id, session, session_sent: '' });
    const cookie = String(first.answer.headers['set-cookie']).split(';', 1).join('');
    const secondRequest = await visitAndRow('/open/second', { ...chromeHttp, cookie });
    expect(secondRequest.originHeaders['x-guard-session']).toBe(session);
    expect(secondRequest.row).toMatchObject({ session, session_sent: session });
    expect(session).not.toContain(cookie.slice(7));
  },
);

test.concurrent(
  'a session that Guard did not issue is not passed on: the visitor gets a new session',
  async () => {
    const cookie = '_guard=f662c344-76b5-45c7-9d1e-497d800f17a1';
    const { answer, originHeaders, row } = await visitAndRow('/open/forged', {
      ...chromeHttp,
      cookie,
    });
    expect(String(answer.headers['set-cookie'])).toMatch(/^_guard=/);
    expect(originHeaders['x-guard-session']).toBe(row?.['session']);
    expect(row?.['session_sent']).toBe(sessionDigest(cookie.slice('_guard='.length)));
    expect(row?.['session_sent']).not.toBe(row?.['session']);
  },
);

test.concurrent.each([
  ['verified', GOOGLEBOT_IP],
  ['claimed', HOME_IP],
])(
  'contract 2.4: the origin gets the name of a crawler that is %s, from %s',
  async (proof, address) => {
    const headers = { 'user-agent': GOOGLEBOT_UA, 'x-forwarded-for': address };
    const { originHeaders, row } = await visitAndRow(`/open/${proof}`, headers);
    expect(row?.['crawler_name']).toBe('Googlebot');
    expect(originHeaders['x-guard-crawler']).toMatch(
      new RegExp(`^${proof};name="Googlebot";id="[0-9a-f-]{36}"$`),
    );
    expect(originHeaders['x-guard-session']).toBeUndefined();
  },
);

const SAMPLED_BODY = 'user=bob&password=***&note=***';

test.concurrent.each([
  ['sampled.example', 'has the first bytes, without secrets', SAMPLED_BODY],
  ['silent.example', 'is empty by default', ''],
])('contract 2.7: the column body of %s %s, for blocked requests too', async (host, _, body) => {
  for (const path of ['/open/posted', '/closed']) {
    await send(`${testbed.product.addresses.gateway}${path}`, {
      method: 'POST',
      headers: { host, 'content-type': 'application/x-www-form-urlencoded', 'user-agent': 'test' },
      body: 'user=bob&password=hunter2&note=hello',
    });
  }
  const sql = `SELECT path, body FROM events_distributed WHERE host = '${host}' ORDER BY path`;
  const rows = await poll(
    () => rowsOf(testbed.product, sql),
    ({ length }) => length === 2,
  );
  expect(rows).toEqual([
    { path: '/closed', body },
    { path: '/open/posted', body },
  ]);
});

/** Writes the settings with this `log`, and waits until the log has a line of the reload. */
async function reloadWith(log: object, line: string): Promise<void> {
  const settings = productSettings(testbed.origin.url, { rules, top: { log } });
  writeFileSync(join(testbed.product.folder, 'guard.yaml'), stringify(settings));
  await poll(
    () => Promise.resolve(testbed.product.log()),
    (text) => text.includes(line),
  );
}

/** The log line of the request for /ecs. Empty while there is no line. */
const ecsLine = (): string =>
  testbed.product
    .log()
    .split('\n')
    .find((line) => line.includes('"url.path":"/ecs"')) ?? '';

test('log.format: ecs writes the fields of the Elastic Common Schema, from a reload on', async () => {
  await reloadWith({ decisions: true, format: 'ecs' }, 'reload_applied');
  const headers = { 'user-agent': 'curl/8.5.0', cookie: 'account=c4n4ry' };
  await send(`${testbed.product.addresses.gateway}/ecs?token=t0p`, { headers });
  const line = await poll(
    () => Promise.resolve(ecsLine()),
    (text) => text !== '',
  );
  const logLine = JSON.parse(line) as Line;
  expect(logLine).toMatchObject({
    'log.level': 'info',
    message: 'decision',
    'event.kind': 'event',
    'event.category': ['network', 'web'],
    'event.type': ['access', 'denied'],
    'event.action': 'challenge',
    'event.outcome': 'failure',
    'source.ip': '127.0.0.1',
    'user_agent.original': 'curl/8.5.0',
    'http.request.method': 'GET',
    'http.response.status_code': 403,
    'rule.name': 'everybody',
    'guard.site': '127.0.0.1',
  });
  expect(logLine['@timestamp']).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  const names = /^(?:@timestamp|message|(?:ecs|event|guard|http|log|organization|rule|service|source|url|user_agent)\.[a-z_.]+)$/; // prettier-ignore
  expect(Object.keys(logLine).filter((name) => !names.test(name))).toEqual([]);
  expect(line).not.toMatch(/t0p|c4n4ry/);
});

const LOGS = join(import.meta.dirname, '../../examples/logs');

/** The first value of a key in Fluent Bit's file. */
function valueIn(file: string, key: string): string {
  const text = readFileSync(join(LOGS, file), 'utf8');
  return new RegExp(`^ +${key} +(.+)$`, 'm').exec(text)?.[1] ?? expect.fail(`no ${key}`);
}

test('the files for Fluent Bit (which this test does not run) name the fields of a line and the systemd unit', () => {
  const logLine = JSON.parse(ecsLine()) as Record<string, string>;
  const [config, parsers] = ['fluent-bit.conf', 'fluent-bit-parsers.conf'] as const;
  expect(valueIn(config, 'Systemd_Filter')).toBe('_SYSTEMD_UNIT=guard.service');
  expect(valueIn(config, 'Parsers_File')).toBe(parsers);
  expect(valueIn(config, 'Parser')).toBe(valueIn(parsers, 'Name'));
  const [field = '', pattern = ''] = valueIn(config, 'Regex').split(' ');
  expect(logLine[field]).toMatch(new RegExp(pattern));
  const digits = new Map([['Y', 4], ['L', 3]]); // prettier-ignore
  const format = valueIn(parsers, 'Time_Format')
    .replaceAll('.', '\\.')
    .replaceAll(/%([A-Za-z])/g, (_, part: string) => `\\d{${digits.get(part) ?? 2}}`);
  expect(logLine[valueIn(parsers, 'Time_Key')]).toMatch(new RegExp(`^${format}$`));
});

test('the file for Vector (which this test does not run) connects its parts and names the systemd unit', () => {
  const { sources, transforms, sinks } = parse(
    readFileSync(join(LOGS, 'vector.yaml'), 'utf8'),
  ) as Record<string, Record<string, Readonly<Record<string, unknown>>>>;
  expect(sources?.['journal']).toMatchObject({ include_units: ['guard.service'] });
  const source = expect.stringContaining('parse_json!(string!(.message))') as unknown;
  expect(transforms?.['guard']).toMatchObject({ inputs: ['journal'], source });
  expect(sinks?.['elasticsearch']).toMatchObject({ inputs: ['guard'] });
});

test('a reload switches lines of decisions off, and all other lines have the fields of ECS', async () => {
  await reloadWith({ format: 'ecs' }, '"message":"reload_applied"');
  const [line = ''] = testbed.product
    .log()
    .split('\n')
    .filter((text) => text.includes('"message":"reload_applied"'));
  expect(JSON.parse(line)).toMatchObject({ 'log.level': 'info', 'event.dataset': 'guard.log' });
  expect(line).toContain('"guard.changed":');
  await send(`${testbed.product.addresses.gateway}/open/d`, { headers: chromeHttp });
  await poll(
    () => rowsOf(testbed.product, "SELECT 1 FROM events_distributed WHERE path = '/open/d'"),
    ({ length }) => length === 1,
  );
  expect(linesOf('/open/d')).toEqual([]);
});
