import { isZoneOf } from '../country-zones.ts';
import { known } from '../../../../page-contract/evidence.ts';
import type { Judge } from './case.ts';

/** What Firefox gives as the zone where it resists fingerprinting; it also says UTC, which is no country's. */
const FIREFOX_DISGUISE = 'Atlantic/Reykjavik';

/**
 * The browser's time zone belongs to another country than the address of its upload. Travellers and
 * users of a VPN have that, so it is recorded beside other findings, and never decides.
 */
export const judgeTimeZone: Judge = ({ evidence, request, claim }) => {
  const zone = known(evidence.readings.timezone)?.name ?? '';
  if (claim.engine === 'gecko' && zone === FIREFOX_DISGUISE) return undefined;
  return isZoneOf(request.country, zone) === false ? 'time_zone_elsewhere' : undefined;
};
