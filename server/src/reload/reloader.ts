import type { Clock, Log, Metrics } from '@guard/config/contract/ports';
import { formatProblem, type LoadedSettings, type Position } from '@guard/config/settings/load';
import { formatPath } from '@guard/config/settings/problems/problems';
import { settingsRevision } from '@guard/config/settings/derived/revision';
import { inSlices } from '@guard/config/time/slices';
import { withStartSettings, changesBetween, pathsThatNeedRestart } from './changes.ts';
import type { NewSettings, SettingsReading } from './read-again.ts';
import { type Watch, watchFiles } from './watch-files.ts';

export type Cause = 'signal' | 'file';

export interface ReloaderOptions {
  readonly file: string;
  /**
   * Reads the settings file. Rejects when the reading itself fails. `files` are the files that the settings named at
   * the last reading.
   */
  readonly load: (files: readonly string[]) => Promise<SettingsReading>;
  /** The settings with which Guard started. */
  readonly loadedAtStart: Pick<LoadedSettings, 'settings' | 'files'>;
  /**
   * Applies all settings or none. Resolves with the number of threads that have not applied them. Rejects with the
   * reason when no settings were applied.
   */
  readonly apply: (next: NewSettings) => Promise<number>;
  /** True if a change of a settings file also starts a reload. */
  readonly watch: boolean;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

interface Reloader {
  /** Reads and applies the settings. Calls during a reload cause one more reload after it. Never rejects. */
  reload(cause: Cause): Promise<void>;
  stop(): void;
}

type AppliedSettings = LoadedSettings & NewSettings & { readonly threadsWithout: number };

/** `guard check` lists all problems. The log line about a refused file has at most this many. */
const MAX_PROBLEMS_LOGGED = 5;

/**
 * Applies changed settings to a running Guard, either all of them or none. If a file cannot be applied, the last good
 * settings stay in use. The log has the reasons, and a metric shows the state until a good file comes.
 */
export function createReloader(options: ReloaderOptions): Reloader {
  const { file, loadedAtStart, clock, log, metrics } = options;
  let currentSettings = loadedAtStart.settings;
  let revision = settingsRevision(currentSettings);
  let loadedAt = clock();
  let files: readonly string[] = loadedAtStart.files;
  let awaitingRestart = 0;
  let hasSucceeded = true;
  let runningReload: Promise<void> | undefined;
  let nextCause: Cause | undefined;

  metrics.gauge('guard_last_reload_successful', () => (hasSucceeded ? 1 : 0));
  metrics.gauge('guard_settings_age_seconds', () => Math.round((clock() - loadedAt) / 1000));
  metrics.gauge('guard_settings_info', () => new Map([[revision, 1]]));
  metrics.gauge('guard_settings_awaiting_restart', () => awaitingRestart);
  const watch = options.watch ? startWatch() : undefined;

  function startWatch(): Watch {
    return watchFiles({
      files: () => [file, ...files],
      onChange: (changed) => {
        log('info', 'settings_changed', { files: changed.join(', ') });
        void reload('file');
      },
    });
  }

  async function reloadOnce(cause: Cause): Promise<void> {
    // This comes before the files are read, so that a change during the reading is noticed.
    await watch?.acknowledge();
    try {
      const result = await options.load(files);
      files = result.files;
      await watch?.acknowledgeNew();
      if (result.kind === 'invalid') {
        const problemTexts = result.problems.slice(0, MAX_PROBLEMS_LOGGED).map(formatProblem);
        refuse(cause, problemTexts.join('\n'), result.problems.length);
        return;
      }
      await acceptSettings(cause, { ...result, threadsWithout: await options.apply(result) });
    } catch (error) {
      refuse(cause, error instanceof Error ? error.message : String(error), 1);
    }
  }

  function refuse(cause: Cause, reason: string, problems: number): void {
    hasSucceeded = false;
    metrics.count('guard_reloads_total', 'refused');
    log('error', 'reload_refused', { cause, file, problems, reason });
  }

  async function acceptSettings(cause: Cause, applied: AppliedSettings): Promise<void> {
    const { settings, positionOf, threadsWithout } = applied;
    const pathsToRestart = pathsThatNeedRestart(loadedAtStart.settings, settings);
    for (const path of pathsToRestart) logRestart(formatPath(path), positionOf(path));
    const effective = withStartSettings(settings, loadedAtStart.settings);
    const changedNames = (await changesBetween(currentSettings, effective, inSlices())).join(', ');
    if (!settings.secret.some((secret) => currentSettings.secret.includes(secret))) {
      log('warn', 'reload_voided_sessions', { why: 'none of the former secrets is in the list' });
    }
    [currentSettings, revision] = [effective, applied.revision];
    loadedAt = clock();
    awaitingRestart = pathsToRestart.length;
    hasSucceeded = true;
    const logFields = { cause, file, changed: changedNames, revision, awaitingRestart };
    metrics.count('guard_reloads_total', threadsWithout > 0 ? 'partly' : 'applied');
    if (threadsWithout === 0) log('info', 'reload_applied', logFields);
    else log('error', 'reload_applied_in_part', { ...logFields, threadsWithout });
  }

  function logRestart(setting: string, { line, column }: Position): void {
    log('warn', 'reload_needs_restart', { setting, place: `${file}:${line}:${column}` });
  }

  function reload(cause: Cause): Promise<void> {
    if (runningReload) nextCause = cause;
    runningReload ??= reloadUntilQuiet(cause);
    return runningReload;
  }

  async function reloadUntilQuiet(cause: Cause): Promise<void> {
    for (let due: Cause | undefined = cause; due !== undefined; due = nextCause) {
      nextCause = undefined;
      await reloadOnce(due);
    }
    runningReload = undefined;
  }

  return { reload, stop: () => watch?.stop() };
}
