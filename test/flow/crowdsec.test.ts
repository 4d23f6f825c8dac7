import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { openUsageReport } from '../../server/src/crowdsec/report-usage.ts';
import { createMetrics } from '../../server/src/metrics/metrics.ts';
import { type Crowdsec, openCrowdsec } from '../kit/peers/crowdsec.ts';
import { poll, send } from '../kit/http.ts';
import { metricOf } from '../kit/product/metric-of.ts';
import { type RecordingOrigin, startRecordingOrigin } from '../kit/origins/recording-origin.ts';
import { startRelay } from '../kit/peers/relay.ts';
import { type Product, startProduct } from '../kit/product/start-product.ts';
import { productSettings } from '../kit/product/product-settings.ts';
import { testFolder } from '../kit/test-folder.ts';
import { hasCrowdsec } from '../kit/tools.ts';
import { chromeHttp, curl, pictureOfPage } from '../kit/visitors/visitors.ts';

/** In these tests Guard is a bouncer of CrowdSec. The agent is the one of Debian. */

const RULES = [
  { name: 'shut', match: { path: '/admin/**', reason: 'crowdsec_listed' }, verdict: 'block' },
  { name: 'everybody', match: {}, detect: true },
];

let origin: RecordingOrigin;
let crowdsec: Crowdsec;
let product: Product;

const folder = testFolder();
const settings = (log: object) =>
  productSettings(origin.url, {
    rules: RULES,
    organisation: { challenge: { free_pages: false, pressure: false } },
    top: {
      workers: 2,
      analytics: undefined,
      store: { engine: 'memory', path: folder },
      crowdsec: { url: crowdsec.url, key: crowdsec.key, every: '1s' },
      log,
    },
  });
const start = (): Promise<Product> => startProduct(settings({ decisions: true }));

/** The kind of answer that a visitor at this address gets. */
async function visit(
  ip: string,
  path = '/',
  clientHeaders: Readonly<Record<string, string>> = chromeHttp,
): Promise<'origin' | 'challenge' | 'block'> {
  const headers = { ...clientHeaders, host: 'shop.example', 'x-forwarded-for': ip };
  const answer = await send(`${product.addresses.gateway}${path}`, { headers });
  if (answer.status === 200) return 'origin';
  return answer.body.includes('<script') ? 'challenge' : 'block';
}

/**
 * Waits until several visits all get the expected kind of answer. There are several, because two threads accept
 * connections.
 */
const untilDecision = (ip: string, expected: string): Promise<unknown> =>
  poll(
    async () => {
      const seenStatuses = new Set<string>();
      for (let times = 0; times < 6; times += 1) seenStatuses.add(await visit(ip));
      return [...seenStatuses];
    },
    (outcomes) => outcomes.length === 1 && outcomes[0] === expected,
  );

const metric = (name: string) => metricOf(product, name);

