import { describe, expect, test } from 'vitest';
import { killInTurns } from '../kit/kill-in-turns.ts';
import { rounds } from '../kit/seeded-random.ts';
import { hasHaproxy, hasRedis } from '../kit/tools.ts';

/** Each instance once; at full length every few seconds for half a minute. */
const KILLS = rounds(3, 12);

describe.skipIf(!hasHaproxy || !hasRedis)('three instances behind HAProxy', () => {
  test('killed (SIGKILL) in turns under load: no visitor is challenged twice, no answer is wrong, no limit is exceeded by more than 10 %', async () => {
    const report = await killInTurns(KILLS);
    const { asked, limited, budget, challengedTwice, wrong } = report;
    console.log(JSON.stringify(report));

    expect([challengedTwice, wrong]).toEqual([0, []]);
    expect(report.passedMeanwhile).toBeGreaterThan(0);
    expect(limited.admitted).toBeLessThanOrEqual(1.1 * budget);
    // And that there was something to see: requests for all of it, and the limit's whole burst spent.
    expect(asked).toBeGreaterThan(100);
    expect(limited.asked).toBeGreaterThan(budget);
    expect(limited.admitted).toBeGreaterThanOrEqual(60);
  }, 300_000);
});
