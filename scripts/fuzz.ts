/**
 * Runs every test that has a full length at its full length, with new seeds, until a test fails or the rounds are over:
 * `npm run fuzz -- [rounds]`. Prints the seed of the failure. GUARD_TEST_SEED repeats a run with this seed. Tests with
 * a full length and without a seed run in the first round only.
 */
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';

const rounds = Number(process.argv[2] ?? 1);
const files = globSync('**/*.test.ts', { exclude: (path) => path.includes('node_modules') });
const using = (name: RegExp) => files.filter((file) => name.test(readFileSync(file, 'utf8')));
const seededFiles = using(/\bseededRandom\(/);
const longTests = using(/\bseededRandom\(|\brounds\(|\bisFullLength\b/);

for (let round = 1; round <= rounds; round++) {
  const roundFiles = round === 1 ? longTests : seededFiles;
  console.log(`round ${round} of ${rounds}, ${roundFiles.length} files`);
  const { status } = spawnSync(process.execPath, ['scripts/test.ts', ...roundFiles], {
    stdio: 'inherit',
    env: { ...process.env, GUARD_TEST_SEED: 'new', GUARD_TEST_FULL: '1' },
  });
  if (status !== 0) process.exit(1);
}
