import type { Readings } from '../../page-contract/evidence.ts';

const VISITS = 5;

/** Repeats a visit when the page reports that a reading failed or took too long. The usual reason is a busy machine. */
export async function untilInTime<T>(
  visit: () => Promise<T>,
  readingsOf: (visited: T) => Readings,
): Promise<T> {
  for (let visitsLeft = VISITS - 1; ; visitsLeft -= 1) {
    const visited = await visit();
    const isLate = Object.values(readingsOf(visited)).some(
      (reading) => 'unread' in reading && reading.unread !== 'absent',
    );
    if (!isLate || visitsLeft === 0) return visited;
  }
}
