import type { Evidence } from '../evidence.ts';
import { ok, type Outcome, problem, unchecked, warning } from '../finding.ts';
import type { Check } from './check.ts';

/** Whether the embedded database keeps what Guard records. */
export const database: Check = { name: 'database', judge };

function judge({ database: signs }: Evidence): Outcome {
  if (signs === undefined) {
    return unchecked(
      'no metrics of a database',
      'Say where the admin listener is: --config or --admin.',
    );
  }
  if (signs.failing) {
    return problem(
      'the analytics database does not start',
      'Visitors are served. Events wait in memory and on disk, and are dropped when both are full.',
      'GET /ready of the admin listener says why, and the log: analytics_engine_ended, analytics_waits_for_room.',
    );
  }
  if (signs.deletionHeld) {
    return warning(
      'old events are not deleted, because the clock made a step of more than a day',
      'A clock that is ahead would delete events before their time.',
      'Set the clock, or wait a day if it is right; analytics_deletion_held in the log has both times.',
    );
  }
  return ok('it starts, and deletes events when their time is up');
}
