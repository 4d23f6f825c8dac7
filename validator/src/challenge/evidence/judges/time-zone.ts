import { isZoneOf } from '../country-zones.ts';
import { valueOfReading } from '../../../../page-contract/evidence.ts';
import type { Judge } from './case.ts';

/** The time zone of a Firefox that resists fingerprinting. It may also report UTC, which belongs to no country. */
const FIREFOX_DISGUISE = 'Atlantic/Reykjavik';

/**
 * Finds a time zone that belongs to another country than the address of the upload. This also happens to travellers and
 * VPN users, so it is only recorded with other findings and never decides.
 */
export const judgeTimeZone: Judge = ({ evidence, request, claim }) => {
  const zone = valueOfReading(evidence.readings.timezone)?.name ?? '';
  if (claim.engine === 'gecko' && zone === FIREFOX_DISGUISE) return undefined;
  return isZoneOf(request.country, zone) === false ? 'time_zone_elsewhere' : undefined;
};
