import type { FieldName } from './fields.ts';
import { NETWORK } from './fields.ts';
import { rowsOf, type Scope } from './where.ts';

/** The lists of the most frequent values. One statement reads all lists of a tab. */

export interface TopList {
  readonly title: string;
  readonly field: FieldName;
  /** The expression to group rows by. */
  readonly value: string;
  /** Further information about a value, as text. */
  readonly note?: string;
  /** The condition for the rows that are counted. */
  readonly condition?: string;
  /** True if there can be nearly as many values as rows. */
  readonly isNumerous?: boolean;
}

export const TOP_LISTS: Readonly<Record<'common' | 'networks' | 'programs', readonly TopList[]>> = {
  common: [
    {
      title: 'Addresses',
      field: 'address',
      value: 'ip',
      note: 'any(country)',
      condition: "ip != ''",
      isNumerous: true,
    },
    { title: 'Paths', field: 'path', value: 'path' },
    {
      title: 'Reasons',
      field: 'reason',
      value: 'arrayJoin(block_reasons)',
      condition: 'notEmpty(block_reasons)',
    },
    { title: 'Rules', field: 'rule', value: 'rule', condition: "rule != ''" },
  ],
  networks: [
    { title: 'Networks (/24 and /48)', field: 'network', value: NETWORK, condition: "ip != ''" },
    {
      title: 'Autonomous systems',
      field: 'asn',
      value: 'toString(asn)',
      note: 'any(asn_name)',
      condition: 'asn != 0',
    },
    { title: 'Countries', field: 'country', value: 'country', condition: "country != ''" },
    { title: 'Hosts', field: 'host', value: 'host', condition: "host != ''" },
  ],
  programs: [
    { title: 'Agents', field: 'agent', value: 'user_agent' },
    { title: 'Browsers', field: 'browser', value: 'browser', condition: "browser != ''" },
    {
      title: 'Crawlers, verified',
      field: 'crawler',
      value: 'crawler_name',
      note: 'any(crawler_category)',
      condition: "crawler_name != '' AND crawler_verified",
    },
    {
      title: 'Crawlers, false',
      field: 'crawler',
      value: 'crawler_name',
      note: "concat(toString(uniq(ip)), if(uniq(ip) = 1, ' address', ' addresses'))",
      condition: "has(block_reasons, 'crawler_impersonator')",
    },
  ],
};

/**
 * The condition for the rows with the most frequent values. Grouping by numbers takes less time and memory than
 * grouping by texts. So hashes are counted first, and the other columns are read for only ten values.
 */
function mostFrequent(scope: Scope, value: string, condition: string): string {
  const hash = `cityHash64(${value})`;
  return `${hash} GLOBAL IN (SELECT ${hash} AS of_value ${rowsOf(scope, condition)} GROUP BY of_value ORDER BY count() DESC, of_value LIMIT 10)`;
}

/** Columns of a row: number of the list, value, note, requests, stopped requests. */
export function topLists(scope: Scope, lists: readonly TopList[]): string {
  const parts = lists.map(
    ({ value, note, condition = '', isNumerous = false }, at) =>
      `SELECT ${at} AS list, toString(${value}) AS value, toString(${note ?? "''"}) AS note, count() AS requests, countIf(${scope.verdict} IN ('block', 'challenge', 'limited')) AS stopped
${rowsOf(scope, isNumerous ? mostFrequent(scope, value, condition) : condition)}
GROUP BY ${value} ORDER BY requests DESC, value LIMIT 10`,
  );
  return `SELECT * FROM (\n${parts.join('\nUNION ALL\n')}\n) ORDER BY list, requests DESC, value\nFORMAT JSONCompact`;
}
