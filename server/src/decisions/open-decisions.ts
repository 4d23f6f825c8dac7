import type { Clock, Log } from '@guard/config/contract/ports';
import { decisionsPlace } from '@guard/config/settings/derived/data-places';
import type { Settings } from '@guard/config/settings/schema';
import { TemporaryRules } from '@guard/validator';
import type { SharedTextOptions } from '../store/shared-text.ts';
import { createReadDecisions } from './read-decisions.ts';
import { watchDecisions, type WatchedDecisions } from './watch-decisions.ts';

export interface OpenDecisions extends WatchedDecisions {
  readonly rules: TemporaryRules;
}

/** The temporary decisions of these settings, kept as people change them. Resolves after the first look. */
export async function openDecisions(
  settings: Settings,
  redis: SharedTextOptions['redis'],
  ports: { readonly clock: Clock; readonly log: Log },
): Promise<OpenDecisions> {
  const rules = new TemporaryRules(ports.clock);
  const read = createReadDecisions(decisionsPlace(settings), redis);
  return { ...(await watchDecisions({ ...ports, read, rules })), rules };
}
