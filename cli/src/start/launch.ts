import { settingsRevision } from '@guard/config/settings/derived/revision';
import {
  createLog,
  createMetrics,
  createReloader,
  type NewSettings,
  type ReloaderOptions,
  type RunningGuard,
  SettingsReader,
  startGuard,
  threadCount,
} from '@guard/server';
import { adviceOnDataAge, type DataAge, describeDataAge } from '../running-guard/data-age.ts';
import type { Places } from '../demo/places.ts';
import { loadedOrReport } from '../command-line/read-settings.ts';
import { messageOf } from '../terminal/faults.ts';
import { print } from '../terminal/terminal.ts';
import { refusalOfData } from './foreign-data.ts';
import { collectRarely, giveBackStartMemory } from './garbage-collection.ts';
import { warnIfRoot } from './warn-of-root.ts';
import { whyNotRecorded } from './why-not-recorded.ts';

interface LaunchedGuard extends Pick<
  RunningGuard,
  'addresses' | 'createDashboardLinks' | 'database'
> {
  readonly dataAge: DataAge;
  /** The folder of the embedded database, if it is used. */
  readonly databaseFolder: string | undefined;
  /** Finishes the requests under way and closes everything. Logs when it begins, and how long it took. */
  close(signal: StopSignal): Promise<void>;
}

type StopSignal = 'SIGTERM' | 'SIGINT';

const WAIT_TEXT = 'requests under way, 30 s at most, then the last events';

interface StartOptions {
  /** When it is true, Guard prints one JSON line instead of a list when it is ready. */
  readonly json: boolean;
  readonly watch: boolean;
}

/** Starts Guard from a settings file. Resolves to the exit code after Guard was stopped. */
export async function startFrom(file: string, { json, watch }: StartOptions): Promise<number> {
  const guard = await launch({ file, env: process.env, watch, onHangUp: 'reload' });
  if (!guard) return 1;
  const signal = stopSignal();
  print(json ? readyLine(guard) : addressList(guard));
  await guard.close(await signal);
  return 0;
}

export async function startDemo(places: Places, { json, watch }: StartOptions): Promise<number> {
  const { openDemo } = await import('../demo/open-demo.ts');
  const demo = await attempt(() => openDemo(places));
  if (!demo) return 1;
  const env = { ...process.env, ...demo.env };
  const settings = { file: demo.config, env, watch };
  const guard = await launch({ ...settings, onHangUp: 'end', onPortTaken: MOVE_DEMO });
  if (!guard) {
    await demo.close();
    return 1;
  }
  const signal = stopSignal();
  const [link] = guard.createDashboardLinks();
  const { addresses } = guard;
  const facts = {
    addresses,
    dashboard: link?.url ?? '',
    notRecorded: whyNotRecorded(guard.database(), guard.databaseFolder),
  };
  print(json ? readyLine(guard) : demo.welcome(facts));
  await guard.close(await signal);
  await demo.close();
  return 0;
}

const MOVE_DEMO =
  'Or move all ports of the demo: guard start --demo --port 9000 (--port 0 picks free ones).';

interface LaunchOptions {
  readonly file: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly watch: boolean;
  /** The effect of SIGHUP. A demo ends when its terminal closes. */
  readonly onHangUp: 'reload' | 'end';
  /** Additional advice for the case that another program uses the port. */
  readonly onPortTaken?: string;
}

