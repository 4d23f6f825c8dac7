import { RETENTION } from '@guard/config/contract/limits';
import type { TimeRange } from '@guard/config/plain-words/find-events';
import { Duration } from '@guard/config/settings/values/values';
import { z } from 'zod';

const Moment = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);

/**
 * The time range of the options, or the time of all stored events. When the result is a string, it is the message about
 * a wrong option.
 */
export function readTimes(
  options: { readonly last?: string; readonly from?: string; readonly to?: string },
  now: number,
): TimeRange | string {
  const { last, from, to } = options;
  if (last !== undefined) {
    if (from !== undefined || to !== undefined) return 'give either --last or --from and --to';
    const duration = Duration.safeParse(last);
    if (!duration.success) return '--last takes a duration such as 30m, 24h or 7d';
    return { from: now - duration.data, to: now };
  }
  const range = { from: now - RETENTION.rowsS * 1000, to: now };
  for (const [name, text] of Object.entries({ from, to })) {
    if (text === undefined) continue;
    if (!Moment.safeParse(text).success) {
      return `--${name} takes a day (2026-11-01, from its first moment in UTC) or a time with its zone (2026-11-01T12:00:00Z)`;
    }
    range[name as 'from' | 'to'] = Date.parse(text);
  }
  return range.from < range.to
    ? range
    : 'the export would end before it begins: --from is not before --to';
}
