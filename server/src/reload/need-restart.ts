import type { SettingPath } from '@guard/config/settings/load';
import type { Settings } from '@guard/config/settings/schema';
import { isDeepStrictEqual } from 'node:util';

/** Settings that only a start reads. They hold until the process ends. */
export type StartSettings = Pick<Settings, 'listen' | 'store' | 'analytics' | 'workers'>;

/** New settings, but with the StartSettings of the start. */
export function asStarted(next: Settings, atStart: StartSettings): Settings {
  const { listen, store, analytics, workers } = atStart;
  return { ...next, listen, store, analytics, workers };
}

/**
 * The paths of new settings that differ from those of the start and need a restart: where Guard listens,
 * with how many workers, and where it keeps sessions and events.
 */
export function needRestart(atStart: StartSettings, next: Settings): SettingPath[] {
  const listeners = new Set([...Object.keys(atStart.listen), ...Object.keys(next.listen)]);
  return [
    ...[...listeners]
      // Both come from the same schema, so each name is one of its services.
      .filter((name) => !isSame(atStart.listen, next.listen, name as keyof Settings['listen']))
      .map((name) => ['listen', name]),
    ...(['store', 'analytics', 'workers'] as const)
      .filter((name) => !isSame(atStart, next, name))
      .map((name) => [name]),
  ];
}

function isSame<T, K extends keyof T>(before: T, after: Pick<T, K>, name: K): boolean {
  return isDeepStrictEqual(before[name], after[name]);
}
