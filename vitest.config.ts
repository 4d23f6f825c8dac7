import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { seedOfRun } from './test/kit/commit-seed.ts';
import { roomsOf } from './test/kit/test-rooms.ts';

const ROOT = import.meta.dirname;
/** What people do at a desk takes its time: `npm run eval -- people`. */
const desk = process.env['GUARD_TEST_DESK'] === '1' ? [] : ['**/*.desk.test.ts'];
const NOT_OURS = ['**/node_modules/**', '**/dist/**', ...desk];
/** Half of the files wait for a browser or a program half of their time: one process more than there are cores. */
const AT_A_TIME = Math.max(2, availableParallelism()) + 1;

// As bin/guard.mjs does: what one process compiled, the next one reads. Programs of tests inherit it.
process.env['NODE_COMPILE_CACHE'] ??= join(ROOT, 'node_modules/.cache/guard');

const all = globSync('**/*.test.ts', { cwd: ROOT, exclude: NOT_OURS });

/** People at a desk have an idle machine: these run one behind the other, when all else is done. */
const people = all.filter((file) => file.endsWith('.desk.test.ts'));
const rooms = roomsOf(
  all.filter((file) => !people.includes(file)),
  ROOT,
);

/** Unit and contract tests stand beside the code; what needs the whole product stands in test/. */
export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // As `poll` of test/kit/http.ts: a busy machine takes longer than the usual second.
    expect: { poll: { timeout: 45_000 } },
    pool: 'forks',
    env: { GUARD_TEST_SEED: seedOfRun(process.env['GUARD_TEST_SEED'], ROOT) },
    projects: [
      ...(['alone', 'share', 'wait'] as const).map((name) => ({
        extends: true as const,
        test: {
          name,
          include: [...rooms[name]],
          exclude: NOT_OURS,
          isolate: name === 'alone',
          maxWorkers: AT_A_TIME,
          sequence: { groupOrder: 0 },
        },
      })),
      {
        extends: true,
        test: {
          name: 'people',
          include: people,
          exclude: NOT_OURS,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
