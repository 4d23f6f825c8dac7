import { expect, test } from 'vitest';
import { evaluate } from './evaluate.ts';
import { missTable } from './tables.ts';

const SEED = 20261121;

test('scripts are stopped and crawlers are identified, in both halves of the corpus', async () => {
  const { rows, misses } = await evaluate({
    seed: SEED,
    perKind: 1,
    composed: 10,
    onProgress: () => undefined,
  });
  const promised = rows.filter(
    ({ met, group }) => met !== undefined && !group.startsWith('browsers,'),
  );
  expect(promised.length).toBe(10);
  for (const { met, group, requests } of promised) {
    expect(requests).toBeGreaterThan(10);
    expect(met, `${group}, seed ${SEED}\n${missTable(misses, 40)}`).toBe(true);
  }
});

test('no real browser of the sample is blocked, and few are challenged', async () => {
  const { rows, misses } = await evaluate({
    seed: SEED + 1,
    perKind: 20,
    composed: 200,
    onProgress: () => undefined,
  });
  const browsers = rows.filter(({ group }) => group.startsWith('browsers,'));
  const sum = (column: 'allow' | 'challenge' | 'block') =>
    browsers.reduce((total, { decisions }) => total + (decisions?.[column] ?? 0), 0);
  expect(sum('block'), missTable(misses, 40)).toBe(0);
  expect(sum('allow')).toBeGreaterThan(400);
  expect(sum('challenge') / sum('allow'), `seed ${SEED + 1}`).toBeLessThan(0.02);
});
