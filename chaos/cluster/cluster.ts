import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CLUSTER } from '../../analytics/src/database/access-config.ts';
import type { Account } from '../../analytics/src/database/database-client.ts';
import { findEngineLibrary } from '../../analytics/src/database/library.ts';
import type { Analytics } from '../../analytics/src/index.ts';
import { openWithoutKeys } from '../../analytics/src/testing/open-analytics.ts';
import { createRecorders, type Recorders } from '../../analytics/src/testing/recorders.ts';
import { freePort } from '../../test/kit/free-port.ts';
import { type ClusterProxy, openClusterProxy } from '../../analytics/src/testing/cluster-proxy.ts';
import { describeNode, type Node, type Place } from './node.ts';
import { startZookeeper, type Zookeeper } from './zookeeper.ts';

/** A Guard that writes to the cluster: its analytics, with their logs and metrics. */
export interface Writer {
  readonly analytics: Analytics;
  readonly recorders: Recorders;
}

/** Prepares two shards of two copies and their ZooKeeper. It starts no server yet. */
export interface Cluster {
  readonly nodes: readonly [Node, Node, Node, Node];
  readonly zookeeper: Zookeeper;
  readonly proxy: ClusterProxy;
  readonly writer: Account;
  openGuard(name: string): Promise<Writer>;
  close(): Promise<void>;
}

export const ORGANISATIONS = ['acme', 'rival'] as const;

export async function openCluster(): Promise<Cluster> {
  const library = await findEngineLibrary();
  if (library.kind === 'missing') throw new Error(library.message);
  const folder = mkdtempSync(join(tmpdir(), 'guard-cluster-'));
  const zookeeper = await startZookeeper(folder);
  const writer: Account = { user: 'writer', password: 'of the writer' };
  const surroundings = {
    folder,
    libraryPath: library.path,
    zookeeperPort: zookeeper.port,
    writer,
    organisations: ORGANISATIONS,
  };
  const newPlace = async (shard: number, replica: number): Promise<Place> => ({
    shard,
    replica,
    httpPort: await freePort(),
    tcpPort: await freePort(),
  });
  const places = [
    await newPlace(1, 1),
    await newPlace(1, 2),
    await newPlace(2, 1),
    await newPlace(2, 2),
  ] as const;
  const [first, second, third, fourth] = places;
  const describe = (one: Place): Node => describeNode(surroundings, one, places);
  const nodes = [describe(first), describe(second), describe(third), describe(fourth)] as const;
  const proxy = await openClusterProxy(nodes, (seconds) => sleep(1000 * seconds));
  const guards: Analytics[] = [];
  return {
    nodes,
    zookeeper,
    proxy,
    writer,
    async openGuard(name) {
      const recorders = createRecorders();
      const spill = join(folder, `spill-${name}`);
      const clusterOptions = {
        url: proxy.url,
        ...writer,
        cluster: CLUSTER,
        replicated: true,
        spill,
      };
      const analytics = await openWithoutKeys(
        { engine: 'clickhouse', ...clusterOptions },
        ORGANISATIONS,
        recorders,
      );
      guards.push(analytics);
      return { analytics, recorders };
    },
    async close() {
      await Promise.all(guards.map((guard) => guard.close()));
      proxy.close();
      await Promise.all([...nodes.map((node) => node.kill()), zookeeper.kill()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
