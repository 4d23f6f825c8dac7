import { isZoneOf } from '../country-zones.ts';
import { valueOfReading } from '../../../../page-contract/evidence.ts';
import type { Judge } from './case.ts';

/**
 * The time zone that Firefox reports when it resists fingerprinting. Some versions report UTC instead, which has no
 * country.
 */
const FIREFOX_DISGUISE = 'Atlantic/Reykjavik';

/**
 * Finds a time zone that the country of the upload's address does not use. This also happens to travellers and VPN
 * users. So the finding never decides by default, and is only recorded with others.
 */
export const judgeTimeZone: Judge = ({ evidence, request, claim }) => {
  const zone = valueOfReading(evidence.readings.timezone)?.name ?? '';
  if (claim.engine === 'gecko' && zone === FIREFOX_DISGUISE) return undefined;
  return isZoneOf(request.country, zone) === false ? 'time_zone_elsewhere' : undefined;
};
