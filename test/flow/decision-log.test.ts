import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { poll, send } from '../kit/http.ts';
import { rowsOf } from '../kit/sql.ts';
import { storySettings } from '../kit/story-settings.ts';
import { useProduct } from '../kit/use-product.ts';
import { chromeHttp } from '../kit/visitors.ts';

/** One line a decision in the log, and the same in its row. */

const over = {
  rules: [
    { name: 'open', match: { path: '/open/**' }, verdict: 'allow' },
    { name: 'everybody', match: {}, detect: true },
  ],
  top: { log: { decisions: true } },
};
const story = useProduct(over);

type Line = Readonly<Record<string, unknown>>;

function linesOf(path: string): Line[] {
  return story.product
    .log()
    .split('\n')
    .filter((line) => line.includes('"event":"decision"') && line.includes(`"path":"${path}"`))
    .map((line) => JSON.parse(line) as Line);
}

async function lineAndRow(path: string, headers: Readonly<Record<string, string>>) {
  const { status } = await send(`${story.product.addresses.gateway}${path}?token=t0p`, { headers });
  const [line] = await poll(
    () => Promise.resolve(linesOf(path)),
    (lines) => lines.length === 1,
  );
  const statement = `SELECT * FROM events_distributed WHERE path = '${path}'`;
  const [row] = await poll(
    () => rowsOf<Line>(story.product, statement),
    ({ length }) => length === 1,
  );
  return { status, line, row };
}

const SHARED = ['request_id', 'action', 'decision', 'rule', 'method', 'host', 'ip', 'ip_from'];
const OUTCOME = ['status_code', 'origin_status', 'origin_us', 'settings_revision'];
const TIMES = ['duration_us', 'facts_us', 'session_us', 'verdict_us'];

test('a visitor behind a trusted proxy: who says the address, what is claimed, where the time went', async () => {
  const headers = { ...chromeHttp, 'x-forwarded-for': '1.1.1.1' };
  const { line, row } = await lineAndRow('/open/a', headers);
  expect(line).toMatchObject({
    level: 'info',
    action: 'allow',
    rule: 'open',
    ip: '1.1.1.1',
    ip_from: 'x-forwarded-for',
  });
  for (const name of [...SHARED, ...OUTCOME, ...TIMES]) {
    expect(row?.[name], name).toEqual(line?.[name]);
  }
  expect(row).toMatchObject({ status_code: 200, origin_status: 200, session_sent: '' });
  expect(row?.['origin_us']).toBeGreaterThan(0);
  expect(story.product.log()).toMatch(
    new RegExp(`"event":"settings_read",.*"revision":"${String(row?.['settings_revision'])}"`),
  );
  expect(row).toMatchObject({ asn: 13335, asn_name: 'Cloudflare, Inc.' });
  expect(row).toMatchObject({ browser: 'chrome', os: 'windows', device: 'desktop', findings: {} });
  expect(row?.['browser_version']).toBeGreaterThan(100);
  const spent = ['facts_us', 'session_us', 'verdict_us'].map((name) => Number(row?.[name]));
  expect(spent.reduce((sum, us) => sum + us)).toBeLessThanOrEqual(Number(row?.['duration_us']) + 3);
});

test('a program that is stopped: what was found, with its points', async () => {
  const { status, line, row } = await lineAndRow('/b', { 'user-agent': 'curl/8.5.0' });
  expect(status).toBe(403);
  expect(line).toMatchObject({ ip: '127.0.0.1', ip_from: 'peer', site: '127.0.0.1' });
  const findings = row?.['findings'] as Readonly<Record<string, number>>;
  expect(findings['http_client_user_agent']).toBe(2);
  expect(Object.keys(findings)).toEqual(expect.arrayContaining(String(line?.['block_reasons']).split(' '))); // prettier-ignore
  expect(row).toMatchObject({ browser: '', os: '', device: '' });
});

test('no query string, no credential stands in the log', async () => {
  const headers = { ...chromeHttp, cookie: 'account=c4n4ry', authorization: 'Bearer c4n4ry' };
  await lineAndRow('/open/c', headers);
  expect(story.product.log()).not.toMatch(/t0p|c4n4ry/);
});

