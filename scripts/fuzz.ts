/**
 * Runs every property test at its full length with a seed that was never tried, again and again, until
 * one fails or the rounds are over: `npm run fuzz -- [rounds]`. The seed that failed is printed, and
 * GUARD_TEST_SEED repeats it.
 */
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';

const rounds = Number(process.argv[2] ?? 1);
const files = globSync('{analytics,config,gateway,mcp,test,validator}/**/*.test.ts', {
  exclude: (path) => path.includes('node_modules'),
}).filter((file) => readFileSync(file, 'utf8').includes('seededRandom('));

for (let round = 1; round <= rounds; round++) {
  console.log(`round ${round} of ${rounds}, ${files.length} files`);
  const { status } = spawnSync(process.execPath, ['scripts/test.ts', ...files], {
    stdio: 'inherit',
    env: { ...process.env, GUARD_TEST_SEED: 'new', GUARD_TEST_EVERYTHING: '1' },
  });
  if (status !== 0) process.exit(1);
}
