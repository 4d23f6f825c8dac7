import { inertJson } from '@guard/config/settings/problems/problems';
import { expect, test } from 'vitest';
import { logDecisions } from './watch-events.ts';
import { sampleEvent } from '../../../test/kit/product/sample-event.ts';

const event = sampleEvent({ ip: '203.0.113.7', session: 'digest', originStatus: 404, originUs: 7 });

/** The log line of the event when `analytics.privacy` has these settings. */
function lineUnder(
  privacy?: { truncate_ip: boolean; drop_headers: string[] },
  loggedEvent = event,
): unknown {
  const lines: unknown[] = [];
  const settings = {
    log: { decisions: true, format: 'json' },
    analytics: { engine: 'embedded', path: '', privacy },
  } as const;
  logDecisions(
    { record: () => undefined },
    (_level, _event, fields) => lines.push(fields),
    () => settings,
  ).record(loggedEvent);
  return lines[0];
}

test('analytics.privacy applies to the log line in the same way as to the row', () => {
  const keptFields = { host: 'shop.example', ip: '203.0.113.7', session: 'digest' };
  expect(lineUnder()).toMatchObject({
    ...keptFields,
    origin_status: 404,
    origin_us: 7,
    user_agent: event.userAgent,
  });
  const line = lineUnder({ truncate_ip: true, drop_headers: ['cookie', 'host', 'user-agent'] });
  expect(line).toMatchObject({ ip: '203.0.113.0', path: '/login' });
  expect(JSON.stringify(line)).not.toMatch(/digest|"host"|"user_agent"/);
});

test('fetch_site is one of the values that browsers send, and never another text', () => {
  const eventFrom = (site: string) => sampleEvent({ headers: { 'sec-fetch-site': site } });
  expect(lineUnder(undefined, eventFrom('cross-site'))).toMatchObject({ fetch_site: 'cross-site' });
  expect(lineUnder(undefined, eventFrom('none"} {'))).not.toHaveProperty('fetch_site');
  const droppedHeader = { truncate_ip: false, drop_headers: ['sec-fetch-site'] };
  expect(lineUnder(droppedHeader, eventFrom('cross-site'))).not.toHaveProperty('fetch_site');
});

test('a line has less than 16 KiB, because Docker would split a longer one', () => {
  const long = '\u0085'.repeat(32_000);
  const line = lineUnder(undefined, sampleEvent({ path: `/${long}`, userAgent: long }));
  expect(Buffer.byteLength(inertJson(line))).toBeLessThan(16 * 1024);
  expect(line).toMatchObject({ path: `/${long}`.slice(0, 1024), user_agent: long.slice(0, 1024) });
});
