import type { Organisation, Settings } from '@guard/config/settings/schema';
import type { Remark } from './remark.ts';

/**
 * An organisation whose backends ask POST /validate, and whose pages are not named anywhere: browsers may not
 * upload from them to the collector, so no visitor can pass a challenge.
 */
export function unlistedPages(
  { id, secret_keys: keys, script_origins: origins }: Organisation,
  index: number,
  { listen, sites }: Settings,
): Remark[] {
  const isNamed = origins.length > 0 || sites.some(({ organisation }) => organisation === id);
  if (keys.length === 0 || listen.collector === undefined || isNamed) return [];
  const message = `no page of organisation ${id} may upload to the collector, so no visitor passes a challenge: list where its pages are in script_origins`;
  return [{ level: 'warning', path: ['organisations', index], message }];
}
