import { spawnSync } from 'node:child_process';

/** Where there is no git, as in an unpacked archive. */
const WITHOUT_GIT = 20;

/**
 * The seed of the property tests in this run, as text: what `GUARD_TEST_SEED` says, a new one for `new`,
 * or else the first 31 bits of the id of the commit that is checked out.
 *
 * @throws when what was told is no number: each property would be tried with NaN, which is not repeatable
 */
export function seedOfRun(told: string | undefined, folder: string): string {
  if (told === 'new') return String(Date.now() % 2 ** 31);
  if (told !== undefined && told !== '') {
    if (/^\d+$/.test(told)) return told;
    throw new Error(`GUARD_TEST_SEED is a whole number or new: ${told}`);
  }
  const { status, stdout } = spawnSync('git', ['rev-parse', 'HEAD'], {
    cwd: folder,
    encoding: 'utf8',
  });
  const commit = status === 0 ? Number.parseInt(stdout.slice(0, 8), 16) : Number.NaN;
  return String(Number.isNaN(commit) ? WITHOUT_GIT : commit >>> 1);
}
