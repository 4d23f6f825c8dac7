import type { RunningGuard } from '@guard/server';

/**
 * Why events are not stored although the settings name a database. Undefined when the operator does not have to act.
 */
export function whyNotRecorded(
  condition: ReturnType<RunningGuard['database']>,
  folder: string | undefined,
): string | undefined {
  switch (condition?.state) {
    case 'missing':
      return condition.message;
    case 'failing': {
      const place = folder === undefined ? '' : ` Its folder is ${folder}.`;
      return `${condition.message}${place} No events are stored until you mend this. Guard tries again by itself.`;
    }
    case 'ready':
    case 'away':
    case undefined:
      return undefined;
  }
}