/** Starts Guard. If this fails, it prints the reason and resolves with undefined. */
async function launch(options: LaunchOptions): Promise<LaunchedGuard | undefined> {
  const { file, env, watch } = options;
  const reader = new SettingsReader(file, env);
  const firstSettings = readFirst(reader);
  if (!firstSettings) return undefined;
  const refusal = refusalOfData(firstSettings.settings, process.getuid?.());
  if (refusal !== undefined) {
    print(`guard start: ${refusal}`, 'error');
    return undefined;
  }
  const load = (files: readonly string[]) => reader.readAgain(files);
  const metrics = createMetrics();
  const countLostLine = () => metrics.count('guard_log_lines_lost_total');
  const { analytics } = firstSettings.settings;
  let { format } = firstSettings.settings.log;
  const log = createLog(process.stderr, countLostLine, () => format);
  const context = { log, clock: Date.now, metrics };
  process.stderr.on('error', countLostLine);
  warnIfRoot(context.log, process.getuid?.());
  const settingsRead = { file, revision: settingsRevision(firstSettings.settings) };
  context.log('info', 'settings_read', settingsRead);
  const runningGuard = Promise.withResolvers<RunningGuard>();
  // The reloader watches the files during the start, so that it misses no change. It applies changes only after the
  // start.
  const apply = async (newSettings: NewSettings) => {
    const threadsWithout = await (await runningGuard.promise).reload(newSettings);
    ({ format } = newSettings.settings.log);
    return threadsWithout;
  };
  const reloading = { file, load, loadedAtStart: firstSettings, apply, watch };
  const reloader = createReloader({ ...context, ...reloading });
  if (options.onHangUp === 'reload') process.on('SIGHUP', () => void reloader.reload('signal'));
  const open = () => startGuard(firstSettings.settings, context);
  const running = await attempt(open, options.onPortTaken);
  if (!running) {
    reloader.stop();
    return undefined;
  }
  runningGuard.resolve(running);
  await giveBackStartMemory();
  collectRarely(threadCount(firstSettings.settings));
  const dataAge = ageOf(running);
  const advice = adviceOnDataAge(dataAge);
  if (advice !== undefined) {
    context.log('warn', 'published_data_old', { found: describeDataAge(dataAge), advice });
  }
  return {
    addresses: running.addresses,
    createDashboardLinks: running.createDashboardLinks,
    database: running.database,
    databaseFolder: analytics?.engine === 'embedded' ? analytics.path : undefined,
    dataAge,
    async close(signal) {
      reloader.stop();
      const startedAt = performance.now();
      context.log('info', 'stopping', { signal, waits_for: WAIT_TEXT });
      await running.close();
      context.log('info', 'stopped', { after_ms: Math.round(performance.now() - startedAt) });
    },
  };
}

/** Reads the settings at the start. The result has no `positionOf`, because it would keep the whole file in memory. */
function readFirst(reader: SettingsReader): ReloaderOptions['loadedAtStart'] | undefined {
  const result = loadedOrReport(reader.readFirst());
  return result && { settings: result.settings, files: result.files };
}

/** Prints the reason when `open` rejects. Usually another program uses the address or the file. */
async function attempt<T>(open: () => Promise<T>, onPortTaken?: string): Promise<T | undefined> {
  try {
    return await open();
  } catch (error) {
    print(`guard start: ${messageOf(error)}`, 'error');
    if (onPortTaken !== undefined && isPortTaken(error)) print(onPortTaken, 'error');
    return undefined;
  }
}

function isPortTaken(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return (cause as NodeJS.ErrnoException | undefined)?.code === 'EADDRINUSE';
}

function readyLine(guard: LaunchedGuard): string {
  const { addresses, createDashboardLinks } = guard;
  const dashboard = createDashboardLinks();
  const not_recorded = whyNotRecorded(guard.database(), guard.databaseFolder);
  return JSON.stringify({
    ready: true,
    addresses,
    ...(dashboard.length > 0 && { dashboard }),
    ...(not_recorded !== undefined && { not_recorded }),
  });
}

/** The ages of published data at the start. When there are no crawler lists that Guard can refresh, their age is 0. */
function ageOf({ dataAt }: RunningGuard): DataAge {
  const { crawlers, lists, country, asn } = dataAt();
  const now = Date.now();
  return {
    crawlers: now - (crawlers ?? now),
    lists: now - lists,
    country: now - country,
    asn: now - asn,
  };
}

function addressList(guard: LaunchedGuard): string {
  const { addresses, createDashboardLinks, dataAge } = guard;
  const lines = Object.entries(addresses).map(
    ([name, address]) => `  ${name.padEnd(12)} ${address}`,
  );
  const links = createDashboardLinks().map(({ organisation, url }) => `  ${organisation}: ${url}`);
  const hint =
    'Each link signs in to the dashboard, once and within ten minutes; later, sign in with the analytics key:';
  const linkLines = links.length === 0 ? [] : ['', hint, ...links];
  const missing = whyNotRecorded(guard.database(), guard.databaseFolder);
  const warningLines = missing === undefined ? [] : ['', missing];
  const age = `Published data: ${describeDataAge(dataAge)}.`;
  return ['Guard is ready.', '', ...lines, '', age, ...linkLines, ...warningLines].join('\n');
}

/**
 * Resolves when SIGTERM or SIGINT comes. Call it before the ready line is printed, because the signal can come directly
 * after that line.
 */
function stopSignal(): Promise<StopSignal> {
  return new Promise((resolve) => {
    process.once('SIGTERM', resolve);
    process.once('SIGINT', resolve);
  });
}
