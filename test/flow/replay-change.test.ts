import { join } from 'node:path';
import { createReplay } from '@guard/replay';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openWithoutKeys, textOf } from '../../analytics/src/testing/open-analytics.ts';
import { guardYaml, settingsOf } from '../../replay/src/testing/settings-of.ts';
import { poll } from '../kit/http.ts';
import { sampleEvent } from '../kit/product/sample-event.ts';
import { testFolder } from '../kit/test-folder.ts';

/** This test judges events of the real database again with one change of the settings, as the dashboard does. */

const folder = testFolder();
const settings = settingsOf(guardYaml('rules: [{ name: everybody, match: {}, detect: true }]\n'));
let analytics: Awaited<ReturnType<typeof openWithoutKeys>>;

beforeAll(async () => {
  const engine = { engine: 'embedded', path: join(folder, 'events') } as const;
  analytics = await openWithoutKeys(engine, ['acme', 'other']);
  await analytics.settled;
});
afterAll(() => analytics.close());

test('the gate lets all statements of a replay pass, and an organisation sees its own events', async () => {
  const ips = ['84.115.20.7', '84.115.20.8'];
  for (const ip of ips) analytics.sink.record(sampleEvent({ ip, site: 'shop.example' }));
  analytics.sink.record(sampleEvent({ organisation: 'other', site: 'other.example' }));
  const count = 'SELECT count() FROM events_distributed';
  await poll(
    async () => textOf(await analytics.runQuery({ organisation: 'acme', sql: count })),
    (rows) => rows === '2\n',
  );
  const replay = createReplay(() => settings, analytics.runQuery);
  const { signal } = new AbortController();
  const change = { kind: 'allow', match: { ip: '84.115.20.8' } };
  expect(await replay({ organisation: 'acme', change, hours: 1, signal })).toMatchObject({
    kind: 'replayed',
    answer: {
      judged: 2,
      changed: 1,
      groups: [{ before: 'challenge', after: 'allow', examples: [{ ip: '84.115.20.8' }] }],
    },
  });
  const sql = `${count} WHERE cityHash64(request_id) % 1 = 0`;
  expect(textOf(await analytics.runQuery({ organisation: 'acme', sql }))).toBe('2\n');
});
