import type { Organisation } from '@guard/config/settings/schema';
import type { Remark } from './remark.ts';

/** Rules in monitor mode: the safe way in, and easily forgotten. An organisation's own monitor says it for all. */
export function monitoredRules({ monitor, rules }: Organisation, index: number): Remark[] {
  if (monitor) return [];
  return rules.flatMap((rule, place): Remark[] =>
    rule.monitor === true
      ? [
          {
            level: 'hint',
            path: ['organisations', index, 'rules', place, 'monitor'],
            message: `monitor is on: blocks of requests that rule ${rule.name} matches are recorded, and not enforced`,
          },
        ]
      : [],
  );
}
