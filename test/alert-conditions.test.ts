import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DecisionEvent } from '@guard/config/contract/event';
import { afterAll, expect, test } from 'vitest';
import { openWithoutKeys } from '../analytics/src/testing/open-analytics.ts';
import { sampleEvent } from '../analytics/src/testing/sample-event.ts';
import { until } from '../analytics/src/testing/until.ts';
import { eventConditions } from '../server/src/alerts/event-conditions.ts';

/** These tests run the statements of alerts in the real engine, behind the real gate. */

const folder = mkdtempSync(join(tmpdir(), 'guard-alerts-'));
const analytics = await openWithoutKeys({ engine: 'embedded', path: folder }, ['acme', 'hung']);
afterAll(async () => {
  await analytics.close();
  rmSync(folder, { recursive: true });
});

const MINUTE_MS = 60_000;
const now = Date.now();
let events = 0;

function happened(times: number, event: Partial<DecisionEvent>, agoMs = MINUTE_MS): void {
  for (let each = 0; each < times; each += 1) {
    analytics.sink.record(sampleEvent({ ...event, createdAt: now - agoMs - each }));
  }
  events += times;
}

test('events lead to alerts about one rule, one silent site, and people who are challenged again', async () => {
  const blocked = { action: 'block', decision: 'block' } as const;
  happened(60, { ...blocked, rule: 'no training' });
  happened(60, { ...blocked, rule: 'as ever' });
  happened(240, { ...blocked, rule: 'as ever' }, 60 * MINUTE_MS);
  happened(60, { ...blocked, rule: 'temporary tab12cd' });

  const allowed = { action: 'allow', decision: 'allow', rule: '' } as const;
  const silent = { ...allowed, originStatus: 0, statusCode: 502 };
  const networks = ['203.0.113.1', '198.51.100.1', '2001:db8:1::1', '2001:db8:2::1'];
  for (const ip of networks) happened(3, { ...silent, ip, site: 'shop.example' });
  for (const ip of ['203.0.113.1', '203.0.113.2', '2001:db8::1', '2001:db8::2:1']) {
    happened(3, { ...silent, ip, statusCode: 504, site: 'slow-page.example' });
  }
  happened(10, { ...allowed, originStatus: 200, statusCode: 200, site: 'shop.example' });
  happened(12, { ...allowed, originStatus: 502, statusCode: 502, site: 'own-fault.example' });
  for (const ip of networks.slice(1)) happened(3, { ...silent, ip, site: 'quiet.example' });

  for (let person = 0; person < 12; person += 1) {
    const ip = `203.0.113.${person}`;
    happened(1, { ...allowed, ip, challenge: 'verified' }, 20 * MINUTE_MS);
    const challenged = { action: 'challenge', decision: 'challenge', challenge: 'issued' } as const;
    happened(1, { ...challenged, ip }, (person < 10 ? 15 : 5) * MINUTE_MS);
  }
  for (const ip of networks) {
    happened(3, { ...silent, ip, statusCode: 504, site: 'hung.example', organisation: 'hung' });
  }

  const count = async (): Promise<number> => {
    let all = 0;
    for (const organisation of ['acme', 'hung']) {
      const sql = 'SELECT count() FROM events_distributed';
      const outcome = await analytics.runQuery({ organisation, sql });
      if (outcome.kind === 'rows') all += Number(Buffer.from(outcome.body).toString());
    }
    return all;
  };
  await until('the events are there', async () => (await count()) === events);

  const alerts = await eventConditions('acme', analytics.runQuery, true);
  expect(await eventConditions('hung', analytics.runQuery, true)).toEqual([]);
  expect(await eventConditions('hung', analytics.runQuery, false)).toEqual([
    {
      name: 'origin_down',
      about: 'hung hung.example',
      seen: '12 of 12 requests for hung.example in five minutes got no answer.',
    },
  ]);
  expect(alerts.map(({ name, about }) => `${name} ${about}`)).toEqual([
    'blocks_jump acme no training',
    'origin_down acme shop.example',
    'challenged_again acme',
  ]);
  expect(alerts[1]?.seen).toMatch(/^12 of 22 requests for shop\.example in five minutes/);
});
