import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testFolder } from '../../../test/kit/test-folder.ts';
import { openWithoutKeys, textOf } from '../testing/open-analytics.ts';
import { createRecorders } from '../testing/recorders.ts';
import { sampleEvent } from '../testing/sample-event.ts';
import { until } from '../testing/until.ts';
import type { Analytics } from '../index.ts';

const folder = testFolder();
const recorders = createRecorders();
let analytics: Analytics;
/** The states that the engine reported until its second start, after the first one failed. */
const states = new Set<unknown>();

/** The child processes of the test process. Children of earlier test files may still run. */
function children(): ReadonlySet<number> {
  const pid = String(process.pid);
  const childPids = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return new Set(childPids.split(' ').filter(Boolean).map(Number));
}

const startedBefore = children();
const enginePid = (): number | undefined => [...children()].find((pid) => !startedBefore.has(pid));

beforeAll(async () => {
  analytics = await openWithoutKeys({ engine: 'embedded', path: folder }, ['acme'], recorders);
  process.kill(await until('the engine starts', enginePid), 'SIGKILL');
  await until('the engine is ready', () => {
    states.add(analytics.condition()?.state);
    return analytics.ready();
  });
});

afterAll(async () => {
  await analytics.close();
});

test('a start that fails for an unknown cause is tried again before it is reported', () => {
  expect(recorders.lines.some((line) => line.includes('analytics_engine_ended'))).toBe(true);
  expect(states).not.toContain('failing');
});

test('a new organisation soon has an account, and no event is lost or visible to another one', async () => {
  function record(): void {
    for (let index = 0; index < 50; index += 1) {
      analytics.sink.record(sampleEvent());
      analytics.sink.record(sampleEvent({ organisation: 'late' }));
    }
  }
  const rows = async (organisation: string): Promise<string> => {
    const sql = 'SELECT count(), uniqExact(organisation) FROM events_distributed';
    return textOf(await analytics.runQuery({ organisation, sql }));
  };
  record();
  expect(await rows('late')).toBe('unavailable');
  analytics.setOrganisations([{ id: 'acme' }, { id: 'late' }]);
  record();
  for (const organisation of ['late', 'acme']) {
    await until('the query is answered', async () => (await rows(organisation)) === '100\t1\n');
  }
  expect(recorders.counterValue('guard_events_total', 'dropped')).toBe(0);
  expect(recorders.counterValue('guard_analytics_restarts_total')).toBe(1);
});

describe('during the restart of the engine for a new organisation', () => {
  const kindOf = async (sql: string, signal?: AbortSignal): Promise<string> => {
    const query = { organisation: 'acme', sql, ...(signal && { signal }) };
    return (await analytics.runQuery(query)).kind;
  };
  const countStarts = (): number =>
    recorders.lines.filter((line) => line.includes('analytics_ready')).length;

  test('running and new queries of other organisations are answered', async () => {
    let isAnswered = false;
    const running = kindOf('SELECT sum(sipHash64(number)) FROM numbers(40000000)');
    void running.then(() => (isAnswered = true));
    // This query opens a second connection. When its answer comes, the database has also received the query of the
    // first connection.
    expect(await kindOf('SELECT 1')).toBe('rows');
    expect(isAnswered).toBe(false);

    const before = countStarts();
    analytics.setOrganisations([{ id: 'acme' }, { id: 'late' }, { id: 'later' }]);
    const kinds = [running];
    while (countStarts() === before) {
      kinds.push(kindOf('SELECT count() FROM events'));
      expect(await analytics.listColumns()).not.toEqual([]);
    }
    expect(new Set(await Promise.all(kinds))).toEqual(new Set(['rows']));
    expect(countStarts()).toBe(before + 1);
  });

  test('no query waits after its caller disconnected or the engine was closed', async () => {
    const before = countStarts();
    analytics.setOrganisations([{ id: 'acme' }, { id: 'the last' }]);
    const caller = new AbortController();
    const cancelledKind = kindOf('SELECT 1', caller.signal);
    const waitingKind = kindOf('SELECT 1');
    await new Promise(setImmediate);
    caller.abort();
    expect(await cancelledKind).toBe('unavailable');
    expect(countStarts()).toBe(before);
    await analytics.close();
    expect(await waitingKind).toBe('unavailable');
  });
});
