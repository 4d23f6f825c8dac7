import {
  DATABASE,
  LOCAL_TABLE,
  organisationAccount,
  rowFilter,
  sha256Hex,
  TABLE,
} from './accounts.ts';
import { ACCOUNT_SETTINGS } from './limits.ts';
import { quoteName, quoteText } from './schema.ts';

/**
 * The statements that make, or bring up to date, one organisation's account on a ClickHouse server.
 * Each can run any number of times. The row policy comes before the first right.
 *
 * @param cluster run them on every server of this cluster; undefined: on the one server.
 */
export function accountStatements(
  organisation: string,
  secret: string,
  cluster: string | undefined,
): string[] {
  const { user, password } = organisationAccount(organisation, secret);
  const name = quoteName(user);
  const scope = cluster === undefined ? '' : ` ON CLUSTER ${quoteName(cluster)}`;
  const identity = `IDENTIFIED WITH sha256_hash BY ${quoteText(sha256Hex(password))}`;
  const settings = Object.entries(ACCOUNT_SETTINGS)
    .map(([setting, value]) => `${setting} = ${settingValue(value)} CONST`)
    .join(', ');
  const policy = `${name}${scope} ON ${DATABASE}.${LOCAL_TABLE}`;
  return [
    `CREATE USER IF NOT EXISTS ${name}${scope} ${identity}`,
    `ALTER USER ${name}${scope} ${identity} SETTINGS ${settings}`,
    `CREATE ROW POLICY OR REPLACE ${policy} USING ${rowFilter(organisation)} TO ${name}`,
    ...[LOCAL_TABLE, TABLE].map(
      (table) => `GRANT${scope} SELECT ON ${DATABASE}.${table} TO ${name}`,
    ),
  ];
}

function settingValue(value: string | number): string {
  return typeof value === 'number' ? String(value) : quoteText(value);
}