/** Writes the settings with this `log`, and waits until the log has a line of the reload. */
async function reloadWith(log: object, line: string): Promise<void> {
  const settings = storySettings(story.origin.url, { rules: over.rules, top: { log } });
  writeFileSync(join(story.product.folder, 'guard.yaml'), stringify(settings));
  await poll(
    () => Promise.resolve(story.product.log()),
    (text) => text.includes(line),
  );
}

/** The line of the one request for /ecs, or an empty text. */
const ecsLine = (): string =>
  story.product
    .log()
    .split('\n')
    .find((line) => line.includes('"url.path":"/ecs"')) ?? '';

test('log.format: ecs writes the fields of the Elastic Common Schema, from a reload on', async () => {
  await reloadWith({ decisions: true, format: 'ecs' }, 'reload_applied');
  const headers = { 'user-agent': 'curl/8.5.0', cookie: 'account=c4n4ry' };
  await send(`${story.product.addresses.gateway}/ecs?token=t0p`, { headers });
  const line = await poll(
    () => Promise.resolve(ecsLine()),
    (text) => text !== '',
  );
  const read = JSON.parse(line) as Line;
  expect(read).toMatchObject({
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
  expect(read['@timestamp']).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  const names = /^(?:@timestamp|message|(?:ecs|event|guard|http|log|organization|rule|service|source|url|user_agent)\.[a-z_.]+)$/; // prettier-ignore
  expect(Object.keys(read).filter((name) => !names.test(name))).toEqual([]);
  expect(line).not.toMatch(/t0p|c4n4ry/);
});

const LOGS = join(import.meta.dirname, '../../examples/logs');

/** The first value of a key of Fluent Bit's file. */
function valueIn(file: string, key: string): string {
  const text = readFileSync(join(LOGS, file), 'utf8');
  return new RegExp(`^ +${key} +(.+)$`, 'm').exec(text)?.[1] ?? expect.fail(`no ${key}`);
}

test('the files for Fluent Bit, which cannot be run here, name what a line and the unit have', () => {
  const read = JSON.parse(ecsLine()) as Record<string, string>;
  const [config, parsers] = ['fluent-bit.conf', 'fluent-bit-parsers.conf'] as const;
  expect(valueIn(config, 'Systemd_Filter')).toBe('_SYSTEMD_UNIT=guard.service');
  expect(valueIn(config, 'Parsers_File')).toBe(parsers);
  expect(valueIn(config, 'Parser')).toBe(valueIn(parsers, 'Name'));
  const [field = '', pattern = ''] = valueIn(config, 'Regex').split(' ');
  expect(read[field]).toMatch(new RegExp(pattern));
  const digits = new Map([['Y', 4], ['L', 3]]); // prettier-ignore
  const format = valueIn(parsers, 'Time_Format')
    .replaceAll('.', '\\.')
    .replaceAll(/%([A-Za-z])/g, (_, part: string) => `\\d{${digits.get(part) ?? 2}}`);
  expect(read[valueIn(parsers, 'Time_Key')]).toMatch(new RegExp(`^${format}$`));
});

test('the file for Vector, which cannot be run here, joins its parts, and names the unit', () => {
  const { sources, transforms, sinks } = parse(
    readFileSync(join(LOGS, 'vector.yaml'), 'utf8'),
  ) as Record<string, Record<string, Readonly<Record<string, unknown>>>>;
  expect(sources?.['journal']).toMatchObject({ include_units: ['guard.service'] });
  const source = expect.stringContaining('parse_json!(string!(.message))') as unknown;
  expect(transforms?.['guard']).toMatchObject({ inputs: ['journal'], source });
  expect(sinks?.['elasticsearch']).toMatchObject({ inputs: ['guard'] });
});

test('a reload switches it off, and a line that is no decision has the fields of ECS too', async () => {
  await reloadWith({ format: 'ecs' }, '"message":"reload_applied"');
  const [line = ''] = story.product
    .log()
    .split('\n')
    .filter((text) => text.includes('"message":"reload_applied"'));
  expect(JSON.parse(line)).toMatchObject({ 'log.level': 'info', 'event.dataset': 'guard.log' });
  expect(line).toContain('"guard.changed":');
  await send(`${story.product.addresses.gateway}/open/d`, { headers: chromeHttp });
  await poll(
    () => rowsOf(story.product, "SELECT 1 FROM events_distributed WHERE path = '/open/d'"),
    ({ length }) => length === 1,
  );
  expect(linesOf('/open/d')).toEqual([]);
});
