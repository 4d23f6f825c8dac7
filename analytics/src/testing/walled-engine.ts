import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { QUERY } from '@guard/config/contract/limits';
import type { AuthenticateBearer } from '@guard/config/contract/ports';
import { CLUSTER, usersXml } from '../database/access-config.ts';
import { organisationAccount } from '../database/accounts.ts';
import type { Account } from '../database/database-client.ts';
import { prepareSchema } from '../database/prepare.ts';
import { openAnalytics } from '../index.ts';
import type { Analytics } from '../index.ts';
import { createRecorders } from './recorders.ts';
import { startEngine } from './start-engine.ts';
import { until } from './until.ts';

/**
 * A real database with the organisations `acme` and `rival`. A test can query it through gate and account, or through
 * the account alone.
 */
export interface WalledEngine {
  readonly analytics: Analytics;
  /** A file that no statement may read. It contains FILE_CANARY. */
  readonly secretFile: string;
  /** The tokens `<organisation>` and `<organisation>-<key>` are valid until `revoke`. */
  revoke(token: string): void;
  /**
   * Runs a statement through gate and account. The text of the result is the rows, or the reason why there are no rows.
   */
  query(
    organisation: string,
    sql: string,
    signal?: AbortSignal,
  ): Promise<{ kind: string; text: string }>;
  /** Runs a statement with an organisation's account, without the gate. */
  asAccount(organisation: string, sql: string): Promise<string>;
  /** Runs a statement with the account that created the tables. It may also see running queries. */
  asOwner(sql: string): Promise<string>;
  close(): Promise<void>;
}

export const FILE_CANARY = 'canary-of-the-file-7304';

const writer: Account = { user: 'writer', password: randomUUID() };
const MAX_MEMORY_BYTES = 2 * 1024 ** 3;

export async function openWalledEngine(): Promise<WalledEngine> {
  const folder = mkdtempSync(join(tmpdir(), 'guard-walls-'));
  const usersPath = join(folder, 'users.xml');
  const secretFile = join(folder, 'secret.txt');
  writeFileSync(secretFile, FILE_CANARY);
  writeFileSync(usersPath, usersXml(writer, ['acme', 'rival']));
  const { engine, client, url } = await startEngine(folder, writer, MAX_MEMORY_BYTES);
  const failureText = await prepareSchema({ client, writer }, CLUSTER, 'one_server');
  if (failureText !== undefined) throw new Error(failureText);
  const recorders = createRecorders();
  const revokedKeys = new Set<string>();
  const authenticate: AuthenticateBearer = (authorization) => {
    const [, token = '', organisation, key = 'only'] =
      /^Bearer ((acme|rival)(?:-(\w+))?)$/.exec(authorization ?? '') ?? [];
    return organisation === undefined || revokedKeys.has(token) ? undefined : { organisation, key };
  };
  const analytics = await openAnalytics({
    settings: { engine: 'clickhouse', url, ...writer },
    organisations: [{ id: 'acme' }, { id: 'rival' }],
    authenticate,
    clock: Date.now,
    log: recorders.log,
    metrics: recorders.metrics,
  });
  await until('the server is ready', () => analytics.ready(), 45_000, recorders.lines);

  async function ask(account: Account, sql: string): Promise<string> {
    const answer = await client.send({
      account,
      parameters: { database: 'default', default_format: 'TabSeparated' },
      body: [Buffer.from(sql)],
      timeoutMs: 20_000,
      maxAnswerBytes: QUERY.maxAnswerBytes,
    });
    // When the database has sent rows and then fails, it closes the connection without a text.
    return answer.kind === 'answered' ? answer.body.toString() : answer.kind;
  }

  return {
    analytics,
    secretFile,
    revoke: (token) => revokedKeys.add(token),
    async query(organisation, sql, signal) {
      const outcome = await analytics.runQuery({
        organisation,
        sql,
        ...(signal && { signal }),
      });
      if (outcome.kind === 'rows') {
        return { kind: outcome.kind, text: Buffer.from(outcome.body).toString() };
      }
      const { kind } = outcome;
      return { kind, text: kind === 'too_large' || kind === 'revoked' ? kind : outcome.message };
    },
    asAccount: (organisation, sql) => ask(organisationAccount(organisation, writer.password), sql),
    asOwner: (sql) => ask(writer, sql),
    async close() {
      await analytics.close();
      client.close();
      await engine.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
