import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const NOT_OURS = ['**/node_modules/**', '**/dist/**'];

/**
 * Files in which people's browsers have a window. A person has one screen and one keyboard, and an
 * idle machine to look at it on: these run one behind the other, when all else is done.
 */
const people = globSync('{test,examples}/**/*.test.ts', {
  cwd: import.meta.dirname,
  exclude: NOT_OURS,
}).filter((file) =>
  /'[./]*(?:test)?\/kit\/(?:windowed-chromium|use-desk)\.ts'/.test(
    readFileSync(join(import.meta.dirname, file), 'utf8'),
  ),
);

/** Unit and contract tests stand beside the code; what needs the whole product stands in test/. */
export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: 'forks',
    projects: [
      {
        extends: true,
        test: {
          name: 'side by side',
          include: ['**/*.test.ts'],
          exclude: [...NOT_OURS, ...people],
          // Much of a test's time is waiting, for a browser or a server, so no core is held back.
          maxWorkers: Math.max(2, availableParallelism()),
          sequence: { groupOrder: 0 },
        },
      },
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
