import { setImmediate as nextTurn } from 'node:timers/promises';
import { openAsns } from '@guard/config/catalogue/asn';
import { openCountries } from '@guard/config/catalogue/countries';
import type { DatabaseKind } from '@guard/config/catalogue/data-age';

type LookUp = (ip: string) => string | number | undefined;

/**
 * The number of addresses of each family that are looked up. With fewer addresses, chance alone could move a share of
 * two thirds below a half.
 */
const SAMPLE_SIZE = 4_096;
/**
 * The number of look-ups in one turn of the event loop. They take about half a millisecond, and requests wait during
 * this time.
 */
const LOOKUPS_PER_TURN = 256;
/** When fewer addresses than this are in both databases, their values are not compared. */
const MIN_SHARED_ADDRESSES = 32;

/** The database with which a new one is compared. */
interface ComparedDatabase {
  /** The file of the database in use. Undefined for the bundled database. */
  readonly fileInUse: string | undefined;
  /**
   * True when both databases come from the same URL. A database from another publisher can have fewer IPv6 addresses,
   * so it is refused only below a quarter.
   */
  readonly isFromSameUrl: boolean;
}

/**
 * Says why fetched bytes are refused as a newer database. In a week, far fewer than half of all addresses change their
 * values, so a larger change is refused.
 */
export async function refusalOfDatabase(
  kind: DatabaseKind,
  bytes: Buffer,
  { fileInUse, isFromSameUrl }: ComparedDatabase,
): Promise<string | undefined> {
  let lookUpFetched: LookUp;
  try {
    lookUpFetched = lookUpOf(kind, bytes);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  const lookUpCurrent = lookUpOf(kind, fileInUse);
  const v4 = await compare(lookUpCurrent, lookUpFetched, addressesV4());
  const v6 = await compare(lookUpCurrent, lookUpFetched, addressesV6());
  if (v4.after + v6.after === 0) return 'it has no value for any tested address';
  const [divisor, shareText] = isFromSameUrl ? [2, 'half'] : [4, 'a quarter'];
  for (const [family, comparison] of Object.entries({ IPv4: v4, IPv6: v6 })) {
    if (comparison.after * divisor >= comparison.before) continue;
    return `it has values for ${comparison.after} of ${SAMPLE_SIZE} ${family} addresses in place of ${comparison.before}: less than ${shareText}. ${HOW_TO_ACCEPT}`;
  }
  const [both, changed] = [v4.both + v6.both, v4.moved + v6.moved];
  if (both < MIN_SHARED_ADDRESSES || changed * 2 <= both) return undefined;
  return `of ${both} addresses in both databases, ${changed} have other values: more than half. ${HOW_TO_ACCEPT}`;
}

/**
 * How many addresses are in the old database, in the new database, and in both. `moved` is the number of addresses that
 * are in both with different values.
 */
interface Comparison {
  before: number;
  after: number;
  both: number;
  moved: number;
}

async function compare(
  before: LookUp,
  after: LookUp,
  addresses: Iterable<string>,
): Promise<Comparison> {
  const comparison = { before: 0, after: 0, both: 0, moved: 0 };
  let lookups = 0;
  for (const ip of addresses) {
    if (lookups % LOOKUPS_PER_TURN === 0) await nextTurn();
    lookups += 1;
    const [oldValue, newValue] = [before(ip), after(ip)];
    if (oldValue !== undefined) comparison.before += 1;
    if (newValue !== undefined) comparison.after += 1;
    if (oldValue === undefined || newValue === undefined) continue;
    comparison.both += 1;
    if (oldValue !== newValue) comparison.moved += 1;
  }
  return comparison;
}

const HOW_TO_ACCEPT = 'To accept the database, download it, and name the file in place of the URL';

function lookUpOf(kind: DatabaseKind, source: string | Buffer | undefined): LookUp {
  if (kind === 'country') return openCountries(source);
  const asns = openAsns(source);
  return (ip) => asns.numberOf(ip) || undefined;
}

/** Addresses at equal distances from 1.0.0.0 to 223.255.255.255. */
function* addressesV4(): Generator<string> {
  for (let step = 0; step < SAMPLE_SIZE; step += 1) {
    const ip = 0x0100_0000 + Math.floor((step * 0xdf00_0000) / SAMPLE_SIZE) + 77;
    yield [ip >>> 24, (ip >>> 16) & 255, (ip >>> 8) & 255, ip & 255].join('.');
  }
}

/** The first parts of the blocks that the registries assign. */
const BLOCKS_V6 = [0x2001, 0x2400, 0x2600, 0x2800, 0x2a00, 0x2a10, 0x2c00];

/** Addresses spread over these blocks, more of them in the first /16 of each block. */
function* addressesV6(): Generator<string> {
  for (let step = 0; step < SAMPLE_SIZE; step += 1) {
    const block = BLOCKS_V6[step % BLOCKS_V6.length] ?? 0;
    const firstPart = block + (step % 3 === 0 ? 0 : step % 16);
    yield `${firstPart.toString(16)}:${((step * 16) & 0xffff).toString(16)}::1`;
  }
}
