import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRecorders } from '../../test-kit/recorders.ts';
import { sampleEvent } from '../../test-kit/sample-event.ts';
import { until } from '../../test-kit/until.ts';
import { openAnalytics } from '../index.ts';
import type { Analytics } from '../index.ts';

const folder = mkdtempSync(join(tmpdir(), 'guard-embedded-'));
const recorders = createRecorders();
let analytics: Analytics;

beforeAll(async () => {
  analytics = await openAnalytics({
    settings: { engine: 'embedded', path: folder },
    organisations: [{ id: 'acme' }],
    authenticate: () => undefined,
    clock: Date.now,
    log: recorders.log,
    metrics: recorders.metrics,
  });
  await until('the engine is ready', () => analytics.ready());
});

afterAll(async () => {
  await analytics.close();
  rmSync(folder, { recursive: true, force: true });
});

test('an organisation that is added has an account within moments, and no event is lost or seen by another', async () => {
  function record(): void {
    for (let each = 0; each < 50; each += 1) {
      analytics.sink.record(sampleEvent());
      analytics.sink.record(sampleEvent({ organisation: 'late' }));
    }
  }
  const rows = async (organisation: string): Promise<string> => {
    const sql = 'SELECT count(), uniqExact(organisation) FROM events_distributed';
    const outcome = await analytics.runQuery({ organisation, sql });
    return outcome.kind === 'rows' ? Buffer.from(outcome.body).toString() : outcome.kind;
  };
  record();
  expect(await rows('late')).toBe('unavailable');
  analytics.setOrganisations([{ id: 'acme' }, { id: 'late' }]);
  record();
  for (const organisation of ['late', 'acme']) {
    await until('it is answered', async () => (await rows(organisation)) === '100\t1\n');
  }
  expect(recorders.counted('guard_events_total', 'dropped')).toBe(0);
  expect(recorders.counted('guard_analytics_restarts_total')).toBe(0);
});
