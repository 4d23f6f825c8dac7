/**
 * Measures the time that a remote validator adds at the median, with one connection. Gateway and validator share a
 * core.
 */
import { ONE_PLAYS_ALL } from '../test/kit/product/policies.ts';
import { SECRET_KEY, productSettings } from '../test/kit/product/product-settings.ts';
import { atMost, goalsTable } from './measure/goals.ts';
import { load, loadedBy, WARM_SECONDS, warmNote } from './measure/load.ts';
import { placement } from './measure/processes.ts';
import { type BenchOptions, type Report, toTable } from './measure/report.ts';
import { runInRounds, medianOf, pairedRatio } from './measure/rounds.ts';
import type { LoadResult } from './measure/traffic.ts';
import { headersOfReturning } from './visitors.ts';
import {
  DETECT,
  guardSettings,
  withWorkbench,
  startGuard,
  startOrigin,
} from './measure/workbench.ts';

const DIRECT = 'direct to the origin';
const OPEN = 'guard, unprotected';
const IN_PROCESS = 'guard, validator in process';
const REMOTE = 'guard, remote validator';

export function bench(options: BenchOptions): Promise<Report> {
  return withWorkbench(async (workbench) => {
    const origin = await startOrigin(workbench);
    const start = (name: string, site: Readonly<Record<string, unknown>>) =>
      startGuard(workbench, name, guardSettings(name, origin.line, { site }));
    const listen = { validator: '127.0.0.1:0' };
    const top = { listen, sites: [], analytics: undefined };
    const decidingGuard = await startGuard(
      workbench,
      'asked',
      productSettings('', { rules: DETECT, organisation: ONE_PLAYS_ALL, top }),
    );
    const openGateway = await start('open', { protect: [] });
    const fullGateway = await start('full', {});
    const validator = { url: decidingGuard.addresses.validator, key: SECRET_KEY };
    const edgeGateway = await start('edge', { validator });
    const common = { path: '/', headers: await headersOfReturning(edgeGateway.url) };
    const targets = [
      { ...common, name: DIRECT, url: origin.line },
      { ...common, name: OPEN, url: openGateway.url },
      { ...common, name: IN_PROCESS, url: fullGateway.url },
      { ...common, name: REMOTE, url: edgeGateway.url },
    ];
    const oneConnection = { connections: 1 };
    options.onProgress('warming');
    for (const target of targets) await load(target, { ...options, seconds: WARM_SECONDS });
    const samples = await runInRounds(targets, options, (target) =>
      load(target, { ...oneConnection, seconds: options.seconds }),
    );
    const body = targets.map(({ name }) => {
      const medianOfSamples = (read: (sample: LoadResult) => number) =>
        medianOf(samples, name, read);
      return [
        name,
        medianOfSamples((s) => s.p50Us).toFixed(0),
        medianOfSamples((s) => s.p99Us).toFixed(0),
      ];
    });
    const addedUs = (other: string) =>
      pairedRatio(samples, [REMOTE, other], (a, b) => (a.p50Us - b.p50Us) / 1000);
    const goals = [
      atMost('added at the median, to no decision at all', 0.3, addedUs(OPEN), 'ms'),
      atMost('added at the median, to a decision in process', 0.3, addedUs(IN_PROCESS), 'ms'),
    ];
    return {
      rows: [...samples].map(([name, rounds]) => ({ name, rounds })),
      table: `${toTable(['target', 'p50 us', 'p99 us'], body)}\n\n${goalsTable(goals)}`,
      notes: [placement, loadedBy, warmNote, 'one connection, keep-alive, loopback; 1 KiB answers'],
    };
  });
}
