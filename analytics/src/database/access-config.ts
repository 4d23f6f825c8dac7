import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { QUERY } from '@guard/config/contract/limits';
import type { Account } from './database-client.ts';
import {
  ACCOUNT_SETTINGS,
  DATABASE,
  INDEX_SETTINGS,
  PART_SETTINGS,
  LOCAL_TABLE,
  organisationAccount,
  rowFilter,
  sha256Hex,
  TABLE,
} from './accounts.ts';

/** The two configuration files of the embedded engine. */

export const CLUSTER = 'guard';

/**
 * ClickHouse merges about this many parts of one size together. A batch comes every second. With ClickHouse's default
 * of five parts, each row was rewritten often, and merging cost four times as much as inserting.
 */
const PARTS_PER_MERGE = 20;

/**
 * Settings of accounts in the engine that Guard starts. By default ClickHouse gives a statement one thread for each
 * free GiB, and the embedded server has less than 2 GiB. So this limit is off. `max_memory_usage` limits the memory of
 * a statement with any number of threads. Reading all indexes before the rows halves the processor time of a look-up.
 */
const EMBEDDED_SETTINGS = {
  max_threads_min_free_memory_per_thread: 0,
  use_skip_indexes_on_data_read: 0,
};

/**
 * On one processor, the two threads of ACCOUNT_SETTINGS are no faster than one thread. For a GROUP BY each thread
 * builds its own table, and ClickHouse then joins the two tables. ClickHouse also cuts large tables into parts, so that
 * several threads can join them. One thread needs no such parts. Above 50 MB a table is still cut, because ClickHouse
 * can move only the parts of a cut table to disk.
 */
const SETTINGS_OF_ONE_PROCESSOR = { max_threads: 1, group_by_two_level_threshold: 1_000_000 };

/**
 * No listener uses this port. The settings of the cluster also name this port for the replica. So the engine recognises
 * that the shard is the engine itself.
 */
const TCP_PORT = 9000;

/**
 * Creates the file of accounts, rights and row policies.
 *
 * The engine runs its own start-up statement as `default`, so this account must have an empty password and access from
 * 127.0.0.1. Missing rights do not protect the machine: `SELECT file('/etc/passwd')` needs no right. So configXml
 * accepts statements only on a secret path. A limit of running queries would not help, because ClickHouse runs KILL
 * QUERY above the limit, with any subquery in its condition.
 *
 * @param organisations identifiers of settings/schema.ts: letters, digits, `-` and `_`.
 */
export function usersXml(
  writer: Account,
  organisations: readonly string[],
  settings = ACCOUNT_SETTINGS,
  processors = availableParallelism(),
): string {
  const processorSettings = processors === 1 ? SETTINGS_OF_ONE_PROCESSOR : {};
  const accounts = organisations.map((organisation) => {
    const { user, password } = organisationAccount(organisation, writer.password);
    return `
    <${user}>
      ${identityXml(password)}
      <profile>organisation</profile>
      <grants>
        <query>GRANT SELECT ON ${DATABASE}.${LOCAL_TABLE}</query>
        <query>GRANT SELECT ON ${DATABASE}.${TABLE}</query>
      </grants>
      <databases><${DATABASE}><${LOCAL_TABLE}>
        <filter>${rowFilter(organisation)}</filter>
      </${LOCAL_TABLE}></${DATABASE}></databases>
    </${user}>`;
  });
  return `<clickhouse>
  <profiles>
    <default>
      <materialize_skip_indexes_on_insert>0</materialize_skip_indexes_on_insert>
    </default>
    <start_up>
      <max_block_size>1</max_block_size>
      <max_threads>1</max_threads>
      <max_execution_time>0</max_execution_time>
    </start_up>
    <organisation>
      ${settingsXml({ ...settings, ...PART_SETTINGS, ...EMBEDDED_SETTINGS, ...processorSettings, max_concurrent_queries_for_user: 2 * QUERY.runningOfOrganisation })}
      <constraints>
        ${INDEX_SETTINGS.map((name) => `<${name}><changeable_in_readonly/></${name}>`).join('\n        ')}
      </constraints>
    </organisation>
  </profiles>
  <quotas><default/></quotas>
  <users>
    <default>
      <password/>
      <networks><ip>127.0.0.1</ip></networks>
      <profile>start_up</profile>
      <quota>default</quota>
      <grants>
        <query>GRANT SYSTEM LISTEN ON *.*</query>
        <query>GRANT SYSTEM TTL MERGES ON *.*</query>
      </grants>
    </default>
    <${writer.user}>
      ${identityXml(writer.password)}
      <profile>default</profile>
      <grants>
        <query>GRANT SELECT, INSERT, CREATE, ALTER ON ${DATABASE}.*</query>
        <query>GRANT TABLE ENGINE ON *</query>
        <query>GRANT SELECT ON system.columns</query>
        <query>GRANT SELECT ON system.processes</query>
        <query>GRANT KILL QUERY ON *.*</query>
        <query>GRANT REMOTE ON *.*</query>
      </grants>
    </${writer.user}>${accounts.join('')}
  </users>
</clickhouse>
`;
}

