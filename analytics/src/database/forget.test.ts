import { expect, test } from 'vitest';
import { scriptedAnswer, scriptedDatabase } from '../testing/scripted-database.ts';
import type { DatabaseAnswer, DatabaseClient } from './database-client.ts';
import type { EngineState } from './engine.ts';
import { createForget } from './forget.ts';

/** Deletes the rows of a person on a database that answers the deletion with `deletion`: one server or a cluster. */
async function forget(cluster: string | undefined, deletion: DatabaseAnswer) {
  const sentStatements: Parameters<DatabaseClient['send']>[0][] = [];
  let rows = 3;
  const database = scriptedDatabase((request) => {
    const isDeletion = String(request.body[0]).startsWith('ALTER TABLE');
    if (!isDeletion) return Promise.resolve(scriptedAnswer(`${rows}\n`));
    sentStatements.push(request);
    rows = 0;
    return Promise.resolve(deletion);
  });
  const state = (): EngineState => {
    const ready = database();
    return ready.kind === 'ready' ? { ...ready, database: { ...ready.database, cluster } } : ready;
  };
  const person = { kind: 'address', value: '203.0.113.7' } as const;
  const outcome = await createForget(state, () => Promise.resolve(0))('delete', 'acme', person);
  return { outcome, sentStatements };
}

test('the servers of a cluster have half an hour for a deletion', async () => {
  const { outcome, sentStatements } = await forget('guard', scriptedAnswer(''));
  expect(outcome).toMatchObject({ kind: 'deleted', rows: 3, left: 0 });
  const [{ parameters, timeoutMs } = { parameters: {}, timeoutMs: 0 }] = sentStatements;
  expect(parameters).toMatchObject({ distributed_ddl_task_timeout: '1740' });
  // The time limit of the database is below Guard's time limit, so that the database answers first.
  expect(timeoutMs).toBe(1_800_000);
});

test.each([
  ['not all servers are done', scriptedAnswer('Code: 159. Distributed DDL task …', 159)],
  ['no answer comes', { kind: 'timeout' } as const],
])(
  'when a cluster takes longer, the answer says how to see the progress: %s',
  async (_, lateMessage) => {
    const { outcome } = await forget('my cluster', lateMessage);
    expect(outcome).toMatchObject({ kind: 'refused' });
    const message = outcome.kind === 'refused' ? outcome.message : '';
    expect(message).toContain('still deleting after half an hour, and continues');
    expect(message).toContain("clusterAllReplicas('my cluster', system.mutations)");
    expect(message).toContain('Run guard forget again later');
  },
);

test('when one server takes longer, the answer says to run the command again', async () => {
  const { outcome } = await forget(undefined, { kind: 'timeout' });
  const message = outcome.kind === 'refused' ? outcome.message : '';
  expect(message).toMatch(/continues\. Run guard forget again later/);
  expect(message).not.toContain('system.mutations');
});
