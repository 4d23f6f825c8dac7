import { defineConfig } from 'vitest/config';

/** Unit and contract tests stand beside the code; what needs the whole product stands in test/. */
export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: 'forks',
  },
});
