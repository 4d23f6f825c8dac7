import type { Match } from '../sections/rule.ts';
import { CAUGHT_LYING } from './caught-lying.ts';

/** Senders of the catalogue whose operators publish where their webhooks come from. */
export const WEBHOOK_SENDERS = ['Stripe', 'PagerDuty-Webhook'] as const;

/**
 * Webhooks: of proved senders on any path, and of every sender on `paths`. Some senders ask a path with GET,
 * HEAD or OPTIONS first, to see that it wants them.
 */
export function webhooks(paths: readonly string[]): Match {
  const proved: Match = {
    method: ['POST'],
    crawler: { name: [...WEBHOOK_SENDERS], verified: true },
  };
  if (paths.length === 0) return proved;
  const named: Match = {
    method: ['POST', 'PUT', 'GET', 'HEAD', 'OPTIONS'],
    path: [...paths],
    not: CAUGHT_LYING,
  };
  return { any: [proved, named] };
}
