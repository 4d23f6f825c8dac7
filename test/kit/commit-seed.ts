import { spawnSync } from 'node:child_process';

/** The seed when there is no git repository, as in an unpacked archive. */
const WITHOUT_GIT = 20;

/**
 * The seed of the property tests in this run, as text: the value of `GUARD_TEST_SEED`, a new number for `new`, or the
 * first 31 bits of the id of the commit.
 *
 * @throws when the value is not a number, because a run with NaN cannot be repeated
 */
export function seedOfRun(givenSeed: string | undefined, folder: string): string {
  if (givenSeed === 'new') return String(Date.now() % 2 ** 31);
  if (givenSeed !== undefined && givenSeed !== '') {
    if (/^\d+$/.test(givenSeed)) return givenSeed;
    throw new Error(`GUARD_TEST_SEED is a whole number or new: ${givenSeed}`);
  }
  const { status, stdout } = spawnSync('git', ['rev-parse', 'HEAD'], {
    cwd: folder,
    encoding: 'utf8',
  });
  const commit = status === 0 ? Number.parseInt(stdout.slice(0, 8), 16) : Number.NaN;
  return String(Number.isNaN(commit) ? WITHOUT_GIT : commit >>> 1);
}