describe.skipIf(!hasCrowdsec)('Guard as a bouncer of CrowdSec', () => {
  beforeAll(async () => {
    [origin, crowdsec] = await Promise.all([startRecordingOrigin(), openCrowdsec()]);
    await crowdsec.start();
    await crowdsec.decide('add', '--ip', '203.0.113.1');
    product = await start();
  });
  afterAll(async () => {
    await product.stop();
    await Promise.all([origin.close(), crowdsec.close()]);
  });

  test('a visitor on the list is challenged in every thread, and blocked by a rule that matches the reason', async () => {
    await untilDecision('203.0.113.1', 'challenge');
    expect(await visit('203.0.113.1', '/admin/users')).toBe('block');
    expect(await visit('203.0.113.2')).toBe('origin');
    expect(await visit('203.0.113.2', '/admin/users')).toBe('origin');
  });

  test('networks, IPv6 addresses, autonomous systems, countries and captchas are added and removed while Guard runs', async () => {
    const addedDecisions = [
      ['--range', '198.51.100.0/24', '198.51.100.77'],
      ['--ip', '2001:db8::7', '2001:db8:0::7'],
      ['--scope=AS --value', '8412', '84.115.20.7'],
      ['--scope=Country --value', 'nz', '202.27.184.3'],
      ['--type=captcha --ip', '203.0.113.5', '203.0.113.5'],
    ] as const;
    for (const [, , ip] of addedDecisions) expect(await visit(ip)).toBe('origin');
    for (const [how, value] of addedDecisions)
      await crowdsec.decide('add', ...how.split(' '), value);
    await Promise.all(addedDecisions.map(([, , ip]) => untilDecision(ip, 'challenge')));
    // For a deletion, cscli needs only the last option.
    for (const [how, value] of addedDecisions) {
      await crowdsec.decide('delete', how.split(' ').at(-1) ?? '', value);
    }
    await Promise.all(addedDecisions.map(([, , ip]) => untilDecision(ip, 'origin')));
  });

  test('when one of two decisions on an address is deleted, the other decision still applies', async () => {
    const [twice, typed, later] = ['203.0.113.31', '203.0.113.32', '203.0.113.33'];
    await crowdsec.decide('add', '--ip', twice, '--duration', '1h');
    await crowdsec.decide('add', '--ip', typed, '--duration', '4h');
    await untilDecision(typed, 'challenge');
    await crowdsec.decide('add', '--ip', twice, '--duration', '4h');
    await crowdsec.decide('add', '--ip', typed, '--duration', '1h', '--type=captcha');
    // When Guard has the decision on this address, it also has all earlier decisions.
    await crowdsec.decide('add', '--ip', later);
    await untilDecision(later, 'challenge');
    const longerId = Math.max(...(await crowdsec.decisionIdsOn(twice)));
    await crowdsec.decide('delete', '--id', String(longerId));
    await crowdsec.decide('delete', '--ip', typed, '--type=captcha');
    await crowdsec.decide('delete', '--ip', later);
    await untilDecision(later, 'origin');
    expect([await visit(twice), await visit(typed)]).toEqual(['challenge', 'challenge']);
    for (const ip of [twice, typed]) await crowdsec.decide('delete', '--ip', ip);
    await Promise.all([twice, typed].map((ip) => untilDecision(ip, 'origin')));
  });

  test('this version of CrowdSec accepts no usage metrics: Guard sends them once, and logs nothing', async () => {
    const requests: string[] = [];
    const lines: unknown[] = [];
    const relay = await startRelay(crowdsec.url, ({ method, url }) => requests.push(method + url));
    let now = Date.now();
    const report = await openUsageReport({
      ...{ clock: () => now, metrics: createMetrics(), log: (...line) => lines.push(line) },
    });
    for (let times = 0; times < 3; times += 1) {
      now += 900_000;
      await report({ url: `http://127.0.0.1:${relay.port}`, key: crowdsec.key, every: 1_000 });
    }
    await relay.close();
    expect([requests, lines]).toEqual([['POST/v1/usage-metrics'], []]);
  });

  test('a decision ends after its duration, also while CrowdSec is away', async () => {
    // cscli and the visits run at the same time: on a busy machine cscli can end later than the decision.
    await Promise.all([
      crowdsec.decide('add', '--ip', '203.0.113.9', '--duration', '6s'),
      untilDecision('203.0.113.9', 'challenge'),
    ]);
    await crowdsec.stop();
    await untilDecision('203.0.113.9', 'origin');
  });

  test('while CrowdSec is away the last list stays in use, also after a restart of Guard, and its age grows', async () => {
    const awayLines = () =>
      product
        .log()
        .split('\n')
        .filter((line) => line.includes('crowdsec_away'));
    await poll(
      () => Promise.resolve(awayLines()),
      (lines) => lines.length > 0,
    );
    expect(await visit('203.0.113.1')).toBe('challenge');
    await product.stop();
    product = await start();
    await untilDecision('203.0.113.1', 'challenge');
    await poll(
      () => metric('guard_crowdsec_age_seconds'),
      (age) => age >= 2,
    );
    await poll(
      () => Promise.resolve(awayLines()),
      (lines) => lines.length > 0,
    );
    expect(awayLines()).toHaveLength(1);
  });

  test('when CrowdSec is back, Guard gets the changes that were made while it was away', async () => {
    await crowdsec.start();
    await crowdsec.decide('delete', '--ip', '203.0.113.1');
    await crowdsec.decide('add', '--ip', '203.0.113.2');
    await untilDecision('203.0.113.2', 'challenge');
    await untilDecision('203.0.113.1', 'origin');
    expect(await metric('guard_crowdsec_decisions')).toBe(1);
    await poll(
      () => metric('guard_crowdsec_age_seconds'),
      (age) => age < 2,
    );
  });

  test('CrowdSec bans visitors whom Guard stops many times, but not for a ban, for requests of a foreign page, for a crowd or for a limit', async () => {
    const LISTED_ADDRESS = '203.0.113.2';
    const PROGRAMS = ['203.0.113.21', '203.0.113.22'] as const;
    const AT_FOREIGN_PAGE = '203.0.113.23';
    const AT_COMMENT = '203.0.113.25';
    const OF_PEOPLE = [
      // Many people behind one address, who are each challenged once.
      'free_pages_used pressure_on_origin vpn_ip',
      // A person whose page asks for more data at once than a pass allows.
      'session_limit_exceeded',
    ];
    for (const ip of PROGRAMS) expect(await visit(ip)).toBe('origin');
    const visitOften = async (program: string) => {
      for (let times = 0; times < 22; times += 1) {
        expect(await visit(program, '/shelf', curl)).toBe('challenge');
        expect(await visit(LISTED_ADDRESS)).toBe('challenge');
        expect(await visit(LISTED_ADDRESS, '/admin/users')).toBe('block');
      }
    };
    await visitOften(PROGRAMS[0]);
    const ecs = stringify(settings({ decisions: true, format: 'ecs' }));
    writeFileSync(join(product.folder, 'guard.yaml'), ecs);
    const logHas = (text: string) =>
      poll(
        () => Promise.resolve(product.log()),
        (log) => log.includes(text),
      );
    await logHas('"message":"reload_applied"');
    await visitOften(PROGRAMS[1]);
    const onForeignPage = { ...pictureOfPage, ...{ 'sec-fetch-site': 'cross-site' } };
    const foreign = { ...onForeignPage, 'x-forwarded-proto': 'https' };
    for (let times = 0; times < 22; times += 1) {
      expect(await visit(AT_FOREIGN_PAGE, '/.env', foreign)).not.toBe('origin');
      const asProgram = { ...foreign, 'accept-language': '*' };
      expect(await visit(AT_FOREIGN_PAGE, '/', asProgram)).not.toBe('origin');
      const inComment = { ...foreign, 'sec-fetch-site': 'same-origin' };
      expect(await visit(AT_COMMENT, '/.env', inComment)).not.toBe('origin');
    }
    await visit('203.0.113.4', '/the-last');
    await logHas('/the-last');
    const logLines = product.log().split('\n');
    const reason = 'http_client_user_agent';
    const sample = logLines.find((one) => one.includes(`"${PROGRAMS[1]}"`) && one.includes(reason));
    if (sample === undefined) throw new Error('no such line');
    const linesOfPeople = OF_PEOPLE.map((reasons, at) =>
      sample.replace(PROGRAMS[1], `203.0.113.3${at}`).replace(reason, reasons),
    );
    const lines = [...logLines, ...Array.from({ length: 22 }, () => linesOfPeople).flat()];
    const linesOfPrograms = PROGRAMS.map(
      (ip) => lines.findLast((line) => line.includes(`"${ip}"`)) ?? '',
    );
    const otherLine = lines.find((line) => line.includes('"reload_applied"')) ?? '';

    const [explained, log] = await Promise.all([
      crowdsec.explain('guard', [...linesOfPrograms, otherLine]),
      crowdsec.read('guard', lines),
    ]);

    const scenarios = [...log.matchAll(/Ip (\S+) performed '(\S+)'/g)].map(([, ...about]) => about);
    expect(scenarios.toSorted()).toEqual(PROGRAMS.map((ip) => [ip, 'guard/stopped']));
    await Promise.all(PROGRAMS.map((ip) => untilDecision(ip, 'challenge')));
    const parts = explained.split('line: ').slice(1);
    const meta = parts.map((part) =>
      Object.fromEntries(
        [...part.matchAll(/evt\.Meta\.(\w+) : (.*)/g)].map(
          ([, name = '', value = '']): [string, string] => [name, value],
        ),
      ),
    );
    const readFields = {
      ...{ service: 'http', log_type: 'guard_decision', target_fqdn: 'shop.example' },
      ...{ http_verb: 'GET', http_path: '/shelf', http_status: '403' },
      ...{ http_user_agent: curl['user-agent'], guard_rule: 'everybody' },
      ...{ guard_action: 'challenge', guard_reasons: 'http_client_user_agent' },
    };
    // cscli does not always show lines in the order of the file.
    for (const source_ip of PROGRAMS) {
      const index = meta.findIndex((fields) => fields['source_ip'] === source_ip);
      expect(meta[index]).toMatchObject({ ...readFields, source_ip });
      expect(meta[index]?.['timestamp']).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
      expect(parts[index]).toContain('🟢 guard/stopped');
    }
    const unread = parts.filter((part) => part.includes('🔴 guard/decision-logs'));
    expect([parts.length, unread.length]).toEqual([3, 1]);
  });
});