/** The listeners and files of the engine. */
interface ServerPlan {
  /** The operator wrote this path in guard.yaml. It can contain characters that XML needs as escapes. */
  readonly usersPath: string;
  readonly maxMemoryBytes: number;
  /** The path from {@link newQueryPath}. */
  readonly queryPath: string;
  /** If true, no merge deletes rows because of their age. A merge that already runs is stopped by host.ts. */
  readonly stopsDeletion?: boolean;
}

/** The secret path for statements of one engine process. A program that knows it can query as `default`. */
export function newQueryPath(): string {
  return `/${randomBytes(32).toString('hex')}`;
}

/**
 * Creates the file of server settings. The only HTTP paths are the secret path for statements, and `ping` below the
 * secret path. The pages `/play` and `/dashboard`, and the answers of ClickHouse without a password, are off.
 */
export function configXml(plan: ServerPlan): string {
  const { usersPath, maxMemoryBytes, queryPath, stopsDeletion = false } = plan;
  const stopDeletionXml =
    '<max_number_of_merges_with_ttl_in_pool>0</max_number_of_merges_with_ttl_in_pool>';
  return `<clickhouse>
  <users_config>${escapeXml(usersPath)}</users_config>
  <tcp_port>${TCP_PORT}</tcp_port>
  <listen_reuse_port>1</listen_reuse_port>
  <max_server_memory_usage>${maxMemoryBytes}</max_server_memory_usage>
  <merge_tree><merge_selector_base>${PARTS_PER_MERGE}</merge_selector_base><finished_mutations_to_keep>1</finished_mutations_to_keep>${stopsDeletion ? stopDeletionXml : ''}</merge_tree>
  <remote_servers><${CLUSTER}><shard><replica>
    <host>127.0.0.1</host><port>${TCP_PORT}</port>
  </replica></shard></${CLUSTER}></remote_servers>
  <http_handlers>
    <rule><url>${queryPath}/ping</url><methods>GET</methods><handler>
      <type>static</type><status>200</status><response_content>Ok.</response_content>
    </handler></rule>
    <rule><url>${queryPath}</url><methods>POST</methods><handler>
      <type>dynamic_query_handler</type><query_param_name>query</query_param_name>
    </handler></rule>
  </http_handlers>
</clickhouse>
`;
}

/** Passwords are written as SHA-256. */
function identityXml(password: string): string {
  return `<password_sha256_hex>${sha256Hex(password)}</password_sha256_hex>
      <networks><ip>127.0.0.1</ip></networks>
      <quota>default</quota>`;
}

function settingsXml(settings: Readonly<Record<string, string | number>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `<${name}>${value}</${name}>`)
    .join('\n      ');
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
